"""The card of a selftest: one document for Markdown and its page, and its values as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from factscope.cli.selftest.trial import TrialCard, TrialRow
from factscope.core import many
from factscope.report.document import Block, Paragraph, Points, Result, Title, table_of
from factscope.report.markdown_text import blocks_to_markdown

_HEADS = ("", "Promise", "How it was tried", "Cases", "Asked", "Result", "Seconds")
_GLYPHS = {"held": "✓", "broken": "✗", "fewer cases": "–", "not tried": "·"}


def card_result(card: TrialCard) -> Result:
    """Return the card for any writer."""
    title = "Reliability card"
    texts = {"md": lambda: blocks_to_markdown((Title(title, 1), *document(card)), headings=True)}
    return Result(title, lambda: card.model_dump(mode="json"), lambda: document(card), texts)


def document(card: TrialCard) -> Iterator[Block]:
    """Yield every promise with its trial and the failures."""
    command = "factscope selftest --quick" if card.mode == "quick" else "factscope selftest"
    yield Paragraph(f"{_about(card)} Made by {command}.")
    yield Paragraph(summary(card))
    yield table_of(_HEADS, map(_cells, card.rows), align="lllrrlr")
    if card.broken:
        yield Title("What failed")
        yield Points(tuple(f"{row.id}: {failure}" for row in card.rows for failure in row.failures))


def summary(card: TrialCard) -> str:
    """Return a line with the number of promises that held."""
    results = [row.result for row in card.rows]
    sections = [f"{results.count(result)} {result}" for result in _GLYPHS if result in results]
    return (
        f"{many(len(card.rows), 'promise')}, {many(sum(row.cases for row in card.rows), 'case')}:"
        f" {', '.join(sections)}."
    )


def _about(card: TrialCard) -> str:
    trial = "A quick trial" if card.mode == "quick" else "A whole trial"
    return (
        f"Factscope {card.factscope}. {trial} on {card.date}, on {card.system}, Python {card.python},"
        f" in {card.seconds:,.0f} s."
    )


def _cells(row: TrialRow) -> list[str]:
    trial = f"{row.trial}\nNot shown: {row.open}" if row.open else row.trial
    result = f"{_GLYPHS[row.result]} {row.result}"
    return [row.id, row.promise, trial, f"{row.cases:,}", f"{row.asked:,}", result, f"{row.seconds:,.0f}"]
