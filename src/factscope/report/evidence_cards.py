"""Pieces of evidence as a reader sees them: a passage, its judges' labels, and the words that these rest on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from factscope.core import Document, Judgement, Label, Passage, Report, Span, group_by
from factscope.report.states import LABELS
from factscope.scoring.verdicts import excluded_passages, is_excluded, is_too_weak

Side = Literal["for", "against", "aside", "failed"]
"""Direction of a piece of evidence: `aside` is neither for nor against, `failed` means that a judge could not decide.
"""

_SIDES: dict[Label | None, Side] = {"supported": "for", "contradicted": "against"}


class Card(NamedTuple):
    """One piece of evidence: a passage with all judgements that have the same label and quote.

    Without a judgement it is a passage that was not judged by itself; without a passage, a judgement whose passage is
    missing.
    """

    judgements: tuple[Judgement, ...]
    """Judgements that the verdict rests on first, then the most confident. A failed judgement has a card of its own."""
    passage: Passage | None
    document: Document | None
    side: Side
    says: str
    """The judges' label in words."""
    place: Span | None
    """Position of the quote in the passage; `None` without a quote, or if it is not in the passage verbatim."""
    decisive: bool
    """Whether the verdict rests on it."""
    excluded: bool = False
    """Whether a person ruled it out."""
    as_copy: bool = False
    """Whether it is excluded only because it is a copy."""
    too_weak: bool = False
    """Whether it contradicts the claim with less confidence than the method asks for, and so does not count."""
    copies: tuple[str, ...] = ()
    """Passages that are copies of its passage."""
    repeats: bool = False
    """Whether another card has the same words of the same source, in a passage that overlaps with its own."""

    @property
    def orders(self) -> tuple[Span, ...]:
        """Return the instructions to a model in its passage."""
        return order_spans(self.passage) if self.passage else ()

    @property
    def judgement(self) -> Judgement | None:
        """The first of its judgements."""
        return next(iter(self.judgements), None)

    @property
    def n_judged(self) -> int:
        """The number of its judgements, or of the passages that were read as one for it."""
        together = self.judgement is not None and "read_together" in self.judgement.flags
        return len(self.judgement.passage_ids) if self.judgement and together else len(self.judgements)

    @property
    def quote(self) -> str | None:
        """The verbatim quote."""
        return self.place.of(self.passage.text) if self.place and self.passage else None

    @property
    def invented(self) -> bool:
        """Whether the judge gave a quote that is not in its passage."""
        return self.place is None and self.judgement is not None and self.judgement.quote is not None

    @property
    def void(self) -> bool:
        """Whether the label does not count, because the words that the judge quotes are not in the passage."""
        return self.judgement is not None and "quote_not_found" in self.judgement.flags

    @property
    def judges(self) -> str:
        """The names of its judges, each once."""
        return ", ".join(dict.fromkeys(judgement.judge for judgement in self.judgements))

    @property
    def raw_labels(self) -> str:
        """Such as `builtin-1 said “supported”`: its judges' own words."""
        return ", ".join(f"{judgement.judge} said “{judgement.raw_label}”" for judgement in self.judgements)

    @property
    def failure(self) -> str:
        """Why it could not be judged; empty if it was."""
        return (self.judgement and self.judgement.failure) or ""

    @property
    def source(self) -> str:
        """Name its source."""
        return source_name(self.document) if self.document else "unknown source"


def source_name(document: Document) -> str:
    """Return title, else address or path, else id."""
    return document.title or document.url or document.id


def source_address(document: Document) -> str | None:
    """Return address or path, unless the source is named by it."""
    return document.url if document.url != source_name(document) else None


def order_spans(passage: Passage) -> tuple[Span, ...]:
    """Return the instructions to a model in a passage, in order, as spans of its text without overlaps."""
    spans: list[Span] = []
    for span in sorted(passage.instructions, key=lambda span: (span.start, span.end)):
        start, end = max(span.start, spans[-1].end if spans else 0), min(span.end, len(passage.text))
        if start < end:
            spans.append(Span(start=start, end=end))
    return tuple(spans)


def n_passages(cards: Iterable[Card]) -> int:
    """Count the passages on these cards."""
    return len({card.passage.id for card in cards if card.passage})


def cards_of(report: Report) -> Mapping[str, list[Card]]:
    """Return cards by unit: the decisive first, then the most confident, then by rank.

    Every judgement and passage is on one.
    """
    passages = {passage.id: passage for passage in report.passages}
    card_of = _card_maker(report)
    cards: dict[str, list[Card]] = defaultdict(list)
    for group in _grouped(report.judgements, passages):
        cards[group[0].unit_id].append(card_of(group, _shown_passage(group[0], passages)))
    on_cards = {card.passage.id for unit_cards in cards.values() for card in unit_cards if card.passage}
    for passage in report.passages:
        if passage.id not in on_cards:
            cards[passage.claim_id].append(card_of([], passage))
    ordered = {unit: _repeats_marked(sorted(unit_cards, key=_card_key)) for unit, unit_cards in cards.items()}
    return defaultdict(list, ordered)


