"""A report prepared for all renderings: the position and state of each part, with the evidence for and against it.

Nothing is left out: every segment, every unit, every passage and every judgement is in exactly one place of the view.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from pydantic import ValidationError

from factscope.core.errors import InputError
from factscope.core.ids import id_key
from factscope.core.labels import Outcome
from factscope.core.records import Claim, ConfidenceFrom, Correction, Document, Failure, Query, Report, Segment, Verdict
from factscope.methods import RollUp
from factscope.report import wording as words
from factscope.report.evidence_cards import Card, Side, cards_of, n_passages
from factscope.report.searches import QuerySearch, searches
from factscope.report.states import PROBLEMS, State, segment_state
from factscope.scoring.credibility import Share, shares
from factscope.scoring.verdicts import by_judge
from factscope.scoring.verdicts.judgement_rules import rule

Item = TypeVar("Item")

_WIDEST = 120
"""Longest line of a text that a person or an editor wrapped."""

_AROUND = 2_000
"""Characters examined on either side of a line break to find the length of lines."""

UNREADABLE = "sources that might have settled it could not be read"

CONFIDENCE_FROM: tuple[ConfidenceFrom, ...] = ("calibrated", "verifier", "logprobs", "samples", "stated")
"""From the most to the least trusted."""

_SHORT: dict[str, str] = {
    "supported": "for",
    "contradicted": "against",
    "not_enough_evidence": "unsettled",
    "not_supported": "not for",
    "irrelevant": "beside the point",
}
"""Labels in a count, such as `2 against, 1 unsettled`."""


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
    seats: tuple[JudgeView, ...]
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
        return self.seats if len(self.seats) > 1 else ()

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
        judged = [
            judgement
            for card in self.cards
            if not card.excluded
            for judgement in card.judgements
            if judgement.unsupported
        ]
        if self.claim is None or self.verdict.outcome == "supported" or not judged:
            return ()
        text, at, result = self.claim.standalone, 0, []
        for span in sorted(judged[0].unsupported, key=lambda span: span.start):
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
        agreeing = (judge.confidence_from for judge in self.seats if judge.outcome == self.verdict.outcome)
        return _least_trusted(agreeing) if self.verdict.confidence is not None else None

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
    def rounds(self) -> tuple[tuple[int, tuple[QuerySearch, ...]], ...]:
        """Its searches by the round of their queries."""
        return tuple(
            (n, tuple(search for search in self.searches if search.query.round == n))
            for n in sorted({search.query.round for search in self.searches})
        )

    @property
    def ended(self) -> str | None:
        """Return why the search ended, if stated."""
        return next((query.ended for query in reversed(self.queries) if query.ended), None)

    def side(self, side: Side) -> tuple[Card, ...]:
        """Return the cards of one side, the decisive ones first, then the most confident."""
        return tuple(card for card in self.cards if card.side == side)

    @property
    def near(self) -> Card | None:
        """Return the best-ranked relevant card with words to show, if no card takes a side."""
        bearing = (c for c in self.side("aside") if c.quote and c.judgement and c.judgement.label != "irrelevant")
        return None if self.best else min(bearing, key=lambda c: c.passage.rank if c.passage else 0, default=None)

    @property
    def best(self) -> tuple[Card, ...]:
        """Cards that take a side, the contradicting ones first unless the claim is supported."""
        sides: tuple[Side, Side] = ("for", "against") if self.verdict.outcome == "supported" else ("against", "for")
        return self.side(sides[0]) + self.side(sides[1])


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
    def self_reported(self) -> bool:
        """Return whether any confidence in it is only a number that a model states."""
        return any(judgement.confidence_from == "stated" for judgement in self.report.judgements)

    @property
    def problems(self) -> tuple[SegmentView, ...]:
        """Return the segments that need review, worst first, then in reading order."""
        return tuple(sorted((piece for piece in self.parts if piece.problem), key=lambda p: PROBLEMS.index(p.state)))


def view_of(report: Report) -> ReportView:
    """Prepare a report. Raises InputError when a claim belongs to no segment, so that no unit is lost."""
    known_ids = {segment.id for segment in report.segments}
    if lost := next((claim for claim in report.claims if claim.segment_id not in known_ids), None):
        raise InputError(f"The report is broken: claim {lost.id} belongs to {lost.segment_id}, which it does not hold.")
    cards = cards_of(report)
    failures = _grouped(report.failures, "unit_id")
    queries = _grouped(report.queries, "claim_id")
    hits, engines = _grouped(report.hits, "query_id"), bool(report.searched and report.searched.engines)
    claims = _grouped(report.claims, "segment_id")
    corrections = {correction.unit_id: correction for correction in report.corrections}
    support = shares(report)
    verdicts = {v.unit_id: v for v in report.verdicts if v.level != "response"}
    rules, cascaded = _rules(report), words.is_cascade(report)
    segments = sorted(report.segments, key=lambda s: (s.span.start, id_key(s.id)))
    number_of = {segment.id: number for number, segment in enumerate(segments, 1)}
    risky = {c.id: Risk(c.id, c.standalone, number_of[c.segment_id]) for c in report.claims}

    def view_unit(segment: Segment, claim: Claim | None) -> UnitView:
        name = claim.id if claim else segment.id
        unreadable = tuple(failure for failure in failures[name] if failure.about)
        general = tuple(failure for failure in failures[name] if not failure.about)
        answered = engines and not any(failure.stage == "evidence" for failure in general)
        targets = searches(queries[name], hits, cards[name], unreadable, online=answered)
        results = tuple(cards[name]), general, unreadable, targets
        risks = tuple(risky[risk] for risk in verdicts[name].at_risk if risk in risky)
        judges = _judge_views(cards[name], rules) if rules else ()
        return UnitView(name, segment, claim, verdicts[name], *results, corrections.get(name), judges, risks, cascaded)

    pieces = []
    for number, segment in enumerate(segments, 1):
        individual = sorted(claims[segment.id], key=lambda claim: id_key(claim.id))
        units = tuple(view_unit(segment, claim) for claim in individual) or (view_unit(segment, None),)
        verdict = verdicts.get(segment.id)
        state = segment_state(verdict, [unit.verdict.outcome for unit in units if unit.claim])
        single = tuple(failures[segment.id]) if individual else ()
        pieces.append(SegmentView(number, segment, state, verdict, units, single, support[segment.id]))
    placed = known_ids | {claim.id for claim in report.claims}
    return ReportView(
        report=report,
        parts=tuple(pieces),
        paragraphs=_paragraphs(report.response.text, pieces),
        failures=tuple(failure for failure in report.failures if failure.unit_id not in placed),
    )


def _grouped(items: Iterable[Item], key: str) -> Mapping[str, list[Item]]:
    groups: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        groups[getattr(item, key)].append(item)
    return groups


def _rules(report: Report) -> RollUp | None:
    """Return the rules of the method; `None` when this version does not know them."""
    try:
        return RollUp.model_validate(report.method.get("roll_up") or {})
    except ValidationError:
        return None


def _judge_views(cards: Sequence[Card], rules: RollUp) -> tuple[JudgeView, ...]:
    """Return each judge's own result, without excluded evidence."""
    judgements = [judgement for card in cards if not card.excluded for judgement in card.judgements]
    judges = []
    for judge, individual in sorted(by_judge(sorted(judgements, key=lambda item: id_key(item.id))).items()):
        ruling = rule(individual, rules)
        results = Counter(_SHORT[judgement.label] for judgement in individual if judgement.label)
        labels = ", ".join(f"{results[word]} {word}" for word in _SHORT.values() if results[word])
        source = _least_trusted(judgement.confidence_from for judgement in ruling.decisive)
        judges.append(
            JudgeView(judge, ruling.outcome, ruling.confidence, source, labels if len(individual) > 1 else "")
        )
    return tuple(judges)


