"""The weights of the networks that ship, read back from their ONNX files to be trained further."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from .smoothing import FACTOR

_BLOCKS = re.compile(r"/model/(?P<name>.+)/MatMul_Q4")
_BYTES = re.compile(r"/model/(?P<name>.+)/MatMul_quant")
_FACTOR = re.compile(r"/model/(?P<name>.+)/Mul")
_HALF = re.compile(r"(?P<name>.+)\.(?P<side>down|up)\.half")

_BESIDE = ("_scale", "_scales", "_zero_point", f".{FACTOR}")
"""Ends of the names of what is needed to read a matrix, and isn't one."""

Weights = dict[str, torch.Tensor]


def read_shipped(path: Path) -> Weights:
    """Return the weights of an ONNX file in 4-bit blocks or 8 bits, in 32 bits by their names in `CrossEncoder`."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(path)).graph
    tensors = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    weights = _plain(tensors)
    stored_as = {node.output[0]: node.input[0] for node in graph.node if node.op_type == "Identity"}
    factors = {
        match["name"]: torch.from_numpy(tensors[stored_as.get(name, name)].copy())  # equal ones are stored once
        for node in graph.node
        for name in node.input
        if (match := _FACTOR.fullmatch(node.name)) and name.endswith(f".{FACTOR}")
    }
    for node in graph.node:
        if match := _BLOCKS.fullmatch(node.name):
            blocks, scales = (tensors[name] for name in node.input[1:3])
            weights[_weight(match)] = torch.from_numpy(_unpack(blocks, scales))
        elif match := _BYTES.fullmatch(node.name):
            plain = _scaled(tensors, node.input[1].removesuffix("_quantized")).T
            weights[_weight(match)] = (plain * factors.get(match["name"], 1.0)).contiguous()
    if "head.weight_Transposed" in weights:
        weights["head.weight"] = weights.pop("head.weight_Transposed").T.contiguous()
    elif weights["head.weight"].shape[0] > weights["head.weight"].shape[1]:
        weights["head.weight"] = weights["head.weight"].T.contiguous()
    return weights


def read_adapters(path: Path) -> Weights:
    """Return the learnt weights of an ONNX file with adapters, by their names in an adapted `CrossEncoder`."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(path), load_external_data=False).graph
    inside = {t.name: numpy_helper.to_array(t) for t in graph.initializer if not t.external_data}
    matches = [(match, tensor) for name, tensor in inside.items() if (match := _HALF.fullmatch(name))]
    weights = {
        f"{match['name']}.{match['side']}.weight": torch.from_numpy(tensor.T.astype(np.float32).copy())
        for match, tensor in matches
    }
    adapted = {match["name"] for match, _ in matches}
    for name, tensor in inside.items():
        plain = name.removeprefix("model.")
        if plain == "head.weight":
            weights[plain] = torch.from_numpy(tensor.T.copy())
        elif plain != name and not plain.endswith(("_scale", "_zero_point", "_quantized")):
            owner, _, own = plain.rpartition(".")
            weights[f"{owner}.linear.{own}" if owner in adapted else plain] = torch.from_numpy(tensor.copy())
    return weights


def _plain(tensors: Mapping[str, Any]) -> Weights:
    """Return what is not a matrix of a layer: embeddings, norms, biases, and the head."""
    weights: Weights = {}
    for name, tensor in tensors.items():
        if not name.startswith("model.") or name.endswith(_BESIDE):
            continue
        if (stem := name.removesuffix("_Q4")) != name:
            read = _rows_of_blocks(tensor, tensors[f"{stem}_scales"])
        elif (stem := name.removesuffix("_quantized")) != name:
            read = _scaled(tensors, stem)
        else:
            read = torch.from_numpy(tensor.copy())
        weights[stem.removeprefix("model.")] = read
    return weights


def _rows_of_blocks(values: np.ndarray, scales: np.ndarray) -> torch.Tensor:
    """Return rows × columns from 4-bit numbers and a scale for each block of columns."""
    blocks = values.astype(np.float32).reshape(*scales.shape, -1) * scales[..., None]
    return torch.from_numpy(blocks.reshape(values.shape))


def _scaled(tensors: Mapping[str, Any], stem: str) -> torch.Tensor:
    quantized, zero, scale = (tensors[stem + end] for end in ("_quantized", "_zero_point", "_scale"))
    return torch.from_numpy(((quantized.astype(np.float32) - zero) * scale).astype(np.float32))


def _weight(match: re.Match[str]) -> str:
    return f"{match['name'].replace('/', '.')}.weight"


def _unpack(blocks: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """Return outputs × inputs from outputs × blocks × 16 bytes (the lower four bits first) and a scale a block."""
    low, high = blocks & 15, blocks >> 4
    values = np.stack((low, high), axis=-1).reshape(*blocks.shape[:2], -1).astype(np.float32) - 8
    scaled: np.ndarray = (values * scales.reshape(*blocks.shape[:2], 1)).reshape(blocks.shape[0], -1)
    return scaled
