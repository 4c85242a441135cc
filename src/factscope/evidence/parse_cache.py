"""The documents of a collection's files, each parsed once per content: a cache of parsed files.

One SQLite file that several processes may use at once. It is only a cache: whatever is wrong with it, files are read
again. Entries unused for `KEPT_DAYS` are removed, and so are those of earlier versions of the reader.
"""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from factscope.core.records import Document
from factscope.core.sqlite_transaction import transaction
from factscope.evidence.decode import clean
from factscope.evidence.file_list import EvidenceFile, EvidenceProblem, printable_path
from factscope.evidence.file_reader import READER_VERSION, FileReader, load
from factscope.evidence.formats import BadPart, TextRow

FILE_NAME = f"parsed-{READER_VERSION}.sqlite"
KEPT_DAYS = 30
"""Days after which an unused file is dropped."""
_BUSY_SECONDS = 30.0  # waited for another process that writes
# `auto_vacuum` first: it returns free space to the disk, and takes effect only before there are tables. `used` is a
# day.
_SCHEMA = """
PRAGMA auto_vacuum = FULL;
CREATE TABLE IF NOT EXISTS files (key BLOB PRIMARY KEY, used INTEGER NOT NULL, items TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS texts (sha256 TEXT PRIMARY KEY, text TEXT NOT NULL);
"""
# A text is deleted when no remaining file refers to it.
_SWEEP = (
    "DELETE FROM files WHERE used < ?",
    """DELETE FROM texts WHERE sha256 NOT IN (
        SELECT json_extract(item.value, '$.entry[0]') FROM files, json_each(files.items) AS item
        WHERE json_type(item.value, '$.entry') = 'array'
    )""",
)


class ParsedEntry(NamedTuple):
    """A `TextRow` without its text, which is stored under its hash."""

    sha256: str
    title: str | None
    url: str | None
    place: str
    published: str | None
    flags: tuple[str, ...]


class ParseCache:
    """Parsed files; a context manager. `path` is `None` to keep them in memory only.

    Every method raises sqlite3.Error when the file is broken, locked for too long or can't be written.
    """

    def __init__(self, path: Path | None) -> None:
        target = ":memory:" if path is None else str(path)
        self._db = sqlite3.connect(target, timeout=_BUSY_SECONDS, isolation_level=None)
        try:
            # No waiting for the disk: a cache that a power cut breaks is rebuilt.
            self._db.execute("PRAGMA synchronous = OFF")
            self._db.executescript(_SCHEMA)
            # Old entries can be removed another time, for example when the disk is not full.
            with suppress(sqlite3.OperationalError):
                self._sweep()
        except sqlite3.Error:
            self._db.close()
            raise
        if path:
            _remove_earlier(path.parent)

    def __enter__(self) -> ParseCache:
        return self

    def __exit__(self, *error: object) -> None:
        self._db.close()

    def get(self, key: bytes) -> list[ParsedEntry | BadPart] | None:
        """Return the items cached under this key; `None` if the file was not parsed yet."""
        with closing(self._db.execute("SELECT items, used FROM files WHERE key = ?", (key,))) as rows:
            row = rows.fetchone()
        if not row:
            return None
        if row[1] != _today():
            with suppress(sqlite3.OperationalError):
                self._db.execute("UPDATE files SET used = ? WHERE key = ?", (_today(), key))
        try:
            return [_entry(item) for item in json.loads(row[0])]
        except (ValueError, TypeError, KeyError):
            return None

    def put(self, key: bytes, items: Iterable[TextRow | BadPart]) -> list[ParsedEntry | BadPart]:
        """Store the content of a file, and return it as `get` would.

        The texts of a file that another attempt may read better are kept for now, but not its entry: it is read again
        next time.
        """
        rows = list(items)
        entries: list[ParsedEntry | BadPart] = []
        # Other processes wait for this lock, so nothing is read in between.
        with transaction(self._db):
            for item in rows:
                if isinstance(item, TextRow):
                    digest = sha256(item.text.encode()).hexdigest()
                    self._db.execute("INSERT OR REPLACE INTO texts VALUES (?, ?)", (digest, item.text))
                    entries.append(ParsedEntry(digest, item.title, item.url, item.place, item.published, item.flags))
                else:
                    entries.append(item)
            if not any(isinstance(item, BadPart) and item.again for item in rows):
                packed = json.dumps([{"bad" if isinstance(item, BadPart) else "entry": item} for item in entries])
                self._db.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?)", (key, _today(), packed))
        return entries

    def texts(self, digests: Iterable[str]) -> Iterator[str]:
        """Yield the texts with these hashes, in order. Raises sqlite3.DatabaseError if one is missing or altered."""
        for digest in digests:
            with closing(self._db.execute("SELECT text FROM texts WHERE sha256 = ?", (digest,))) as rows:
                row = rows.fetchone()
            if not row or sha256(row[0].encode()).hexdigest() != digest:
                raise sqlite3.DatabaseError("a kept text is gone or was altered")
            yield row[0]

    def _sweep(self) -> None:
        oldest = _today() - KEPT_DAYS
        with closing(self._db.execute("SELECT 1 FROM files WHERE used < ? LIMIT 1", (oldest,))) as rows:
            if not rows.fetchone():
                return
        with transaction(self._db):
            self._db.execute(_SWEEP[0], (oldest,))
            self._db.execute(_SWEEP[1])


