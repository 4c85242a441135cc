"""The documents of a collection's files, each parsed once per content: a cache of parsed files.

One SQLite file that several processes may use at once. It is only a cache: whatever is wrong with it, files are read
again. Entries unused for `KEPT_DAYS` are removed, and so are those of earlier versions of the reader.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from factscope.core import CacheKind, CacheRow, SqliteCache, StoreError, system_reason
from factscope.core.records import Document
from factscope.evidence.decode import clean
from factscope.evidence.file_list import EvidenceFile, EvidenceProblem, printable_path
from factscope.evidence.file_reader import READER_VERSION, FileReader, load
from factscope.evidence.formats import BadPart, TextRow, from_json, to_json

FILE_NAME = f"parsed-{READER_VERSION}.sqlite"
KEPT_DAYS = 30
"""Days after which an unused file is dropped."""
_DAY = 86_400.0


Items = list[TextRow | BadPart]
"""Of a file; the `text` of each row is the hash under which its text is stored."""


class _Files(SqliteCache[bytes, Items]):
    kind = CacheKind(
        of="files",
        saves="reading files",
        encode=lambda items: json.dumps([*map(to_json, items)]),
        decode=lambda value: [*map(from_json, json.loads(value))],
        synchronous="OFF",
        days=KEPT_DAYS,
    )


class _Texts(SqliteCache[str, str]):
    kind = CacheKind(of="texts", saves="reading files", encode=str, decode=str, synchronous="OFF", days=KEPT_DAYS)


class ParseCache:
    """Parsed files; a context manager. `path` is `None` to keep them only while it is open.

    Every method raises StoreError when the file is broken, locked for too long or can't be written.
    """

    def __init__(self, path: Path | None) -> None:
        self._files, self._texts = _Files(path), _Texts(path)
        if path:
            _remove_earlier(path.parent)

    def __enter__(self) -> ParseCache:
        return self

    def __exit__(self, *error: object) -> None:
        self._files.close()
        self._texts.close()

    def get(self, key: bytes) -> Items | None:
        """Return the items cached under this key; `None` if the file was not parsed yet."""
        entry = self._files.entry(key)
        if entry and entry.made < time.time() - _DAY:
            with suppress(StoreError):  # for example when the disk is full
                self._texts.renew(item.text for item in entry.value if isinstance(item, TextRow))
                self._files.renew([key])
        return entry.value if entry else None

    def put(self, key: bytes, items: Iterable[TextRow | BadPart]) -> Items:
        """Store the content of a file, and return it as `get` would.

        The texts of a file that another attempt may read better are kept for now, but not its entry: it is read again
        next time.
        """
        texts: dict[str, str] = {}
        entries: Items = []
        for item in items:
            if isinstance(item, BadPart):
                entries.append(item)
                continue
            digest = sha256(item.text.encode()).hexdigest()
            texts[digest] = item.text
            entries.append(item._replace(text=digest))
        self._texts.put_many(CacheRow(digest, text) for digest, text in texts.items())
        if not any(isinstance(item, BadPart) and item.again for item in entries):
            self._files.put(key, entries)
        return entries

    def texts(self, digests: Iterable[str]) -> Iterator[str]:
        """Yield the texts with these hashes, in order. Raises StoreError, also if one is missing or altered."""
        for digest in digests:
            text = self._texts.get(digest)
            if text is None or sha256(text.encode()).hexdigest() != digest:
                raise StoreError("A kept text is gone or was altered.")
            yield text


def _remove_earlier(folder: Path) -> None:
    """Remove the entries of earlier versions of the reader; a later version may be in use at the same time."""
    for path in folder.glob("parsed-*.sqlite*"):
        version = re.match(r"parsed-(\d+)\.", path.name)
        if version and int(version[1]) < READER_VERSION:
            with suppress(OSError):
                path.unlink()


def read_documents(
    files: Sequence[EvidenceFile], parsed: ParseCache, on_progress: Callable[[int, int], None] | None
) -> tuple[list[Document], list[EvidenceProblem]]:
    """Read each file, or take it from the cache; return the documents by id, equal texts once, and the problems."""
    from factscope.evidence.sources import of_address

    documents: dict[str, Document] = {}
    problems: list[EvidenceProblem] = []
    with FileReader() as reader:
        for done, file in enumerate(files, 1):
            for item in _items(file, parsed, reader):
                if isinstance(item, BadPart):
                    # A parser's message about a hostile file may repeat any of its bytes.
                    problems.append(EvidenceProblem(file.name, item.line, clean(item.message).text))
                elif (digest := item.text) not in documents:
                    kind = of_address(item.url)
                    category = {"category": kind.category, "category_by": kind.how} if kind else {}
                    documents[digest] = file_document(file, item, digest).model_copy(update=category)
            if on_progress:
                on_progress(done, len(files))
    return [documents[sha256] for sha256 in sorted(documents)], problems


def _items(file: EvidenceFile, parsed: ParseCache, reader: FileReader) -> Items:
    """Return the items of a file: from the cache, or read now."""
    try:
        data = load(file.path)
    except OSError as error:
        return [BadPart(f"can't be read: {system_reason(error)}")]
    if isinstance(data, BadPart):
        return [data]
    # The file extension also affects how a file is read.
    key = sha256(file.path.suffix.lower().encode() + b"\0" + data).digest()
    cached = parsed.get(key)
    return parsed.put(key, reader.parse(file.path.name, data)) if cached is None else cached


def file_document(file: EvidenceFile, row: TextRow, digest: str) -> Document:
    """Return the record of a text in a file, without the text."""
    return Document(
        id=f"d-{digest[:16]}",
        text=None,
        url=row.url or file.name + row.place,
        title=row.title or printable_path(file.path.name),
        published=row.published,
        sha256=digest,
        flags=row.flags,
    )
