"""Text → segments: sentences inside Markdown blocks, with exact offsets.

Markup that opens a block is outside its segment: heading hashes, bullets, quote marks, and list numbers that start at 0
or 1 or continue an earlier list. Markup inside stays: emphasis, links, table pipes, code fences. So every letter and
digit of a text is in some segment, except for the digits of such list numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from factscope.claims.text.boundaries import latin_language, split
from factscope.claims.text.markdown_blocks import Block, blocks
from factscope.core.labels import SegmentKind
from factscope.core.records import Segment, Span
from factscope.methods import Segmenting


def sentences(text: str) -> tuple[Span, ...]:
    """Return the sentences of plain text: in order, without overlap, without white space at their ends.

    A blank line always ends a sentence; a single newline does so only if the line was clearly not wrapped (a list item,
    a table row, a speaker's turn, a line far too short). Together they contain everything but white space.
    """
    return tuple(Span(start=start, end=end) for start, end in split(text))


def segment(text: str, segmenting: Segmenting) -> tuple[Segment, ...]:
    """Split a text into segments: `text[s.span.start:s.span.end] == s.text`, in reading order, without overlap.

    `whole`: the text as one segment. `paragraphs`: its Markdown blocks (paragraphs, list items, headings, code, table
    rows). `sentences`: the same, with paragraphs and list items split into sentences. A text of only white space or
    markup has no segments.
    """
    if segmenting == "whole":
        return numbered(text, [(0, len(text), "whole")])
    if segmenting == "paragraphs":
        return numbered(text, ((block.start, block.end, block.kind) for block in blocks(text)))
    return numbered(text, _sentences(text))


def numbered(text: str, pieces: Iterable[tuple[int, int, SegmentKind]]) -> tuple[Segment, ...]:
    """Return segments at given positions, in their order, without white space at their ends."""
    segments: list[Segment] = []
    for start, end, kind in pieces:
        raw = text[start:end]
        if piece := raw.strip():
            at = start + len(raw) - len(raw.lstrip())
            span = Span(start=at, end=at + len(piece))
            segments.append(Segment(id=f"s{len(segments) + 1}", span=span, text=piece, kind=kind))
    return tuple(segments)


def _sentences(text: str) -> Iterator[tuple[int, int, SegmentKind]]:
    latin = latin_language(text)
    for block in blocks(text):
        if block.kind not in ("paragraph", "list_item"):
            yield block.start, block.end, block.kind
            continue
        kind: SegmentKind = "sentence" if block.kind == "paragraph" else "list_item"
        for start, end in _within(text, block, latin):
            yield start, end, kind


def _within(text: str, block: Block, latin: str) -> Iterator[tuple[int, int]]:
    """Yield sentences of one block; quote marks and indents at the beginning of its lines are read as spaces."""
    lines_found, at = [], block.start
    for low, high in block.markup:
        lines_found += [text[at:low], " " * (high - low)]
        at = high
    view = "".join([*lines_found, text[at : block.end]])
    edges = [0, *(at - block.start for at in block.breaks), len(view)]
    for low, high in pairwise(edges):
        for start, end in split(view[low:high], latin):
            yield block.start + low + start, block.start + low + end
