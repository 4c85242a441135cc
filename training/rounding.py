"""Embeddings as a file of ten layers holds them: 4 bits and a scale a block, so that it stays below 25 MB.

The network is trained with them already rounded, so they lose nothing when it is exported.
"""

from __future__ import annotations

import torch

from .network import CrossEncoder

BLOCK = 128
"""Weights that share a scale; with 64 the file has 25.1 MB."""


def round_embeddings(model: CrossEncoder) -> None:
    """Round the tables that tokens, places and sides are looked up in."""
    embeddings = model.encoder.embeddings
    for table in (embeddings.word_embeddings, embeddings.position_embeddings, embeddings.token_type_embeddings):
        table.weight.data = round_blocks(table.weight.data)


def round_blocks(weights: torch.Tensor, block: int = BLOCK) -> torch.Tensor:
    """Return rows × columns with 16 steps a block of columns, as onnxruntime's symmetric quantizer makes them."""
    blocks = weights.reshape(weights.shape[0], -1, block)
    largest = blocks.gather(-1, blocks.abs().argmax(-1, keepdim=True))
    scale = torch.where(largest == 0, 1.0, largest / -8)
    return ((blocks / scale).round().clamp(-8, 7) * scale).reshape(weights.shape)
