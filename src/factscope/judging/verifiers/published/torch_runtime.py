"""A model run by PyTorch; transformers builds its network from its settings.

No code from a file is ever run. Settings that would select code are ignored, and nothing is looked up by name: neither
on a hub, nor code beside the model. Weights are safetensors, or a checkpoint: a pickle, which PyTorch reads with
`weights_only`, which refuses code; other objects in it, such as the settings of a training program, are replaced by
objects that do nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from inspect import signature
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from factscope.core import UsageError

from .runtime import Feeds, ModelFiles, Runtime, Way


class _Inert:
    """Placeholder for objects in a checkpoint that are not tensors."""

    def __init__(self, *_: object) -> None:
        """Accept any arguments, and ignore them."""

    def __setstate__(self, state: object) -> None:
        """Ignore the state."""


def read_weights(path: Path) -> dict[str, Any]:
    """Read the tensors in a file, by name. Raises UsageError when it can't be read."""
    try:
        if path.suffix == ".safetensors":
            from safetensors.torch import load_file

            tensors: Any = load_file(path)
        else:
            tensors = _checkpoint(path)
    except Exception as error:  # noqa: BLE001 - all that both packages raise has in common
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise UsageError(
            f"The model's file {path} can't be read without running code: {reason}",
            "Fetch it again, or give the model as model.safetensors.",
        ) from None
    return {name: value for name, value in tensors.items() if hasattr(value, "numel")}


def _checkpoint(path: Path) -> Any:
    """Return the weights in a checkpoint, or in the `state_dict` of one that a training program wrote."""
    import torch
    from torch.serialization import get_unsafe_globals_in_checkpoint, safe_globals

    with safe_globals([(_Inert, name) for name in get_unsafe_globals_in_checkpoint(str(path))]):
        checkpoint = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    return checkpoint.get("state_dict", checkpoint)


_LEFT_OUT = ("auto_map", "quantization_config", "fusion_config", "transformers_weights", "name_or_path", "dtype",
             "torch_dtype", "model_type")  # fmt: skip
_ENCODERS_OF_TWO = ("t5", "mt5", "umt5")
"""Architectures with encoder and decoder, of which published checkers use only the encoder."""
_WORDS = "embeddings.word_embeddings.weight"
_SAME = 1e-3
"""Largest allowed difference between the logits of a text alone and in a batch."""


