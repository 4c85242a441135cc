"""BERT (Devlin et al. 2019) and RoBERTa (Liu et al. 2019) with a head that classifies texts."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any

from factscope.judging.verifiers.published.onnx_graph import Net

_WORDS = "embeddings.word_embeddings.weight"


def write_bert(net: Net, config: Mapping[str, Any], kind: str, head: str | None) -> str:
    """Writes the network; returns what gives the logits. Raises KeyError for a setting that is missing."""
    root = prefix(net, _WORDS)
    ids, mask, types = (net.input(name) for name in ("input_ids", "attention_mask", "token_type_ids"))
    width, count = int(config["hidden_size"]), int(config["num_attention_heads"])
    epsilon = float(config.get("layer_norm_eps", 1e-12))
    hidden = _embedded(net, root, (ids, types), kind, int(config.get("pad_token_id") or 0))
    hidden = net.layer_norm(
        net.do("Reshape", hidden, net.constant([-1, width])), f"{root}embeddings.LayerNorm", epsilon
    )
    shape, bias = net.shape_like(ids, count, width // count), net.bias_of(mask)
    scale = net.constant(1 / sqrt(width // count))
    for number in range(int(config["num_hidden_layers"])):
        layer = f"{root}encoder.layer.{number}."
        query, key, value = (
            net.heads(net.linear(hidden, f"{layer}attention.self.{name}"), shape) for name in ("query", "key", "value")
        )
        scores = net.do("MatMul", net.do("Mul", query, scale), net.do("Transpose", key, perm=[0, 1, 3, 2]))
        shares = net.do("Softmax", net.do("Add", scores, bias), axis=-1)
        attended = net.linear(net.flat(net.do("MatMul", shares, value), width), f"{layer}attention.output.dense")
        hidden = net.layer_norm(net.do("Add", attended, hidden), f"{layer}attention.output.LayerNorm", epsilon)
        hidden = feed_forward(net, hidden, layer, str(config["hidden_act"]), epsilon)
    first = net.first(hidden, net.shape_like(ids, width))
    if head is None and "classifier.out_proj.weight" in net.weights:
        return net.linear(net.do("Tanh", net.linear(first, "classifier.dense")), "classifier.out_proj")
    return net.linear(net.do("Tanh", net.linear(first, f"{root}pooler.dense")), head or "classifier")


def prefix(net: Net, ending: str) -> str:
    """Return the prefix of the body's weights, such as `roberta.`. Raises UsageError when it has none."""
    full_name = next((name for name in sorted(net.weights) if name.endswith(ending)), ending)
    net.weights.shape(full_name)
    return full_name.removesuffix(ending)


def feed_forward(net: Net, hidden: str, layer: str, activation: str, epsilon: float) -> str:
    """The second half of a layer."""
    wide = net.activation(net.linear(hidden, f"{layer}intermediate.dense"), activation)
    narrow = net.linear(wide, f"{layer}output.dense")
    return net.layer_norm(net.do("Add", narrow, hidden), f"{layer}output.LayerNorm", epsilon)


def _embedded(net: Net, root: str, inputs: tuple[str, str], kind: str, pad: int) -> str:
    """Words, places and types of tokens, added up: (texts, tokens, width)."""
    ids, types = inputs
    if kind == "bert":
        ones = net.do("Sub", net.do("Add", ids, net.constant(1)), ids)
        positions = net.do("Sub", net.do("CumSum", ones, net.constant(1)), ones)
    else:  # RoBERTa counts from the number after that of the padding, and leaves padding out
        is_token = net.do("Cast", net.do("Not", net.do("Equal", ids, net.constant(pad))), to=7)
        counted = net.do("Mul", net.do("CumSum", is_token, net.constant(1)), is_token)
        positions = net.do("Add", counted, net.constant(pad))
    words = net.do("Gather", net.weight(f"{root}{_WORDS}"), ids)
    where = net.do("Gather", net.weight(f"{root}embeddings.position_embeddings.weight"), positions)
    which = net.do("Gather", net.weight(f"{root}embeddings.token_type_embeddings.weight"), types)
    return net.do("Add", net.do("Add", words, where), which)
