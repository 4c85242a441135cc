"""The evidence on one claim in a terminal: quotes with their sources, neutral passages, and unreadable sources."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from factscope.core import Document, plurals
from factscope.report import source_notes, wording
from factscope.report.console import ConsolePage, chip, styled
from factscope.report.evidence_cards import Card, Side, source_address, source_name
from factscope.report.states import State
from factscope.report.view import UnitView

MOST_QUOTES = 2
"""Quotes shown on each side of one claim; the page shows all."""

MOST_UNREAD = 3
"""Sources that could not be read, of one claim."""

MOST_SOURCES = 12
"""Number of sources that are shown in full."""

_SIDES: dict[Side, tuple[State, str]] = {
    "for": ("supported", "for"),
    "against": ("contradicted", "against"),
    "aside": ("undecided", "near"),
    "failed": ("failed", "not judged"),
}


def evidence(page: ConsolePage, unit: UnitView, indent: int, about: str) -> None:
    """Print the evidence: quotes with their sources, or the sources alone if all are neutral; then unreadable pages."""
    outcome = unit.verdict.outcome
    if outcome == "supported":
        cards = [*unit.quotes("for")[:1], *unit.quotes("against")[:1]]
    else:
        cards = [*unit.quotes("against")[:MOST_QUOTES], *unit.quotes("for")[:MOST_QUOTES]]
    if not cards and unit.near:
        cards = [unit.near]
    for card in cards:
        _card(page, unit, card, indent, about if card is cards[0] and card is not unit.near else "")
    if not unit.best and (read := [card for card in unit.side("aside") if card.passage]):
        names = wording.excerpt("; ".join(dict.fromkeys(card.source for card in read)), 200)
        page.note(f"read {plurals.many(unit.n_aside, 'passage')}: {names}", indent=indent)
        if unit.near is None:
            _reason(page, read[0], indent)
    _elsewhere(page, unit, cards, indent)
    for card in unit.void:
        label = chip("failed", "not counted") + Text(": ")
        page.write(f"{card.raw_labels}, but {wording.VOID}", label, indent)
    for card in unit.side("failed"):
        page.write(card.failure, chip(*_SIDES["failed"]) + Text(": "), indent=indent)
    _unreadable(page, unit, indent)


def _elsewhere(page: ConsolePage, unit: UnitView, cards: Sequence[Card], indent: int) -> None:
    """Write instructions to a model that are in passages of which nothing else is shown."""
    notes = list(source_notes.known_elsewhere(unit.cards, cards))
    for line in notes[:MOST_QUOTES]:
        _beware(page, line, indent)
    if (more := len(notes) - MOST_QUOTES) > 0:
        _beware(page, f"and {plurals.many(more, 'more passage')} with instructions aimed at AI models", indent)


def _unreadable(page: ConsolePage, unit: UnitView, indent: int) -> None:
    """Write the sources that could not be fetched or read, so that they are not taken for silent ones."""
    for failure in unit.unread[:MOST_UNREAD]:
        line = wording.excerpt(source_notes.unread_line(failure), 240)
        page.note(f"{source_notes.UNREADABLE}: {line}", styled("- ", "dim"), indent)
    if (more := len(unit.unread) - MOST_UNREAD) > 0:
        page.note(f"and {more} more", indent=indent)


def _beware(page: ConsolePage, line: str, indent: int) -> None:
    page.write(line, styled("! ", "bold yellow"), indent)


def search(page: ConsolePage, unit: UnitView, indent: int) -> None:
    """Print the searches, where they are informative."""
    if len(unit.queries) > 1:
        entry = ", ".join(f"“{query.text}”" for query in unit.queries)
        notes = f"searched {plurals.many(len(unit.rounds), 'round')}: {wording.excerpt(entry, 240)}"
        page.note(notes, indent=indent)
    if unit.ended:
        page.note(f"the search ended: {wording.excerpt(unit.ended, 240)}", indent=indent)


def _card(page: ConsolePage, unit: UnitView, card: Card, indent: int, about: str) -> None:
    """Write a card: its quote in quotation marks, its source, and a reason where useful."""
    state, side = _SIDES[card.side]
    label = chip(state, side) + Text(" ")
    source = card.source
    if card.document and (address := source_address(card.document)):
        source = f"{source}, {address}"
    source = wording.one_line(" · ".join([source, *source_notes.on_card(card)]))
    notes = "".join(f" [{wording.one_line(note)}]" for note in unit.notes_on(card)) + (f" · {about}" if about else "")
    if card.quote:
        body = Text(f"“{wording.excerpt(card.quote, 400)}”")
    elif card.invented:
        body = styled("quote not found in the passage", "italic")
    else:
        body = styled("no quote given", "italic dim")
    page.write(body + styled(f" — {source}{notes}", "dim"), label, indent)
    for warning in source_notes.warnings(card):
        _beware(page, warning, indent + 2)
    if unit.verdict.outcome != "supported":
        _reason(page, card, indent + 2)


def _reason(page: ConsolePage, card: Card, indent: int) -> None:
    """Write the beginning of the first judge's reason on a card; the page has all of it."""
    text = next((judgement.rationale for judgement in card.judgements if judgement.rationale), None)
    if text:
        page.note(f"reason: {wording.excerpt(text, 240)}", indent=indent)


def listed_sources(page: ConsolePage, documents: Sequence[Document]) -> None:
    """Write all known details of the sources."""
    page.write(styled("Sources", "bold"))
    page.blank()
    for document in documents[:MOST_SOURCES]:
        name = source_name(document)
        page.write(name if name == document.url else f"{name}, {document.url or document.id}")
        noted = source_notes.flags(document.flags)
        about = [*source_notes.in_full(document), *(flag.text for flag in noted if not flag.grave)]
        if about:
            page.note(" · ".join(about), indent=4)
        for flag in noted:
            if flag.grave:
                _beware(page, flag.text, 4)
    if (more := len(documents) - MOST_SOURCES) > 0:
        page.note(f"and {more} more")
    page.blank()
