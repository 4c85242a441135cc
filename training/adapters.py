"""Low-rank adapters beside the frozen 4-bit matrices of the network that ships (LoRA, Hu et al. 2021, section 4.1).

The adapters are a file of a few megabytes; the matrices themselves do not change.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import torch
from torch import nn

from .network import CrossEncoder

RANK = 16
FIRST_LAYER = 4
"""Layers below this are not trained, and the gradient need not reach them, which saves a fifth of the time."""
_BLOCKS = re.compile(r"/model/(?P<name>.+)/MatMul_Q4")


class Adapted(nn.Module):  # type: ignore[misc,unused-ignore]  # torch is there for training only
    """A frozen linear layer plus a product of two thin matrices, the second initially zero."""

    def __init__(self, linear: nn.Linear, rank: int = RANK) -> None:
        super().__init__()
        self.linear = linear
        self.down = nn.Linear(linear.in_features, rank, bias=False)
        self.up = nn.Linear(rank, linear.out_features, bias=False)
        nn.init.normal_(self.down.weight, std=linear.in_features**-0.5)
        nn.init.zeros_(self.up.weight)

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        """Return states × outputs."""
        result: torch.Tensor = self.linear(states) + self.up(self.down(states))
        return result


def adapt(model: CrossEncoder, first_layer: int = FIRST_LAYER) -> None:
    """Freeze the matrices and put adapters beside those of the layers from `first_layer` on."""
    for parameter in model.parameters():
        parameter.requires_grad = False
    for layer in model.encoder.encoder.layer[first_layer:]:
        matrices = [(name, module) for name, module in layer.named_modules() if isinstance(module, nn.Linear)]
        for name, module in matrices:
            parent, _, own = name.rpartition(".")
            setattr(layer.get_submodule(parent), own, Adapted(module))
        for name, parameter in layer.named_parameters():
            parameter.requires_grad = "linear.weight" not in name
    for parameter in model.head.parameters():
        parameter.requires_grad = True


def read_shipped(path: Path) -> dict[str, torch.Tensor]:
    """Return the weights of an ONNX file in 4-bit blocks, as numbers of 32 bits by their names in `CrossEncoder`."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(path)).graph
    tensors = {tensor.name: tensor for tensor in graph.initializer}
    weights: dict[str, torch.Tensor] = {}
    for name, tensor in tensors.items():
        plain = name.removeprefix("model.")
        if plain.endswith("_quantized"):
            stem = name.removesuffix("_quantized")
            zero, scale = (numpy_helper.to_array(tensors[stem + end]) for end in ("_zero_point", "_scale"))
            values = (numpy_helper.to_array(tensor).astype(np.float32) - zero) * scale
            weights[plain.removesuffix("_quantized")] = torch.from_numpy(values.astype(np.float32))
        elif name.startswith("model.") and not plain.endswith(("_scale", "_zero_point")):
            weights[plain] = torch.from_numpy(numpy_helper.to_array(tensor).copy())
    weights["head.weight"] = weights["head.weight"].T.contiguous()
    for node in graph.node:
        if match := _BLOCKS.fullmatch(node.name):
            blocks, scales = (numpy_helper.to_array(tensors[name]) for name in node.input[1:3])
            weights[f"{match['name'].replace('/', '.')}.weight"] = torch.from_numpy(_unpack(blocks, scales))
    return weights


def _unpack(blocks: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """Return outputs × inputs from outputs × blocks × 16 bytes (the lower four bits first) and a scale a block."""
    low, high = blocks & 15, blocks >> 4
    values = np.stack((low, high), axis=-1).reshape(*blocks.shape[:2], -1).astype(np.float32) - 8
    scaled: np.ndarray = (values * scales.reshape(*blocks.shape[:2], 1)).reshape(blocks.shape[0], -1)
    return scaled
