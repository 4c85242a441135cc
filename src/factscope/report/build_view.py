"""A report → its view: each record is put with the segment and the claim that it belongs to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from pydantic import ValidationError

from factscope.core import Claim, InputError, Report, Segment, group_by, id_key
from factscope.methods import RollUp
from factscope.report import wording as words
from factscope.report.evidence_cards import Card, cards_of
from factscope.report.searches import searches
from factscope.report.states import segment_state
from factscope.report.view import JudgeView, ReportView, Risk, SegmentView, TextStretch, UnitView, least_trusted
from factscope.scoring.credibility import shares
from factscope.scoring.verdicts import by_judge, rule

_WIDEST = 120
"""Longest line of a text that a person or an editor wrapped."""

_AROUND = 2_000
"""Characters examined on either side of a line break to find the length of lines."""

_SHORT: dict[str, str] = {
    "supported": "for",
    "contradicted": "against",
    "not_enough_evidence": "unsettled",
    "not_supported": "not for",
    "irrelevant": "beside the point",
}
"""Labels in a count, such as `2 against, 1 unsettled`."""


def view_of(report: Report) -> ReportView:
    """Prepare a report. Raises InputError when a claim belongs to no segment, so that no unit is lost."""
    known_ids = {segment.id for segment in report.segments}
    if lost := next((claim for claim in report.claims if claim.segment_id not in known_ids), None):
        raise InputError(f"The report is broken: claim {lost.id} belongs to {lost.segment_id}, which it does not hold.")
    segments = sorted(report.segments, key=lambda segment: (segment.span.start, id_key(segment.id)))
    records = _RecordsByPart(report, segments)
    parts = tuple(records.segment_view(number, segment) for number, segment in enumerate(segments, 1))
    placed = known_ids | {claim.id for claim in report.claims}
    return ReportView(
        report=report,
        parts=parts,
        paragraphs=_paragraphs(report.response.text, parts),
        failures=tuple(failure for failure in report.failures if failure.unit_id not in placed),
    )


class _RecordsByPart:
    """The records of a report, by the id of the segment or claim that they belong to."""

    def __init__(self, report: Report, segments: Sequence[Segment]) -> None:
        self._cards = cards_of(report)
        self._failures = group_by(report.failures, lambda failure: failure.unit_id)
        self._claims = group_by(report.claims, lambda claim: claim.segment_id)
        self._queries = group_by(report.queries, lambda query: query.claim_id)
        self._hits = group_by(report.hits, lambda hit: hit.query_id)
        self._corrections = {correction.unit_id: correction for correction in report.corrections}
        self._verdicts = {verdict.unit_id: verdict for verdict in report.verdicts if verdict.level != "response"}
        self._shares = shares(report)
        self._rules = _rules(report)
        self._is_cascade = words.is_cascade(report)
        self._is_online = bool(report.searched and report.searched.engines)
        numbers = {segment.id: number for number, segment in enumerate(segments, 1)}
        self._risks = {c.id: Risk(c.id, c.standalone, numbers[c.segment_id]) for c in report.claims}

    def segment_view(self, number: int, segment: Segment) -> SegmentView:
        """Return the view of a segment; one without claims is a unit itself, which then has its failures."""
        claims = sorted(self._claims[segment.id], key=lambda claim: id_key(claim.id))
        units = tuple(self._unit_view(segment, claim) for claim in claims) or (self._unit_view(segment, None),)
        verdict = self._verdicts.get(segment.id)
        return SegmentView(
            number=number,
            segment=segment,
            state=segment_state(verdict, [unit.verdict.outcome for unit in units if unit.claim]),
            verdict=verdict,
            units=units,
            failures=tuple(self._failures[segment.id]) if claims else (),
            share=self._shares[segment.id],
        )

    def _unit_view(self, segment: Segment, claim: Claim | None) -> UnitView:
        unit_id = claim.id if claim else segment.id
        cards, verdict = self._cards[unit_id], self._verdicts[unit_id]
        failures = tuple(failure for failure in self._failures[unit_id] if not failure.about)
        unread = tuple(failure for failure in self._failures[unit_id] if failure.about)
        has_answer = self._is_online and not any(failure.stage == "evidence" for failure in failures)
        return UnitView(
            id=unit_id,
            segment=segment,
            claim=claim,
            verdict=verdict,
            cards=tuple(cards),
            failures=failures,
            unread=unread,
            searches=searches(self._queries[unit_id], self._hits, cards, unread, online=has_answer),
            correction=self._corrections.get(unit_id),
            judge_views=_judge_views(cards, self._rules) if self._rules else (),
            risks=tuple(self._risks[name] for name in verdict.at_risk if name in self._risks),
            cascaded=self._is_cascade,
        )


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
        source = least_trusted(judgement.confidence_from for judgement in ruling.decisive)
        judges.append(
            JudgeView(judge, ruling.outcome, ruling.confidence, source, labels if len(individual) > 1 else "")
        )
    return tuple(judges)


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
