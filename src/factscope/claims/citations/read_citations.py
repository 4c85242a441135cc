"""A text → its citations, each linked to a source and to the words that it supports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from factscope.claims.citations.author_year import author_years
from factscope.claims.citations.bibliography import Bibliography, find_bibliography
from factscope.claims.citations.markers import find_markers, without_code
from factscope.claims.citations.reference import Marker, Reference, identity
from factscope.claims.citations.scope import scoped
from factscope.core.records import Citation, Segment, Span


class Listed(NamedTuple):
    """A source as the text names it, before it is looked up."""

    id: str
    reference: Reference
    cited: bool
    """Whether the text cites it; otherwise it only lists it."""
    explained: bool
    """Whether the text identifies it, by an address or by an entry for its key."""


class Cited(NamedTuple):
    """The citations of a text."""

    citations: tuple[Citation, ...] = ()
    sources: tuple[Listed, ...] = ()
    markers: tuple[Marker, ...] = ()
    """The citations as they appear in the text."""
    listed: tuple[Span, ...] = ()
    """Positions of bibliography entries, which state nothing themselves."""


def read_citations(text: str, segments: Sequence[Segment], known_values: Iterable[Reference] = ()) -> Cited:
    """Find all citations of a text, the sources that they name, and the words that they support.

    `segments` are those of the text; `known_values` are the entries of reference files, by key. Never fails: a citation
    that names no known source becomes a source without an explanation.
    """
    known_values = tuple(known_values)
    listed = find_bibliography(without_code(text))
    markers = find_markers(text, listed, known_values)
    references = _References(listed, known_values)
    named = [(marker, result) for marker in markers if (result := references.of(marker)) is not None]
    markers = [marker for marker, _ in named]
    sources = _Sources()
    names = [sources.name(reference, explained=explained) for _, (reference, explained) in named]
    for entry in listed.entries:
        if not _is_note(entry):
            sources.name(references.aliased(entry), explained=True, cited=False)
    positions = scoped(text, markers, segments)
    citations = tuple(
        Citation(
            id=f"k{number}",
            span=marker.span,
            text=marker.span.of(text),
            form=marker.form,
            source_id=name,
            segment_id=segment.id if segment else None,
            scope=scope,
            locator=marker.locator,
        )
        for number, (marker, name, (segment, scope)) in enumerate(zip(markers, names, positions, strict=True), 1)
    )
    return Cited(citations, tuple(sources.listed), tuple(markers), listed.taken)


class _References:
    """The entries by their keys, those of the text before those of files."""

    def __init__(self, listed: Bibliography, known_values: Sequence[Reference]) -> None:
        self._entries = listed.entries
        self._by_key: dict[str, Reference] = {}
        for item in (*listed.entries, *listed.links.values(), *known_values):
            for name in (item.key, item.anchor):
                if name:
                    self._by_key.setdefault(name.casefold(), item)
        self._by_identity = {
            same: item
            for item in reversed((*listed.entries, *known_values))
            if (same := identity(item.url, item.doi, item.arxiv))
        }

    def of(self, marker: Marker) -> tuple[Reference, bool] | None:
        """Return the source of a marker, and whether the text identifies it; None for a remark in a footnote."""
        if marker.names is not None and (marker.key is None or marker.form == "author_year"):
            same = identity(marker.names.url, marker.names.doi, marker.names.arxiv)
            return self._by_identity.get(same or "", marker.names), True
        result = self._by_key.get((marker.key or "").casefold())
        if result is None:
            return Reference(key=(marker.key or "").lstrip("^")), False
        return None if _is_note(result) else (self.aliased(result), True)

    def aliased(self, entry: Reference) -> Reference:
        """Return the entry that a footnote such as "Kern 2004, p. 3" names; else the entry itself."""
        if entry.url or entry.doi or entry.arxiv or not entry.entry or not (entry.key or "").startswith("^"):
            return entry
        others = [one for one in self._entries if one is not entry and not (one.key or "").startswith("^")]
        result = next(author_years(f"({entry.entry.rstrip('.')})", others), None)
        return result.names if result and result.names else entry


def _is_note(entry: Reference) -> bool:
    """Return whether a footnote is a remark: it names neither an address nor a work."""
    if not (entry.key or "").startswith("^") or entry.url or entry.doi or entry.arxiv:
        return False
    return not (entry.year and entry.authors)


class _Sources:
    """The sources, each once, in the order in which they are first named."""

    def __init__(self) -> None:
        self.listed: list[Listed] = []
        self._names: dict[object, str] = {}

    def name(self, reference: Reference, *, explained: bool, cited: bool = True) -> str:
        """Return the id of a source; a new id when it is named for the first time."""
        same = identity(reference.url, reference.doi, reference.arxiv)
        key: object = same or reference.span or (reference.key or "").casefold() or reference.title
        if key not in self._names:
            self._names[key] = f"b{len(self.listed) + 1}"
            self.listed.append(Listed(self._names[key], reference, cited, explained))
        return self._names[key]
