"""Results as titles, tables and paragraphs: one value that every writer shows in its own way.

A cell may have several lines: its value, and below it the interval or what else belongs to it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple


class Title(NamedTuple):
    """The heading of what follows."""

    text: str


class Paragraph(NamedTuple):
    """Running text: a note on what stands above it."""

    text: str
    warns: bool = False


@dataclass(frozen=True)
class Table:
    """A table, cells as they are shown."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    align: str = ""
    """A letter for each column: `l` for names, which may be folded, `r` for figures, which are never cut. By default
    the first column has names."""
    rule_before: int | None = None
    """The row above which a rule is drawn, where the writer can."""

    @property
    def alignment(self) -> str:
        """The letter of each column."""
        return self.align or "l" + "r" * (len(self.heads) - 1)

    def part(self, lead: int, columns: Iterable[int]) -> Table:
        """Return the table with its first `lead` columns and these."""
        chosen = (*range(lead), *columns)
        return Table(
            tuple(self.heads[index] for index in chosen),
            tuple(tuple(row[index] for index in chosen) for row in self.rows),
            "".join(self.alignment[index] for index in chosen),
        )


Block = Title | Paragraph | Table


def notes(lines: Iterable[str]) -> tuple[Paragraph, ...]:
    """Return a paragraph for each line."""
    return tuple(map(Paragraph, lines))


def table_of(heads: Iterable[str], rows: Iterable[Iterable[str]], names: int = 1) -> Table:
    """Return a table whose first `names` columns have names, and the others figures."""
    columns = tuple(heads)
    return Table(columns, tuple(map(tuple, rows)), "l" * names + "r" * (len(columns) - names))
