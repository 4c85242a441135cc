"""The index over a collection: texts, sentences, terms and BM25 weights as flat arrays, in memory or mapped from disk.

Only imported when a collection is opened, because importing numpy takes time.
"""

from __future__ import annotations

import json
import mmap
import os
import re
import shutil
import threading
import time
import zlib
from array import array
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from factscope.claims.text.terms import term, words
from factscope.core.records import Span
from factscope.evidence.bm25 import K1, B, Postings, postings, unit_scores
from factscope.evidence.outline import KINDS, MAX_SENTENCE, UNIT_CHARACTERS, UNIT_SENTENCES, cut, outline, units

PARAMETERS = {
    "index": 6,
    "k1": K1,
    "b": B,
    "sentence": MAX_SENTENCE,
    "unit_sentences": UNIT_SENTENCES,
    "unit_characters": UNIT_CHARACTERS,
}
"""Everything that an index depends on besides its documents."""

_STOP_WORDS = (
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this"
    " to was will with"
)
STOP_TERMS = frozenset(map(term, _STOP_WORDS.split()))
"""Terms without information on a text's subject: they are neither indexed nor searched."""

_ARRAYS = ("sentences", "positions", "documents", "units", "terms", "term_starts", "counts", "records")
_VOCABULARY = "vocabulary.json"
_CHECK_FILE = "check.json"
ROW_OF_FILE = re.compile(rb'"url": ?"([^"]*#(?:[^"#]*-)?row-)(\d+)"')
"""In a record, the address of a document that is a row of a CSV file or a sheet."""
KEPT_INDEXES = 8
"""Indexes left on disk; those unused for longest are removed when a new one is made."""
_DRAFT_SECONDS = 86_400.0  # an unfinished index older than a day was left by a killed process
_LOADING = threading.Lock()
"""NumPy parses the header of an array by compiling a syntax tree, which Python 3.11 can't do in two threads at once:
"AST constructor recursion depth mismatch"."""


@dataclass(frozen=True)
class Index:
    """A collection as arrays. Documents, units and sentences are numbered in order; a unit is within one document."""

    bm25: Postings
    """The score of each term in each unit."""
    vocabulary: dict[str, int]
    """The number of each term."""
    sentences: NDArray[np.int64]
    """Per sentence: start and end in its document in characters, start and end in `texts` in bytes. Shape (n, 4)."""
    positions: NDArray[np.int64]
    """Shape (n, 3), for each sentence: the index of its kind in `outline.KINDS`, the index of the sentence above it
    (its heading or the first row of its table; -1: none), and the number of its block in the document."""
    documents: NDArray[np.int64]
    """Index of the first sentence of each document; the last entry is the number of all sentences."""
    units: NDArray[np.int64]
    """Index of the first sentence of each unit; the last entry is the number of all sentences."""
    terms: NDArray[np.int32]
    """Term numbers of all sentences, one after the other."""
    term_starts: NDArray[np.int64]
    """Index in `terms` at which each sentence begins, and the end of the last."""
    counts: NDArray[np.int64]
    """Number of sentences that contain each term."""
    records: NDArray[np.int64]
    """Offset in `record_lines` of each document's record, and the end of the last."""
    texts: bytes | bytearray | mmap.mmap
    """Texts of all documents in UTF-8."""
    record_lines: bytes | bytearray | mmap.mmap
    """Records of all documents, without their texts, in JSON."""

    def text(self, first: int, last: int) -> str:
        """Return the text from the start of one sentence to the end of another of the same document."""
        return bytes(self.texts[self.sentences[first, 2] : self.sentences[last, 3]]).decode()

    @cached_property
    def file_rows(self) -> dict[bytes, dict[int, int]]:
        """The documents that are rows of a CSV file or a sheet: for each file, the number of a row → its document."""
        files: dict[bytes, dict[int, int]] = {}
        for document in range(len(self.records) - 1):
            if place := ROW_OF_FILE.search(self.record(document)):
                files.setdefault(place[1], {})[int(place[2])] = document
        return files

    @cached_property
    def n_files(self) -> int:
        """Number of documents as a reader counts them: all rows of a CSV file or a workbook are one."""
        files = [place[1].partition(b"#")[0] for place in ROW_OF_FILE.finditer(self.record_lines)]
        return len(self.documents) - 1 - len(files) + len(set(files))

    def record(self, document: int) -> bytes:
        """Return a document's record, in JSON."""
        return bytes(self.record_lines[self.records[document] : self.records[document + 1]])


