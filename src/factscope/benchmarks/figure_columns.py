"""Tables of figures on a terminal, in as many parts as its width takes: no figure is ever cut or broken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from factscope.report.wording import inert

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as Grid

_NARROWEST = 28
"""Columns of the terminal that names have, where there is no more."""
_HEAD = 12
"""Characters after which a long name at the head of a column goes on in the next line."""


class FigureColumn(NamedTuple):
    """A column: its head, and a cell for each row."""

    head: str
    cells: Sequence[str]
    name: bool = False
    """Whether its cells are names, which stand at the left and may be folded."""


def print_columns(lead: Sequence[FigureColumn], columns: Sequence[FigureColumn], console: Console) -> None:
    """Print the columns, and before those of each part the `lead`."""
    left = list(columns)
    while left:
        n = len(left)
        while n > 1 and _width(_grid([*lead, *left[:n]], console), console) > console.width:
            n -= 1
        console.print(_grid([*lead, *left[:n]], console))
        left = left[n:]


def folded(name: str) -> str:
    """A name in several lines, broken behind its hyphens where it is long."""
    lines = [""]
    for piece in name.replace("-", "-\0").split("\0"):
        if lines[-1] and len(lines[-1]) + len(piece) > _HEAD:
            lines.append("")
        lines[-1] += piece
    return "\n".join(lines)


def _width(grid: Grid, console: Console) -> int:
    return console.measure(grid, options=console.options.update_width(10_000)).maximum


def _grid(columns: Sequence[FigureColumn], console: Console) -> Grid:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid(box=SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        head = Text(inert(column.head))
        if column.name:
            grid.add_column(head, overflow="fold", max_width=max(_NARROWEST, console.width // 3))
        else:
            grid.add_column(head, justify="right", no_wrap=True)
    for cells in zip(*(column.cells for column in columns), strict=True):
        grid.add_row(*(Text(inert(cell)) for cell in cells))
    return grid
