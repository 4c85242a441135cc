"""The words that a citation supports: its sentence, or its clause where several clauses of a sentence cite.

A marker after words supports the text between it and the previous marker. Where a sentence begins with a marker, as in
"Kern (2004) found …, and Low (2010) found …", each supports the text after it. Adjacent markers support the same words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from factscope.claims.citations.reference import Marker
from factscope.core.records import Segment, Span

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
