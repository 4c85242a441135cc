"""FavaBench: passages with tags around their errors (Mishra et al. 2024), labelled sentence by sentence.

    {"prompt": "…", "output": "He is American. He sings.", "model": "chatgpt",
     "annotated": "He is <entity><delete>American</delete><mark>Argentine</mark></entity>. He sings."}

Six kinds of tag name the error; inside one, `<delete>` holds words of the original text and `<mark>` their correction,
which is not part of it. A tag with a correction and nothing deleted is an insertion: the error is the place where it
would go (FAVA, section 3; Facts&Evidence, section 4). People wrote the tags by hand, so some are not closed, cross each
other or have lost their beginning. These are repaired sentence by sentence and reported; none is dropped.

A sentence is wrong if an error of any kind overlaps it (Facts&Evidence, section 4; the sentences are ours). The text
without corrections must be that of `output`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from factscope.benchmarks.datasets import labelled_cells as cells
from factscope.benchmarks.datasets.catalogue import register_known
from factscope.benchmarks.datasets.labelled_rows import DatasetForm, Notes, RowLocation, UnusableSampleError, Values
from factscope.claims.text.segments import sentences
from factscope.core import Gold, Sample, Span

OTHER_TEXT = "annotated texts that without their tags are not the output"
KINDS = {name: name for name in ("entity", "relation", "contradictory", "invented", "subjective", "unverifiable")}
KINDS["sentence"] = "contradictory"  # so named in the released file; `contradictory` in the code and its documentation
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
    pieces = _TAG.split(annotated)
    texts, names = pieces[::3], [name.lower() for name in pieces[2::3]]  # the tag of a number is after that text
    tags = _PairedTags(names)
    for number, (slash, name) in enumerate(zip(pieces[1::3], names, strict=True)):
        (tags.close if slash else tags.open)(name, number)
    tags.end()
    corrected = {number for pair in tags.corrections for number in range(pair[0] + 1, pair[1] + 1)}
    original = ["" if number in corrected else text for number, text in enumerate(texts)]
    text, offsets = "".join(original), list(accumulate(map(len, original)))
    sentence_spans = sentences(text) if any(None in error for error in tags.errors) else ()
    errors = []
    for error in tags.errors:
        correction = None
        match error.opening, error.closing:
            case int(opening), int(closing):
                start, end = offsets[opening], offsets[closing]
                words = [texts[number] for number in range(opening + 1, closing + 1) if number in corrected]
                correction = "".join(words) if words else None
            case int(opening), None:
                start = offsets[opening]
                end = next((span.end for span in sentence_spans if span.end > start), len(text))
            case None, int(closing):
                end = offsets[closing]
                start = next((span.start for span in reversed(sentence_spans) if span.start < end), end)
        errors.append(TaggedError(Span(start=start, end=end), KINDS[error.name], correction))
    errors.sort(key=lambda error: (error.span.start, error.span.end))
    return TaggedText(text, tuple(errors), tuple(tags.repairs))


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


class _ErrorTags(NamedTuple):
    """Numbers of the two tags of an error; None for a missing one."""

    name: str
    opening: int | None
    closing: int | None


class _PairedTags:
    """Pairs of tags, by their numbers."""

    def __init__(self, names: Sequence[str]) -> None:
        self.corrections: list[tuple[int, int]] = []
        self.errors: list[_ErrorTags] = []
        self.repairs: list[str] = []
        self._names = names
        self._open: list[int] = []

    def open(self, name: str, number: int) -> None:
        """Begin a tag. Corrections hold only text, so one that contains an error or a correction has lost its end."""
        if name in KINDS or name == "mark":
            for correction in [tag for tag in self._open if self._names[tag] == "mark"]:
                self._open.remove(correction)
                self.repairs.append("<mark> is not closed: what follows counts as text")
        self._open.append(number)

    def close(self, name: str, number: int) -> None:
        """Pair a closing tag with the last open one of its name."""
        opening = next((tag for tag in reversed(self._open) if self._names[tag] == name), None)
        if opening is None:
            self.repairs.append(f"</{name}> was never opened")
            if name in KINDS:
                self.errors.append(_ErrorTags(name, None, number))
            return
        if name in KINDS:
            self._close_inside(opening, number)
            if self._open[-1] > opening:
                self.repairs.append(f"<{name}> crosses <{self._names[self._open[-1]]}>")
            self.errors.append(_ErrorTags(name, opening, number))
        elif name == "mark":
            self.corrections.append((opening, number))
        self._open.remove(opening)

    def _close_inside(self, opening: int, closing: int) -> None:
        """End the corrections and deletions that a closing error leaves open."""
        for number in [tag for tag in self._open if tag > opening and self._names[tag] not in KINDS]:
            self._open.remove(number)
            self.repairs.append(f"<{self._names[number]}> is not closed")
            if self._names[number] == "mark":
                self.corrections.append((number, closing))

    def end(self) -> None:
        """Report the tags that are still open at the end of the text."""
        for number in self._open:
            name = self._names[number]
            self.repairs.append(f"<{name}> is not closed" + (": what follows counts as text" if name == "mark" else ""))
            if name in KINDS:
                self.errors.append(_ErrorTags(name, number, None))


def read(values: Values, where: RowLocation, notes: Notes) -> Iterator[Sample]:
    """Yield the sample of a row of FavaBench. Raises UnusableSampleError."""
    name = cells.identity(values, where)
    tagged = read_tags(cells.text(values, "annotated"))
    for repair in tagged.repairs:
        notes.add(f"tags mended: {repair}", name)
    if tagged.text.split() != cells.text(values, "output").split():
        notes.add(OTHER_TEXT, name)
    spans = sentences(tagged.text)
    if not spans:
        raise UnusableSampleError("has no sentence outside of its corrections")
    gold = [
        Gold(id=f"g{number}", level="segment", span=span, factual=not errors, **_gold_fields(errors))
        for number, (span, errors) in enumerate(zip(spans, wrong_sentences(spans, tagged.errors), strict=True), 1)
    ]
    complete = Gold(id="response", level="response", factual=not tagged.errors)
    described = cells.tags(values, "model", "subject", "dataset")
    yield cells.sample_of(values, name, tagged.text, (*gold, complete), described)


def _gold_fields(errors: list[TaggedError]) -> dict[str, str | None]:
    """Return the human labels of a sentence: the first error's kind, and all corrections."""
    corrections = [f"{error.kind}: {error.correction}" for error in errors if error.correction]
    return {"error_type": errors[0].kind if errors else None, "comment": "; ".join(corrections) or None}


register_known("favabench", DatasetForm("fava", (("output", "annotated"),), read))
