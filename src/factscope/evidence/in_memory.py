"""Texts as a collection in memory, for the pages of a single search."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from factscope.core.records import Document
from factscope.evidence.collection import Collection, digest
from factscope.evidence.results import subject

if TYPE_CHECKING:
    from factscope.evidence.embedding_models import Encoders


def load_index() -> None:
    """Import the indexing code in a thread, while the first texts are being fetched."""
    import_module("factscope.evidence.index")


def in_memory(documents: Sequence[tuple[Document, str]], encoders: Encoders | None = None) -> Collection | None:
    """Return documents and their texts as a collection in memory; None if they have no words."""
    from factscope.evidence import index as indexes

    once = {document.id: (document, text) for document, text in documents}
    rows = [(d.model_dump_json().encode(), subject(d), text) for d, text in once.values()]
    index = indexes.build(iter(rows)) if rows else None
    return Collection(f"c-{digest([row[0] for row in rows])}", index, (), encoders) if index else None
