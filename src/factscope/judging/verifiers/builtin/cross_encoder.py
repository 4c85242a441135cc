"""The small cross-encoder, all-MiniLM-L6-v2 trained further, as 8-bit ONNX: reads a claim and a passage together."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from factscope.core.onnx import cores, import_onnxruntime, session_options
from factscope.judging.verifiers.builtin.wordpiece import CLS, SEP, pieces

FILE = "encoder.onnx"
LONGEST = 256
"""Word pieces of a claim and a passage together; a passage of 110 words has about 150."""


class EncoderTexts(NamedTuple):
    """Texts that are read together."""

    claim: str
    passage: str


def logits(pairs: Sequence[EncoderTexts], model: Any = None) -> NDArray[np.float64]:
    """Pairs × 3: supported, contradicted, not enough evidence; by the encoder in the package, else by `model`.

    Each pair runs alone and without padding, since 8-bit arithmetic scales by the largest value of a batch: so its
    scores depend on nothing beside it. Several pairs run on several threads, one thread each.
    """
    model = model or _shipped_encoder()

    def run(texts: EncoderTexts) -> Any:
        return model.run(None, _inputs(texts))[0][0]

    results = map(run, pairs) if len(pairs) == 1 else _workers().map(run, pairs)
    return np.array(list(results), dtype=np.float64).reshape(len(pairs), 3)


def _inputs(texts: EncoderTexts) -> dict[str, NDArray[np.int64]]:
    """[CLS] claim [SEP] passage [SEP], each side cut at its end."""
    claim = [CLS, *pieces(texts.claim)[: LONGEST // 2], SEP]
    passage = [*pieces(texts.passage)[: LONGEST - len(claim) - 1], SEP]
    sides = [0] * len(claim) + [1] * len(passage)
    return {"ids": np.array([claim + passage], dtype=np.int64), "types": np.array([sides], dtype=np.int64)}


def open_encoder(path: Path) -> Any:
    """The model in a file, as a session that runs on one thread at a time for each caller."""
    onnxruntime = import_onnxruntime()
    return onnxruntime.InferenceSession(str(path), session_options(1), providers=["CPUExecutionProvider"])


@cache
def _shipped_encoder() -> Any:
    """The model in the package, loaded once per process, on the first pair that it reads."""
    with as_file(files(__package__).joinpath(FILE)) as path:
        return open_encoder(path)


@cache
def _workers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(min(4, cores()), thread_name_prefix="verifier")
