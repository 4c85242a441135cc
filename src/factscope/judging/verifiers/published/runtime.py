"""Choice of a runtime for a model: onnxruntime, or PyTorch where that is installed and can do more.

    its own ONNX file, or an architecture that `graphs` writes down  → onnxruntime
    the latter, on a graphics card that PyTorch alone can use        → PyTorch, else onnxruntime
    another architecture, which transformers knows                   → PyTorch

Both give the same but for rounding, so a verifier's name does not say which it was.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from factscope.core.errors import UsageError
from factscope.core.onnx import import_onnxruntime

from .graphs import ARCHITECTURES
from .runtime_types import Feeds, ModelFiles, Runtime, Way

_DRIVERS = ("/dev/nvidiactl", "/dev/dxg", "/dev/kfd")
"""One of them is there where Linux has a card for PyTorch. Looked at first, since importing it takes seconds."""


class Machine(NamedTuple):
    """Runtimes and processors of this machine."""

    torch: bool
    """Whether PyTorch and transformers are installed."""
    card: Way | None
    """The graphics card that PyTorch can use."""
    onnx_card: bool
    """Whether onnxruntime was built for one."""


def machine() -> Machine:
    """Detect the runtimes and processors of this machine."""
    onnxruntime = import_onnxruntime()

    torch = all(find_spec(name) for name in ("torch", "transformers"))
    return Machine(torch, _card() if torch else None, "CUDAExecutionProvider" in onnxruntime.get_available_providers())


def ways(model: ModelFiles, machine: Machine) -> tuple[Way, ...]:
    """List the ways to run a model, the best first; a later one is for when those before it fail."""
    if model.path.suffix == ".onnx" or (model.kind in ARCHITECTURES and not _usual(model)):
        return ("onnxruntime",)
    if model.kind in ARCHITECTURES:
        return (
            (machine.card, "onnxruntime")
            if machine.torch and machine.card and not machine.onnx_card
            else ("onnxruntime",)
        )
    if not machine.torch:
        return ("onnxruntime",)  # which says what it lacks
    return (machine.card, "cpu") if machine.card else ("cpu",)


def open_runtime(model: ModelFiles, sample: Callable[[], Feeds]) -> Runtime:
    """The model, ready to run; `sample` gives input to try it with: two texts, the second of them shorter.

    Raises UsageError when it can't be loaded, or not be run with what is installed.
    """
    *better, last = ways(model, machine())
    for way in better:
        with suppress(UsageError):
            return _open(model, way, sample)
    return _open(model, last, sample)


def _open(model: ModelFiles, way: Way, sample: Callable[[], Feeds]) -> Runtime:
    if way == "onnxruntime":
        from .onnx_runtime import open_onnx

        return open_onnx(model)
    from .torch_runtime import open_torch

    return open_torch(model, way, sample())


def _usual(model: ModelFiles) -> bool:
    """Whether transformers has the same head for it. Of T5 it classifies by the decoder; here by the encoder."""
    return model.form.head is None and (model.answers is not None or ARCHITECTURES[model.kind] != "t5")


def _card() -> Way | None:
    """The card that PyTorch can use; None also where PyTorch is broken: most models run without it."""
    if platform.system() == "Linux" and not any(Path(driver).exists() for driver in _DRIVERS):
        return None
    with suppress(Exception):
        import torch

        if torch.cuda.is_available():
            return "cuda"
        return "mps" if torch.backends.mps.is_available() else None
    return None
