"""Rankings of the sentences of an index by vector similarity, and the fusion of several rankings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from factscope.core.errors import UsageError
from factscope.evidence.embedding_models import Encoders
from factscope.evidence.index import Index
from factscope.evidence.ranking.sentence_encoder import Encoder
from factscope.methods import Passages

K = 60
"""The constant of reciprocal rank fusion, as its authors chose it."""

Order = list[tuple[float, int, int]]
"""Minus score, document, and position in the document (a sentence or a chunk), sorted: best first, ties by position."""


def similarities(query: NDArray[np.float32], passages: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the similarity of each passage: its product with the query, over the query's and the greatest length.

    With vectors of length 1 that is the cosine. Takes one multiplication for each number of each passage: 10 million
    for 25,000 passages of 384 numbers.
    """
    longest = float(np.linalg.norm(passages, axis=1).max(initial=0.0)) * float(np.linalg.norm(query))
    scores: NDArray[np.float64] = np.round((passages @ query).astype(np.float64) / max(longest, 1e-12), 6)
    return scores


def fuse(orders: Sequence[Order]) -> Order:
    """Combine several rankings by reciprocal rank fusion (Cormack, Clarke and Büttcher 2009).

    The score of a position is the sum of 1 / (K + rank) over the rankings that contain it, as a share of the maximum: 1
    is first everywhere. Ties in a ranking all get their best rank. A single ranking is unchanged.
    """
    if len(orders) == 1:
        return orders[0]
    sums: dict[tuple[int, int], float] = {}
    for order in orders:
        rank, before = 0, None
        for number, (minus, document, index) in enumerate(order, 1):
            if minus != before:
                rank, before = number, minus
            sums[document, index] = sums.get((document, index), 0.0) + 1 / (K + rank)
    most = len(orders) / (K + 1)
    return sorted((-round(total / most, 6), document, index) for (document, index), total in sums.items())


class DenseIndex:
    """Vectors of an index, by the models that methods name."""

    def __init__(self, index: Index, encoders: Encoders | None) -> None:
        self._index, self._encoders = index, encoders
        self._held: dict[tuple[str, str], NDArray[np.float32]] = {}

    def scores(self, query: str, sentences: NDArray[np.int64], settings: Passages) -> NDArray[np.float64]:
        """Return the similarity of each of `sentences` to the query, see `similarities`.

        When these are all sentences of the index, their vectors stay in memory for the next query. Raises StoreError,
        and UsageError when the model can't be used.
        """
        if self._encoders is None or settings.model is None:
            raise UsageError(
                "The method ranks by meaning, and the documents were opened without models for that.",
                "Give encoders= where they are opened.",
            )
        if not len(sentences):
            return np.zeros(0)
        encoder = self._encoders.of(settings.model)
        before = encoder.recipe.query_prefix if settings.query_prefix is None else settings.query_prefix
        [vector] = encoder.encode([before + query]).astype(np.float32)
        return similarities(vector, self._vectors(sentences, encoder, settings))

    def _vectors(self, sentences: NDArray[np.int64], encoder: Encoder, settings: Passages) -> NDArray[np.float32]:
        before = encoder.recipe.passage_prefix if settings.passage_prefix is None else settings.passage_prefix
        key = encoder.recipe.digest, before
        is_full = len(sentences) == len(self._index.sentences)
        if is_full and key in self._held:
            return self._held[key]
        small = encoder.encode([before + self._index.text(each, each) for each in sentences.tolist()])
        vectors = small.astype(np.float32)
        if is_full:
            self._held[key] = vectors
        return vectors


def sentences_in(index: Index, units: Sequence[int] | None = None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the sentences of some units or of all, in order, and the document of each."""
    sentences = np.arange(len(index.sentences))
    if units is not None:
        sentence_blocks = [sentences[index.units[unit] : index.units[unit + 1]] for unit in sorted(units)]
        sentences = np.concatenate([sentences[:0], *sentence_blocks])
    return sentences, np.searchsorted(index.documents, sentences, side="right") - 1
