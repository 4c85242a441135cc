"""Claims as rows: as CSV for a spreadsheet, as Parquet for a data frame. The same columns in both."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from factscope.core import Document, Report, StoreError, UsageError
from factscope.report import source_notes, wording
from factscope.report.build_view import view_of
from factscope.report.citations.lines import KIND_WORDS, line_and_column, message_of, source_label
from factscope.report.csv_text import csv_cell, csv_text
from factscope.report.renderers import OverAll, Reports
from factscope.report.states import MARKS
from factscope.report.view import UnitView
from factscope.scoring.citations import CitationFault, citation_problems, cited_pairs

_END = "\r\n"
_SQL = {str: "VARCHAR", float: "DOUBLE", int: "BIGINT"}
_CHUNK = 1 << 20  # bytes yielded at once
_GROUP = 20_480
"""Rows that DuckDB collects before it writes them. Measured with 600 bytes a row: 1.2 million rows in 220 MB of memory;
with its default of 122,880, a third of them took 570 MB."""
_LEAST_OBJECT = 1 << 24
"""Least number of bytes that DuckDB reserves for a row."""
Cell = str | float | int | None
"""`None` is an empty cell in CSV and a null in Parquet."""

_NAMES = (
    "id level segment claim outcome word reason confidence judge quote source_title source_url judgements gap"
    " confidence_from agreement panel at_risk error correction not_counted queries search_ended source_category"
    " source_category_by source_author source_publisher source_published source_language source_fetched_at source_flags"
    " orders_to_a_model copies results unread citations citation_problems"
)
_NUMBERS: dict[str, type[float] | type[int]] = {
    **dict.fromkeys(("confidence", "agreement"), float),
    **dict.fromkeys(("judgements", "not_counted", "queries", "orders_to_a_model", "copies", "results"), int),
}
COLUMNS: dict[str, type[str] | type[float] | type[int]] = {name: _NUMBERS.get(name, str) for name in _NAMES.split()}
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
    return b"".join(_parquet(rows(report), COLUMNS))


def many_to_csv(reports: Reports, _over_all: OverAll) -> Iterator[str]:
    """Yield the rows of all reports, as `to_csv` writes them, a report at a time."""
    yield csv_text([["response", *COLUMNS]], _END)
    for report in reports():
        yield csv_text((map(csv_cell, (report.response.id, *row)) for row in rows(report)), _END)


def many_to_parquet(reports: Reports, _over_all: OverAll) -> Iterator[bytes]:
    """Return the rows of all reports, as `to_parquet` writes them. Raises UsageError when DuckDB is not installed."""
    all_rows = ((report.response.id, *row) for report in reports() for row in rows(report))
    return _parquet(all_rows, {"response": str, **COLUMNS})


def rows(report: Report) -> Iterator[tuple[Cell, ...]]:
    """Yield the cells of each unit in the order of `COLUMNS`."""
    cited = _citation_cells(report) if wording.is_about_citations(report) else {}
    for unit in view_of(report).units:
        yield (*_cells(unit), *cited.get(unit.id, (None, None)))


def _cells(unit: UnitView) -> Iterator[Cell]:
    verdict, correction = unit.verdict, unit.correction
    card_shown = unit.quoted or next(iter(unit.cards), None)
    judgement, document = (card_shown.judgement, card_shown.document) if card_shown else (None, None)
    yield unit.id
    yield verdict.level
    yield unit.segment.text
    yield unit.claim.standalone if unit.claim else None
    yield verdict.outcome
    yield MARKS[verdict.outcome].word
    yield verdict.reason or unit.why_contradicted
    yield verdict.confidence
    yield judgement.judge if judgement else None
    yield card_shown.quote if card_shown else None
    yield from (document.title, document.url) if document else (None, None)
    yield sum(len(card.judgements) for card in unit.cards)
    yield verdict.gap
    yield unit.confidence_from
    yield verdict.agreement
    yield "; ".join(f"{judge.judge}: {MARKS[judge.outcome].word}" for judge in unit.panel) or None
    yield " ".join(verdict.at_risk) or None
    yield from (correction.error, correction.text) if correction else (None, None)
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


def _citation_cells(report: Report) -> Mapping[str, tuple[str | None, str | None]]:
    """Return the sources that are cited for each unit with their outcomes, and its problems, by the id of the unit."""
    cited: dict[str, list[str]] = defaultdict(list)
    wrong: dict[str, list[str]] = defaultdict(list)
    for pair in cited_pairs(report):
        cited[pair.claim.id].append(f"{source_label(pair.source)}: {pair.outcome}")
    for fault in citation_problems(report):
        line, column = line_and_column(report.response.text, fault.span.start)
        wrong[_unit_of(report, fault)].append(f"{line}:{column} {KIND_WORDS[fault.kind]}: {message_of(fault)}")
    names = {*cited, *wrong}
    return {name: ("; ".join(cited.get(name, ())) or None, " ".join(wrong.get(name, ())) or None) for name in names}


def _unit_of(report: Report, fault: CitationFault) -> str:
    """Return the claim of a problem, otherwise the first unit of the segment that contains or precedes it."""
    if fault.claim:
        return fault.claim.id
    before = [segment for segment in report.segments if segment.span.start <= fault.span.start]
    segment = before[-1] if before else next(iter(report.segments), None)
    if segment is None:
        return ""
    return next((claim.id for claim in report.claims if claim.segment_id == segment.id), segment.id)


def _parquet(rows: Iterable[Iterable[Cell]], columns: Mapping[str, type]) -> Iterator[bytes]:
    """Yield the file, in pieces of at most 1 MiB. Text is made inert, as in every other format that people read.

    DuckDB writes it. The rows are first written to a file of JSON lines, so that only one is in memory at a time.

    Raises UsageError when DuckDB is not installed, StoreError when the disk is too full for the temporary file.
    """
    try:
        import duckdb
    except ImportError:
        raise UsageError(
            "To write Parquet, DuckDB is needed, and it is not installed.", "Install it: pip install 'factscope[data]'"
        ) from None
    try:
        with TemporaryDirectory(prefix="factscope-") as folder:
            lines, target = Path(folder, "rows.jsonl"), Path(folder, "rows.parquet")
            longest = _write_lines(rows, list(columns), lines)
            with closing(duckdb.connect(config={"threads": 1, "autoinstall_known_extensions": False})) as db:
                db.execute("LOAD parquet; LOAD json")  # both come with the package
                target_text = str(target).replace("'", "''")
                read = "read_json($1, format = 'newline_delimited', columns = $2, maximum_object_size = $3)"
                db.execute(
                    f"COPY (FROM {read}) TO '{target_text}' (FORMAT parquet, ROW_GROUP_SIZE {_GROUP})",
                    [str(lines), {name: _SQL[kind] for name, kind in columns.items()}, max(longest, _LEAST_OBJECT)],
                )
            with target.open("rb") as file:
                while chunk := file.read(_CHUNK):
                    yield chunk
    except (OSError, duckdb.IOException) as error:
        raise StoreError(f"The Parquet file can't be made: {error}.", "Make room in the temporary folder.") from None


def _write_lines(rows: Iterable[Iterable[Cell]], names: list[str], lines: Path) -> int:
    """Write the rows as JSON, one a line; return the number of bytes of the longest."""
    longest = 0
    with lines.open("w", encoding="ascii") as file:
        for row in rows:
            cells = (wording.inert(cell) if isinstance(cell, str) else cell for cell in row)
            line = json.dumps(dict(zip(names, cells, strict=True)))
            longest = max(longest, len(line) + 2)
            file.write(line + "\n")
    return longest
