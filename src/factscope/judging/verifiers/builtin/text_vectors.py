"""Vectors of texts from the encoder that comes with Factscope: the mean over a text's word pieces, read as a claim.

The encoder was trained to compare claims with passages, so such a vector represents a text's subject and statements. It
is a by-product: a model trained for sentence vectors makes better ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from factscope.core import cores, import_onnxruntime, session_options
from factscope.judging.verifiers.builtin.cross_encoder import BERT, ENCODER_FILE, LONGEST
from factscope.judging.verifiers.builtin.wordpiece import pieces

_MEAN = "/model/Div_output_0"
"""The tensor of the network with the mean over the claim's word pieces."""
_GRAPH, _OUTPUT, _NAME = 7, 12, 1
"""Fields of ONNX's ModelProto, GraphProto and ValueInfoProto."""
_SLAB = 64
"""Texts between two progress reports."""


def text_vectors(
    texts: Sequence[str], progress: Callable[[int, int], None] = lambda done, total: None
) -> NDArray[np.float32]:
    """Return one row for each text, in order, not scaled to length 1."""
    session = _session()
    rows = [np.zeros((0, 0), np.float32)] if not texts else []
    for start in range(0, len(texts), _SLAB):
        slab = texts[start : start + _SLAB]
        rows.append(np.array([session.run([_MEAN], _inputs(text))[0][0] for text in slab], np.float32))
        progress(start + len(slab), len(texts))
    return np.concatenate(rows)


def _inputs(text: str) -> dict[str, NDArray[np.int64]]:
    """Return a text as the claim, and nothing as the passage."""
    claim = [BERT.start, *pieces(text)[: LONGEST - 3], BERT.end]
    sides = [0] * len(claim) + [1]
    return {"ids": np.array([[*claim, BERT.end]], np.int64), "types": np.array([sides], np.int64)}


@cache
def _session() -> Any:
    """Open the network with that tensor as a further output.

    Appending one protocol buffer to another merges the two, and adds their repeated fields.
    """
    name = _field(_NAME, _MEAN.encode())
    network = files(str(__package__)).joinpath(ENCODER_FILE).read_bytes() + _field(_GRAPH, _field(_OUTPUT, name))
    onnxruntime = import_onnxruntime()
    return onnxruntime.InferenceSession(network, session_options(cores()), providers=["CPUExecutionProvider"])


def _field(number: int, content: bytes) -> bytes:
    """Encode a field with content of fewer than 128 bytes."""
    return bytes([number << 3 | 2, len(content)]) + content