def _today() -> int:
    return int(time.time() // 86_400)


def _remove_earlier(folder: Path) -> None:
    """Remove the entries of earlier versions of the reader; a later version may be in use at the same time."""
    for path in folder.glob("parsed-*.sqlite*"):
        version = re.match(r"parsed-(\d+)\.", path.name)
        if version and int(version[1]) < READER_VERSION:
            with suppress(OSError):
                path.unlink()


def _entry(item: dict[str, list[object]]) -> ParsedEntry | BadPart:
    """Restore an item. Raises KeyError for an unknown tag."""
    [(tag, values)] = item.items()
    if tag == "bad":
        return BadPart(*values)  # type: ignore[arg-type]
    if tag == "entry":
        return ParsedEntry(*values)._replace(flags=tuple(values[-1]))  # type: ignore[arg-type]
    raise KeyError(tag)


def read_documents(
    files: Sequence[EvidenceFile], parsed: ParseCache, on_progress: Callable[[int, int], None] | None
) -> tuple[list[Document], list[EvidenceProblem]]:
    """Read each file, or take it from the cache; return the documents by id, equal texts once, and the problems."""
    documents: dict[str, Document] = {}
    problems: list[EvidenceProblem] = []
    with FileReader() as reader:
        for done, file in enumerate(files, 1):
            for item in _items(file, parsed, reader):
                if isinstance(item, BadPart):
                    # A parser's message about a hostile file may repeat any of its bytes.
                    problems.append(EvidenceProblem(file.name, item.line, clean(item.message).text))
                elif item.sha256 not in documents:
                    documents[item.sha256] = _document(file, item)
            if on_progress:
                on_progress(done, len(files))
    return [documents[sha256] for sha256 in sorted(documents)], problems


def _items(file: EvidenceFile, parsed: ParseCache, reader: FileReader) -> list[ParsedEntry | BadPart]:
    """Return the items of a file: from the cache, or read now."""
    try:
        data = load(file.path)
    except OSError as error:
        return [BadPart(f"can't be read: {error.strerror}")]
    if isinstance(data, BadPart):
        return [data]
    # The file extension also affects how a file is read.
    key = sha256(file.path.suffix.lower().encode() + b"\0" + data).digest()
    cached = parsed.get(key)
    return parsed.put(key, reader.parse(file.path.name, data)) if cached is None else cached


def _document(file: EvidenceFile, entry: ParsedEntry) -> Document:
    from factscope.evidence.sources import of_address

    kind = of_address(entry.url)
    return Document(
        id=f"d-{entry.sha256[:16]}",
        text=None,
        url=entry.url or file.name + entry.place,
        title=entry.title or printable_path(file.path.name),
        category=kind.category if kind else "other",
        category_by=kind.how if kind else None,
        published=entry.published,
        sha256=entry.sha256,
        flags=entry.flags,
    )
