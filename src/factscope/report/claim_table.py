"""Claims as rows: as CSV for a spreadsheet, as Parquet for a data frame. The same columns in both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from factscope.core.records import Document, Report, Score
from factscope.report import source_notes, wording
from factscope.report.build_view import view_of
from factscope.report.citations.citation_cells import citation_cells
from factscope.report.csv_text import csv_cell, csv_text
from factscope.report.renderer import Reports
from factscope.report.states import MARKS
from factscope.report.view import UnitView

_END = "\r\n"
Cell = str | float | int | None
"""`None` is an empty cell in CSV and a null in Parquet."""

COLUMNS: dict[str, type[str] | type[float] | type[int]] = {
    "id": str,
    "level": str,
    "segment": str,
    "claim": str,
    "outcome": str,
    "word": str,
    "reason": str,
    "confidence": float,
    "judge": str,
    "quote": str,
    "source_title": str,
    "source_url": str,
    "judgements": int,
    "gap": str,
    "confidence_from": str,
    "agreement": float,
    "panel": str,
    "at_risk": str,
    "error": str,
    "correction": str,
    "not_counted": int,
    "queries": int,
    "search_ended": str,
    "source_category": str,
    "source_category_by": str,
    "source_author": str,
    "source_publisher": str,
    "source_published": str,
    "source_language": str,
    "source_fetched_at": str,
    "source_flags": str,
    "orders_to_a_model": int,
    "copies": int,
    "results": int,
    "unread": str,
    "citations": str,
    "citation_problems": str,
}
"""One row per unit. `judgements` counts the labelled ones and the failed ones together, `not_counted` those whose label
does not count because the words that they quote are not in the passage. `orders_to_a_model` counts passages with
instructions to a model, `copies` those that are copies of another; `results` counts the results that search engines
listed; `unread` holds the addresses that could not be fetched or read. `panel` lists the label of each of several
judges. For a text that is checked against its own citations, `citations` holds the sources cited for the unit with the
outcome of each, and `citation_problems` all problems there, with line and column. A table of many responses begins with
the column `response`."""


def to_csv(report: Report) -> str:
    """Return one row per unit after a row of names (RFC 4180, UTF-8).

    A cell that could be a formula begins with `'`.
    """
    return csv_text([COLUMNS, *(map(csv_cell, row) for row in rows(report))], _END)


def to_parquet(report: Report) -> bytes:
    """Return one row per unit, as a Parquet file. Raises UsageError when DuckDB is not installed."""
    from factscope.report.parquet_writer import parquet

    return b"".join(parquet(rows(report), COLUMNS))


def many_to_csv(reports: Reports, _scores: Sequence[Score] = ()) -> Iterator[str]:
    """Yield the rows of all reports, as `to_csv` writes them, a report at a time."""
    yield csv_text([["response", *COLUMNS]], _END)
    for report in reports():
        yield csv_text((map(csv_cell, (report.response.id, *row)) for row in rows(report)), _END)


def many_to_parquet(reports: Reports, _scores: Sequence[Score] = ()) -> Iterator[bytes]:
    """Return the rows of all reports, as `to_parquet` writes them. Raises UsageError when DuckDB is not installed."""
    from factscope.report.parquet_writer import parquet

    all_rows = ((report.response.id, *row) for report in reports() for row in rows(report))
    return parquet(all_rows, {"response": str, **COLUMNS})


def rows(report: Report) -> Iterator[tuple[Cell, ...]]:
    """Yield the cells of each unit in the order of `COLUMNS`."""
    cited = citation_cells(report) if wording.is_about_citations(report) else {}
    for segment in view_of(report).parts:
        for unit in segment.units:
            yield (*_cells(unit), *cited.get(unit.id, (None, None)))


def _cells(unit: UnitView) -> Iterator[Cell]:
    verdict, correction = unit.verdict, unit.correction
    card_shown = next((card for card in unit.best if card.quote), unit.near or next(iter(unit.cards), None))
    judgement, document = (card_shown.judgement, card_shown.document) if card_shown else (None, None)
    yield unit.id
    yield verdict.level
    yield unit.segment.text
    yield unit.claim.standalone if unit.claim else None
    yield verdict.outcome
    yield MARKS[verdict.outcome].word
    yield verdict.reason
    yield verdict.confidence
    yield judgement.judge if judgement else None
    yield card_shown.quote if card_shown else None
    yield document.title if document else None
    yield document.url if document else None
    yield sum(len(card.judgements) for card in unit.cards)
    yield verdict.gap
    yield unit.confidence_from
    yield verdict.agreement
    yield "; ".join(f"{judge.judge}: {MARKS[judge.outcome].word}" for judge in unit.panel) or None
    yield " ".join(verdict.at_risk) or None
    yield correction.error if correction else None
    yield correction.text if correction else None
    yield sum(len(card.judgements) for card in unit.void)
    yield len(unit.queries)
    yield unit.ended
    yield from _source(document)
    passages = {card.passage.id: card.passage for card in unit.cards if card.passage}.values()
    yield sum(bool(passage.instructions) for passage in passages)
    yield sum(passage.copy_of is not None for passage in passages)
    yield sum(len(search.results) for search in unit.searches)
    yield " ".join(failure.about or "" for failure in unit.unread) or None


def _source(document: Document | None) -> Iterator[Cell]:
    """Yield the cells that describe a source, in the words of the records."""
    if document is None:
        yield from [None] * 8
        return
    yield document.category if source_notes.kind(document) else None
    yield document.category_by
    yield document.author
    yield document.publisher
    yield document.published
    yield document.language
    yield document.fetched_at
    yield " ".join(document.flags) or None
