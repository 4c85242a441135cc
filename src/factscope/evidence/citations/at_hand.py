"""Local copies of cited sources: files named by citation key, title, address or DOI; reference files; recordings.

A recording is a JSONL file with the state of each fetched source, so that a check can be repeated without the web.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path, PurePosixPath

from pydantic import ValidationError

from factscope.claims.citations.reference import Reference, address, identity
from factscope.core import StoreError, system_reason, write_whole
from factscope.core.records import Document, Record, SourceState
from factscope.evidence.citations.reference_files import ENDINGS, read_references
from factscope.evidence.file_list import EvidenceFile, EvidenceProblem, find_files, printable_path
from factscope.evidence.file_reader import FileReader, load
from factscope.evidence.formats import KINDS, BadPart, TextRow
from factscope.evidence.parse_cache import file_document
from factscope.evidence.results import HeldText, with_texts

_BEGINNING = 1 << 20  # bytes in which the first line must end


class Recorded(Record):
    """Result of fetching one source."""

    url: str | None = None
    """Its address."""
    doi: str | None = None
    """Its DOI."""
    arxiv: str | None = None
    """Its arXiv id."""
    state: SourceState
    """Its state."""
    reason: str | None = None
    """Why it was not read."""
    text: str | None = None
    """Its readable text."""
    title: str | None = None
    """Its title."""
    author: str | None = None
    """Its author."""
    published: str | None = None
    """When it was published, ISO 8601."""
    modified: str | None = None
    """When it was last changed, ISO 8601."""
    fetched_at: str | None = None
    """When it was fetched, ISO 8601."""


def is_recording(data: bytes) -> bool:
    """Return whether a JSONL file is a recording of fetches: its first line has the state of a source."""
    first = data[:_BEGINNING].removeprefix(BOM_UTF8).lstrip().partition(b"\n")[0]
    return first.startswith(b"{") and b'"state"' in first


def read_recording(path: Path, data: bytes) -> tuple[list[Recorded], list[EvidenceProblem]]:
    """Return the fetches of a recording, and the lines that can't be read."""
    results: list[Recorded] = []
    problems: list[EvidenceProblem] = []
    for number, line in enumerate(data.removeprefix(BOM_UTF8).splitlines(), 1):
        if not line.strip():
            continue
        try:
            results.append(Recorded.model_validate_json(line))
        except ValidationError as error:
            text = error.errors(include_url=False)[0]
            problems.append(EvidenceProblem(printable_path(path), number, f"is not a recorded fetch: {text['msg']}"))
    return results, problems


def write_recording(path: Path, fetches: Iterable[Recorded]) -> None:
    """Write a recording, completely or not at all. Raises StoreError."""
    try:
        write_whole(path, (f"{fetch.model_dump_json(exclude_none=True)}\n".encode() for fetch in fetches))
    except OSError as error:
        raise StoreError(f"{path} can't be written: {system_reason(error)}.", "Name another file.") from None


_SHORTEST_NAME = 4
"""Fewest letters and digits of a file name that is compared with titles."""


@dataclass
class AtHand:
    """Local documents, found by any of their names."""

    texts: list[HeldText] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    recorded: list[Recorded] = field(default_factory=list)
    problems: list[EvidenceProblem] = field(default_factory=list)
    names: dict[str, HeldText] = field(default_factory=dict)

    def add(self, held: HeldText, *names: str | None) -> None:
        """Add a document under these names; a name that is taken keeps its document."""
        self.texts.append(held)
        for name in names:
            if name:
                self.names.setdefault(name, held)

    def find(self, reference: Reference) -> HeldText | None:
        """Return the document that a reference names by its file, address, DOI, key or title."""
        return next((self.names[name] for name in _asked(reference) if name in self.names), None)

    def fetched(self, reference: Reference) -> Recorded | None:
        """Return the recorded fetch of a reference, if there is one."""
        requested = _identities(reference.url, reference.doi, reference.arxiv)
        return next((item for item in self.recorded if requested & _identities(item.url, item.doi, item.arxiv)), None)