def _card_maker(report: Report) -> Callable[[list[Judgement], Passage | None], Card]:
    """Return a function that makes the card of judgements that are alike, or of a passage that has none."""
    passages, by_person = report.passages, report.excluded
    floor = _contradiction_floor(report)
    documents = {document.id: document for document in report.documents}
    decisive = {name for verdict in report.verdicts for name in verdict.judgement_ids}
    read = {name for judgement in report.judgements for name in judgement.passage_ids}
    copies = group_by(passages, lambda passage: passage.copy_of)
    out = excluded_passages(passages, report.documents, by_person)
    excluded_ids = excluded_passages(passages, report.documents, by_person.model_copy(update={"copies": False}))

    def make_card(judgements: list[Judgement], passage: Passage | None) -> Card:
        judgements.sort(key=lambda judgement: (judgement.id not in decisive, -(judgement.confidence or 0.0)))
        first = next(iter(judgements), None)
        label = first.label if first else None

        def is_out(names: frozenset[str]) -> bool:
            return is_excluded(first, names) if first else passage is not None and passage.id in names

        if first:
            relation = LABELS[label].relation if label else "could not be judged"
        else:
            relation = "read together with others" if passage and passage.id in read else "not judged"
        return Card(
            judgements=tuple(judgements),
            passage=passage,
            document=documents.get(passage.document_id) if passage else None,
            side="failed" if first and label is None else _SIDES.get(label, "aside"),
            says=relation,
            place=_quote_span(first, passage) if first else None,
            decisive=first is not None and first.id in decisive,
            excluded=is_out(out),
            as_copy=is_out(out - excluded_ids),
            too_weak=bool(judgements) and all(is_too_weak(judgement, floor) for judgement in judgements),
            copies=tuple(copy.id for copy in copies[passage.id]) if passage else (),
        )

    return make_card


def _contradiction_floor(report: Report) -> float:
    """Return the confidence from which the report's method counts a contradiction."""
    rules = report.method.get("roll_up")
    floor = rules.get("contradiction_floor") if isinstance(rules, dict) else None
    return float(floor) if isinstance(floor, int | float) else 0.0


def _repeats_marked(cards: Sequence[Card]) -> list[Card]:
    """Return the cards of one unit, those whose quote is on an earlier one marked.

    Marked is also a contradiction too weak to count by words that support the claim, which would only puzzle a reader.
    """
    earlier: set[tuple[object, ...]] = set()
    in_support = {_words_of(card) for card in cards if card.side == "for"}
    result = []
    for card in cards:
        words = _words_of(card)
        is_again = (*words, card.says) in earlier or (card.too_weak and words in in_support)
        result.append(card._replace(repeats=card.quote is not None and is_again))
        earlier.add((*words, card.says))
    return result


def _words_of(card: Card) -> tuple[object, ...]:
    """Return what two cards with the same words of one source share."""
    return card.document and card.document.id, card.quote, card.judges, card.excluded


def _grouped(judgements: Iterable[Judgement], passages: Mapping[str, Passage]) -> Iterable[list[Judgement]]:
    """Group the judgements that share a card: those with the same label and quote for the same passages."""

    def card_key(judgement: Judgement) -> tuple[object, ...]:
        passage = _shown_passage(judgement, passages)
        quote = _quote_span(judgement, passage) or judgement.quote
        key = judgement.unit_id, judgement.passage_ids, passage and passage.id, judgement.label, judgement.flags, quote
        has_own_card = judgement.label is None or passage is None
        return (*key, judgement.id) if has_own_card else key

    return group_by(judgements, card_key).values()


def _shown_passage(judgement: Judgement, passages: Mapping[str, Passage]) -> Passage | None:
    """Return the passage that a judgement quotes, otherwise the first that its judge read."""
    quoted = passages.get(judgement.quote.passage_id) if judgement.quote else None
    return quoted or passages.get(next(iter(judgement.passage_ids), ""))


def _card_key(card: Card) -> tuple[bool, bool, float, int]:
    sure = card.judgement.confidence if card.judgement else None
    return card.excluded, not card.decisive, -(sure or 0.0), card.passage.rank if card.passage else 0


def _quote_span(judgement: Judgement, passage: Passage | None) -> Span | None:
    """Return the position of the quote, only if it is in its passage word for word and the judge read that passage."""
    quote = judgement.quote
    if quote is None or passage is None or quote.passage_id not in judgement.passage_ids or not quote.text.strip():
        return None
    return quote.span if quote.span.of(passage.text) == quote.text else None
