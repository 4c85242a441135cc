"""Choice of a runtime for a model: onnxruntime for its own ONNX file, PyTorch for its PyTorch weights.

A verifier's name does not state which: both give the same results except for rounding.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from factscope.core.errors import UsageError

from .runtime_types import Feeds, ModelFiles, Runtime, Way

_DRIVERS = ("/dev/nvidiactl", "/dev/dxg", "/dev/kfd")
"""Devices of which Linux has one if it has a card for PyTorch. Checked first, since importing PyTorch takes seconds."""


def open_runtime(model: ModelFiles, sample: Callable[[], Feeds]) -> Runtime:
    """Load the model; `sample` returns inputs to try it with: two texts, the second of them shorter.

    Raises UsageError when it can't be loaded, or not be run with the installed packages.
    """
    if model.path.suffix == ".onnx":
        from .onnx_runtime import open_onnx

        return open_onnx(model)
    must_have_torch(model.path)
    from . import torch_runtime

    if device := card():
        with suppress(UsageError):  # such as when another program uses the card's memory
            return torch_runtime.open_torch(model, device, sample())
    return torch_runtime.open_torch(model, "cpu", sample())


def must_have_torch(path: Path) -> None:
    """Raise UsageError when a model is not an ONNX file, and PyTorch or transformers is not installed."""
    if path.suffix == ".onnx":
        return
    if missing := [name for name in ("torch", "transformers") if find_spec(name) is None]:
        raise UsageError(
            f"{path} holds weights for PyTorch, and {' and '.join(missing)} {_are(missing)} not installed.",
            "Install what it needs: pip install 'factscope[torch]' (about 5 GB). A model in ONNX form (model.onnx) runs"
            " without it.",
        )


def card() -> Way | None:
    """Return the graphics card that PyTorch can use; None also when PyTorch is broken, which is reported on opening."""
    if platform.system() == "Linux" and not any(Path(driver).exists() for driver in _DRIVERS):
        return None
    with suppress(Exception):
        import torch

        if torch.cuda.is_available():
            return "cuda"
        return "mps" if torch.backends.mps.is_available() else None
    return None


def _are(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"
