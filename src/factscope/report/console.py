"""Paragraphs in a terminal, no wider than is comfortable to read, and the coloured marks of states."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from io import StringIO

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from factscope.report.document import Block, Paragraph, Points, Table, Title
from factscope.report.states import MARKS, State
from factscope.report.wording import inert, one_line

MEASURE = 100
"""Widest line of running text, in columns; longer ones are hard to read."""

_NARROWEST = 28
"""Least width of the column of names, in characters, in a table that is too wide for the terminal."""

LABEL = 2 + max(len(mark.word) for mark in MARKS.values())
"""Columns of a glyph and its word."""


def plain_text(show: Callable[[Console], None], width: int = 100) -> str:
    """Return the output of `show` without colours."""
    page = StringIO()
    show(Console(file=page, width=width, color_system=None, force_terminal=False))
    return page.getvalue()


class ConsolePage:
    """Writes paragraphs with a hanging indent, no wider than the console and without trailing spaces."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.width = max(min(console.width, MEASURE + LABEL), 20)
        # Under the sentence where there is room, else near the margin.
        self.indent = LABEL + 6 if self.width >= 80 else 4

    def write(self, body: Text | str, label: Text | None = None, indent: int = 0) -> None:
        """Print `body`, wrapped beside `label`; further lines start under the first. A string is made inert."""
        body = Text(one_line(body)) if isinstance(body, str) else body
        lead = Text(" " * indent)
        if label is not None:
            lead.append_text(label)
        body.expand_tabs(4)
        for line in body.wrap(self.console, max(self.width - lead.cell_len, 12)) or [Text()]:
            line.rstrip()
            self.console.print(lead + line, soft_wrap=True, highlight=False)
            lead = Text(" " * lead.cell_len)

    def note(self, text: str, label: Text | None = None, indent: int = 0) -> None:
        """Print text of less importance, as `write` does."""
        self.write(styled(one_line(text), "dim"), label, indent)

    def line(self, text: Text) -> None:
        """Print a line of a table unchanged, cut off at the width of the console."""
        text.truncate(self.console.width)
        text.rstrip()
        self.console.print(text, soft_wrap=True, highlight=False)

    def blank(self) -> None:
        """Print an empty line."""
        self.console.print()

    def title(self, text: str) -> None:
        """Print a heading between empty lines."""
        self.blank()
        self.write(styled(text, "bold"))
        self.blank()


def print_document(blocks: Iterable[Block], console: Console) -> None:
    """Print a result: titles with an empty line before them, tables no wider than the console, notes slightly indented.

    Control characters are made visible.
    """
    page = ConsolePage(console)
    for number, block in enumerate(blocks):
        match block:
            case Title(text, _):
                if number:
                    page.blank()
                page.write(styled(inert(text), "bold"))
            case Paragraph(text, warns):
                page.write(styled(inert(text), "yellow" if warns else ""), indent=2)
            case Points(points):
                for point in points:
                    text, *more = inert(point).split("\n")
                    page.write(Text(text), Text("· "), indent=2)
                    for line in more:
                        page.write(Text(line), Text("· "), indent=6)
            case Table():
                print_table(block, console)


def print_entry(console: Console, name: str, details: Text | str, *lines: Text | str) -> None:
    """Print an entry of a list: its name with details, which are wrapped beside it, and lines below."""
    page = ConsolePage(console)
    page.write(details, styled(f"{one_line(name)}  ", "bold"))
    for line in lines:
        page.write(line, indent=2)


def print_table(table: Table, console: Console) -> None:
    """Print a table in as many parts as its width needs: no figure is ever cut, and each part repeats the names."""
    lead = len(table.alignment) - len(table.alignment.lstrip("l"))
    left = list(range(lead, len(table.heads)))
    if not left or _fits(_grid(table), console):
        console.print(_grid(table))
        return
    while left:
        n = len(left)
        while n > 1 and not _fits(_grid(table.part(lead, left[:n]), broken=True, room=console.width), console):
            n -= 1
        console.print(_grid(table.part(lead, left[:n]), broken=True))
        left = left[n:]


def _fits(grid: Grid, console: Console) -> bool:
    return console.measure(grid, options=console.options.update_width(10_000)).maximum <= console.width


def _grid(table: Table, *, broken: bool = False, room: int | None = None) -> Grid:
    """Lay out a table. `broken`: heads are wrapped at spaces; `room`: names get only their share of this width."""
    grid = Grid(box=SIMPLE_HEAD, pad_edge=False)
    for head, letter in zip(table.heads, table.alignment, strict=True):
        title = Text(inert(head.replace(" ", "\n") if broken and "\n" not in head else head))
        if letter == "l":
            grid.add_column(title, overflow="fold", max_width=room and max(_NARROWEST, room // 3))
        else:
            grid.add_column(title, justify="right", no_wrap=True)
    for cells in table.rows:
        grid.add_row(*map(_cell, cells, table.alignment))
    return grid


def _cell(text: str, letter: str) -> Text:
    """Return a cell; the lines below its value are dimmed."""
    value, line_end, more = inert(text).partition("\n")
    return Text.assemble(value, line_end, (more, "dim" if letter == "r" else ""))


def styled(text: str, style: str) -> Text:
    """Return the text with its own style: the base style of a `Text` would extend to text added later."""
    return Text.assemble((text, style))


def chip(state: State, text: str) -> Text:
    """Return the glyph and words of a state in its colours."""
    mark = MARKS[state]
    return styled(f"{mark.glyph} {text}", mark.style)
