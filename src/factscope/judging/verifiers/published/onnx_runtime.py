"""A model run by onnxruntime: its own ONNX file, or one written down from its settings and fed its weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from factscope.core.errors import UsageError
from factscope.core.onnx import cores, import_onnxruntime, session_options

from .runtime_types import Feeds, ModelFiles, Runtime
from .weights import read_weights


def open_onnx(model: ModelFiles) -> Runtime:
    """The model on a card where onnxruntime was built for one, else on the processor.

    Raises UsageError when it can't be loaded, or its architecture is not known here.
    """
    onnxruntime = import_onnxruntime()

    options = session_options(1)
    graph: str | bytes = str(model.path)
    held_arrays: list[NDArray[Any]] = []
    if model.path.suffix != ".onnx":
        graph, held_arrays = _written(model, options)
    elif model.answers is not None:
        raise UsageError(
            f"{model.path} can't answer in words: its network has no place to begin from.",
            "Give its model.safetensors.",
        )
    present = onnxruntime.get_available_providers()
    providers = [name for name in ("CUDAExecutionProvider", "CPUExecutionProvider") if name in present]
    try:
        session = onnxruntime.InferenceSession(graph, options, providers=providers)
    except Exception as error:  # noqa: BLE001 - all that it raises has in common
        raise UsageError(f"The model in {model.path.parent} can't be loaded: {error}", "Fetch it again.") from None
    outputs = [each.name for each in session.get_outputs()]
    output_names = ["logits" if "logits" in outputs else outputs[0]]

    def run(feeds: Feeds, held_arrays: object = held_arrays) -> NDArray[Any]:  # the session reads `kept` in place
        return np.asarray(session.run(output_names, dict(feeds))[0])

    on_card = session.get_providers()[0] != "CPUExecutionProvider"
    return Runtime(run, tuple(each.name for each in session.get_inputs()), batches=on_card, threads=cores())


def _written(model: ModelFiles, options: Any) -> tuple[bytes, list[NDArray[Any]]]:
    """The network in ONNX form, and its weights, which are handed over by `options`."""
    onnxruntime = import_onnxruntime()

    from .graphs import write

    weights = read_weights(model.path)
    graph = write(model.config, weights, model.form.head, model.answers)
    held_arrays = [np.ascontiguousarray(weights[name]) for name in graph.used]
    options.add_external_initializers(
        list(graph.used), [onnxruntime.OrtValue.ortvalue_from_numpy(array) for array in held_arrays]
    )
    return graph.graph, held_arrays
