"""Trained adapters → an ONNX graph whose matrices stay in the file that ships already."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

_LARGE = 4096
"""Bytes from which a tensor stays in the other file."""
_MATRIX = re.compile(r"/model/(?P<name>.+)/MatMul_Q4")


def export_adapted(shipped: Path, weights: Mapping[str, torch.Tensor], path: Path) -> None:
    """Write the graph of `shipped` with adapters beside its matrices; both files must stay in one folder.

    `weights` are those of an adapted `CrossEncoder`. Adapters are kept in 16 bits.
    """
    import onnx

    model = onnx.load(str(shipped))
    tensors = {tensor.name: tensor for tensor in model.graph.initializer}
    nodes = []
    for node in model.graph.node:
        nodes.append(node)
        match = _MATRIX.fullmatch(node.name)
        name = match["name"].replace("/", ".") if match else ""
        if f"{name}.down.weight" in weights:
            added, constants = _adapter(node, name, weights)
            nodes += added
            model.graph.initializer.extend(constants)
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    for name, tensor in tensors.items():
        learnt = weights.get(_own_name(name))
        if learnt is not None:
            values = learnt.T if name == "model.head.weight" else learnt
            tensor.raw_data = values.float().contiguous().numpy().tobytes()
    _leave_matrices(tensors.values(), shipped)
    path.write_bytes(model.SerializeToString())


def _own_name(name: str) -> str:
    """Return the name in an adapted network of a bias or a norm of the graph."""
    return re.sub(r"(\.attn\.[qkvo]|\.dense)\.bias$", r"\1.linear.bias", name.removeprefix("model."))


def _adapter(node: Any, name: str, weights: Mapping[str, torch.Tensor]) -> tuple[list[Any], list[Any]]:
    """Return the nodes that add the product of two thin matrices to the output of `node`, and these matrices."""
    from onnx import TensorProto, helper, numpy_helper

    states, result = node.input[0], node.output[0]
    node.output[0] = f"{name}.frozen"
    added, constants = [], []
    for side, before in (("down", states), ("up", f"{name}.down.out")):
        half = weights[f"{name}.{side}.weight"].T.contiguous().numpy().astype(np.float16)
        constants.append(numpy_helper.from_array(half, f"{name}.{side}.half"))
        added.append(helper.make_node("Cast", [f"{name}.{side}.half"], [f"{name}.{side}"], to=TensorProto.FLOAT))
        added.append(helper.make_node("MatMul", [before, f"{name}.{side}"], [f"{name}.{side}.out"]))
    added.append(helper.make_node("Add", [f"{name}.frozen", f"{name}.up.out"], [result]))
    return added, constants


def _leave_matrices(tensors: Any, shipped: Path) -> None:
    """Replace the bytes of each large tensor by where they stand in the file that ships."""
    from onnx import TensorProto

    content = shipped.read_bytes()
    for tensor in tensors:
        data = tensor.raw_data
        at = content.find(data) if len(data) >= _LARGE else -1
        if at < 0:
            continue  # small, or learnt
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
        for key, value in (("location", shipped.name), ("offset", at), ("length", len(data))):
            tensor.external_data.add(key=key, value=str(value))
