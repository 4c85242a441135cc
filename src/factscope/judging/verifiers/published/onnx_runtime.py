"""A model's own ONNX file, run by onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from factscope.core.errors import UsageError
from factscope.core.onnx import cores, import_onnxruntime, session_options

from .runtime_types import Feeds, ModelFiles, Runtime


def open_onnx(model: ModelFiles) -> Runtime:
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
