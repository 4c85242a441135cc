"""DeBERTa-v2 and -v3 (He et al. 2021, 2023) with a head that classifies texts.

Attention is disentangled: to what two tokens say to each other is added what the one says to where the other stands,
and where the one stands to what the other says (He et al. 2021, equation 4). Where they stand from each other is put
into buckets that are narrow near by and wide far off (`make_log_bucket_position` of the published code).
"""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from factscope.core.errors import UsageError
from factscope.judging.verifiers.published.graph_bert import feed_forward, prefix
from factscope.judging.verifiers.published.onnx_graph import Net

LONGEST = 4_096
"""Tokens of a text at most."""
_WORDS = "embeddings.word_embeddings.weight"


class _Where(NamedTuple):
    """Relative positions of tokens, shared by all layers."""

    table: str
    """Embeddings of buckets: (2 × span, width)."""
    to_column: str
    """Numbers (row × 2 × span + bucket of the column seen from the row), laid end to end: (tokens × tokens)."""
    to_row: str
    """The same the other way round: the row seen from the column."""
    square: str
    """The shape (texts, heads, tokens, tokens)."""
    line: str
    """The shape (texts, heads, tokens × 2 × span)."""
    kinds: frozenset[str]
    """`c2p` and `p2c`: which of the two are added."""


