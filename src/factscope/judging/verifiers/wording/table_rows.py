"""Rows of tables in a passage, with their cells: `column: value; column: value`, as tables reach a verifier."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from typing import NamedTuple

from factscope.claims.text.aligned_tables import aligned_tables
from factscope.claims.text.column_names import has_figure
from factscope.claims.text.table_lines import RULE, barred_rows, cells
from factscope.core.records import Span
from factscope.judging.verifiers.wording.alignment import same_word
from factscope.judging.verifiers.wording.analysis import analyse
from factscope.judging.verifiers.wording.lexicon import CURRENCIES, UNITS, stems_of
from factscope.judging.verifiers.wording.text_items import AnalysedText, TextItem, WordWeights, cached_by_text

WORD_LISTS: dict[str, str] = tomllib.loads(files(__package__).joinpath("table_words.toml").read_text("utf-8"))
CURRENCY_KEYS = stems_of(" ".join((*CURRENCIES, "eur", "usd", "gbp", "chf")))
"""Stems of currencies, and their codes."""
_FEWEST = 3
"""Cells of a row; fewer may be a sentence with a colon, if one of them is longer than `_SHORT`."""
_SHORT = 40
_LONGEST = 100
"""Characters of a column's name, and of a value that is compared."""
_LINE = re.compile(r"[^\n]+?(?:\.(?=\s+[A-Z])|(?=[ \t]*(?:\n|\Z)))")
"""A line, or a sentence on it."""
RANK_COLUMNS = re.compile(r"(?i)rank(?:ing)?|pos(?:ition|\.)?|place|no\.?|#")
"""Names of a first column with the places of the rows."""
_ROW_GAP = 2
"""Most characters between two rows."""
_COLUMN_UNIT = re.compile(
    r"(?:[(\[,] ?(?:in )?(?P<unit>[^\W\d_]+[23²³]?|%)[)\]]?"
    r"| (?P<last>(?!year|month|week|day|hour|min)[^\W\d_]{2,}[23²³]?|%))$"
)
"""The unit of a column: "depth (m)", "Share, %", "capacity mw"; "release year" and "temperature min" have none."""
_SHARES = {"%": "%", "pct": "%", "percent": "%"}
_FISCAL = re.compile(r"\bFY ?(?=(?:19|20)\d\d\b)")
_BARE = re.compile(r"[−–-]?\d[\d,.]*")


class TableCell(NamedTuple):
    """A value under the name of its column."""

    column: str
    words: frozenset[str]
    """Stems of the column's name."""
    value: str
    items: tuple[TextItem, ...]
    """Empty for a long value."""
    line: Span
    """Its row in the passage."""


class TableRow(NamedTuple):
    """A line of a passage that is the row of a table."""

    span: Span
    cells: list[TableCell]
    rank: str = ""
    """The number in front of them, which is none of its cells: "4" for "4="."""
    rank_column: str = ""
    """The name of that column."""

    @property
    def keys(self) -> frozenset[str]:
        """The keys of its name, which is in the first cell."""
        return frozenset(item.key for item in self.cells[0].items)

    @property
    def all_keys(self) -> frozenset[str]:
        """The keys of all cells, and of the names of their columns."""
        return frozenset(key for cell in self.cells for key in (*cell.words, *(item.key for item in cell.items)))


def _read_column_synonyms() -> dict[str, frozenset[str]]:
    synonyms: dict[str, frozenset[str]] = {}
    for group in WORD_LISTS["synonyms"].split(";"):
        stems = stems_of(group)
        for stem in stems:
            synonyms[stem] = synonyms.get(stem, frozenset()) | stems
    return synonyms


COLUMN_SYNONYMS = _read_column_synonyms()
"""Stems of words for columns, each with those for the same thing: "deep" and "depth"."""


@cached_by_text()
def rows(text: str, weights: WordWeights) -> tuple[TableRow, ...]:
    """Return the rows of tables in their order, with their cells.

    They name their columns, of which the first may have no name, or stand below a line that does, in Markdown or in
    columns that spaces keep apart.
    """
    return tuple(
        _row(span, pairs, weights)
        for span, pairs in _lines_with_names(text)
        if len(pairs) >= _FEWEST or (len(pairs) > 1 and all(len(words) <= _SHORT for pair in pairs for words in pair))
    )


@cached_by_text()
def tables(passage: AnalysedText, weights: WordWeights) -> tuple[Sequence[TableRow], ...]:
    """Return the tables of a passage, whose rows all begin with the same column; a row alone is one, too."""
    result: list[list[TableRow]] = []
    name, end = None, -1
    for span, pairs in _lines_with_names(passage.text):
        if not result or pairs[0][0] != name or span.start > end + _ROW_GAP:
            result.append([])
        result[-1].append(_row(span, pairs, weights))
        name, end = pairs[0][0], span.end
    return tuple(map(_without_ranks, result))


def _without_ranks(table: list[TableRow]) -> list[TableRow]:
    """Return a table whose rows begin with what they are about, and not with 1, 2, 3, or with 4= for a tie."""
    firsts = [row.cells[0].value.rstrip(".=") for row in table]
    is_counted = firsts == [str(number) for number in range(1, len(table) + 1)]
    has_ranks = is_counted or (
        RANK_COLUMNS.fullmatch(table[0].cells[0].column) and all(map(str.isdecimal, firsts[:-1]))
    )
    if not has_ranks or any(len(row.cells) < _FEWEST for row in table):
        return table
    name = table[0].cells[0].column
    return [
        TableRow(row.span, row.cells[1:], first, name) if row.cells[0].column == name else row
        for row, first in zip(table, firsts, strict=True)
    ]


