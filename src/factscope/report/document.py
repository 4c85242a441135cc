"""Results as titles, tables, lists and paragraphs: one value that every writer shows in its own way.

A cell or a point of a list may have several lines: its value, and below it for example the interval.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class Title(NamedTuple):
    """A heading for the items that follow."""

    text: str
    level: int = 2
    """From 1, where the writer has headings of several levels."""


class Paragraph(NamedTuple):
    """Running text: a note on the item above it."""

    text: str
    warns: bool = False


class Points(NamedTuple):
    """A list; the further lines of a point are shown below it."""

    points: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A table with cells as they are shown."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    align: str = ""
    """A letter for each column: `l` for names, which may be wrapped, `r` for figures, which are never cut. By default
    the first column has names."""
    rule_before: int | None = None
    """The row above which a rule is drawn, in formats that have rules."""
    meanings: Mapping[str, str] = field(default_factory=dict)
    """Explanations by column head, in formats that can show them."""

    @property
    def alignment(self) -> str:
        """The letter of each column."""
        return self.align or "l" + "r" * (len(self.heads) - 1)

    @property
    def titles(self) -> tuple[str, ...]:
        """The heads on one line each; a hyphen at the end of a line belongs to the word."""
        return tuple(head.replace("-\n", "-").replace("\n", " ") for head in self.heads)

    def part(self, lead: int, columns: Iterable[int]) -> Table:
        """Return the table with its first `lead` columns and these."""
        chosen = (*range(lead), *columns)
        return Table(
            tuple(self.heads[index] for index in chosen),
            tuple(tuple(row[index] for index in chosen) for row in self.rows),
            "".join(self.alignment[index] for index in chosen),
        )


Block = Title | Paragraph | Points | Table


def notes(lines: Iterable[str]) -> tuple[Paragraph, ...]:
    """Return a paragraph for each line."""
    return tuple(map(Paragraph, lines))


def table_of(
    heads: Iterable[str],
    rows: Iterable[Iterable[str]],
    names: int = 1,
    align: str = "",
    meanings: Mapping[str, str] | None = None,
) -> Table:
    """Return a table whose first `names` columns have names, and the others figures; or with a letter for each."""
    columns = tuple(heads)
    letters = align or "l" * names + "r" * (len(columns) - names)
    return Table(columns, tuple(map(tuple, rows)), letters, meanings=meanings or {})


def section(title: str, about: str, table: Table) -> Iterator[Block]:
    """Yield a table under its title and a note; nothing when it has no rows."""
    if table.rows:
        yield Title(title)
        yield from notes(filter(None, [about]))
        yield table