class _Vocabulary(dict[str, int]):
    """Words as written → number of their term; -1 for words that are not indexed."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        result = term(word)
        number = -1 if result in STOP_TERMS else self.numbers.setdefault(result, len(self.numbers))
        self[word] = number
        return number

    def of(self, text: str) -> list[int]:
        """Return the numbers of the terms of a text, without stop words."""
        return [number for word in words(text) if (number := self[word]) >= 0]


def build(documents: Iterable[tuple[bytes, str | None, str]]) -> Index | None:
    """Index documents given as record, title and text; return `None` if none of them has a word.

    Needs memory for the texts in UTF-8 and about 20 bytes per word.
    """
    builder = _IndexBuilder()
    for record, title, text in documents:
        builder.add(record, title, text)
    return builder.index() if builder.terms else None


class _IndexBuilder:
    """The growing arrays of an index, named as in `Index`."""

    def __init__(self) -> None:
        self.vocabulary = _Vocabulary()
        self.texts, self.record_lines = bytearray(), bytearray()
        self.sentences, self.positions, self.terms = array("q"), array("q"), array("i")
        self.term_starts, self.documents, self.units, self.records = (array("q", [0]) for _ in range(4))
        self.unit_terms, self.unit_lengths = array("i"), array("q")
        """Terms of each unit with those of its document's title, and their number."""

    def add(self, record: bytes, title: str | None, text: str) -> None:
        """Add a document."""
        spans = cut(text)
        for kind, over, block in outline(text, spans):
            self.positions.extend((KINDS.index(kind), over if over < 0 else self.documents[-1] + over, block))
        self._add_sentences(text, spans)
        title_terms = self.vocabulary.of(title or "")
        for size in units(spans):
            start, end = self.units[-1], self.units[-1] + size
            terms = self.terms[self.term_starts[start] : self.term_starts[end]]
            self.unit_terms.extend(terms)
            self.unit_terms.extend(title_terms)
            self.unit_lengths.append(len(terms) + len(title_terms))
            self.units.append(end)
        self.texts += text.encode()
        self.record_lines += record
        self.records.append(len(self.record_lines))
        self.documents.append(len(self.term_starts) - 1)

    def _add_sentences(self, text: str, spans: Sequence[Span]) -> None:
        at, byte = 0, len(self.texts)
        for span in spans:
            byte += len(text[at : span.start].encode())
            end = byte + len(span.of(text).encode())
            self.sentences.extend((span.start, span.end, byte, end))
            self.terms.extend(self.vocabulary.of(span.of(text)))
            self.term_starts.append(len(self.terms))
            at, byte = span.end, end

    def index(self) -> Index:
        """Return the index of all documents; at least one has a word."""
        n_terms = len(self.vocabulary.numbers)
        terms, term_starts = np.array(self.terms, np.int32), np.array(self.term_starts, np.int64)
        by_sentence = postings(terms, np.diff(term_starts), n_terms)
        return Index(
            bm25=postings(np.array(self.unit_terms, np.int32), np.array(self.unit_lengths, np.int64), n_terms),
            vocabulary=self.vocabulary.numbers,
            sentences=np.array(self.sentences, np.int64).reshape(-1, 4),
            positions=np.array(self.positions, np.int64).reshape(-1, 3),
            documents=np.array(self.documents, np.int64),
            units=np.array(self.units, np.int64),
            terms=terms,
            term_starts=term_starts,
            counts=np.diff(by_sentence.starts),
            records=np.array(self.records, np.int64),
            texts=self.texts,
            record_lines=self.record_lines,
        )


