"""A trained network → the ONNX file that ships, in 8 or 4 bits. Needs torch, onnx and onnxruntime."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Literal

import torch
from torch import nn

from .network import CrossEncoder
from .rounding import BLOCK as EMBEDDING_BLOCK

BLOCK = 32
"""Weights of a matrix that share a scale in 4 bits."""


class _SinglePair(nn.Module):  # type: ignore[misc,unused-ignore]
    """The network for one pair without padding, so that its scores depend on no other pair."""

    def __init__(self, model: CrossEncoder) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.model(ids, torch.ones_like(ids), types)
        return logits


def export(model: CrossEncoder, path: Path, bits: Literal[4, 8] = 8, *, is_rounded: bool = False) -> None:
    """Write the network: 8-bit matrices with a scale a channel, or 4-bit ones with a scale a block.

    With one 8-bit scale a matrix 8–13 % of the labels flip. Rounded embeddings (`rounding`) get 4 bits, others 8.
    """
    model.eval()
    ids = torch.randint(1000, 20000, (1, 60))
    types = torch.cat((torch.zeros((1, 20), dtype=torch.long), torch.ones((1, 40), dtype=torch.long)), dim=1)
    path.parent.mkdir(parents=True, exist_ok=True)
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
        write = _to_4_bits if bits == 4 else _with_blocks if is_rounded else _to_8_bits
        write(plain, path)


def _to_8_bits(plain: Path, path: Path) -> None:
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(plain, path, weight_type=QuantType.QInt8, per_channel=True)


def _with_blocks(plain: Path, path: Path) -> None:
    """Store matrices in 8 bits, and embeddings in the 4-bit blocks that they were rounded to."""
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

    quantizer = MatMulNBitsQuantizer(
        onnx.load(str(plain)), block_size=EMBEDDING_BLOCK, is_symmetric=True, op_types_to_quantize=("Gather",)
    )
    quantizer.process()
    onnx.save(quantizer.model.model, str(plain))
    quantize_dynamic(
        plain,
        path,
        weight_type=QuantType.QInt8,
        per_channel=True,
        op_types_to_quantize=["MatMul", "Gemm"],
        extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},  # what follows a block has no inferred type
    )


def _to_4_bits(plain: Path, path: Path) -> None:
    """Store matrices in 4-bit blocks, multiplied in 8 bits (MatMulNBits, accuracy level 4); embeddings in 8 bits."""
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

    quantizer = MatMulNBitsQuantizer(onnx.load(str(plain)), block_size=BLOCK, is_symmetric=True, accuracy_level=4)
    quantizer.process()
    blocks = path.with_suffix(".blocks")
    onnx.save(quantizer.model.model, str(blocks))
    quantize_dynamic(blocks, path, weight_type=QuantType.QInt8, per_channel=True, op_types_to_quantize=["Gather"])
    blocks.unlink()