def write_deberta(net: Net, config: Mapping[str, Any], head: str | None) -> str:
    """Writes the network; returns what gives the logits.

    Raises UsageError for a variant that is not known here and KeyError for a setting that is missing.
    """
    root = prefix(net, _WORDS)
    kinds = _kinds(config)
    if not config.get("relative_attention") or not config.get("share_att_key") or config.get("conv_kernel_size"):
        raise UsageError(
            "This model is a variant of DeBERTa that is not known here: without relative positions or shared keys, or"
            " with a convolution.",
            "One in ONNX form (model.onnx) runs whatever its variant.",
        )
    ids, mask = net.input("input_ids"), net.input("attention_mask")
    width, count = int(config["hidden_size"]), int(config["num_attention_heads"])
    epsilon = float(config.get("layer_norm_eps", 1e-7))
    words = net.do("Gather", net.weight(f"{root}{_WORDS}"), ids)
    hidden = net.do("Reshape", words, net.constant([-1, width]))
    hidden = net.layer_norm(hidden, f"{root}embeddings.LayerNorm", epsilon)
    shape, bias = net.shape_like(ids, count, width // count), net.bias_of(mask)
    where = _where(net, config, f"{root}encoder.", ids, kinds)
    for number in range(int(config["num_hidden_layers"])):
        layer = f"{root}encoder.layer.{number}."
        attended = _attended(net, hidden, f"{layer}attention.self.", (shape, bias, width // count), where)
        attended = net.linear(net.flat(attended, width), f"{layer}attention.output.dense")
        hidden = net.layer_norm(net.do("Add", attended, hidden), f"{layer}attention.output.LayerNorm", epsilon)
        hidden = feed_forward(net, hidden, layer, str(config["hidden_act"]), epsilon)
    first = net.first(hidden, net.shape_like(ids, width))
    pooled = net.activation(net.linear(first, "pooler.dense"), str(config.get("pooler_hidden_act", "gelu")))
    return net.linear(pooled, head or "classifier")


def _kinds(config: Mapping[str, Any]) -> frozenset[str]:
    attention_types = config.get("pos_att_type") or ()
    return frozenset(attention_types.split("|") if isinstance(attention_types, str) else attention_types)


def buckets(span: int, farthest: int, longest: int) -> NDArray[np.int64]:
    """The bucket of each distance from -longest to longest, from 0 to 2 × span - 1; `span` 0 or less has no buckets.

    In float32, as in the published code, so that a distance at an edge falls into the same bucket.
    """
    distance = np.arange(-longest, longest + 1)
    if span <= 0:
        return np.clip(distance + farthest, 0, 2 * farthest - 1).astype(np.int64)
    middle = span // 2
    away = np.where(np.abs(distance) < middle, middle - 1, np.abs(distance))
    share = np.log((away / middle).astype(np.float32)) / np.log(np.float32((farthest - 1) / middle))
    far = (np.ceil(share * np.float32(middle - 1)) + middle) * np.sign(distance)
    bucket_numbers: NDArray[np.int64] = np.clip(np.where(away <= middle, distance, far) + span, 0, 2 * span - 1).astype(
        np.int64
    )
    return bucket_numbers


def _where(net: Net, config: Mapping[str, Any], encoder: str, ids: str, kinds: frozenset[str]) -> _Where:
    span, farthest = int(config.get("position_buckets", -1)), int(config.get("max_relative_positions", -1))
    farthest = farthest if farthest > 0 else int(config["max_position_embeddings"])
    width = 2 * (span if span > 0 else farthest)
    table = net.do("Slice", net.weight(f"{encoder}rel_embeddings.weight"), net.constant([0]), net.constant([width]))
    if "layer_norm" in str(config.get("norm_rel_ebd", "none")):
        table = net.layer_norm(table, f"{encoder}LayerNorm", float(config.get("layer_norm_eps", 1e-7)))
    bucket_table = net.constant(buckets(span, farthest, LONGEST))
    distance = net.distances(ids, LONGEST)
    # The published distance is row less column; read backwards, that is the table from its other end.
    turned = net.do("Sub", net.constant(2 * LONGEST), distance)
    count = net.do("Gather", net.do("Shape", ids), net.constant(1), axis=0)
    zero, one_const = net.constant(0), net.constant(1)
    starts = net.do("Mul", net.do("Range", zero, count, one_const), net.constant(width))
    starts = net.do("Unsqueeze", starts, net.constant([1]))

    def laid_out(distances: str) -> str:
        return net.do("Reshape", net.do("Add", net.do("Gather", bucket_table, distances), starts), net.constant([-1]))

    heads = int(config["num_attention_heads"])
    texts = net.do("Slice", net.do("Shape", ids), net.constant([0]), net.constant([1]))
    tokens = net.do("Slice", net.do("Shape", ids), net.constant([1]), net.constant([2]))
    square = net.do("Concat", texts, net.constant([heads]), tokens, tokens, axis=0)
    line = net.do("Concat", texts, net.constant([heads, -1]), axis=0)
    return _Where(table, laid_out(turned), laid_out(distance), square, line, kinds)


def _attended(net: Net, hidden: str, prefix: str, sizes: tuple[str, str, int], where: _Where) -> str:
    """Apply attention: (texts, heads, tokens, width of a head)."""
    shape, bias, width = sizes
    query, key, value = (
        net.heads(net.linear(hidden, f"{prefix}{name}_proj"), shape) for name in ("query", "key", "value")
    )
    scores = net.do("MatMul", query, net.do("Transpose", key, perm=[0, 1, 3, 2]))
    heads = net.do("Slice", shape, net.constant([2]), net.constant([4]))
    by_head = net.do("Concat", net.constant([1, -1]), heads, axis=0)

    def relative_keys(name: str) -> str:
        """Buckets as keys or queries, turned: (1, heads, width of a head, 2 × span)."""
        split = net.do("Reshape", net.linear(where.table, f"{prefix}{name}_proj"), by_head)
        return net.do("Transpose", split, perm=[0, 2, 3, 1])

    def picked(scored: str, index: str) -> str:
        """(texts, heads, tokens, buckets) → (texts, heads, tokens, tokens), each with the bucket of the other."""
        return net.do("Reshape", net.do("Gather", net.do("Reshape", scored, where.line), index, axis=2), where.square)

    if "c2p" in where.kinds:
        scores = net.do("Add", scores, picked(net.do("MatMul", query, relative_keys("key")), where.to_column))
    if "p2c" in where.kinds:
        turned = picked(net.do("MatMul", key, relative_keys("query")), where.to_row)
        scores = net.do("Add", scores, net.do("Transpose", turned, perm=[0, 1, 3, 2]))
    scale = net.constant(1 / sqrt(width * (1 + len(where.kinds & {"c2p", "p2c"}))))
    shares = net.do("Softmax", net.do("Add", net.do("Mul", scores, scale), bias), axis=-1)
    return net.do("MatMul", shares, value)
