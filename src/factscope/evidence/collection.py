"""A local collection: files and folders, read once, indexed once, and searched for passages."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from hashlib import sha256
from importlib import import_module
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from factscope.claims.text.comparing_words import compares
from factscope.claims.text.terms import terms
from factscope.core import StoreError, UsageError
from factscope.core.records import Document, Searched, Span
from factscope.evidence.file_list import (
    ENDINGS,
    EvidenceFile,
    EvidenceProblem,
    NoEvidenceError,
    find_files,
    printable_path,
)
from factscope.evidence.formats import KINDS
from factscope.evidence.in_context import extent, reading
from factscope.evidence.outline import window
from factscope.evidence.parse_cache import FILE_NAME, ParseCache, read_documents
from factscope.evidence.results import FoundPassage, QueryResults, subject
from factscope.evidence.table_reading import above, file_of_row
from factscope.llm.session import CheckContext
from factscope.methods import Ask, Evidence, Passages

if TYPE_CHECKING:
    from numpy import bool_, int64
    from numpy.typing import NDArray

    from factscope.evidence.embedding_models import Encoders
    from factscope.evidence.index import Index
    from factscope.evidence.ranking.dense import Order

__all__ = ["Collection", "EvidenceProblem", "FoundPassage", "in_memory", "open_collection"]

UNITS_READ = 20
"""Least number of index units searched for each requested passage: the best sentence need not be in the best unit."""
POOL = 10
"""Units ranked for each unit that is searched, so that many in one document do not crowd out the others."""
TITLED = 0.85
"""Weight of a query term that is missing in the sentence but in the document's title. This and `NEARBY` were chosen on
claims of FM2 and FEVEROUS, by how often the five best passages contain the sentences that annotators named."""
NEARBY = 0.5
"""Weight of a term that is only in neighbouring sentences of the passage."""
NEIGHBOURS = 2
"""Number of sentences on each side that are searched for such terms, if the window has that many."""
FEW = 10_000
"""Most sentences of a collection in which all are compared by meaning; in a larger one, only those that BM25 finds."""
_MAX_PROBLEMS = 3  # problems named in a message
_ENDINGS = ", ".join(sorted({*KINDS, *ENDINGS}))


class Collection:
    """Documents that can be searched. Made by `open_collection`; safe to search from several threads."""

    asks: tuple[Ask, ...] = ()
    """Empty: local documents have no host whose category a model would be asked for."""

    def __init__(
        self, collection_id: str, index: Index, problems: tuple[EvidenceProblem, ...], encoders: Encoders | None = None
    ) -> None:
        self.id = collection_id
        """Hash of the documents, their paths or addresses, and the index settings: the same texts under other paths are
        another collection, since a report names its sources."""
        self.problems = problems
        """Files, or parts of files, that could not be used."""
        from factscope.evidence.ranking.dense import ChunkedDocuments, DenseIndex

        self._index = index
        self._titles: dict[int, frozenset[int]] = {}
        self._meaning = DenseIndex(index, encoders)
        self._pieces = ChunkedDocuments(index)

    def __len__(self) -> int:
        """Count the documents, among them each row of a table file; equal texts count once."""
        return len(self._index.documents) - 1

    @property
    def n_passages(self) -> int:
        """Count the index units."""
        return len(self._index.units) - 1

    @property
    def searched(self) -> Searched:
        """Describe the collection, for a report."""
        return Searched(
            id=self.id,
            n_documents=self._index.n_files,
            n_passages=self.n_passages,
            problems=tuple(str(problem) for problem in self.problems),
        )

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def search(self, query: str, settings: Passages) -> tuple[FoundPassage, ...]:
        """Return the passages that match `query`, best first; empty when none does.

        By words: BM25 finds the index units; their sentences are ranked by the share of the query that they contain,
        chunks by BM25. By meaning: sentences are ranked by their vectors, chunks by their nearest sentence; all
        sentences if there are at most `FEW`, otherwise those of the units. Each sentence is encoded once; after that a
        query costs one product of vectors.

        Sentences come with their neighbours (Facts&Evidence, section 3.3). Passages of one document do not overlap,
        except in context: a judge that reads each separately would miss what another has, so there only the best
        sentence of a passage is in no earlier one. The same query gives the same passages: ties are ordered by document
        and position. Raises UsageError when the model can't be used, and StoreError when its vectors can't be stored.
        """
        from factscope.evidence.ranking.dense import fuse

        words = [self._by_words(query, settings)] if settings.ranker != "dense" else []
        meaning = [self._by_meaning(query, settings)] if settings.ranker != "bm25" else []
        passages = self._pick(fuse([*words, *meaning]), settings, whole_tables=compares(query))
        return tuple(islice(passages, settings.top_k))

    async def find(self, query: str, spec: Evidence, job: CheckContext) -> QueryResults:
        """Run `search` in a separate thread."""
        return QueryResults(await asyncio.to_thread(self.search, query, spec.passages))

    def _by_words(self, query: str, settings: Passages) -> Order:
        """Return sentences, or pieces, that share words with the query."""
        from factscope.evidence.index import weights

        query_terms = self._term_numbers(query)
        if not query_terms or not settings.chunk_tokens:
            return self._ranked(query_terms, settings) if query_terms else []
        _, owners = self._candidates(query_terms, settings)
        return self._pieces.by_words(set(owners.tolist()), weights(self._index, query_terms), settings.chunk_tokens)

    def _by_meaning(self, query: str, settings: Passages) -> Order:
        """Return sentences or chunks, ranked by the similarity of their vectors to that of the query."""
        if not terms(query):
            return []
        sentences, owners = self._candidates(self._term_numbers(query), settings)
        minus = -self._meaning.scores(query, sentences, settings)
        order = list(zip(minus.tolist(), owners.tolist(), sentences.tolist(), strict=True))
        return self._pieces.around(order, settings.chunk_tokens) if settings.chunk_tokens else sorted(order)

    def _term_numbers(self, query: str) -> list[int]:
        vocabulary = self._index.vocabulary
        return sorted({vocabulary[word] for word in terms(query) if word in vocabulary})

    def _candidates(self, query_terms: list[int], settings: Passages) -> tuple[NDArray[int64], NDArray[int64]]:
        """Return candidate sentences and their documents: all of a small collection, else those of the best units."""
        from factscope.evidence.ranking.dense import sentences_in

        if len(self._index.sentences) <= FEW:
            return sentences_in(self._index)
        return sentences_in(self._index, self._units(query_terms, settings))

    def _ranked(self, query_terms: list[int], settings: Passages) -> Order:
        """Return sentences of the best units as (minus score, document, sentence), best first."""
        import numpy as np

        from factscope.evidence.index import terms_held, weights
        from factscope.evidence.ranking.dense import sentences_in

        index, held = self._index, partial(terms_held, self._index, query_terms)
        sentences, owners = sentences_in(index, self._units(query_terms, settings))
        relevant = held(sentences).any(axis=1)
        sentences, owners = sentences[relevant], owners[relevant]
        own, nearby, headed = held(sentences), held(sentences), self._in_titles(owners, query_terms)
        reach = min(settings.window, NEIGHBOURS)
        for step in range(-reach, reach + 1):
            others = sentences + step
            inside = (others >= index.documents[owners]) & (others < index.documents[owners + 1])
            nearby[inside] |= held(others[inside])
        if settings.in_context:
            heads = [above(index, sentence) for sentence in sentences.tolist()]
            rows = np.repeat(np.arange(len(heads)), [len(headings) for headings in heads])
            np.logical_or.at(headed, rows, held(np.array([*chain.from_iterable(heads)], np.int64)))
        score = np.zeros(len(sentences))
        term_weights = weights(index, query_terms)
        for column, number in enumerate(query_terms):
            shares = (own[:, column], TITLED * headed[:, column], NEARBY * nearby[:, column])
            score += term_weights[number] * np.maximum.reduce(shares)
        minus = -np.round(score / sum(term_weights.values()), 6)
        return sorted(zip(minus.tolist(), owners.tolist(), sentences.tolist(), strict=True))

    def _in_titles(self, owners: NDArray[int64], query_terms: list[int]) -> NDArray[bool_]:
        """Return which terms of the query are in the title of each document. Shape (documents, terms)."""
        import numpy as np

        documents, rows = np.unique(owners, return_inverse=True)
        titles = [self._title_terms(document) for document in documents.tolist()]
        held = [[number in title for number in query_terms] for title in titles]
        return np.array(held, bool).reshape(len(documents), len(query_terms))[rows]

    def _units(self, query_terms: list[int], settings: Passages) -> list[int]:
        """Return the best units: enough of them, but not too many of one document."""
        from numpy import searchsorted

        from factscope.evidence.index import best_units

        index, most = self._index, UNITS_READ * settings.top_k
        ranked = best_units(index, query_terms, POOL * most) if query_terms else []
        owners = searchsorted(index.documents, index.units[ranked], side="right") - 1
        per_document = Counter[int]()
        units = []
        for unit, owner in zip(ranked, owners.tolist(), strict=True):
            per_document[owner] += 1
            if per_document[owner] <= UNITS_READ * settings.per_document:
                units.append(unit)
        return units[:most]

    def _pick(self, ranked: Order, settings: Passages, *, whole_tables: bool) -> Iterator[FoundPassage]:
        """Yield the best sentences or chunks as passages."""
        used = defaultdict[int, list[Span]](list)
        files: set[bytes | None] = set()  # CSV files and sheets of which a passage has been read with all rows
        for minus, document, sentence in ranked:
            spans = used[document]
            if len(spans) == settings.per_document:
                continue
            file = file_of_row(self._index, document) if whole_tables else None
            whole = whole_tables and file not in files
            passage = self._passage(document, sentence, settings, spans, whole_table=whole)
            if passage and passage.text:
                spans.append(passage.span)
                files.update({file} - {None})
                yield passage._replace(score=max(0.0, -minus))

    def _passage(
        self, number: int, sentence: int, settings: Passages, spans: Sequence[Span], *, whole_table: bool
    ) -> FoundPassage | None:
        """Return a chunk, or a sentence with its neighbours; None if an earlier passage contains it."""
        document = self._document(number)
        if settings.chunk_tokens:
            return FoundPassage(document, *self._pieces.passage(number, sentence, settings.chunk_tokens), 0.0)
        index, around = self._index, settings.window
        low = max(int(index.documents[number]), sentence - around)
        high = min(int(index.documents[number + 1]), sentence + around + 1)
        if settings.in_context:
            low, high = extent(index, number, sentence, around, whole_table=whole_table)
            around = high - low
        nearby = [Span(start=start, end=end) for start, end in index.sentences[low:high, :2].tolist()]
        if any(nearby[sentence - low].overlaps(span) for span in spans):
            return None
        # Without the neighbours that an earlier passage has, 144 of 170 true sentences of our own texts are called
        # supported for 148, and 3 are accused for 2.
        span = window(nearby, sentence - low, around, () if settings.in_context else spans)
        text = index.text(low, high - 1)[span.start - nearby[0].start : span.end - nearby[0].start]
        read = reading(index, low, high, span, document, whole_table=whole_table) if settings.in_context else None
        return FoundPassage(document, span, text, 0.0, read)

    def _document(self, number: int) -> Document:
        return Document.model_validate_json(self._index.record(number))

    def _title_terms(self, document: int) -> frozenset[int]:
        if document not in self._titles:
            vocabulary = self._index.vocabulary
            title = terms(subject(self._document(document)))
            self._titles[document] = frozenset(vocabulary[word] for word in title if word in vocabulary)
        return self._titles[document]


def open_collection(
    paths: Sequence[Path],
    cache_dir: Path,
    on_progress: Callable[[int, int], None] | None = None,
    encoders: Encoders | None = None,
) -> Collection:
    """Read and index the files in `paths`, or reuse the index of an earlier call in `cache_dir`.

    A file is read again only if its content changed. Several processes may open the same collection. When `cache_dir`
    can't be written, the collection is kept in memory and a problem says so. `on_progress` is called with the number of
    files read and the total; `encoders` opens the models of methods that rank by meaning.

    Raises:
        UsageError: there are no paths, or a path does not exist.
        NoEvidenceError: no file has text that can be used.
    """
    if not paths:
        raise UsageError("No evidence was named.", "Name files or folders.")
    with ExitStack() as archives:
        files, problems = find_files(paths, archives)
        open_files = partial(_open, files, on_progress=on_progress, encoders=encoders)
        try:
            cache_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                return open_files(problems, cache_dir)
            except StoreError as error:
                if isinstance(error.__cause__, OSError | sqlite3.OperationalError):
                    raise
                # The stored files of an earlier call are damaged: start from scratch.
                (cache_dir / FILE_NAME).unlink(missing_ok=True)
                return open_files(problems, cache_dir)
        except (OSError, StoreError) as error:
            cause = error.__cause__ or error
            reason = getattr(cause, "strerror", None) or cause
        unkept = (
            f"can't be used as cache ({reason}); free space or choose another. The index is kept in memory for this"
            " time"
        )
        return open_files([*problems, EvidenceProblem(printable_path(cache_dir), None, unkept)], None)


def _open(
    files: Sequence[EvidenceFile],
    problems: Sequence[EvidenceProblem],
    cache: Path | None,
    on_progress: Callable[[int, int], None] | None,
    encoders: Encoders | None,
) -> Collection:
    """Raise OSError or StoreError when `cache` can't be used, and NoEvidenceError when no file has text."""
    from factscope.evidence import index as indexes

    with ParseCache(cache / FILE_NAME if cache else None) as parsed:
        documents, more = read_documents(files, parsed, on_progress)
        problems = (*problems, *more)
        if not documents:
            raise _no_evidence(problems)
        records = [document.model_dump_json().encode() for document in documents]
        name = digest([json.dumps(indexes.PARAMETERS, sort_keys=True).encode(), *records])
        folder = cache / f"index-{name}" if cache else None
        index = indexes.load(folder) if folder else None
        if index is None:
            texts = parsed.texts(document.sha256 for document in documents)
            subjects = (subject(document) for document in documents)
            index = indexes.build(zip(records, subjects, texts, strict=True))
            if index is None:
                raise _no_evidence(problems)
            if cache and folder:
                indexes.make_room(cache)
                indexes.save(index, folder)
                index = indexes.load(folder) or index
        elif folder:
            with suppress(OSError):
                os.utime(folder)
    return Collection(f"c-{name}", index, problems, encoders)


