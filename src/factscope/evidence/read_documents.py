"""The documents of a collection's files, each parsed once per content."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256

from factscope.core.records import Document
from factscope.evidence.decode import clean
from factscope.evidence.file_kinds import BadPart
from factscope.evidence.file_list import EvidenceFile, EvidenceProblem, printable_path
from factscope.evidence.file_reader import FileReader, load
from factscope.evidence.parse_cache import ParseCache, ParsedEntry


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
