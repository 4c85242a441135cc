"""A trained network → the 8-bit ONNX file of the package. Needs torch, onnx and onnxruntime."""

from __future__ import annotations

import tempfile
from pathlib import Path

import torch
from torch import nn

from .network import CrossEncoder


class _SinglePair(nn.Module):  # type: ignore[misc,unused-ignore]
    """The network for one pair without padding, so that its scores depend on no other pair."""

    def __init__(self, model: CrossEncoder) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.model(ids, torch.ones_like(ids), types)
        return logits


def export(model: CrossEncoder, path: Path) -> None:
    """Write the network with 8-bit weights, one scale a channel: with one a matrix 8–13 % of the labels flip."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    model.eval()
    ids = torch.randint(1000, 20000, (1, 60))
    types = torch.cat((torch.zeros((1, 20), dtype=torch.long), torch.ones((1, 40), dtype=torch.long)), dim=1)
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.onnx"
        torch.onnx.export(
            _SinglePair(model),
            (ids, types),
            str(plain),
            input_names=["ids", "types"],
            output_names=["logits"],
            dynamic_axes={"ids": {1: "tokens"}, "types": {1: "tokens"}},
            opset_version=17,
            dynamo=False,
        )
        quantize_dynamic(plain, path, weight_type=QuantType.QInt8, per_channel=True)
