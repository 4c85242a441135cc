"""Low-rank adapters beside the frozen 4-bit matrices of the network that ships (LoRA, Hu et al. 2021, section 4.1).

The adapters are a file of a few megabytes; the matrices themselves do not change.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import nn

from .network import CrossEncoder

RANK = 16
FIRST_LAYER = 4
"""Layers below this were not trained without a GPU: the gradient need not reach them, which saves a fifth of the time.
"""


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


def adapt(model: CrossEncoder, first_layer: int = FIRST_LAYER, rank: int = RANK) -> None:
    """Freeze the matrices and put adapters beside those of the layers from `first_layer` on."""
    for parameter in model.parameters():
        parameter.requires_grad = False
    for layer in model.encoder.encoder.layer[first_layer:]:
        matrices = [(name, module) for name, module in layer.named_modules() if isinstance(module, nn.Linear)]
        for name, module in matrices:
            parent, _, own = name.rpartition(".")
            setattr(layer.get_submodule(parent), own, Adapted(module, rank))
        for name, parameter in layer.named_parameters():
            parameter.requires_grad = "linear.weight" not in name
    for parameter in model.head.parameters():
        parameter.requires_grad = True


def widened(learnt: Mapping[str, torch.Tensor], model: CrossEncoder) -> dict[str, torch.Tensor]:
    """Return the weights of narrower adapters as those of `model`, whose further rows and columns add nothing yet."""
    weights = {}
    for name, own in model.state_dict().items():
        if name in learnt:
            weights[name] = own.clone()
            weights[name][tuple(slice(size) for size in learnt[name].shape)] = learnt[name]
    return weights
