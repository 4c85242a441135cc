"""The report as one self-contained page: no scripts, no requests, and all outside text escaped."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from factscope.claims.text.segments import sentences
from factscope.claims.text.terms import terms
from factscope.core import Report, Span
from factscope.report import searches, source_notes, states, wording
from factscope.report.build_view import view_of
from factscope.report.citations import KIND_WORDS, STATE_WORDS, citation_view
from factscope.report.evidence_cards import Card, n_passages, source_address, source_name
from factscope.report.judges import judges_say
from factscope.report.renderers import OverAll, Reports
from factscope.report.run_summary import template_values
from factscope.report.templates import Pages
from factscope.report.usage_words import usage_words

CONTEXT = 220
"""Characters of a passage shown on either side of its quote; the rest can be unfolded."""

_LEAST = 1.0  # one content word
_SHORT = 0.1
"""Weight of a word of less than four letters: such words are in every sentence."""


class PassageRun(NamedTuple):
    """A run of text in a passage."""

    text: str
    order: bool = False
    """Whether it gives instructions to a model."""
    begins: bool = False
    """Whether the shown part of such an instruction begins here."""


_CELLS = re.compile(r"\S(?: *\|| {2,}\S|\t|;\s.*:\s)|^\|")
"""A line with cells; the interactive page has the same pattern in `text.ts`."""


class Snippet(NamedTuple):
    """A passage around its quote."""

    before: list[PassageRun]
    quote: list[PassageRun]
    after: list[PassageRun]
    is_full: bool
    """Whether nothing of the passage is left out."""
    near: bool
    """Whether the marked words are only the best match, because there is no quote."""
    orders_shown: bool
    """Whether the shown text includes all instructions to a model in the passage."""
    is_table: bool
    """Whether it is a table, whose lines must stay apart."""


def to_html(report: Report, back: tuple[str, str] | None = None) -> str:
    """Return the page. Links go only to the http and https addresses of the evidence.

    `back` is the address and text of a link at the top to the page that it belongs to.
    """
    values = report_values(report)
    segment_states = {segment.state for segment in values["view"].parts}
    return _PAGES.fill(
        "template.html",
        **values,
        back=back,
        says=judges_say(report),
        present=[state for state in states.MARKS if state in segment_states],
        settings=list(_flat(report.method)),
    )


def report_values(report: Report) -> dict[str, Any]:
    """Return the values that the templates of one report share, whatever they write."""
    return {
        "view": view_of(report),
        "report": report,
        "cited": citation_view(report) if wording.is_about_citations(report) else None,
        "scores": [wording.score_words(score) for score in report.scores],
        "counts": wording.outcome_counts(report),
        "used": usage_words(report.usage),
    }


def snippet(card: Card, claim: str) -> Snippet:
    """Cut the passage of `card` around its verbatim quote, otherwise around the sentence closest to the claim.

    Without either, its beginning is shown.
    """
    text = card.passage.text if card.passage else ""
    near = None if card.place else best_match(text, claim)
    first, start, end, last = _window(text, card.place or near)
    runs = partial(_runs, text, card.orders, since=first)
    return Snippet(
        before=[*([PassageRun("…")] if first else []), *runs(first, start)],
        quote=runs(start, end),
        after=[*runs(end, last), *([PassageRun("…")] if last < len(text) else [])],
        is_full=(first, last) == (0, len(text)),
        near=near is not None,
        orders_shown=all(first <= span.start and span.end <= last for span in card.orders),
        is_table=_is_table(text),
    )


def _is_table(text: str) -> bool:
    """Tell whether a passage has several lines, each with cells that bars, tabs or wide spaces keep apart."""
    lines = text.splitlines()
    return len(lines) > 1 and all(_CELLS.search(line) for line in lines)


def full_passage(card: Card) -> list[PassageRun]:
    """Return the whole passage of `card`."""
    return _runs(card.passage.text, card.orders, 0, len(card.passage.text)) if card.passage else []


def _window(text: str, span: Span | None) -> tuple[int, int, int, int]:
    """Return the start of the window, the start and end of the quote, and the window's end; cut at spaces."""
    if span is None:
        cut = wording.clip(text, 2 * CONTEXT)
        return 0, 0, 0, len(text) if cut == text else len(cut) - 1
    start, end = span.start, span.end
    ahead = text[start - CONTEXT : start].partition(" ")[2] if start > CONTEXT else text[:start]
    behind = text[end : end + CONTEXT].rpartition(" ")[0] if len(text) - end > CONTEXT else text[end:]
    return start - len(ahead), start, end, end + len(behind)


def _runs(text: str, orders: Sequence[Span], start: int, end: int, since: int = 0) -> list[PassageRun]:
    """Split `text[start:end]` where instructions begin and end. The shown part of the passage begins at `since`."""
    runs, at = [], start
    for span in (span for span in orders if span.overlaps(Span(start=start, end=end))):
        head, tail = max(span.start, start), min(span.end, end)
        runs += [PassageRun(text[at:head])] if at < head else []
        runs += [PassageRun(text[head:tail], order=True, begins=head == max(span.start, since))] if head < tail else []
        at = tail
    return [*runs, *([PassageRun(text[at:end])] if at < end else [])]


def best_match(text: str, claim: str) -> Span | None:
    """Find the sentence with most words of the claim; of ties, the first.

    It is None when no sentence shares a content word.
    """
    in_claim = set(terms(claim))
    scored = [(sum(map(_weight, in_claim & set(terms(span.of(text))))), -span.start, span) for span in sentences(text)]
    score, _, best = max(scored, key=lambda match: match[:2], default=(0.0, 0, None))
    return best if score >= _LEAST else None


def _weight(word: str) -> float:
    telling = len(word) > 3 or not word.isascii() or any(letter.isdigit() for letter in word)
    return 1.0 if telling else _SHORT


def many_to_html(reports: Reports, over_all: OverAll) -> Iterator[str]:
    """Yield the page of many responses: scores over all, a line for each, and contradicted claims of the first ones."""
    yield from _PAGES.stream("many.html", **template_values(reports, over_all))


def _flat(values: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield the settings of a method, one by one, with dotted names; those in a list are numbered."""
    for key, value_given in values.items():
        value = value_given
        if isinstance(value_given, list | tuple) and any(isinstance(item, Mapping) for item in value_given):
            value = {str(number): item for number, item in enumerate(value_given, 1)}
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            value_text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
            yield f"{prefix}{key}", "none" if value is None else value_text


_PAGES = Pages(
    "factscope.report",
    ["page.css"],
    (n_passages, snippet, source_address, source_name),
    KIND_WORDS=KIND_WORDS,
    STATE_WORDS=STATE_WORDS,
    BAND_STATES={"red": "contradicted", "orange": "undecided", "green": "supported"},
    sources=source_notes,
    USE_WORDS=searches.USE_WORDS,
    whole=full_passage,
)
