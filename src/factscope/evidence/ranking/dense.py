"""Rankings of the sentences of an index by vector similarity, the fusion of several rankings, and chunks of documents.

FELM (Chen et al. 2023) cuts references into chunks of 512 tokens without overlap and takes the best by BM25. Its tokens
are those of a model; here they are words, numbers and single characters of scripts without spaces.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factscope.claims.text.terms import term, tokens
from factscope.core import UsageError
from factscope.core.records import Span
from factscope.evidence.bm25 import K1, B
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


DOCUMENTS_KEPT = 256
"""Most recently chunked documents that are kept in memory."""


_UP_TO_SPACE = re.compile(r"(?:.*\s)?", re.DOTALL)


class DocumentChunks(NamedTuple):
    """A document in pieces."""

    size: int
    """Words in each chunk but the last."""
    spans: tuple[Span, ...]
    """Spans in order; only white space lies between them."""
    terms: NDArray[np.int32]
    """The number of each word's term, -1 for words without one."""

    def at(self, index: int) -> int:
        """Return the chunk that contains the character at `index`, or ends before it."""
        return max(0, bisect_right(self.spans, index, key=lambda span: span.start) - 1)


class ChunkedDocuments:
    """The documents of an index in pieces."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._of = lru_cache(DOCUMENTS_KEPT)(self._cut)

    def by_words(self, documents: Iterable[int], term_weights: Mapping[int, float], size: int) -> Order:
        """Return the chunks of some documents that contain terms of a query, see `by_bm25`."""
        scores = ((document, by_bm25(self._of(document, size), term_weights)) for document in documents)
        return sorted(
            (-score, document, index) for document, each in scores for index, score in enumerate(each) if score
        )

    def around(self, sentences: Iterable[tuple[float, int, int]], size: int) -> Order:
        """Turn scored sentences into chunks, each with the score of its best sentence (MaxP, Dai and Callan 2019).

        A sentence belongs to the chunk that contains its middle.
        """
        best: dict[tuple[int, int], float] = {}
        for minus, document, sentence in sentences:
            middle = int(self._index.sentences[sentence, :2].sum()) // 2
            index = self._of(document, size).at(middle)
            best[document, index] = min(minus, best.get((document, index), minus))
        return sorted((minus, document, index) for (document, index), minus in best.items())

    def passage(self, document: int, index: int, size: int) -> tuple[Span, str]:
        """Return a chunk's span in its document, and its text."""
        start, text = self._text(document)
        span = self._of(document, size).spans[index]
        return span, text[span.start - start : span.end - start]

    def _cut(self, document: int, size: int) -> DocumentChunks:
        vocabulary = self._index.vocabulary
        start, text = self._text(document)
        return cut_chunks(text, start, size, lambda word: vocabulary.get(term(word), -1))

    def _text(self, document: int) -> tuple[int, str]:
        """Return the offset of the first sentence, and the text up to the end of the last."""
        first, end = (int(document) for document in self._index.documents[document : document + 2])
        return int(self._index.sentences[first, 0]), self._index.text(first, end - 1)


def cut_chunks(text: str, start: int, size: int, term_number: Callable[[str], int]) -> DocumentChunks:
    """Cut `text`, which begins at `start` of its document, into chunks of `size` words."""
    words = tokens(text)
    edges = [0, *(_edge(text, words[at - 1].end, words[at].start) for at in range(size, len(words), size)), len(text)]
    spans = tuple(
        Span(start=start + low, end=start + low + len(text[low:high].rstrip())) for low, high in pairwise(edges)
    )
    return DocumentChunks(size, spans, np.array([term_number(word.text) for word in words], np.int32))


def by_bm25(chunks: DocumentChunks, term_weights: Mapping[int, float]) -> list[float]:
    """Return the BM25 score of each chunk as a share of its maximum, from 0 to 1.

    `term_weights` has the terms of the query with their rarity. A full chunk counts as one of average length, so that
    scores do not depend on the compared documents.
    """
    count = len(chunks.spans)
    chunk_of = np.arange(len(chunks.terms)) // chunks.size
    lengths = np.bincount(chunk_of, minlength=count)[:count]
    damped = K1 * (1 - B + B * lengths / chunks.size)
    scores = np.zeros(count)
    for number, weight in term_weights.items():
        often = np.bincount(chunk_of[chunks.terms == number], minlength=count)[:count]
        scores += weight * often / (often + damped)
    return [round(float(score), 6) for score in scores / sum(term_weights.values())]


def _edge(text: str, end: int, start: int) -> int:
    """Return the start of a chunk whose first word begins at `start`, after one that ends at `end`.

    Marks next to the word belong to it when white space separates them from the word before, as in `said "no"`.
    """
    between = text[end:start]
    touching = len(between) - len(_UP_TO_SPACE.match(between)[0])  # type: ignore[index]  # it matches nothing, too
    return start - touching if touching < len(between) else start
