"""T5 (Raffel et al. 2020): its encoder with a head on the first token, or both halves for one step of writing.

A checker that answers with one word needs one step: the decoder sees its start token alone, so that attention to
itself is that token's value, and no loop is needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from factscope.core.errors import UsageError
from factscope.judging.verifiers.published.graph_bert import prefix
from factscope.judging.verifiers.published.onnx_graph import Net

LONGEST = 4_096
"""Tokens of a text at most."""
_WORDS = "shared.weight"


class _Sizes(NamedTuple):
    width: int
    heads: int
    head: int
    epsilon: float
    gated: str | None
    """The activation of a gated feed-forward layer; None when the layer is a plain one."""
    plain: str


def write_t5(net: Net, config: Mapping[str, Any], head: str | None, answers: Sequence[int] | None) -> str:
    """Writes the network; returns what gives the logits: of classes, or of the `answers` when they are given.

    Raises KeyError for a setting that is missing.
    """
    root, sizes = prefix(net, _WORDS), _sizes(config)
    ids, mask = net.input("input_ids"), net.input("attention_mask")
    hidden = _encoded(net, config, root, (ids, mask), sizes)
    if answers is not None:
        return _answered(net, config, root, (ids, mask, hidden), sizes, answers)
    if head is None:
        head = next((name.removesuffix(".weight") for name in net.weights if name.endswith("classifier.weight")), None)
    if head is None:
        raise UsageError(
            f"The T5 model in {net.weights.path.parent} has no head that classifies.",
            'If it answers in words, declare it so: kind = "answers".',
        )
    return net.linear(net.first(hidden, net.shape_like(ids, sizes.width)), head)


def buckets(count: int, farthest: int, longest: int) -> NDArray[np.int64]:
    """The bucket of each distance (key less query) from -longest to longest, for an encoder (bidirectional).

    Float32 as in the published code (`_relative_position_bucket`).
    """
    distance = np.arange(-longest, longest + 1)
    half = count // 2
    exact = half // 2
    away = np.abs(distance)
    with np.errstate(divide="ignore"):
        share = np.log(away.astype(np.float32) / np.float32(exact)) / np.float32(np.log(farthest / exact))
    far = exact + np.where(away > 0, share * np.float32(half - exact), 0).astype(np.int64)
    return (distance > 0) * half + np.where(away < exact, away, np.minimum(far, half - 1))


def _sizes(config: Mapping[str, Any]) -> _Sizes:
    feed = str(config.get("feed_forward_proj", "relu"))
    act = str(config.get("dense_act_fn") or feed.rpartition("-")[2])
    act = "gelu_new" if feed == "gated-gelu" else act
    return _Sizes(
        int(config["d_model"]),
        int(config["num_heads"]),
        int(config["d_kv"]),
        float(config.get("layer_norm_epsilon", 1e-6)),
        act if feed.startswith("gated-") else None,
        act,
    )


def _encoded(net: Net, config: Mapping[str, Any], root: str, inputs: tuple[str, str], sizes: _Sizes) -> str:
    ids, mask = inputs
    words = net.do("Gather", net.weight(f"{root}{_WORDS}"), ids)
    hidden = net.do("Reshape", words, net.constant([-1, sizes.width]))
    shape = net.shape_like(ids, sizes.heads, sizes.head)
    bias = net.do("Add", _position_bias(net, config, root, ids), net.bias_of(mask))
    for number in range(int(config["num_layers"])):
        block = f"{root}encoder.block.{number}.layer."
        normed = _normed(net, hidden, f"{block}0.layer_norm", sizes)
        query, key, value = (
            net.heads(net.linear(normed, f"{block}0.SelfAttention.{name}"), shape) for name in ("q", "k", "v")
        )
        attended = _attended(net, (query, key, value), bias, sizes)
        hidden = net.do("Add", hidden, net.linear(attended, f"{block}0.SelfAttention.o"))
        hidden = net.do("Add", hidden, _fed(net, hidden, f"{block}1.", sizes))
    return _normed(net, hidden, f"{root}encoder.final_layer_norm", sizes)


def _position_bias(net: Net, config: Mapping[str, Any], root: str, ids: str) -> str:
    """Compute the relative position bias: (1, heads, tokens, tokens)."""
    table = net.weight(f"{root}encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight")
    count, farthest = config["relative_attention_num_buckets"], config.get("relative_attention_max_distance", 128)
    bucket_table = net.constant(buckets(int(count), int(farthest), LONGEST))
    added = net.do("Gather", table, net.do("Gather", bucket_table, net.distances(ids, LONGEST)))
    return net.do("Unsqueeze", net.do("Transpose", added, perm=[2, 0, 1]), net.constant([0]))


def _attended(net: Net, query_key_value: tuple[str, str, str], bias: str, sizes: _Sizes) -> str:
    """Attention without a scale, which T5 has in its weights."""
    query, key, value = query_key_value
    scores = net.do("MatMul", query, net.do("Transpose", key, perm=[0, 1, 3, 2]))
    shares = net.do("Softmax", net.do("Add", scores, bias), axis=-1)
    return net.flat(net.do("MatMul", shares, value), sizes.heads * sizes.head)


def _normed(net: Net, hidden: str, name: str, sizes: _Sizes) -> str:
    """Root-mean-square normalisation (Zhang and Sennrich 2019)."""
    mean = net.do("ReduceMean", net.do("Mul", hidden, hidden), net.constant([-1]), keepdims=1)
    root = net.do("Sqrt", net.do("Add", mean, net.constant(sizes.epsilon)))
    return net.do("Mul", net.do("Div", hidden, root), net.weight(f"{name}.weight"))


def _fed(net: Net, hidden: str, layer: str, sizes: _Sizes) -> str:
    normed, prefix = _normed(net, hidden, f"{layer}layer_norm", sizes), f"{layer}DenseReluDense."
    if sizes.gated:
        gate = net.activation(net.linear(normed, f"{prefix}wi_0"), sizes.gated)
        return net.linear(net.do("Mul", gate, net.linear(normed, f"{prefix}wi_1")), f"{prefix}wo")
    return net.linear(net.activation(net.linear(normed, f"{prefix}wi"), sizes.plain), f"{prefix}wo")


def _answered(
    net: Net,
    config: Mapping[str, Any],
    root: str,
    answer_names: tuple[str, str, str],
    sizes: _Sizes,
    answers: Sequence[int],
) -> str:
    """The logits of the answers as the decoder's first token: (texts, answers)."""
    ids, mask, encoded = answer_names
    texts = net.do("Slice", net.do("Shape", ids), net.constant([0]), net.constant([1]))
    start = net.do("Expand", net.constant([int(config.get("decoder_start_token_id") or 0)]), texts)
    hidden = net.do("Gather", net.weight(f"{root}{_WORDS}"), start)
    shape, bias = net.shape_like(ids, sizes.heads, sizes.head), net.bias_of(mask)
    cache_shape = net.do("Concat", texts, net.constant([1, sizes.heads, sizes.head]), axis=0)
    for number in range(int(config.get("num_decoder_layers") or config["num_layers"])):
        block = f"{root}decoder.block.{number}.layer."
        normed = _normed(net, hidden, f"{block}0.layer_norm", sizes)
        own_attention = net.linear(net.linear(normed, f"{block}0.SelfAttention.v"), f"{block}0.SelfAttention.o")
        hidden = net.do("Add", hidden, own_attention)
        normed = _normed(net, hidden, f"{block}1.layer_norm", sizes)
        query = net.heads(net.linear(normed, f"{block}1.EncDecAttention.q"), cache_shape)
        key, value = (net.heads(net.linear(encoded, f"{block}1.EncDecAttention.{name}"), shape) for name in ("k", "v"))
        attended = _attended(net, (query, key, value), bias, sizes)
        hidden = net.do("Add", hidden, net.linear(attended, f"{block}1.EncDecAttention.o"))
        hidden = net.do("Add", hidden, _fed(net, hidden, f"{block}2.", sizes))
    hidden = _normed(net, hidden, f"{root}decoder.final_layer_norm", sizes)
    if config.get("scale_decoder_outputs", config.get("tie_word_embeddings", True)):
        hidden = net.do("Mul", hidden, net.constant(sizes.width**-0.5))
    own_table = f"{root}lm_head.weight"
    table = net.weight(own_table if own_table in net.weights else f"{root}{_WORDS}")
    rows = net.do("Gather", table, net.constant(list(answers)), axis=0)
    return net.do("Gemm", hidden, rows, transB=1)
