"""`factscope papers`: the tables of the four papers, recomputed from recorded material."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from factscope.cli.options import Output
from factscope.cli.output import by_ending, put_console, put_text
from factscope.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from factscope.benchmarks.papers.cells import PaperCell

EXAMPLE = "Example: factscope papers felm --cells -o felm.csv"


class PapersFormat(StrEnum):
    """Output format of the figures."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


_ENDINGS = {".json": PapersFormat.JSON, ".csv": PapersFormat.CSV, ".txt": PapersFormat.TABLE}


def papers(
    paper: Annotated[
        str | None, typer.Argument(metavar="PAPER", help="felm, facts, factbench or evidence. Default: all four.")
    ] = None,
    cells: Annotated[bool, typer.Option("--cells", help="Every figure, instead of a line for each table.")] = False,
    format: Annotated[  # noqa: A002 - the option's name
        PapersFormat | None,
        typer.Option("--format", "-f", help="Output format. Default: by the extension of OUT, else table."),
    ] = None,
    output: Output = None,
) -> None:
    """Lay the published tables beside what recorded material gives: published, recomputed, difference, why.

    Everything that is needed comes with Factscope: nothing is fetched and no model is asked.
    """
    from factscope.benchmarks.papers import evidence_tables, factbench_tables, facts_tables, felm_tables

    papers = {"felm": felm_tables, "facts": facts_tables, "factbench": factbench_tables, "evidence": evidence_tables}
    if paper is not None and paper not in papers:
        raise UsageError(f"Unknown paper {paper!r}.", f"Choose from: {', '.join(papers)}.")
    read_cells = [cell for name, module in papers.items() if paper in (None, name) for cell in module.cells()]
    match by_ending(format, output, _ENDINGS, PapersFormat.TABLE):
        case PapersFormat.JSON:
            put_text(_json(read_cells, whole=cells), output)
        case PapersFormat.CSV:
            put_text(_csv(read_cells, whole=cells), output)
        case PapersFormat.TABLE:
            put_console(lambda console: (_print_cells if cells else _print_tables)(read_cells, console), output)


def _values(read_cells: Sequence[PaperCell], *, whole: bool) -> list[dict[str, Any]]:
    from factscope.benchmarks.papers.cells import summaries

    if not whole:
        return [summary.model_dump(mode="json") for summary in summaries(read_cells)]
    return [
        cell.model_dump(mode="json") | {"difference": cell.difference, "agrees": cell.agrees} for cell in read_cells
    ]


def _json(read_cells: Sequence[PaperCell], *, whole: bool) -> str:
    import json

    return json.dumps(_values(read_cells, whole=whole), ensure_ascii=False, indent=2) + "\n"


def _csv(read_cells: Sequence[PaperCell], *, whole: bool) -> str:
    import csv
    import io

    rows = _values(read_cells, whole=whole)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({**row, "why": row["why"] if whole else "; ".join(row["why"])} for row in rows)
    return text.getvalue()


def _print_tables(read_cells: Sequence[PaperCell], console: Console) -> None:
    from factscope.benchmarks.papers.cells import summaries
    from factscope.report.console import table_of

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
    console.print(table_of(heads, rows, names=heads[:2]))
    for summary in entries:
        if summary.why:
            console.print(f"{summary.paper}, {summary.table}: {'; '.join(summary.why)}.", markup=False, highlight=False)
    console.print("Every figure: --cells. Same: as printed, at the decimals that the paper prints.", highlight=False)


def _print_cells(read_cells: Sequence[PaperCell], console: Console) -> None:
    from factscope.report.console import table_of

    for name in dict.fromkeys((cell.paper, cell.table) for cell in read_cells):
        console.print(f"{name[0]}, {name[1]}", style="bold", markup=False, highlight=False)
        rows = []
        for cell in read_cells:
            if (cell.paper, cell.table) == name:
                numbers = (cell.published, cell.recomputed, cell.difference)
                shown = ("–" if number is None else f"{number:.{cell.digits}f}" for number in numbers)
                rows.append((cell.row, cell.column, *shown, cell.why))
        heads = ("row", "column", "published", "recomputed", "difference", "why")
        console.print(table_of(heads, rows, names=("row", "column", "why")))
