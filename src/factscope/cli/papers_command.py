"""`factscope papers`: the tables of the four papers, recomputed from recorded material."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer

from factscope.benchmarks.papers import evidence_tables, factbench_tables, facts_tables, felm_tables
from factscope.benchmarks.papers.cells import PaperCell, summaries
from factscope.cli.call_options import with_groups
from factscope.cli.result_options import ResultOptions, put_result
from factscope.core import UsageError
from factscope.report.csv_text import csv_text
from factscope.report.document import Block, Paragraph, Result, Table, Title, notes, table_of


class PapersOptions(ResultOptions):
    """The papers, and where the comparison is written."""

    paper: Annotated[str | None, typer.Argument(metavar="PAPER")] = None
    """felm, facts, factbench or evidence. Default: all four."""
    cells: bool = False
    """Every figure, instead of a line for each table."""


@with_groups
def papers(options: PapersOptions) -> None:
    """Compare the papers' tables with figures recomputed from recorded data: published, recomputed, difference, why.

    Everything that is needed comes with Factscope: nothing is fetched and no model is called.

    Example: factscope papers felm --cells -o felm.csv
    """
    papers = {"felm": felm_tables, "facts": facts_tables, "factbench": factbench_tables, "evidence": evidence_tables}
    if options.paper is not None and options.paper not in papers:
        raise UsageError(f"Unknown paper {options.paper!r}.", f"Choose from: {', '.join(papers)}.")
    read_cells = [cell for name, module in papers.items() if options.paper in (None, name) for cell in module.cells()]
    result = Result(
        "Published tables, recomputed",
        lambda: _values(read_cells, whole=options.cells),
        lambda: _all_cells(read_cells) if options.cells else _tables(read_cells),
        texts={"csv": lambda: _csv(read_cells, whole=options.cells)},
    )
    put_result(result, options.form, options.output)


def _values(read_cells: Sequence[PaperCell], *, whole: bool) -> list[dict[str, Any]]:
    if not whole:
        return [summary._asdict() for summary in summaries(read_cells)]
    return [cell._asdict() | {"difference": cell.difference, "agrees": cell.agrees} for cell in read_cells]


def _csv(read_cells: Sequence[PaperCell], *, whole: bool) -> str:
    rows = _values(read_cells, whole=whole)
    shown = ({**row, "why": row["why"] if whole else "; ".join(row["why"])} for row in rows)
    return csv_text([rows[0], *(row.values() for row in shown)])


def _tables(read_cells: Sequence[PaperCell]) -> Iterator[Block]:
    heads = ("paper", "table", "figures", "same", "differ", "missing", "largest")
    entries = summaries(read_cells)
    rows = (
        (
            entry.paper,
            entry.table,
            *map(str, (entry.cells, entry.same, entry.differ, entry.missing)),
            "" if entry.largest is None else f"{entry.largest:g}",
        )
        for entry in entries
    )
    yield table_of(heads, rows, names=2)
    yield from notes(f"{entry.paper}, {entry.table}: {'; '.join(entry.why)}." for entry in entries if entry.why)
    yield Paragraph("Every figure: --cells. Same: as printed, at the decimals that the paper prints.")


def _all_cells(read_cells: Sequence[PaperCell]) -> Iterator[Block]:
    for name in dict.fromkeys((cell.paper, cell.table) for cell in read_cells):
        yield Title(f"{name[0]}, {name[1]}")
        rows = []
        for cell in read_cells:
            if (cell.paper, cell.table) == name:
                numbers = (cell.published, cell.recomputed, cell.difference)
                shown = ("–" if number is None else f"{number:.{cell.digits}f}" for number in numbers)
                rows.append((cell.row, cell.column, *shown, cell.why))
        yield Table(("row", "column", "published", "recomputed", "difference", "why"), tuple(rows), "llrrrl")