def open_at_hand(paths: Sequence[Path], documents: Iterable[Document] = ()) -> AtHand:
    """Read files, folders and documents. An unusable file is recorded as a problem.

    Raises UsageError for a path that does not exist.
    """
    held = AtHand()
    for text in with_texts(documents):
        document = text.document
        held.add(text, _web(document.url), _file(document.id), _folded(document.id), _title(document.title))
    positions = {path: position for position, path in enumerate(paths)}
    with ExitStack() as archives, FileReader() as reader:
        files, held.problems = find_files(paths, archives, {*KINDS, *ENDINGS})
        # Of two entries or texts with one name, the first counts: that of the file which the user named first.
        for file in sorted(files, key=lambda file: positions.get(file.path, len(positions))):
            _take(file, reader, held)
    return held


def _take(file: EvidenceFile, reader: FileReader, held: AtHand) -> None:
    try:
        data = load(file.path)
    except OSError as error:
        held.problems.append(EvidenceProblem(file.name, None, f"can't be read: {error.strerror}"))
        return
    if isinstance(data, bytes) and file.path.suffix.lower() in ENDINGS:
        for entry in read_references(file, data):
            held.problems.append(entry) if isinstance(entry, EvidenceProblem) else held.references.append(entry)
        return
    if isinstance(data, bytes) and KINDS.get(file.path.suffix.lower()) == "jsonl" and is_recording(data):
        recorded, problems = read_recording(file.path, data)
        held.recorded += recorded
        held.problems += problems
        return
    path = PurePosixPath(file.name)
    file_names = (_file(path.name), _folded(path.stem), _folded(path.parent.name))
    rows: list[TextRow] = []
    for item in reader.parse(file.path.name, data):
        if isinstance(item, BadPart):
            held.problems.append(EvidenceProblem(file.name, item.line, item.message))
            continue
        names = [_web(item.url), _title(item.title)]
        if not item.place:
            names += file_names
        else:
            rows.append(item)
            if item.place.startswith("#") and not re.match(r"#(?:L|row-)\d+$", item.place):
                names.append(_folded(item.place[1:]))  # the row's own id
        held.add(_held(file, item), *names)
    if rows:  # an entry names the file, and not a row of it
        every_row = _held(file, TextRow("\n\n".join(row.text for row in rows)))
        for name in filter(None, file_names):
            held.names.setdefault(name, every_row)


def _held(file: EvidenceFile, item: TextRow) -> HeldText:
    return HeldText(file_document(file, item, sha256(item.text.encode()).hexdigest()), item.text)


def _asked(reference: Reference) -> Iterator[str]:
    """Yield the names by which a local document may be found, the most reliable first."""
    local = reference.url if reference.url and "://" not in reference.url else None
    if reference.entry:
        yield f"file:{reference.entry.lower()}"  # a name with commas or quotation marks is only found as a whole
    for names in (reference.file, (reference.file or "").rpartition(" ")[2], local):
        if names:
            yield _file(names.partition("#")[0])
    yield from sorted(_identities(reference.url, reference.doi, reference.arxiv))
    for name in (reference.key and reference.key.lstrip("^"), reference.doi, reference.arxiv):
        if name and (folded := _folded(name)):
            yield folded
    if reference.authors and reference.year:
        yield _folded(f"{reference.authors[0]}{reference.year}") or ""
    if title := _title(reference.title):
        yield title
        yield title.replace("title:", "name:")


def _identities(url: str | None, doi: str | None, arxiv: str | None) -> set[str]:
    names = (identity(url), identity(None, doi), identity(None, None, arxiv))
    return {item for item in names if item}


def _web(url: str | None) -> str | None:
    """Return the key of a web address, or of the DOI if it contains one."""
    return identity(*address(url)) if url and "://" in url else None


def _file(path: str) -> str:
    return f"file:{PurePosixPath(path).name.lower()}"


def _folded(name: str) -> str | None:
    stripped = re.sub(r"[\W_]+", "", name.casefold())
    return f"name:{stripped}" if stripped else None


def _title(title: str | None) -> str | None:
    stripped = re.sub(r"[\W_]+", "", (title or "").casefold())
    return f"title:{stripped}" if len(stripped) >= _SHORTEST_NAME else None
