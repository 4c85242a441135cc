"""A result as a document of titles, paragraphs, lists and tables, from which every format is written.

A result is built once, as values and as a document, and written by the writer of the requested format. The cells of its
tables are the same wherever a number is undefined.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from factscope.core import Interval


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


NONE = "–"


def number_cell(value: float | None, digits: int = 2, times: float = 1, sign: str = "") -> str:
    """Write `times` the value with `digits` decimals; `sign` is `+` for differences."""
    return NONE if value is None else f"{times * value:{sign},.{digits}f}"


def percent_cell(value: float | None) -> str:
    """Write a share in percent, without the sign."""
    return number_cell(value, 1, 100)


def points_cell(value: float | None) -> str:
    """Write a difference of shares in percentage points."""
    return number_cell(value, 1, 100, "+")


def ends_cell(interval: Interval | None) -> str:
    """Write the ends of the interval of a share in percent; nothing without one."""
    return f"{percent_cell(interval.low)}–{percent_cell(interval.high)}" if interval else ""


_PLAIN_WIDTH = 120
"""Columns of a table that is not for a terminal."""


@dataclass(frozen=True)
class Result:
    """A result, built only when the requested format is known."""

    title: str
    values: Callable[[], Any]
    """The whole result as plain values, for JSON."""
    document: Callable[[], Iterable[Block]] = tuple
    """Its tables and notes."""
    texts: Mapping[str, Callable[[], str]] = field(default_factory=dict)
    """Texts by format, for formats with a form of their own. CSV is written from these alone."""
    indent: int = 2
    """Indentation of the JSON, in spaces."""

    def text(self, name: str) -> str:
        """Write it in a format; the table without colours."""
        if name in self.texts or name == "csv":  # the cells of a document are for people: see `figure_lines`
            return self.texts[name]()
        match name:
            case "table":
                from factscope.report.console import plain_text, print_document

                shown = plain_text(lambda console: print_document(self.document(), console), _PLAIN_WIDTH)
                return shown.rstrip("\n") + "\n"
            case "json":
                return json.dumps(self.values(), ensure_ascii=False, indent=self.indent) + "\n"
            case "latex":
                from factscope.report.latex import document_to_latex

                return document_to_latex(self.document())
            case "html":
                from factscope.report.templates import Pages

                pages = Pages("factscope.report", ["page.css", "tables.css"])
                return pages.fill("document.html", title=self.title, blocks=self.document())
        from factscope.report.markdown_text import blocks_to_markdown

        return blocks_to_markdown(self.document())
