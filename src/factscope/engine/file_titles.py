"""Titles of files that tell those of the same name apart: `plant.txt` in two folders names neither."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from factscope.core.records import Document


def told_apart(documents: Sequence[Document]) -> tuple[Document, ...]:
    """Return the documents, those titled by a file's name with as much of its path as no other file among them has."""
    paths = {document.id: path for document in documents if (path := _path_of_name(document))}
    known = Counter(ending for path in set(paths.values()) for ending in _endings(path))
    titles = {name: next((end for end in _endings(path) if known[end] == 1), path) for name, path in paths.items()}
    return tuple(
        document.model_copy(update={"title": titles[document.id]}) if document.id in titles else document
        for document in documents
    )


def _path_of_name(document: Document) -> str | None:
    """Return the path of a file whose name is the document's title; `None` for one that states a title."""
    if not document.title or not document.url:
        return None
    folder, found, place = f"/{document.url}".rpartition(f"/{document.title}")
    is_name = found and (not place or place.startswith("#"))
    return f"{folder}/{document.title}".removeprefix("/") if is_name else None


def _endings(path: str) -> Iterator[str]:
    """Yield the ends of a path: its name, then with one folder more each."""
    parts = path.split("/")
    for start in reversed(range(len(parts))):
        yield "/".join(parts[start:])
