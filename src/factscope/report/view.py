"""A report prepared for all renderings: the position and state of each part, with the evidence for and against it.

Nothing is left out: every segment, every unit, every passage and every judgement is in exactly one place of the view.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from factscope.core import Outcome, group_by
from factscope.core.records import Claim, ConfidenceFrom, Correction, Document, Failure, Query, Report, Segment, Verdict
from factscope.report import source_notes
from factscope.report import wording as words
from factscope.report.evidence_cards import Card, Side, n_passages
from factscope.report.searches import QuerySearch
from factscope.report.states import PROBLEMS, State
from factscope.scoring.credibility import Share

UNREADABLE = "sources that might have settled it could not be read"

CONFIDENCE_FROM: tuple[ConfidenceFrom, ...] = ("calibrated", "verifier", "logprobs", "samples", "stated")
"""From the most to the least trusted."""


class JudgeView(NamedTuple):
    """One judge of a panel, and its label on a unit."""

    judge: str
    outcome: Outcome
    confidence: float | None
    confidence_from: ConfidenceFrom | None
    """Source of `confidence`; the least trustworthy one if there are several."""
    labels: str
    """Its labels by number, such as `2 against, 1 unsettled`; empty when there is only one."""


class Risk(NamedTuple):
    """A contradicted claim that another depends on."""

    id: str
    text: str
    number: int
    """Number of the segment that contains it."""


class UnitView(NamedTuple):
    """One counted unit: a claim, or a segment without claims."""

    id: str
    segment: Segment
    claim: Claim | None
    verdict: Verdict
    cards: tuple[Card, ...]
    failures: tuple[Failure, ...]
    """Failures of a stage itself."""
    unread: tuple[Failure, ...]
    """Failures of single sources, which could not be fetched or read."""
    searches: tuple[QuerySearch, ...]
    correction: Correction | None
    judge_views: tuple[JudgeView, ...]
    """Its judges in the order of their names."""
    risks: tuple[Risk, ...]
    cascaded: bool = False
    """Whether a verifier was asked before a language model."""

    @property
    def queries(self) -> tuple[Query, ...]:
        """Return its searches."""
        return tuple(search.query for search in self.searches)

    @property
    def why(self) -> str | None:
        """Return the reason for its outcome, without the failures that are shown beside it."""
        reason = words.why(self.verdict, [failure.message for failure in (*self.failures, *self.unread)])
        if reason is None and self.unread and self.verdict.outcome == "failed" and not self.failures:
            return UNREADABLE
        return reason

    @property
    def why_contradicted(self) -> str | None:
        """Return the first reason that a judge gave for a contradiction; `None` for another outcome, or without any."""
        against = self.side("against") if self.verdict.outcome == "contradicted" else ()
        return next((each.rationale for card in against for each in card.judgements if each.rationale), None)

    @property
    def text(self) -> str:
        """Return the standalone claim."""
        return self.claim.standalone if self.claim else self.segment.text

    @property
    def differs(self) -> bool:
        """Return whether the claim's wording differs from the segment's."""
        return self.claim is not None and _plain_words(self.claim.standalone) != _plain_words(self.segment.text)

    @property
    def panel(self) -> tuple[JudgeView, ...]:
        """Its judges, if there are several."""
        return self.judge_views if len(self.judge_views) > 1 else ()

    @property
    def agreement(self) -> str | None:
        """Such as `2 of 3 judges agree`; `None` without a panel."""
        if not self.panel or self.verdict.agreement is None:
            return None
        n, of = round(self.verdict.agreement * len(self.panel)), len(self.panel)
        if n == of:
            return "both judges agree" if of == 2 else f"all {of} judges agree"
        return f"{n} of {of} judges agree" if n > 1 else f"no two of {of} judges agree"

    @property
    def loose(self) -> tuple[tuple[str, bool], ...]:
        """Return the claim in parts, each with whether it is unsupported; empty when no such part is known."""
        judgements = (judgement for card in self.cards if not card.excluded for judgement in card.judgements)
        spans = next((judgement.unsupported for judgement in judgements if judgement.unsupported), ())
        if self.claim is None or self.verdict.outcome == "supported" or not spans:
            return ()
        text, at, result = self.claim.standalone, 0, []
        for span in sorted(spans, key=lambda span: span.start):
            result += [(text[at : span.start], False), (text[span.start : span.end], True)]
            at = span.end
        return tuple((words, loose) for words, loose in (*result, (text[at:], False)) if words)

    @property
    def judged_by(self) -> str | None:
        """Name its judge, such as `judged by builtin-1`; `None` where all have the same."""
        judged = [judgement for card in self.cards for judgement in card.judgements]
        if not self.cascaded or not judged:
            return None
        passed_on = any("passed_on" in judgement.flags for judgement in judged)
        return f"judged by {judged[0].judge}{words.PASSED_ON if passed_on else ''}"

    @property
    def confidence_from(self) -> ConfidenceFrom | None:
        """Return the origin of its verdict's confidence; of several the least trustworthy."""
        agreeing = (judge.confidence_from for judge in self.judge_views if judge.outcome == self.verdict.outcome)
        return least_trusted(agreeing) if self.verdict.confidence is not None else None

    @property
    def sure(self) -> str | None:
        """Such as `high confidence`; `None` for an undecided claim, where it would be taken for more than it is."""
        if self.verdict.outcome not in ("supported", "contradicted"):
            return None
        return words.sure(self.verdict.confidence, self.confidence_from)

    @property
    def disputed(self) -> bool:
        """Whether its judges come to different outcomes."""
        return len({judge.outcome for judge in self.panel}) > 1

    @property
    def n_aside(self) -> int:
        """Number of passages that were read but are neutral."""
        return n_passages(self.side("aside"))

    @property
    def void(self) -> tuple[Card, ...]:
        """Cards whose label does not count, because the words that the judge quotes are not in the passage."""
        return tuple(card for card in self.cards if card.void)

    @property
    def basis(self) -> tuple[str, Document | None] | None:
        """Return the words that its correction rests on, and their source."""
        quote = self.correction.quote if self.correction else None
        if quote is None:
            return None
        result = next((card for card in self.cards if card.passage and card.passage.id == quote.passage_id), None)
        if result is None or result.passage is None or quote.span.of(result.passage.text) != quote.text:
            return None
        return quote.text, result.document

    @property
    def rounds(self) -> tuple[tuple[int, list[QuerySearch]], ...]:
        """Its searches by the round of their queries."""
        return tuple(sorted(group_by(self.searches, lambda search: search.query.round).items()))

    @property
    def ended(self) -> str | None:
        """Return why the search ended, if stated."""
        return next((query.ended for query in reversed(self.queries) if query.ended), None)

    def notes_on(self, card: Card) -> list[str]:
        """Return the notes on a card of it: its judges if they differ, what was read with it, why it does not count.

        Copies and quiet flags follow.
        """
        judges = f"says {card.judges}" if self.disputed and card.judgements else None
        quiet = (flag.text for flag in source_notes.flags_of(card) if not flag.grave)
        others = (note(card) for note in (source_notes.read_with, source_notes.ruled_out, source_notes.copies))
        return list(filter(None, (judges, *others, *quiet)))

    def quotes(self, side: Side) -> tuple[Card, ...]:
        """Return the cards of one side in the order of `side`, of those with the same words of one source the first."""
        return tuple(card for card in self.side(side) if not card.repeats)

    def side(self, side: Side) -> tuple[Card, ...]:
        """Return the cards of one side, the decisive ones first, then the most confident."""
        return tuple(card for card in self.cards if card.side == side)

    @property
    def near(self) -> Card | None:
        """Return the best-ranked relevant card with words to show, if no card takes a side."""
        bearing = (c for c in self.side("aside") if c.quote and c.judgement and c.judgement.label != "irrelevant")
        return None if self.best else min(bearing, key=lambda c: c.passage.rank if c.passage else 0, default=None)

    @property
    def quoted(self) -> Card | None:
        """The card whose quote stands for the verdict: the first of the best, otherwise the near one."""
        return next((card for card in self.best if card.quote), self.near)

    @property
    def best(self) -> tuple[Card, ...]:
        """Cards that take a side, each quote once, the contradicting ones first unless the claim is supported."""
        sides: tuple[Side, Side] = ("for", "against") if self.verdict.outcome == "supported" else ("against", "for")
        return self.quotes(sides[0]) + self.quotes(sides[1])


