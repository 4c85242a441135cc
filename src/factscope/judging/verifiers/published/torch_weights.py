"""The weights in a file for PyTorch: safetensors, or a checkpoint, of which no code is run.

A checkpoint is a pickle. PyTorch reads it with `weights_only`, which refuses code; other objects in it, such as the
settings of a training program, are replaced by objects that do nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from factscope.core.errors import UsageError


class _Inert:
    """Placeholder for objects in a checkpoint that are not tensors."""

    def __init__(self, *_: object) -> None:
        """Accept any arguments, and ignore them."""

    def __setstate__(self, state: object) -> None:
        """Ignore the state."""


def read_weights(path: Path) -> dict[str, Any]:
    """Read the tensors in a file, by name. Raises UsageError when it can't be read."""
    try:
        if path.suffix == ".safetensors":
            from safetensors.torch import load_file

            tensors: Any = load_file(path)
        else:
            tensors = _checkpoint(path)
    except Exception as error:  # noqa: BLE001 - all that both packages raise has in common
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise UsageError(
            f"The model's file {path} can't be read without running code: {reason}",
            "Fetch it again, or give the model as model.safetensors.",
        ) from None
    return {name: value for name, value in tensors.items() if hasattr(value, "numel")}


def _checkpoint(path: Path) -> Any:
    """Return the weights in a checkpoint, or in the `state_dict` of one that a training program wrote."""
    import torch
    from torch.serialization import get_unsafe_globals_in_checkpoint, safe_globals

    with safe_globals([(_Inert, name) for name in get_unsafe_globals_in_checkpoint(str(path))]):
        checkpoint = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    return checkpoint.get("state_dict", checkpoint)
