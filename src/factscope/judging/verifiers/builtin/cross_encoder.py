"""A cross-encoder in ONNX format, which reads a claim and a passage together; the small one comes with Factscope."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from factscope.core import cores, import_onnxruntime, session_options
from factscope.judging.verifiers.builtin.wordpiece import CLS, SEP, pieces

ENCODER_FILE = "encoder.onnx"
LONGEST = 256
"""Word pieces of a claim and a passage together; a passage of 110 words has about 150."""

_REMEMBERED = 8_192
"""Number of recent pairs whose scores are cached: some ten megabytes of text."""


class EncoderTexts(NamedTuple):
    """A claim and a passage text that are read together."""

    claim: str
    passage: str


class Numbering(NamedTuple):
    """Token numbers of an encoder: its special tokens, and the offset from BERT's numbers."""

    start: int = CLS
    end: int = SEP
    shift: int = 0


BERT = Numbering()
MPNET = Numbering(start=0, end=2, shift=4)
"""MPNet (Song et al. 2020) has BERT's word pieces after four special tokens of its own."""


@dataclass(frozen=True)
class CrossEncoder:
    """A cross-encoder: a function that opens its session, called once, and its token numbers."""

    session: Callable[[], Any]
    numbering: Numbering = BERT

    def logits(self, pairs: Sequence[EncoderTexts]) -> NDArray[np.float64]:
        """Return pairs × 3: supported, contradicted, not enough evidence.

        Each pair runs alone and without padding, since 8-bit arithmetic scales by the largest value of a batch: so its
        scores depend on nothing beside it. Several pairs run on several threads, one thread each.
        """
        if not pairs:
            return np.empty((0, 3))
        self.session()  # opened before there are threads, each of which would open its own
        read = partial(_scores, self)
        results = map(read, pairs) if len(pairs) == 1 else _workers().map(read, pairs)
        return np.array(list(results), dtype=np.float64).reshape(len(pairs), 3)

    def inputs(self, texts: EncoderTexts) -> dict[str, NDArray[np.int64]]:
        """Return start, claim, end, passage, end as tokens; each text is cut off at its end."""
        start, end, shift = self.numbering
        claim = [start, *(piece + shift for piece in pieces(texts.claim)[: LONGEST // 2]), end]
        passage = [*(piece + shift for piece in pieces(texts.passage)[: LONGEST - len(claim) - 1]), end]
        sides = [0] * len(claim) + [1] * len(passage)
        return {"ids": np.array([claim + passage], dtype=np.int64), "types": np.array([sides], dtype=np.int64)}


def encoder_in(package: str, numbering: Numbering, file: str = ENCODER_FILE) -> CrossEncoder:
    """Return the encoder in a Python package; its file is read on the first pair. Raises ModuleNotFoundError then."""
    return CrossEncoder(partial(_session_in, package, file), numbering)


def open_encoder(path: Path) -> Any:
    """Open the model in a file, as a session that runs on one thread for each caller."""
    onnxruntime = import_onnxruntime()
    return onnxruntime.InferenceSession(str(path), session_options(1), providers=["CPUExecutionProvider"])


@lru_cache(maxsize=_REMEMBERED)
def _scores(encoder: CrossEncoder, texts: EncoderTexts) -> tuple[float, ...]:
    """Return the scores of one pair, cached because a repeated check asks for the same pairs."""
    return tuple(encoder.session().run(None, encoder.inputs(texts))[0][0].tolist())


@cache
def _session_in(package: str, file: str) -> Any:
    with as_file(files(package)) as folder:  # the whole folder, since a file may name another beside it
        return open_encoder(folder / file)


@cache
def _workers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(min(4, cores()), thread_name_prefix="verifier")


# A forked process inherits the pool without its threads, and would wait for them for ever.
os.register_at_fork(after_in_child=_workers.cache_clear)


SMALL = encoder_in(str(__package__), BERT)
"""The lowest ten layers of e5-small, trained further; matrices in 8 bits, embeddings in 4."""
