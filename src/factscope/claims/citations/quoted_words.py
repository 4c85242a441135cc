"""The quotations of a text: words in quotation marks, enough of them to be a quotation rather than a name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factscope.core.records import Segment, Span

_FEWEST_WORDS = 3
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
            if len(match["words"].split()) >= _FEWEST_WORDS and not any(span.overlaps(result) for result in results):
                results.append(span)
    yield from sorted(results, key=lambda span: span.start)