def save(index: Index, folder: Path) -> None:
    """Write an index as `folder`, completely or not at all: a reader never sees half of it. Raises OSError."""
    draft = folder.with_name(f"{folder.name}.{os.getpid()}.{os.urandom(4).hex()}.draft")
    try:
        draft.mkdir(parents=True)
        arrays = {name: getattr(index, name) for name in _ARRAYS}
        arrays |= {f"bm25_{name}": values for name, values in index.bm25._asdict().items()}
        for name, values in arrays.items():
            np.save(draft / f"{name}.npy", values, allow_pickle=False)
        (draft / _VOCABULARY).write_text(json.dumps(list(index.vocabulary)), encoding="utf-8")
        (draft / "texts").write_bytes(index.texts)
        (draft / "records").write_bytes(index.record_lines)
        checks = {path.name: _checksum(path) for path in draft.iterdir()}
        (draft / _CHECK_FILE).write_text(json.dumps(checks), encoding="utf-8")
        if folder.exists() and not is_whole(folder):
            shutil.rmtree(folder)
        draft.rename(folder)
    except OSError:
        if not is_whole(folder):
            raise
        # Another process was faster; its index is the same.
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def load(folder: Path) -> Index | None:
    """Map an index into memory; return `None` if there is none, or if it is damaged."""
    if not is_whole(folder):
        return None
    try:
        with _LOADING:
            # As plain arrays over the same mapping: access to an item of a memmap takes ten times as long.
            arrays = {path.stem: np.asarray(np.load(path, mmap_mode="r")) for path in folder.glob("*.npy")}
            words = json.loads((folder / _VOCABULARY).read_text(encoding="utf-8"))
            return Index(
                bm25=Postings(*(arrays[f"bm25_{name}"] for name in Postings._fields)),
                vocabulary={word: number for number, word in enumerate(words)},
                texts=_map(folder / "texts"),
                record_lines=_map(folder / "records"),
                **{name: arrays[name] for name in _ARRAYS},
            )
    except (OSError, ValueError):
        # Removed by another process since we looked.
        return None


def make_room(cache: Path) -> None:
    """Remove the indexes unused for longest, and unfinished ones that a killed process left."""
    with suppress(OSError):
        ages = sorted((path.stat().st_mtime, path) for path in cache.glob("index-*"))
        complete = [path for _, path in ages if path.suffix != ".draft"]
        stale = [path for age, path in ages if path.suffix == ".draft" and age < time.time() - _DRAFT_SECONDS]
        for path in [*complete[: 1 - KEPT_INDEXES], *stale]:
            shutil.rmtree(path, ignore_errors=True)


def is_whole(folder: Path) -> bool:
    """Return whether all files of an index are there with the content that was written."""
    try:
        checks = json.loads((folder / _CHECK_FILE).read_text(encoding="utf-8"))
        return bool(checks) and all(_checksum(folder / name) == check for name, check in checks.items())
    except (OSError, ValueError, AttributeError, TypeError):
        return False


def best_units(index: Index, query: Sequence[int], most: int) -> list[int]:
    """Return up to `most` units with any of the terms in `query`, best BM25 score first.

    Ties are in order of number.
    """
    scores = unit_scores(index.bm25, query, len(index.units) - 1)
    matching = np.flatnonzero(scores > 0)
    if len(matching) > most:
        # All units with at least the score of the last one, so that the cut never depends on how ties were sorted.
        least = np.partition(scores[matching], len(matching) - most)[len(matching) - most]
        matching = matching[scores[matching] >= least]
    order = np.lexsort((matching, -scores[matching]))[:most]
    return [int(unit) for unit in matching[order]]


def terms_held(index: Index, query: Sequence[int], sentences: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return booleans with a row for each sentence and a column for each term of `query`, in ascending order."""
    numbers = np.array(query, index.terms.dtype)
    starts = index.term_starts[sentences]
    lengths = index.term_starts[sentences + 1] - starts
    rows = np.repeat(np.arange(len(sentences)), lengths)
    first = np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
    terms = index.terms[first + np.arange(len(rows))]
    columns = np.minimum(np.searchsorted(numbers, terms), len(numbers) - 1)
    held = np.zeros((len(sentences), len(numbers)), bool)
    matches = numbers[columns] == terms
    held[rows[matches], columns[matches]] = True
    return held


def weights(index: Index, query: Sequence[int]) -> dict[int, float]:
    """Compute the weight of each term by its rarity: Lucene's idf, log(1 + (N - df + 0.5) / (df + 0.5))."""
    total = len(index.sentences)
    counts = {number: int(index.counts[number]) for number in query}
    return {number: float(np.log1p((total - count + 0.5) / (count + 0.5))) for number, count in counts.items()}


def _checksum(path: Path) -> list[int]:
    """Return the size and the checksum of a file. Raises ValueError for an empty one."""
    with closing(_map(path)) as content:
        return [len(content), zlib.crc32(content)]


def _map(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
