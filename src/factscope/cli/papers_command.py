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

    known = {"felm": felm_tables, "facts": facts_tables, "factbench": factbench_tables, "evidence": evidence_tables}
    if paper is not None and paper not in known:
        raise UsageError(f"There is no paper {paper!r}.", f"Choose from: {', '.join(known)}.")
    found = [cell for name, one in known.items() if paper in (None, name) for cell in one.cells()]
    match by_ending(format, output, _ENDINGS, PapersFormat.TABLE):
        case PapersFormat.JSON:
            put_text(_json(found, whole=cells), output)
        case PapersFormat.CSV:
            put_text(_csv(found, whole=cells), output)
        case PapersFormat.TABLE:
            put_console(lambda console: (_print_cells if cells else _print_tables)(found, console), output)


def _values(found: Sequence[PaperCell], *, whole: bool) -> list[dict[str, Any]]:
    from factscope.benchmarks.papers.cells import summaries

    if not whole:
        return [one.model_dump(mode="json") for one in summaries(found)]
    return [cell.model_dump(mode="json") | {"difference": cell.difference, "agrees": cell.agrees} for cell in found]


def _json(found: Sequence[PaperCell], *, whole: bool) -> str:
    import json

    return json.dumps(_values(found, whole=whole), ensure_ascii=False, indent=2) + "\n"


def _csv(found: Sequence[PaperCell], *, whole: bool) -> str:
    import csv
    import io

    rows = _values(found, whole=whole)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({**row, "why": row["why"] if whole else "; ".join(row["why"])} for row in rows)
    return text.getvalue()


def _print_tables(found: Sequence[PaperCell], console: Console) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from factscope.benchmarks.papers.cells import summaries

    grid = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("paper", "table", "figures", "same", "differ", "missing", "largest"):
        grid.add_column(name, justify="left" if name in ("paper", "table") else "right")
    rows = summaries(found)
    for one in rows:
        largest = "" if one.largest is None else f"{one.largest:g}"
        grid.add_row(one.paper, one.table, *map(str, (one.cells, one.same, one.differ, one.missing)), largest)
    console.print(grid)
    for one in rows:
        if one.why:
            console.print(f"{one.paper}, {one.table}: {'; '.join(one.why)}.", markup=False, highlight=False)
    console.print("Every figure: --cells. Same: as printed, at the decimals that the paper prints.", highlight=False)


def _print_cells(found: Sequence[PaperCell], console: Console) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    for name in dict.fromkeys((cell.paper, cell.table) for cell in found):
        console.print(f"{name[0]}, {name[1]}", style="bold", markup=False, highlight=False)
        grid = Table(box=SIMPLE_HEAD, pad_edge=False)
        for head in ("row", "column", "published", "recomputed", "difference", "why"):
            grid.add_column(head, justify="right" if head in ("published", "recomputed", "difference") else "left")
        for cell in found:
            if (cell.paper, cell.table) == name:
                numbers = (cell.published, cell.recomputed, cell.difference)
                shown = ("–" if one is None else f"{one:.{cell.digits}f}" for one in numbers)
                grid.add_row(cell.row, cell.column, *shown, cell.why)
        console.print(grid)