class SegmentView(NamedTuple):
    """One segment with its units."""

    number: int
    segment: Segment
    state: State
    verdict: Verdict | None
    units: tuple[UnitView, ...]
    failures: tuple[Failure, ...]
    """Failures of the segment itself, if it is not a unit."""
    share: Share
    """Share of the evidence on it that supports it."""

    @property
    def balance(self) -> str | None:
        """Such as `2 of 3 passages support it`, or of a contradicted segment `1 of 3 passages contradicts it`.

        A contradiction that is too weak to count is not among them. `None` without evidence.
        """
        if not self.share.total:
            return None
        noun = "judgement" if any(unit.panel for unit in self.units) else "passage"
        if self.state != "contradicted":
            return words.share_of(self.share.supporting, self.share.total, noun, "supports it", "support it")
        cards = [card for unit in self.units for card in unit.side("against") if not (card.excluded or card.too_weak)]
        n_against = sum(card.n_judged for card in cards)
        return words.share_of(n_against, self.share.total, noun, "contradicts it", "contradict it")

    @property
    def problem(self) -> bool:
        """Whether a reader should look at it."""
        return self.state in PROBLEMS


class TextStretch(NamedTuple):
    """A part of the response: a segment, or the text between two."""

    text: str
    part: SegmentView | None


class ReportView(NamedTuple):
    """The whole report, ready to be shown."""

    report: Report
    parts: tuple[SegmentView, ...]
    paragraphs: tuple[tuple[TextStretch, ...], ...]
    """The response from its first to its last character, cut at blank lines."""
    failures: tuple[Failure, ...]
    """Failures that belong to no single segment or claim."""

    @property
    def units(self) -> tuple[UnitView, ...]:
        """All units in reading order."""
        return tuple(unit for piece in self.parts for unit in piece.units)

    @property
    def self_reported(self) -> bool:
        """Return whether any confidence in it is only a number that a model states."""
        return any(judgement.confidence_from == "stated" for judgement in self.report.judgements)

    @property
    def problems(self) -> tuple[SegmentView, ...]:
        """Return the segments that need review, worst first, then in reading order."""
        return tuple(sorted((piece for piece in self.parts if piece.problem), key=lambda p: PROBLEMS.index(p.state)))


def least_trusted(sources: Iterable[ConfidenceFrom | None]) -> ConfidenceFrom | None:
    """Return the least trusted of several origins of a confidence."""
    results = set(sources)
    return next((source for source in reversed(CONFIDENCE_FROM) if source in results), None)


def _plain_words(text: str) -> str:
    """Return only the words: a claim without its markup is still the same claim."""
    return " ".join(re.findall(r"\w+", text.casefold()))