def in_memory(documents: Sequence[tuple[Document, str]], encoders: Encoders | None = None) -> Collection | None:
    """Return documents and their texts as a collection in memory; None if they have no words."""
    from factscope.evidence import index as indexes

    once = {document.id: (document, text) for document, text in documents}
    rows = [(d.model_dump_json().encode(), subject(d), text) for d, text in once.values()]
    index = indexes.build(iter(rows)) if rows else None
    return Collection(f"c-{digest([row[0] for row in rows])}", index, (), encoders) if index else None


def load_index() -> None:
    """Import the indexing code in a thread, while the first texts are being fetched."""
    import_module("factscope.evidence.index")


def digest(fields: Iterable[bytes]) -> str:
    """Return a short hash of several parts, in their order."""
    hasher = sha256()
    for chunk in fields:
        hasher.update(len(chunk).to_bytes(8, "big") + chunk)
    return hasher.hexdigest()[:16]


def _no_evidence(problems: Sequence[EvidenceProblem]) -> NoEvidenceError:
    hint = f"Supported files: {_ENDINGS}."
    if not problems:
        return NoEvidenceError("The evidence contains no readable file.", hint, ())
    listing = "; ".join(str(problem) for problem in problems[:_MAX_PROBLEMS])
    more = f"; and {len(problems) - _MAX_PROBLEMS} more" if len(problems) > _MAX_PROBLEMS else ""
    return NoEvidenceError(f"None of the evidence can be used: {listing}{more}.", hint, problems)