def open_torch(model: ModelFiles, device: Way, sample: Feeds) -> Runtime:
    """Load the model on a device of PyTorch, in float32.

    It is tried with `sample`: two texts, the second of them shorter. Raises UsageError when transformers does not know
    it, weights are missing, or it does not run there.
    """
    torch = _working_torch()
    config = _config(model)
    try:
        with _quietly():
            network, outputs, missing = _network(model, config)
            network = network.to(device).float().eval()
    except UsageError:
        raise
    except Exception as error:  # noqa: BLE001 - all that both packages raise has in common
        raise UsageError(f"The model in {model.path.parent} can't be loaded: {error}", "Fetch it again.") from None
    if missing:
        raise UsageError(
            f"The model in {model.path.parent} lacks weights that transformers expects: {', '.join(missing[:3])}.",
            "It was made for something else, or its config.json belongs to another model.",
        )
    takes = signature(network.forward).parameters
    typed = "token_type_ids" in takes and getattr(config, "type_vocab_size", 0) > 1
    inputs = ("input_ids", "attention_mask", *(["token_type_ids"] if typed else []))
    extra = {} if model.answers is None else {"decoder_input_ids": _start(model, config)}

    def run(feeds: Feeds) -> NDArray[np.float32]:
        """Run the network on a batch."""
        texts = len(feeds["input_ids"])
        try:
            with torch.inference_mode():
                tensors = {name: torch.from_numpy(feeds[name]).to(device) for name in inputs}
                tensors |= {name: torch.full((texts, 1), value, device=device) for name, value in extra.items()}
                return np.asarray(outputs(network(**tensors, return_dict=True)).float().cpu().numpy())
        except torch.cuda.OutOfMemoryError:
            if texts == 1:
                raise
        halves = [{name: feeds[name][half] for name in inputs} for half in (slice(texts // 2), slice(texts // 2, None))]
        return np.concatenate([run(half) for half in halves])

    try:
        same = _same_logits(run, sample)
    except Exception as error:  # noqa: BLE001 - as above
        raise UsageError(f"The model in {model.path.parent} can't be run by PyTorch: {error}") from None
    return Runtime(run, inputs, batches=device != "cpu" and same)


def _working_torch() -> Any:
    try:
        import torch
        import transformers  # noqa: F401 - it refuses versions of other packages when it is imported
    except Exception as error:  # noqa: BLE001 - as below
        raise UsageError(
            f"PyTorch and transformers are installed, but can't be used: {error}",
            "Install them again: pip install --upgrade torch transformers",
        ) from None
    return torch


def _config(model: ModelFiles) -> Any:
    from transformers import CONFIG_MAPPING, __version__

    if model.kind not in CONFIG_MAPPING:
        raise UsageError(
            f"A model of the architecture {model.kind[:60]!r} can't be run: transformers {__version__} does not know"
            " it.",
            "One in ONNX form (model.onnx) runs whatever its architecture.",
        )
    plain = {
        key: value
        for key, value in model.config.items()
        if key not in _LEFT_OUT and not key.startswith("_") and not key.endswith("_implementation")
    }
    try:
        return CONFIG_MAPPING[model.kind](**plain)
    except Exception as error:  # noqa: BLE001 - as above
        raise UsageError(
            f"The config.json in {model.path.parent} can't be used: {error}",
            "Use the config.json that belongs to the model.",
        ) from None


def _network(model: ModelFiles, config: Any) -> tuple[Any, Callable[[Any], Any], list[str]]:
    """Return the network with its weights, a function that reads its logits, and the names of missing weights."""
    import transformers

    weights = read_weights(model.path)
    outputs: Callable[[Any], Any] = attrgetter("logits")
    if model.form.head is not None:
        classes, purpose = transformers.MODEL_MAPPING, "reads texts"
        weights, outputs = _headed(model, weights)
    elif model.answers is not None:
        classes = transformers.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING
        purpose, answers = "answers in words (serve a decoder-only model instead)", list(model.answers)
        outputs = lambda output: output.logits[:, 0, answers]  # noqa: E731
    elif model.kind in _ENCODERS_OF_TWO and not any("classification_head" in name for name in weights):
        # Like HHEM: only T5's encoder, which classifies a text by its first token.
        classes, purpose = transformers.MODEL_FOR_TOKEN_CLASSIFICATION_MAPPING, "classifies"
        weights = {name.removeprefix("t5."): value for name, value in weights.items()}
        outputs = lambda output: output.logits[:, 0]  # noqa: E731
    else:
        classes, purpose = transformers.MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING, "classifies"
    if type(config) not in classes:
        raise UsageError(f"Of the architecture {model.kind[:60]!r} transformers has no model that {purpose}.")
    network, report = classes[type(config)].from_pretrained(
        None,
        config=config,
        state_dict=weights,
        attn_implementation="eager",  # the one implementation that all have, and never one from a hub
        local_files_only=True,
        trust_remote_code=False,
        output_loading_info=True,
    )
    return network, outputs, sorted(report["missing_keys"])


def _headed(model: ModelFiles, weights: dict[str, Any]) -> tuple[dict[str, Any], Callable[[Any], Any]]:
    """Return the weights of the body, and its last layer, as in AlignScore (Zha et al. 2023).

    The last layer is linear, over the pooler's output. Raises UsageError when the model has no layer of this name.
    """
    import torch

    head = model.form.head
    names = (f"{head}.weight", f"{head}.bias")
    start = next((name for name in weights if name.endswith(_WORDS)), None)
    if start is None or not all(name in weights for name in names):
        raise UsageError(
            f"The head of the model in {model.path.parent} can't be {head!r}: it has no weights {' and '.join(names)}"
            " beside those of an encoder.",
            "Correct or leave out `head` in its verifier.toml.",
        )
    prefix, (weight, bias) = start.removesuffix(_WORDS), (weights[name].float() for name in names)
    body = {name.removeprefix(prefix): value for name, value in weights.items() if name.startswith(prefix)}

    def apply_head(output: Any) -> Any:
        pooled = output.pooler_output
        return torch.nn.functional.linear(pooled, weight.to(pooled.device), bias.to(pooled.device))

    return body, apply_head


def _start(model: ModelFiles, config: Any) -> int:
    """Return the token with which the decoder starts."""
    start = model.config.get("decoder_start_token_id", getattr(config, "decoder_start_token_id", None))
    if not isinstance(start, int):
        raise UsageError(
            f"The config.json in {model.path.parent} does not say 'decoder_start_token_id'.",
            "Use the config.json that belongs to the model.",
        )
    return start


def _same_logits(run: Any, sample: Feeds) -> bool:
    """Return whether a text gets the same logits when it is padded to the length of its neighbour.

    Some models fail this: those that use the last token, and those without a padding token. Raises the network's
    errors.
    """
    length = int(sample["attention_mask"][-1].sum())
    single = run({name: values[-1:, :length] for name, values in sample.items()})
    with suppress(Exception):
        return bool(np.abs(run(sample)[-1] - single[0]).max() < _SAME)
    return False


@contextmanager
def _quietly() -> Iterator[None]:
    """Silence progress bars and warnings; errors are raised."""
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity(logging.CRITICAL)
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
