"""The quotations of a text: its block quotes, each with the citations that belong to it, and words in quotation marks.

The citations of a block quote are those inside it, otherwise those of the sentence that introduces it, otherwise those
of the line right after it. Words in quotation marks are a quotation when there are enough of them to be more than a
name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from factscope.claims.citations.markers import pieces_without, without_code
from factscope.claims.citations.reference import Marker
from factscope.core.records import Citation, Segment, Span

_FEWEST_QUOTED = 3
"""Words of a quotation; fewer are a name, a title or a turn of phrase."""
_PAIRS = (
    re.compile(r"“(?P<words>[^“”]{8,1500})”"),
    re.compile(r"(?<![\w\"])\"(?P<words>[^\"\n]{8,1500})\"(?![\w\"])"),
    re.compile(r"«\s?(?P<words>[^«»]{8,1500}?)\s?»"),
    re.compile(r"„(?P<words>[^„“”]{8,1500})[“”]"),
    re.compile(r"(?<!\w)‘(?P<words>(?:[^‘’]|(?<=\w)’(?=\w)){8,1500})’(?!\w)"),
)


def quoted_words(segment: Segment) -> Iterator[Span]:
    """Yield the positions of a segment's quotations in the response, without their marks, in order."""
    results: list[Span] = []
    for pattern in _PAIRS:
        for match in pattern.finditer(segment.text):
            at = segment.span.start
            span = Span(start=at + match.start("words"), end=at + match.end("words"))
            if len(match["words"].split()) >= _FEWEST_QUOTED and not any(span.overlaps(result) for result in results):
                results.append(span)
    yield from sorted(results, key=lambda span: span.start)


_LINE = re.compile(r"[ ]{0,3}(?:>[ \t]?)+(?P<words>[^\n]*)")
_ATTRIBUTION = re.compile(r"\s*(?:\n[\s>]*|(?<=[.!?”\"’»])\s+)(?:—|–|--)\s?[^\n]*\Z")
"""A last line, or the end of one, with the author: "— Ida Kern"."""
_AROUND = re.compile(r"\A[\s*_“\"„«‘]*(?P<words>.*?)[\s*_”\"“»’]*\Z", re.DOTALL)
_FEWEST_WORDS = 3  # a shorter one is hardly a quotation


class QuotedBlock(NamedTuple):
    """One paragraph of a block quote."""

    span: Span
    """Position of its words, from the first to the last."""
    words: str
    """Its words without the marks of the block and without citations."""
    citations: tuple[Citation, ...]
    """The citations that belong to it, in reading order."""


def block_quotes(
    text: str, segments: Sequence[Segment], citations: Sequence[Citation], markers: Sequence[Marker]
) -> Iterator[QuotedBlock]:
    """Yield the block quotes of a text that cite a source, paragraph by paragraph.

    One that cites none is not a quotation.
    """
    view = without_code(text)
    for block in _blocks(view):
        lines_span = Span(start=block[0][0].start, end=block[-1][-1].end)
        cited = _citations_of(view, lines_span, segments, citations)
        for lines in block if cited else ():
            if quoted := _quoted(text, lines, markers):
                yield QuotedBlock(*quoted, cited)


def introduces_a_quotation(text: str, segment: Segment) -> bool:
    """Return whether a sentence only introduces a block quote: it ends with a colon, and the block follows."""
    ended = re.search(r":[\s*_]*\Z", segment.text)
    return bool(ended and re.match(r"\s*\n[ ]{0,3}>", text[segment.span.end :]))


def _blocks(view: str) -> Iterator[list[list[Span]]]:
    """Yield the block quotes as paragraphs of lines, the marks left out."""
    block: list[list[Span]] = []
    lines: list[Span] = []
    at = 0
    for line in [*view.splitlines(keepends=True), ""]:
        match = _LINE.match(line)
        words = match["words"].rstrip() if match else ""
        if match and words.strip():
            start = at + match.start("words") + len(words) - len(words.lstrip())
            lines.append(Span(start=start, end=at + match.start("words") + len(words)))
        elif lines:
            block.append(lines)
            lines = []
        if not match and block:
            yield block
            block = []
        at += len(line)


def _citations_of(
    view: str, lines_span: Span, segments: Sequence[Segment], citations: Sequence[Citation]
) -> tuple[Citation, ...]:
    inside = tuple(item for item in citations if item.span.overlaps(lines_span))
    if inside:
        return inside
    before = [segment for segment in segments if segment.span.end <= lines_span.start]
    lead = before[-1] if before else None
    if lead and lead.kind != "heading" and re.fullmatch(r"\s*>?\s*", view[lead.span.end : lines_span.start]):
        leading = tuple(item for item in citations if item.segment_id == lead.id)
        if leading:
            return leading
    line = re.match(r"\s*(?P<line>[^\n]*)", view[lines_span.end :])
    behind = Span(start=lines_span.end, end=lines_span.end + (line.end() if line else 0))
    ended = line and re.match(r"[(\[]|—|–|--|source", line["line"], re.IGNORECASE)
    return tuple(item for item in citations if item.span.overlaps(behind)) if ended else ()


def _quoted(text: str, lines: Sequence[Span], markers: Sequence[Marker]) -> tuple[Span, str] | None:
    """Return the position of a paragraph's words, and the words alone; None for too few."""
    lines_span = Span(start=lines[0].start, end=lines[-1].end)
    end = lines_span.end
    for marker in reversed(markers):  # citations after its words, with or without a full stop after them
        if lines_span.start < marker.outer.start < end <= marker.outer.end + 1:
            end = lines_span.start + len(text[lines_span.start : marker.outer.start].rstrip())
    if attribution := _ATTRIBUTION.search(text[lines_span.start : end]):
        end = lines_span.start + attribution.start()
    around = _AROUND.match(text[lines_span.start : end])
    if around is None or len(around["words"].split()) < _FEWEST_WORDS:
        return None
    span = Span(start=lines_span.start + around.start("words"), end=lines_span.start + around.end("words"))
    pieces = []
    for line in lines:
        start = max(line.start, span.start)
        pieces += pieces_without(text, Span(start=start, end=max(start, min(line.end, span.end))), markers)
    return span, " ".join(" ".join(pieces).split())
