"""A text → its citations, each linked to a source and to the words that it supports.

These are its sentence, or its clause where several clauses of a sentence cite. A marker after words supports the text
between it and the previous marker. Where a sentence begins with a marker, as in "Kern (2004) found …, and Low (2010)
found …", each supports the text after it. Adjacent markers support the same words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from factscope.claims.citations.author_year import author_years
from factscope.claims.citations.bibliography import Bibliography, find_bibliography
from factscope.claims.citations.markers import find_markers, without_code
from factscope.claims.citations.reference import Marker, Reference, identity
from factscope.core.records import Citation, Segment, Span

_JOINED = re.compile(r"[\s,;.:&()\[\]*_\"”’]*(?:and|see|also)?[\s,;.:&()\[\]*_]*")
_TRAILING = re.compile(r"[\s,;:–—-]*(?:\b(?:and|but|while|whereas|though|although|or|so|yet)\b[\s,]*)?$")
_WORD = re.compile(r"[^\W_][\w'’-]*")
_LEADING = re.compile(r"[\s,;:.)\]*_–—-]*(?:(?:and|but|while|whereas|though|although|or|so|yet)\b[\s,]*)?")
_POINTER = re.compile(
    r"\W*(?:sources?|see|via|ref(?:erence)?s?|cf|from|at|more|here|link|available|also|quelle|doi|and)*\W*",
    re.IGNORECASE,
)
_FEWEST_WORDS = 3
"""Words of a clause; markers with fewer words between them support the whole sentence."""


def scoped(
    text: str, markers: Sequence[Marker], segments: Sequence[Segment]
) -> list[tuple[Segment | None, Span | None]]:
    """Return the segment of each marker, and the words that it supports."""
    homes = [_home(text, marker, segments, markers) for marker in markers]
    groups: dict[str, list[Marker]] = {}
    for marker, home in zip(markers, homes, strict=True):
        groups.setdefault(home.id if home else "", []).append(marker)
    scopes: dict[Marker, Span] = {}
    for segment in segments:
        if segment.id in groups:
            scopes |= _scopes(text, segment, groups[segment.id])
    return [(home, scopes.get(marker)) for marker, home in zip(markers, homes, strict=True)]


def _words_in(text: str, span: Span, markers: Sequence[Marker]) -> int:
    """Count the words of a piece of text, except those of citation marks."""
    return len(_WORD.findall(_without_marks(text, span, markers)))


def _home(text: str, marker: Marker, segments: Sequence[Segment], markers: Sequence[Marker]) -> Segment | None:
    """Return the segment that a marker belongs to.

    The segment around it, or the previous one if that segment holds nothing but markers.
    """
    at = next(
        (n for n, segment in enumerate(segments) if segment.span.start <= marker.span.start < segment.span.end), None
    )
    if at is None:
        before = [n for n, segment in enumerate(segments) if segment.span.end <= marker.span.start]
        if not before or "\n\n" in text[segments[before[-1]].span.end : marker.span.start]:
            return None
        return segments[before[-1]]
    current = segments[at]
    individual = _without_marks(text, current.span, markers)
    if at and _POINTER.fullmatch(individual) and current.kind != "table_row":
        before_it = segments[at - 1]
        if "\n\n" not in text[before_it.span.end : current.span.start] and before_it.kind not in ("heading", "code"):
            return before_it
        return None
    return current


def _without_marks(text: str, span: Span, markers: Sequence[Marker]) -> str:
    words, at = [], span.start
    for marker in markers:
        if marker.outer.end > at and marker.outer.start < span.end:
            words += [text[at : marker.outer.start], marker.words]
            at = marker.outer.end
    return " ".join([*words, text[at : span.end]])


def _scopes(text: str, segment: Segment, markers: Sequence[Marker]) -> dict[Marker, Span]:
    groups = _groups(text, markers)
    complete = segment.span
    if len(groups) == 1 or segment.kind == "table_row":
        return dict.fromkeys(markers, complete)
    starts = [group[0] for group in groups]
    ahead = (
        _words_in(text, Span(start=complete.start, end=max(complete.start, starts[0].span.start)), markers)
        < _FEWEST_WORDS
    )
    if ahead:
        edges = [complete.start, *(first.span.start for first in starts[1:]), complete.end]
    else:
        edges = [complete.start, *(group[-1].outer.end for group in groups[:-1]), complete.end]
    spans = [_tight(text, low, high) for low, high in pairwise(edges) if low <= high]
    if len(spans) < len(groups) or any(_words_in(text, span, markers) < _FEWEST_WORDS for span in spans):
        return dict.fromkeys(markers, complete)
    return {marker: span for group, span in zip(groups, spans, strict=True) for marker in group}


def _groups(text: str, markers: Sequence[Marker]) -> list[list[Marker]]:
    """Return groups of adjacent markers."""
    groups: list[list[Marker]] = []
    for marker in markers:
        last = groups[-1][-1] if groups else None
        close = last is not None and (
            marker.outer == last.outer
            or (not marker.words and _JOINED.fullmatch(text[last.outer.end : max(last.outer.end, marker.span.start)]))
        )
        if close:
            groups[-1].append(marker)
        else:
            groups.append([marker])
    return groups


def _tight(text: str, low: int, high: int) -> Span:
    """Return a clause without the comma and conjunction before it, and without white space after it."""
    lead = _LEADING.match(text, low, high)
    start = lead.end() if lead else low
    tail = _TRAILING.search(text[low:high])
    end = low + (tail.start() if tail else high - low)
    return Span(start=min(start, end), end=end)


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
    sources: dict[object, Listed] = {}
    names = [_source_id(reference, sources, explained=explained) for _, (reference, explained) in named]
    for entry in listed.entries:
        if not _is_note(entry):
            _source_id(references.aliased(entry), sources, explained=True, cited=False)
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
    return Cited(citations, tuple(sources.values()), tuple(markers), listed.taken)


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
        alias = self.aliased(result)
        return None if alias is result and _is_note(result) else (alias, True)

    def aliased(self, entry: Reference) -> Reference:
        """Return the entry that a footnote such as "Kern 2004, p. 3" names; else the entry itself."""
        if entry.url or entry.doi or entry.arxiv or not entry.entry or not (entry.key or "").startswith("^"):
            return entry
        others = [one for one in self._entries if one is not entry and not (one.key or "").startswith("^")]
        result = next(author_years(f"({entry.entry.rstrip('.')})", others), None)
        return result.names if result and result.names else entry


def _is_note(entry: Reference) -> bool:
    """Return whether a footnote is a remark: it names neither an address nor a file nor a work."""
    if not (entry.key or "").startswith("^") or entry.url or entry.doi or entry.arxiv or entry.file:
        return False
    return not (entry.year and entry.authors)


def _source_id(reference: Reference, listed: dict[object, Listed], *, explained: bool, cited: bool = True) -> str:
    """Return the id of a source; one that is named for the first time is added to those listed."""
    same = identity(reference.url, reference.doi, reference.arxiv)
    key: object = same or reference.span or (reference.key or "").casefold() or reference.title
    return listed.setdefault(key, Listed(f"b{len(listed) + 1}", reference, cited, explained)).id
