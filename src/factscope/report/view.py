"""One reading of a report for all renderings: what stands where, in which state, with which evidence for and against.

Nothing is left out: every segment, every unit, every passage and every judgement is in exactly one place of the view.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple, TypeVar

from factscope.errors import InputError
from factscope.ids import id_key
from factscope.labels import Label
from factscope.records import (
    Claim,
    Correction,
    Document,
    Failure,
    Judgement,
    Passage,
    Query,
    Report,
    Segment,
    Span,
    Verdict,
)
from factscope.report.marks import PROBLEMS, State, segment_state
from factscope.scores.credibility import Share, shares
from factscope.verdicts import excluded_passages, is_excluded

Side = Literal["for", "against", "aside", "failed"]
"""Which way a piece of evidence points: `aside` when neither way, `failed` when a judge could not say."""

_SIDES: dict[Label, Side] = {"supported": "for", "contradicted": "against"}

LABEL_WORDS: dict[Label, str] = {
    "supported": "supports it",
    "contradicted": "contradicts it",
    "not_enough_evidence": "does not settle it",
    "not_supported": "does not support it",
    "irrelevant": "does not bear on it",
}


Item = TypeVar("Item")

_WIDEST = 120
"""Longest line of a text that someone wrapped by hand or by an editor."""

_AROUND = 2_000
"""Characters looked at on either side of a line break to see how long the lines are."""


class Card(NamedTuple):
    """One piece of evidence: a judgement with the passage that it rests on, or a passage without one of its own."""

    judgement: Judgement | None
    passage: Passage | None
    document: Document | None
    side: Side
    says: str
    """What the judge says of it."""
    place: Span | None
    """Where the quote stands in the passage; `None` without a quote and for one that is not found there verbatim."""
    decisive: bool
    """Whether the verdict rests on it."""
    excluded: bool
    """Whether a person ruled it out."""

    @property
    def quote(self) -> str | None:
        """The verbatim quote."""
        return self.place.of(self.passage.text) if self.place and self.passage else None

    @property
    def invented(self) -> bool:
        """Whether the judge gave a quote that its passage does not hold."""
        return self.place is None and self.judgement is not None and self.judgement.quote is not None

    @property
    def source(self) -> str:
        """What to call where it comes from."""
        return source_name(self.document) if self.document else "unknown source"


class Unit(NamedTuple):
    """One counted thing: a claim, or a segment without one."""

    id: str
    segment: Segment
    claim: Claim | None
    verdict: Verdict
    cards: tuple[Card, ...]
    failures: tuple[Failure, ...]
    queries: tuple[Query, ...]
    correction: Correction | None = None

    @property
    def text(self) -> str:
        """What was checked, so that it stands alone."""
        return self.claim.standalone if self.claim else self.segment.text

    @property
    def differs(self) -> bool:
        """Whether the claim says it in other words than the segment."""
        return self.claim is not None and _bare(self.claim.standalone) != _bare(self.segment.text)

    def side(self, side: Side) -> tuple[Card, ...]:
        """The cards of one side, those that decided first, then the surest."""
        return tuple(card for card in self.cards if card.side == side)

    @property
    def near(self) -> Card | None:
        """Where no card takes a side, the best-ranked that at least bears on it and has words to show."""
        bearing = (c for c in self.side("aside") if c.quote and c.judgement and c.judgement.label != "irrelevant")
        return None if self.best else min(bearing, key=lambda c: c.passage.rank if c.passage else 0, default=None)

    @property
    def best(self) -> tuple[Card, ...]:
        """Cards that take a side, the contradicting ones first unless the claim is supported."""
        sides: tuple[Side, Side] = ("for", "against") if self.verdict.outcome == "supported" else ("against", "for")
        return self.side(sides[0]) + self.side(sides[1])


class Part(NamedTuple):
    """One segment with its units."""

    number: int
    segment: Segment
    state: State
    verdict: Verdict | None
    units: tuple[Unit, ...]
    failures: tuple[Failure, ...]
    """Those of the segment itself, where it is no unit."""
    share: Share
    """How much of the evidence on it supports it."""

    @property
    def problem(self) -> bool:
        """Whether a reader should look at it."""
        return self.state in PROBLEMS


class Piece(NamedTuple):
    """A stretch of the response: a segment, or what stands between two."""

    text: str
    part: Part | None


class View(NamedTuple):
    """The whole report, ready to be shown."""

    report: Report
    parts: tuple[Part, ...]
    paragraphs: tuple[tuple[Piece, ...], ...]
    """The response from its first to its last character, cut at blank lines."""
    failures: tuple[Failure, ...]
    """Those of no single segment or claim."""

    @property
    def problems(self) -> tuple[Part, ...]:
        """What to look at, worst first, then in reading order."""
        return tuple(sorted((part for part in self.parts if part.problem), key=lambda p: PROBLEMS.index(p.state)))


def source_name(document: Document) -> str:
    """Title, else address or path, else id."""
    return document.title or document.url or document.id


def view_of(report: Report) -> View:
    """Read a report. Raises InputError when a claim belongs to no segment of it, so that no unit can get lost."""
    known = {segment.id for segment in report.segments}
    if lost := next((claim for claim in report.claims if claim.segment_id not in known), None):
        raise InputError(f"The report is broken: claim {lost.id} belongs to {lost.segment_id}, which it does not hold.")
    cards = _cards(report)
    failures = _grouped(report.failures, "unit_id")
    queries = _grouped(report.queries, "claim_id")
    claims = _grouped(report.claims, "segment_id")
    support = shares(report)
    verdicts = {v.unit_id: v for v in report.verdicts if v.level != "response"}

    corrections = {correction.unit_id: correction for correction in report.corrections}

    def unit(segment: Segment, claim: Claim | None) -> Unit:
        name = claim.id if claim else segment.id
        found = tuple(cards[name]), tuple(failures[name]), tuple(queries[name])
        return Unit(name, segment, claim, verdicts[name], *found, corrections.get(name))

    parts = []
    for number, segment in enumerate(sorted(report.segments, key=lambda s: (s.span.start, id_key(s.id))), 1):
        own = sorted(claims[segment.id], key=lambda claim: id_key(claim.id))
        units = tuple(unit(segment, claim) for claim in own) or (unit(segment, None),)
        verdict = verdicts.get(segment.id)
        state = segment_state(verdict, [unit.verdict.outcome for unit in units if unit.claim])
        alone = tuple(failures[segment.id]) if own else ()
        parts.append(Part(number, segment, state, verdict, units, alone, support[segment.id]))
    placed = known | {claim.id for claim in report.claims}
    return View(
        report=report,
        parts=tuple(parts),
        paragraphs=_paragraphs(report.response.text, parts),
        failures=tuple(failure for failure in report.failures if failure.unit_id not in placed),
    )


def _grouped(items: Iterable[Item], key: str) -> Mapping[str, list[Item]]:
    groups: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        groups[getattr(item, key)].append(item)
    return groups


def _cards(report: Report) -> Mapping[str, list[Card]]:
    """Cards by unit, the decisive first, then the surest, then by rank."""
    passages = {passage.id: passage for passage in report.passages}
    documents = {document.id: document for document in report.documents}
    out = excluded_passages(report.passages, report.documents, report.excluded)
    decisive = {name for verdict in report.verdicts for name in verdict.judgement_ids}
    read = {name for judgement in report.judgements for name in judgement.passage_ids}
    cards: dict[str, list[Card]] = defaultdict(list)
    shown = set()
    for judgement in report.judgements:
        quoted = judgement.quote.passage_id if judgement.quote else None
        passage = passages.get(quoted if quoted in passages else next(iter(judgement.passage_ids), ""))
        if passage:
            shown.add(passage.id)
        card = Card(
            judgement=judgement,
            passage=passage,
            document=documents.get(passage.document_id) if passage else None,
            side=_SIDES.get(judgement.label, "aside") if judgement.label else "failed",
            says=LABEL_WORDS[judgement.label] if judgement.label else "could not be judged",
            place=_place(judgement, passage),
            decisive=judgement.id in decisive,
            excluded=is_excluded(judgement, out),
        )
        cards[judgement.unit_id].append(card)
    for passage in report.passages:
        if passage.id not in shown:
            says = "read together with others" if passage.id in read else "not judged"
            document = documents.get(passage.document_id)
            card = Card(None, passage, document, "aside", says, None, decisive=False, excluded=passage.id in out)
            cards[passage.claim_id].append(card)
    return defaultdict(list, {unit: sorted(found, key=_card_key) for unit, found in cards.items()})


def _card_key(card: Card) -> tuple[bool, bool, float, int]:
    sure = card.judgement.confidence if card.judgement else None
    return card.excluded, not card.decisive, -(sure or 0.0), card.passage.rank if card.passage else 0


def _place(judgement: Judgement, passage: Passage | None) -> Span | None:
    """Where the quote stands, only if its passage holds it there word for word and the judge read that passage."""
    quote = judgement.quote
    if quote is None or passage is None or quote.passage_id not in judgement.passage_ids or not quote.text.strip():
        return None
    return quote.span if quote.span.of(passage.text) == quote.text else None


def _paragraphs(text: str, parts: Iterable[Part]) -> tuple[tuple[Piece, ...], ...]:
    done: list[tuple[Piece, ...]] = []
    current: list[Piece] = []
    at = 0
    for part in parts:
        start = part.segment.span.start
        gap = " " if _wrapped(text, at, start) else text[at:start]
        current = _gap(gap, current, done)
        current.append(Piece(part.segment.text, part))
        at = max(at, part.segment.span.end)
    current = _gap(text[at:], current, done)
    return tuple(paragraph for paragraph in (*done, tuple(current)) if any(piece.text.strip() for piece in paragraph))


def _gap(gap: str, current: list[Piece], done: list[tuple[Piece, ...]]) -> list[Piece]:
    """Add what stands between two segments; a blank line in it closes the paragraph."""
    first, *others = re.split(r"\n[^\S\n]*\n\s*", gap.replace("\r\n", "\n"))
    current = [*current, Piece(first, None)] if first else current
    for other in others:
        done.append(tuple(current))
        current = [Piece(other, None)] if other else []
    return current


def _wrapped(text: str, start: int, end: int) -> bool:
    """Whether the line break between two segments was only made to keep lines short, so that it means a space.

    It was when the next word would not have fitted: its line would be longer than any other of the paragraph.
    """
    if text[start:end].strip() or text.count("\n", start, end) != 1:
        return False
    before = text[max(0, start - _AROUND) : start].rpartition("\n\n")[2]
    after = text[end : end + _AROUND].partition("\n\n")[0]
    longest = max(map(len, f"{before}\n{after}".split("\n")))
    line = before.rpartition("\n")[2]
    word = text[end : end + longest].split(maxsplit=1)
    return longest <= _WIDEST and bool(word) and len(line) + 1 + len(word[0]) > longest


def _bare(text: str) -> str:
    """The words alone: that a claim has lost its markup makes it no other claim."""
    return " ".join(re.findall(r"\w+", text.casefold()))
