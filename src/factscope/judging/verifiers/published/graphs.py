"""Networks of published architectures, written down in ONNX from the settings of a model; its weights stay outside.

A settings file (`config.json`) says what a network looks like, a file of weights holds its numbers by name. So a model
that comes for PyTorch alone runs without PyTorch. Tests compare each with the model of the library `transformers`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from factscope.core.errors import UsageError
from factscope.judging.verifiers.published.onnx_graph import Net
from factscope.judging.verifiers.published.weights import Weights

ARCHITECTURES = {
    "bert": "bert", "roberta": "bert", "xlm-roberta": "bert", "camembert": "bert",
    "deberta-v2": "deberta", "t5": "t5", "mt5": "t5",
}  # fmt: skip
"""Architectures that can be written down, as a settings file calls them."""


class Written(NamedTuple):
    """A network in ONNX form, and the names of the weights that it takes when it is opened."""

    graph: bytes
    used: tuple[str, ...]


def must_be_known(config: Mapping[str, Any]) -> str:
    """The architecture in a settings file. Raises UsageError for one that is not known here."""
    kind = str(config.get("model_type", "none"))
    if kind not in ARCHITECTURES:
        known_text = ", ".join(ARCHITECTURES)
        raise UsageError(
            f"A model of the architecture {kind[:60]!r} can't be run from its weights.",
            f"Known are {known_text}. Any runs in ONNX form (model.onnx), and many more with PyTorch: pip install torch"
            " transformers",
        )
    return kind


def write(config: Mapping[str, Any], weights: Weights, head: str | None, answers: Sequence[int] | None) -> Written:
    """The network that a settings file describes: numbers of tokens → `logits`, a row for each text.

    `head` names the weights of the last layer where it is not the usual one; `answers` are the numbers of the tokens
    whose logits a model that writes is asked for. Raises UsageError for an architecture that is not known here.
    """
    kind = must_be_known(config)
    net = Net(weights)
    try:
        if ARCHITECTURES[kind] == "bert":
            from factscope.judging.verifiers.published.graph_bert import write_bert

            logits = write_bert(net, config, kind, head)
        elif ARCHITECTURES[kind] == "deberta":
            from factscope.judging.verifiers.published.graph_deberta import write_deberta

            logits = write_deberta(net, config, head)
        else:
            from factscope.judging.verifiers.published.graph_t5 import write_t5

            logits = write_t5(net, config, head, answers)
    except KeyError as error:
        raise UsageError(
            f"The config.json in {weights.path.parent} does not say {error.args[0]!r}.",
            "Use the config.json that belongs to the model.",
        ) from None
    return Written(net.written(logits), tuple(sorted(net.used)))
