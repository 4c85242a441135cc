"""`factscope verifiers bench`: all verifiers that are here over labelled sets, side by side."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from factscope.cli.options import Output
from factscope.cli.output import by_ending, put_console, put_text, say, spare
from factscope.errors import FactscopeError, UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from factscope.config import Settings
    from factscope.meta.calibrating import Labelled
    from factscope.meta.verifier_board import Board, Row

EXAMPLE = "Example: factscope verifiers bench --data labelled.jsonl --data other.jsonl -o table.md"
_NAME = 12
"""Signs of a verifier's name on one line, at least."""


class BoardFormat(StrEnum):
    """How the table is written."""

    TABLE = "table"
    JSON = "json"
    MD = "md"


_ENDINGS = {".json": BoardFormat.JSON, ".md": BoardFormat.MD, ".txt": BoardFormat.TABLE}


def bench(
    data: Annotated[
        list[str],
        typer.Option(metavar="FILE|NAME", help="A labelled file, or a data set of the catalogue. Repeat for more."),
    ],
    verifier: Annotated[
        list[str] | None, typer.Option(metavar="NAME|FOLDER", help="Default: all that are here. Repeat for more.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many pairs of each set.")] = None,
    format: Annotated[  # noqa: A002 - the option's name
        BoardFormat | None, typer.Option("--format", "-f", help="Default: by the ending of OUT, else table.")
    ] = None,
    output: Output = None,
) -> None:
    """Measure all verifiers that are here over labelled sets whose claims come with evidence.

    Each runs in a process of its own, so that memory is its own; beside them stand word overlap and flagging all.
    """
    import os
    import platform

    from factscope.config import load_settings
    from factscope.meta.verifier_board import Board, to_markdown
    from factscope.version import __version__, made_at

    wanted = by_ending(format, output, _ENDINGS, BoardFormat.TABLE)
    spare(output, [Path(name) for name in data])
    settings = load_settings({}, dot_env=True)[0]
    left_out: list[str] = []
    sets = list(_sets(data, settings, limit, left_out))
    if not sets:
        raise UsageError("No set has claims that come with evidence.", "; ".join(left_out))
    rows = [row for name in ["", *(verifier or _here(settings))] for row in _rows(name, sets, settings.cache, left_out)]
    for said in left_out:
        say(f"Left out: {said}", "yellow")
    place = f"Python {platform.python_version()} on {platform.system()}, {os.cpu_count()} cores"
    board = Board(rows=tuple(rows), left_out=tuple(left_out), machine=place, factscope=__version__, made=made_at())
    match wanted:
        case BoardFormat.TABLE:
            put_console(lambda console: _print(board, console), output)
        case BoardFormat.JSON:
            put_text(board.model_dump_json(indent=2) + "\n", output)
        case BoardFormat.MD:
            put_text(to_markdown(board), output)
    if output is not None:
        say(f"Wrote {output}")


def _sets(
    names: list[str], settings: Settings, limit: int | None, left_out: list[str]
) -> list[tuple[str, list[Labelled]]]:
    from factscope.benchmarks import load
    from factscope.meta.calibrating import labelled

    found: list[tuple[str, list[Labelled]]] = []
    for name in names:
        loaded = load(name, cache=settings.cache)
        if loaded.notice:
            say(loaded.notice)
        rows, bare = labelled(loaded.samples)
        if rows:
            taken = {called for called, _ in found}
            found.append((name if loaded.name in taken else loaded.name, rows[:limit]))
        else:
            left_out.append(f"{loaded.name}: none of its {bare:,} labelled units comes with evidence")
    return found


def _here(settings: Settings) -> list[str]:
    """All verifiers that can be used without fetching anything."""
    from factscope.judging.verifiers.published import CATALOGUE
    from factscope.rows.verifiers import BUILTIN, manifest_of

    return [BUILTIN, *(one.name for one in CATALOGUE if manifest_of(one.name, settings.cache))]


def _rows(name: str, sets: list[tuple[str, list[Labelled]]], cache: Path, left_out: list[str]) -> list[Row]:
    """One verifier on all sets, in a process of its own; without a name the baselines, in this one."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    from factscope.meta.verifier_board import FlagAll, Overlap, measured

    if not name:
        return [measured(one, called, rows) for one in (FlagAll(), Overlap()) for called, rows in sets]
    try:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            return pool.submit(judge_all, name, sets, cache).result()
    except FactscopeError as error:
        left_out.append(f"{name}: {error.message}")
        return []


def judge_all(name: str, sets: list[tuple[str, list[Labelled]]], cache: Path) -> list[Row]:
    """What the process of one verifier does. Raises what opening and asking it raises."""
    from factscope.meta.verifier_board import measured
    from factscope.rows.verifiers import Verifiers

    verifier = Verifiers(cache)[name]()
    return [measured(verifier, called, rows) for called, rows in sets]


def _print(board: Board, console: Console) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    from factscope.meta.verifier_board import HEADS, by_set, cells
    from factscope.report.words import inert

    console.print(Text(f"Factscope {board.factscope}, {board.made[:10]}, {board.machine}"))
    for name, rows in by_set(board):
        console.print()
        console.print(Text(inert(name), style="bold"))
        grid = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
        for place, head in enumerate(["", "pairs", *HEADS.values()]):
            title, least = head.replace(" ", "\n"), None if place else _NAME
            grid.add_column(title, justify="right" if place else "left", overflow="fold", min_width=least)
        for row in rows:
            grid.add_row(*(Text(inert(cell)) for cell in cells(row)))
        console.print(grid)
