"""FavaBench's annotation: a text with tags around its errors → the original text, and the errors by offset.

    Messi is an <entity><delete>American</delete><mark>Argentine</mark></entity> player. <invented>He sings.</invented>

Six kinds of tag name the error; inside one, `<delete>` holds what stood in the text and `<mark>` the correction, which
did not. A tag with a correction and nothing deleted is an insertion: the error is the place where it would go (FAVA,
Mishra et al. 2024, section 3; Facts&Evidence, section 4). People wrote the tags by hand, so some are not closed, cross
each other or have lost their beginning. These are repaired sentence by sentence and reported; none is dropped.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from factscope.claims.text.segments import sentences
from factscope.core.records import Span

KINDS = {
    "entity": "entity",
    "relation": "relation",
    "sentence": "contradictory",  # so named in the released file; `contradictory` in the code and its documentation
    "contradictory": "contradictory",
    "invented": "invented",
    "subjective": "subjective",
    "unverifiable": "unverifiable",
}
"""The tags of errors, and the kind of error that each names."""
_TAG = re.compile(rf"<\s*(/?)\s*({'|'.join([*KINDS, 'delete', 'mark'])})\s*>", re.IGNORECASE)


class TaggedError(NamedTuple):
    """One error of a text."""

    span: Span
    """Span in the original text; empty where something is missing."""
    kind: str
    """One of the values of `KINDS`."""
    correction: str | None
    """The correct words, if the annotators state them."""


class TaggedText(NamedTuple):
    """A parsed tagged text."""

    text: str
    """The original text: without corrections and tags."""
    errors: tuple[TaggedError, ...]
    """In order of place."""
    repairs: tuple[str, ...]
    """Repaired tags, one entry each."""


def read_tags(annotated: str) -> TaggedText:
    """Return the annotated text and its errors. Never raises: tags that can't be repaired stay in the text.

    A correction that is not closed ends with its error; outside an error it counts as text. An error that is not closed
    ends with its sentence, one that was never opened begins with it. Of two that cross, each keeps its own extent.
    """
    tokens = _tokens(annotated)
    matched = _match(tokens)
    pieces: list[str] = []
    starts, length, hidden = [], 0, 0
    openings, closings = {pair[0] for pair in matched.marks}, {pair[1] for pair in matched.marks}
    for number, token in enumerate(tokens):
        starts.append(length)
        hidden += (number in openings) - (number in closings)
        if token.name is None and not hidden:
            pieces.append(token.text)
            length += len(token.text)
    text = "".join(pieces)
    errors = _errors(tokens, matched, starts, text)
    return TaggedText(
        text, tuple(sorted(errors, key=lambda error: (error.span.start, error.span.end))), matched.repairs
    )


def wrong_sentences(spans: Sequence[Span], errors: Sequence[TaggedError]) -> list[list[TaggedError]]:
    """Return the errors of each sentence. One over several sentences counts in each; one between two, in the later.

    Every error belongs to a sentence, if there is one.
    """
    errors_by_sentence: list[list[TaggedError]] = [[] for _ in spans]
    ends = [span.end for span in spans]
    for error in errors:
        inside = [number for number, span in enumerate(spans) if span.overlaps(error.span)]
        if not inside and spans:
            offset = error.span.start
            inside = [min(bisect_right(ends, max(offset - (offset in ends), 0)), len(spans) - 1)]
        for number in inside:
            errors_by_sentence[number].append(error)
    return errors_by_sentence


class _Token(NamedTuple):
    text: str
    name: str | None
    """Name of the tag; None for text."""
    closing: bool


class _Matched(NamedTuple):
    """Pairs of tags, by the numbers of their tokens."""

    marks: list[tuple[int, int]]
    errors: list[tuple[int | None, int | None]]
    """Token numbers of the beginning and end of each error; None for a missing one."""
    repairs: tuple[str, ...]


def _tokens(annotated: str) -> list[_Token]:
    tokens, at = [], 0
    for tag in _TAG.finditer(annotated):
        tokens += [_Token(annotated[at : tag.start()], None, False), _Token(tag[0], tag[2].lower(), bool(tag[1]))]
        at = tag.end()
    return [*tokens, _Token(annotated[at:], None, False)]


def _match(tokens: Sequence[_Token]) -> _Matched:
    """Pair the tags. Corrections hold only text: a tag of an error inside one shows that its end is missing."""
    open_: list[int] = []
    marks: list[tuple[int, int]] = []
    errors: list[tuple[int | None, int | None]] = []
    repairs: list[str] = []

    def close_inside(start: int, end: int) -> None:
        """End the corrections and deletions that a closing error leaves open."""
        for number in [tag for tag in open_ if tag > start and tokens[tag].name not in KINDS]:
            open_.remove(number)
            repairs.append(f"<{tokens[number].name}> is not closed")
            if tokens[number].name == "mark":
                marks.append((number, end))

    def give_up_marks() -> None:
        for number in [tag for tag in open_ if tokens[tag].name == "mark"]:
            open_.remove(number)
            repairs.append("<mark> is not closed: what follows counts as text")

    for number, token in enumerate(tokens):
        if token.name is None:
            continue
        if not token.closing:
            if token.name in KINDS or token.name == "mark":
                give_up_marks()
            open_.append(number)
            continue
        same = [tag for tag in open_ if tokens[tag].name == token.name]
        if not same:
            repairs.append(f"</{token.name}> was never opened")
            if token.name in KINDS:
                errors.append((None, number))
            continue
        start = same[-1]
        if token.name in KINDS:
            close_inside(start, number)
            if any(tag > start for tag in open_):
                repairs.append(f"<{token.name}> crosses <{tokens[open_[-1]].name}>")
            errors.append((start, number))
        elif token.name == "mark":
            marks.append((start, number))
        open_.remove(start)
    for number in open_:
        name = tokens[number].name
        repairs.append(f"<{name}> is not closed" + (": what follows counts as text" if name == "mark" else ""))
        if name in KINDS:
            errors.append((number, None))
    return _Matched(marks, errors, tuple(repairs))


def _errors(tokens: Sequence[_Token], matched: _Matched, starts: Sequence[int], text: str) -> Iterator[TaggedError]:
    spans = sentences(text) if any(None in pair for pair in matched.errors) else ()
    for start, end in matched.errors:
        if start is None:
            until = starts[end or 0]
            at = next((span.start for span in reversed(spans) if span.start < until), until)
        else:
            at = starts[start]
            until = next((span.end for span in spans if span.end > at), len(text)) if end is None else starts[end]
        inside = [] if start is None or end is None else [n for pair in matched.marks for n in range(*pair)]
        corrected = [tokens[n].text for n in inside if (start or 0) < n < (end or 0) and tokens[n].name is None]
        name = tokens[(end if start is None else start) or 0].name or ""
        yield TaggedError(Span(start=at, end=until), KINDS[name], "".join(corrected) if corrected else None)