def _lines_with_names(text: str) -> list[tuple[Span, list[tuple[str, str]]]]:
    """Return all rows, with their pairs of column and value."""
    return sorted((*_named_lines(text), *_lines_below_names(text)), key=lambda line: line[0].start)


def turned(table: Sequence[TableRow], weights: WordWeights) -> list[TableRow]:
    """Return a table with its columns as rows: of those that list features, as things that have them."""
    things = dict.fromkeys(cell.column for row in table for cell in row.cells[1:])
    corner = table[0].cells[0].column
    return [
        TableRow(
            table[0].span,
            [
                _cell(corner, thing, table[0].span, weights),
                *(
                    _cell(row.cells[0].value, cell.value, row.span, weights)
                    for row in table
                    for cell in row.cells[1:]
                    if cell.column == thing
                ),
            ],
        )
        for thing in things
    ]


def number_of(cell: TableCell) -> TextItem | None:
    """Return the number of a cell that has nothing else to compare."""
    numbers = [item for item in cell.items if item.kind in ("count", "percent", "year")]
    others = [item for item in cell.items if item not in numbers]
    if len(numbers) != 1 or any(item.key not in (numbers[0].unit, *CURRENCY_KEYS) for item in others):
        return None
    return numbers[0]


def with_synonyms(keys: Iterable[str]) -> frozenset[str]:
    """Return words of a claim, and others for the same: "deep" is about a column "depth"."""
    mentioned = frozenset(keys)
    return mentioned.union(*(COLUMN_SYNONYMS.get(key, ()) for key in mentioned))


def names_any(key: str, columns: Iterable[str]) -> bool:
    """Tell whether a word of a claim is one of some columns' words, in another form or by another word for it."""
    return any(key == other or same_word(key, other) or other in COLUMN_SYNONYMS.get(key, ()) for other in columns)


def items_of(text: str, weights: WordWeights) -> tuple[TextItem, ...]:
    """Return the items of a text without the sentences around it."""
    return tuple(item for stretch in analyse(text, 0, len(text), weights) for item in stretch.items)


def _row(span: Span, pairs: Sequence[tuple[str, str]], weights: WordWeights) -> TableRow:
    return TableRow(span, [_cell(column, value, span, weights) for column, value in pairs])


def _cell(column: str, value: str, line: Span, weights: WordWeights) -> TableCell:
    words = frozenset(item.key for item in items_of(_FISCAL.sub("fiscal year ", column), weights))
    items = items_of(_with_unit(value, column), weights) if len(value) <= _LONGEST else ()
    return TableCell(column, words, value, items, line)


def _with_unit(value: str, column: str) -> str:
    """Return a number with the unit that its column states; anything else as it is."""
    match = _COLUMN_UNIT.search(column) if _BARE.fullmatch(value) else None
    unit = (match["unit"] or match["last"]).lower() if match else ""
    return f"{value} {_SHARES.get(unit, unit)}" if unit in {*_SHARES, *UNITS} else value


def _lines(text: str) -> Iterator[tuple[Span, str]]:
    """Yield lines, and the sentences on them: rows may follow each other, "Corra; area: 84. Tarva; area: 112."."""
    for match in _LINE.finditer(text):
        yield Span(start=match.start(), end=match.end()), match[0].removesuffix(".")


def _named_lines(text: str) -> Iterator[tuple[Span, list[tuple[str, str]]]]:
    """Yield lines such as "Pumps; 2023: 41; 2024: 45" with their pairs of column and value."""
    for span, line in _lines(text):
        first, *others = line.split("; ")
        cells = [cell.partition(": ") for cell in others]
        if cells and all(colon and len(column) <= _LONGEST for column, colon, _ in cells):
            column, colon, value = first.partition(": ")
            label = (column.strip(), value.strip()) if colon else ("", first.strip())
            if max(map(len, label)) <= _LONGEST:
                yield span, [label, *((column.strip(), value.strip()) for column, _, value in cells)]


def _lines_below_names(text: str) -> Iterator[tuple[Span, list[tuple[str, str]]]]:
    """Yield the rows below a line of column names, with their pairs of column and value."""
    for table in aligned_tables(text):
        for row in table.rows if table.names else ():
            yield Span(start=row.start, end=row.end), _pairs(table.names, row.cells)
    names: Sequence[str] = ()
    end = -1
    for span in barred_rows(text):
        line = text[slice(*span)]
        if text.count("\n", max(end, 0), span[0]) > 1:
            names = ()
        end = span[1]
        if RULE.fullmatch(line):
            continue
        values = cells(line)
        if not names:
            names = () if any(map(has_figure, values[1:])) else values  # names of columns have no figures but years
        elif len(values) == len(names):
            yield Span(start=span[0], end=span[1]), _pairs(names, values)


def _pairs(names: Sequence[str], values: Sequence[str]) -> list[tuple[str, str]]:
    """Return the names of columns and the values of a row, without its empty cells."""
    return [(name, value) for name, value in zip(names, values, strict=True) if value]