def _least_trusted(sources: Iterable[ConfidenceFrom | None]) -> ConfidenceFrom | None:
    results = set(sources)
    return next((source for source in reversed(CONFIDENCE_FROM) if source in results), None)


def _paragraphs(text: str, views: Iterable[SegmentView]) -> tuple[tuple[TextStretch, ...], ...]:
    done: list[tuple[TextStretch, ...]] = []
    current: list[TextStretch] = []
    at = 0
    for piece in views:
        start = piece.segment.span.start
        gap = " " if _wrapped(text, at, start) else text[at:start]
        current = _gap(gap, current, done)
        current.append(TextStretch(piece.segment.text, piece))
        at = max(at, piece.segment.span.end)
    current = _gap(text[at:], current, done)
    return tuple(paragraph for paragraph in (*done, tuple(current)) if any(piece.text.strip() for piece in paragraph))


def _gap(gap: str, current: list[TextStretch], done: list[tuple[TextStretch, ...]]) -> list[TextStretch]:
    """Add the text between two segments; a blank line in it ends the paragraph."""
    first, *others = re.split(r"\n[^\S\n]*\n\s*", gap.replace("\r\n", "\n"))
    current = [*current, TextStretch(first, None)] if first else current
    for other in others:
        done.append(tuple(current))
        current = [TextStretch(other, None)] if other else []
    return current


def _wrapped(text: str, start: int, end: int) -> bool:
    """Return whether the line break between two segments only wraps the text, so that it means a space.

    It does if the next word would not have fitted: its line would be longer than any other of the paragraph.
    """
    if text[start:end].strip() or text.count("\n", start, end) != 1:
        return False
    before = text[max(0, start - _AROUND) : start].rpartition("\n\n")[2]
    after = text[end : end + _AROUND].partition("\n\n")[0]
    longest = max(map(len, f"{before}\n{after}".split("\n")))
    line = before.rpartition("\n")[2]
    word = text[end : end + longest].split(maxsplit=1)
    return longest <= _WIDEST and bool(word) and len(line) + 1 + len(word[0]) > longest


def _plain_words(text: str) -> str:
    """Return only the words: a claim without its markup is still the same claim."""
    return " ".join(re.findall(r"\w+", text.casefold()))
