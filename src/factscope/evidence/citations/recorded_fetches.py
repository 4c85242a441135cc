"""Recorded fetches: a JSONL file with the state of each source, so that a check can be repeated without the web."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from factscope.core.atomic_file import write_whole
from factscope.core.errors import StoreError, system_reason
from factscope.core.records import Record, SourceState
from factscope.evidence.file_list import EvidenceProblem, printable_path

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
    first = data[:_BEGINNING].lstrip().partition(b"\n")[0]
    return first.startswith(b"{") and b'"state"' in first


def read_recording(path: Path, data: bytes) -> tuple[list[Recorded], list[EvidenceProblem]]:
    """Return the fetches of a recording, and the lines that can't be read."""
    results: list[Recorded] = []
    problems: list[EvidenceProblem] = []
    for number, line in enumerate(data.splitlines(), 1):
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
