"""Choice of a runtime for a model: onnxruntime for its own ONNX file, PyTorch for its PyTorch weights.

A verifier's name does not state which: both give the same results except for rounding.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from factscope.core import UsageError, cores, import_onnxruntime, session_options
from factscope.judging.verifiers.published.model_spec import ClassifierSpec

Feeds = Mapping[str, NDArray[np.int64]]
"""Inputs by name, texts × tokens: token numbers, the attention mask, and the text that each token belongs to."""
Way = Literal["cpu", "cuda", "mps"]
"""The devices of PyTorch."""
_DRIVERS = ("/dev/nvidiactl", "/dev/dxg", "/dev/kfd")
"""Devices of which Linux has one if it has a card for PyTorch. Checked first, since importing PyTorch takes seconds."""


class Runtime(NamedTuple):
    """A loaded network; safe to run from several threads."""

    run: Callable[[Feeds], NDArray[Any]]
    """Input → logits, texts × outputs."""
    inputs: tuple[str, ...]
    """Names of the inputs that it takes."""
    batches: bool
    """Whether to run many texts at once, which is best on a graphics card; otherwise one by one."""
    threads: int = 1
    """Texts that are best run at the same time, one by one."""


class ModelFiles(NamedTuple):
    """Files of a model."""

    path: Path
    """Its network or its weights."""
    config: Mapping[str, Any]
    """Its settings."""
    form: ClassifierSpec
    answers: tuple[int, ...] | None
    """For a model that answers in words: the tokens whose logits are used."""

    @property
    def kind(self) -> str:
        """Its architecture, as named in its settings."""
        return str(self.config.get("model_type", "none"))


def open_runtime(model: ModelFiles, sample: Callable[[], Feeds]) -> Runtime:
    """Load the model; `sample` returns inputs to try it with: two texts, the second of them shorter.

    Raises UsageError when it can't be loaded, or not be run with the installed packages.
    """
    if model.path.suffix == ".onnx":
        return _open_onnx(model)
    must_have_torch(model.path)
    from . import torch_runtime

    if device := card():
        with suppress(UsageError):  # such as when another program uses the card's memory
            return torch_runtime.open_torch(model, device, sample())
    return torch_runtime.open_torch(model, "cpu", sample())


def _open_onnx(model: ModelFiles) -> Runtime:
    """Load the model on a graphics card if this onnxruntime supports one, otherwise on the CPU.

    Raises UsageError when it can't be loaded.
    """
    onnxruntime = import_onnxruntime()

    if model.answers is not None:
        raise UsageError(
            f"{model.path} can't answer in words: its network has no place to begin from.",
            "Give its model.safetensors.",
        )
    present = onnxruntime.get_available_providers()
    providers = [name for name in ("CUDAExecutionProvider", "CPUExecutionProvider") if name in present]
    try:
        session = onnxruntime.InferenceSession(str(model.path), session_options(1), providers=providers)
    except Exception as error:  # noqa: BLE001 - all that it raises has in common
        raise UsageError(f"The model in {model.path.parent} can't be loaded: {error}", "Fetch it again.") from None
    outputs = [each.name for each in session.get_outputs()]
    output_names = ["logits" if "logits" in outputs else outputs[0]]

    def run_session(feeds: Feeds) -> NDArray[Any]:
        return np.asarray(session.run(output_names, dict(feeds))[0])

    on_card = session.get_providers()[0] != "CPUExecutionProvider"
    return Runtime(run_session, tuple(each.name for each in session.get_inputs()), batches=on_card, threads=cores())


def must_have_torch(path: Path) -> None:
    """Raise UsageError when a model is not an ONNX file, and PyTorch or transformers is not installed."""
    if path.suffix == ".onnx":
        return
    if missing := [name for name in ("torch", "transformers") if find_spec(name) is None]:
        are = "is" if len(missing) == 1 else "are"
        raise UsageError(
            f"{path} holds weights for PyTorch, and {' and '.join(missing)} {are} not installed.",
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
