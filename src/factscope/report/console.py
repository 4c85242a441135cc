"""Paragraphs in a terminal, no wider than is good to read, and the marks of states in its colours."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from factscope.report.states import MARKS, State
from factscope.report.wording import inert

MEASURE = 100
"""Widest line of running text, in columns; longer ones are hard to read."""

LABEL = 2 + max(len(mark.word) for mark in MARKS.values())
"""Columns of a glyph and its word."""


class ConsolePage:
    """Writes paragraphs with a hanging indent, no wider than the console and without trailing spaces."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.width = max(min(console.width, MEASURE + LABEL), 20)
        # Under the sentence where there is room, else near the margin.
        self.indent = LABEL + 6 if self.width >= 80 else 4

    def write(self, body: Text, label: Text | None = None, indent: int = 0) -> None:
        """Print `body`, wrapped beside `label`; further lines start under the first."""
        lead = Text(" " * indent)
        if label is not None:
            lead.append_text(label)
        body.expand_tabs(4)
        for line in body.wrap(self.console, max(self.width - lead.cell_len, 12)) or [Text()]:
            line.rstrip()
            self.console.print(lead + line, soft_wrap=True, highlight=False)
            lead = Text(" " * lead.cell_len)

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


def print_notes(lines: Iterable[str], console: Console) -> None:
    """Print the notes on a table: each a paragraph set in a little, hostile characters made visible."""
    page = ConsolePage(console)
    for line in lines:
        page.write(Text(inert(line)), indent=2)


def table_of(heads: Sequence[str], rows: Iterable[Iterable[str]], names: Collection[str] | None = None) -> Table:
    """Return a table for a terminal: the columns of `names` at the left, figures at the right and never broken.

    Without `names` the first column alone is one. Hostile characters are made visible.
    """
    grid = Table(box=SIMPLE_HEAD, pad_edge=False)
    for head in heads:
        name = head in names if names is not None else head == heads[0]
        grid.add_column(Text(inert(head)), justify="left" if name else "right", overflow="fold", no_wrap=not name)
    for cells in rows:
        grid.add_row(*(Text(inert(cell)) for cell in cells))
    return grid


def close_table(heads: Sequence[str], rows: Iterable[Iterable[str]], least: int) -> Table:
    """Return a table of many figures: heads are broken at spaces, and names have at least `least` columns."""
    grid = Table(box=SIMPLE_HEAD, pad_edge=False, padding=0)
    for index, head in enumerate(heads):
        title = Text(inert(head).replace(" ", "\n"))
        grid.add_column(
            title, justify="right" if index else "left", overflow="fold", min_width=None if index else least
        )
    for cells in rows:
        grid.add_row(*(Text(inert(cell)) for cell in cells))
    return grid


def styled(text: str, style: str) -> Text:
    """Text whose style ends with it: the base style of a `Text` would run on into what is added."""
    return Text.assemble((text, style))


def chip(state: State, text: str) -> Text:
    """Glyph and words of a state in its colours."""
    mark = MARKS[state]
    return styled(f"{mark.glyph} {text}", mark.style)
