"""Comparisons that the figures of a table decide: "Corra has the largest population", "Valves fell in 2024".

The network reads figures one by one and takes most comparisons for supported, or for not mentioned. Only claims count
whose words are all in the table or its titles, since any other may restrict what is compared: "the cheapest electric
model".
"""

# ruff: noqa: SIM905  (a list of words is easier to read and to extend as text)
from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from factscope.claims.text.comparing_words import LONG_ADJECTIVES, Adjective, adjective_at, comparing_words, rises
from factscope.claims.text.terms import words
from factscope.core.labels import Label
from factscope.core.records import Span
from factscope.judging.verifiers.builtin.analysis import (
    CURRENCY_SIGNS,
    TEMPERATURES,
    AnalysedSentence,
    TextItem,
    WordWeights,
)
from factscope.judging.verifiers.builtin.derivable import rounding
from factscope.judging.verifiers.builtin.features import AnalysedText
from factscope.judging.verifiers.builtin.lexicon import stems_of
from factscope.judging.verifiers.builtin.table_rows import (
    CURRENCY_KEYS,
    WORD_LISTS,
    TableCell,
    TableRow,
    names_any,
    number_of,
    tables,
    turned,
    with_synonyms,
)

_NEUTRAL, _TOTALS, _FEATURES, _OUTLAYS = (
    stems_of(WORD_LISTS[name]) for name in ("neutral", "totals", "features", "outlays")
)
_OTHERWISE = re.compile(
    r"(?i)\b(?:one of|among) the\b|\bnot\b|\b(?:at|by) (?:most|least)\b|\bmost of\b|\bor (?:more|less)\b"
    r"|\b(?:twice|double|times|almost|nearly|as)\b"
    r"|(?<!first )(?<!second )(?<!third )(?<!fourth )\b(?:half|thirds?|quarters?)\b"
)
"""Words of claims that hold for several rows, by a factor, or are no comparisons."""
_RELATIVE = frozenset("share shares rate rates ratio proportion percentage per average often frequently".split())
"""Words of claims about something else than the figures of a column that lacks them."""
_BE = frozenset(("is", "are", "was", "were"))
_YEAR_KEY = re.compile(r"=(?:1[5-9]|20)\d\d")
_MINUS = ("-", "−", "–", "(")
_DATES = ("year", "month")
_MONTHS = 12
_QUARTER = re.compile(r"q[1-4]")
_FEWEST = 3
"""Rows of a table of which one can be the largest."""


class _TableFigure(NamedTuple):
    """A figure of a table, with the name of its row, or of its column where two columns are compared."""

    name: str
    value: str
    span: Span
    amount: float
    kind: tuple[str, str]
    """Kind and unit of the figure."""


class _ClaimOnTable(NamedTuple):
    """A claim beside one table."""

    claimed: AnalysedSentence
    rows: Sequence[TableRow]
    outside: frozenset[str]
    """Keys of titles, notes and names of columns."""


def find_table_comparison(
    claim: AnalysedText, passage: AnalysedText, weights: WordWeights
) -> tuple[Label, Span, str] | None:
    """Return the label of a comparison by the figures of one table, the row of the first figure, and the reason."""
    (claimed,) = claim.stretches
    places = comparing_words(claimed.lower, claimed.words)
    if len(places) != 1 or claimed.question or claimed.cues.negations or _OTHERWISE.search(claim.text):
        return None
    if claimed.lower[:1] == ("most",):
        return None  # "Most visitors came in July" is about a majority
    results = [
        result
        for rows in tables(passage, weights)
        for table in _by_thing(rows, weights)
        if (result := _decide(_beside(claimed, passage, rows, table), places[0]))
    ]
    return results[0] if len({label for label, *_ in results}) == 1 else None


def needs_figures(claimed: AnalysedSentence) -> bool:
    """Tell whether a claim may be decided only by several figures of a table."""
    return bool(comparing_words(claimed.lower, claimed.words))


def _by_thing(rows: list[TableRow], weights: WordWeights) -> list[list[TableRow]]:
    """Return the table with a row for each thing: as it is, or turned if it lists features, or both."""
    corner, *columns = rows[0].cells
    if any(_dates_of(cell.words) for cell in columns):
        return [rows]
    if not corner.words:
        return [rows, turned(rows, weights)]
    return [rows] if _FEATURES.isdisjoint(corner.words) else [turned(rows, weights)]


def _beside(
    claimed: AnalysedSentence, passage: AnalysedText, rows: Sequence[TableRow], table: Sequence[TableRow]
) -> _ClaimOnTable:
    """Put a claim beside a table, with the titles and notes outside its `rows`."""
    titles = (
        item.key
        for stretch in passage.stretches
        for item in stretch.items
        if not any(row.span.start <= item.start < row.span.end for row in rows)
    )
    columns = (cell.words for row in table for cell in row.cells)
    return _ClaimOnTable(claimed, table, frozenset(titles).union(*columns))


def _decide(case: _ClaimOnTable, at: int) -> tuple[Label, Span, str] | None:
    """Return the result of the comparison whose word is at a place, if all that the claim names is in the table."""
    adjective = adjective_at(case.claimed.lower, at)
    if adjective and adjective.is_superlative:
        return _superlative(case, adjective, at)
    pair = _compared(case, adjective) if adjective else _changed(case)
    if not pair or pair[0].kind != pair[1].kind or not _all_known(case, pair, at):
        return None
    first, second = pair
    is_more = adjective.is_more if adjective else rises(case.claimed.lower, case.claimed.words, at)
    agrees = (first.amount > second.amount) == is_more and first.amount != second.amount
    reason = f"the table has {first.value} for {first.name} and {second.value} for {second.name}"
    return "supported" if agrees else "contradicted", first.span, reason


def _superlative(case: _ClaimOnTable, adjective: Adjective, at: int) -> tuple[Label, Span, str] | None:
    """Return the label of "the largest", or "the second largest", by one column, or by all dated ones if they agree."""
    matching = _named(case, frozenset(item.key for item in case.claimed.items))
    measured = {item.key for item in case.claimed.items if item.at == at + 1}
    if len(matching) != 1 or any(item.key in measured for item in matching[0].cells[0].items):
        return None  # "the most goals" are not a thing that has the most of something
    column = _column(case, matching, adjective)
    dated = [] if column or adjective.is_only_of_these else _dated_columns(case, matching[0])
    columns = [column] if column else [cell.column for cell in reversed(dated)]
    if any(case.claimed.words[at] in cell.words for cell in matching[0].cells):
        return None  # a column of the largest of each
    results = [_ranked_in(case, adjective, at, matching[0], name) for name in columns]
    return results[0] if len({result and result[0] for result in results}) == 1 else None


def _ranked_in(
    case: _ClaimOnTable, adjective: Adjective, at: int, row: TableRow, column: str
) -> tuple[Label, Span, str] | None:
    """Return the label by one column of all rows; with some rows, only a contradiction."""
    single = _without_totals(case.rows)
    figures = [figure for each in single if (figure := _figure(each, column))]
    claimed = _figure(row, column)
    listed = [figure for each in case.rows for cell in each.cells[1:] if (figure := _figure_of(each, cell, ""))]
    if not claimed or len({figure.kind for figure in figures}) != 1 or not _all_known(case, listed, at):
        return None
    ranked = sorted(figures, key=lambda figure: figure.amount, reverse=adjective.is_more)
    rank = next((int(item.amount) for item in case.claimed.items if item.kind == "ordinal" and item.at == at - 1), 1)
    is_tied = sum(figure.amount == claimed.amount for figure in figures) > 1
    if is_tied or rank > len(ranked):
        return None
    holder = ranked[rank - 1]
    if holder != claimed:
        reason = f"the table has {holder.value} for {holder.name} and {claimed.value} for {claimed.name} ({column})"
        return "contradicted", claimed.span, reason
    is_part = len(figures) < max(len(single), 2 if "two" in case.claimed.lower else _FEWEST)
    if is_part or not _all_known(case, [claimed], at):
        return None
    other = ranked[rank if rank < len(ranked) else rank - 2]
    reason = f"the table has {claimed.value} for {claimed.name}, and {other.value} for {other.name} ({column})"
    return "supported", claimed.span, reason


def _compared(case: _ClaimOnTable, adjective: Adjective) -> tuple[_TableFigure, _TableFigure] | None:
    """Return the figures of two rows, or of two dates of one row: "higher in 2024 than in 2023"."""
    than = case.claimed.lower.index("than")
    sides = [
        frozenset(item.key for item in case.claimed.items if (item.at < than) == is_left) for is_left in (True, False)
    ]
    matching = [_named(case, keys) for keys in sides]
    if len(matching[0]) == len(matching[1]) == 1 and matching[0] != matching[1]:
        rows = [matching[0][0], matching[1][0]]
        column = _column(case, rows, adjective)
        first, second = (_figure(row, column) if column else None for row in rows)
        return (first, second) if first and second else None
    dates = [_dates_of(keys) for keys in sides]
    return _of_dates(case, dates) if all(dates) and not adjective.is_only_of_these else None


def _changed(case: _ClaimOnTable) -> tuple[_TableFigure, _TableFigure] | None:
    """Return the later and the earlier figure of a change: of two dated columns of a row, or of two dated rows."""
    keys = frozenset(item.key for item in case.claimed.items)
    years = sorted((key for key in _dates_of(keys) if not key.startswith("month ")), reverse=True)
    if pair := _of_dates(case, [frozenset((year,)) for year in years]) if len(years) <= 2 else None:
        return pair
    rows = _dated_rows(case, keys)
    if not rows or not (column := _column(case, rows, None)):
        return None
    later, earlier = (_figure(row, column) for row in rows)
    return (later, earlier) if later and earlier else None


def _dated_rows(case: _ClaimOnTable, keys: frozenset[str]) -> tuple[TableRow, TableRow] | None:
    """Return the later and the earlier of two rows that are dates, or a date and the month or year before."""
    dated = {_month_of(_keys_of(row)): row for row in case.rows}
    times = sorted(time for time in map(_month_of, map(_keys_of, _named(case, keys))) if time)
    if len(times) == 1:
        has_month = any(key.startswith("month ") for key in _keys_of(dated[times[0]]))
        times.insert(0, times[0] - (1 if has_month else _MONTHS))
    return (dated[times[1]], dated[times[0]]) if len(times) == 2 and times[0] in dated else None


def _of_dates(case: _ClaimOnTable, dates: Sequence[frozenset[str]]) -> tuple[_TableFigure, _TableFigure] | None:
    """Return the figures of one row in the columns of two dates, in this order.

    Of a single date, the other is the one before, at most a year ago; with none, the row has two, or all its changes go
    the same way. With one of several quarters, it may be the quarter before or that of the year before.
    """
    matching = _named(case, frozenset(item.key for item in case.claimed.items))
    if len(matching) != 1 or (len(dates) == 1 and len(_quarters(matching[0])) > 1):
        return None
    columns = _dated_columns(case, matching[0])
    selected = [cell for date in dates for cell in columns if date <= cell.words]
    if len(dates) == len(selected) == 1 and (at := columns.index(selected[0])):
        now, before = (_month_of(cell.words) for cell in (columns[at], columns[at - 1]))
        selected += [columns[at - 1]] if now and before and now - before <= _MONTHS else []
    elif not dates and _is_steady(matching[0], columns):
        selected = columns[:-3:-1]
    figures = [figure for cell in selected if (figure := _figure_of(matching[0], cell, cell.column))]
    return (figures[0], figures[1]) if len(figures) == 2 else None


def _is_steady(row: TableRow, columns: Sequence[TableCell]) -> bool:
    """Tell whether all changes from one column to the next go the same way."""
    figures = [figure.amount for cell in columns if (figure := _figure_of(row, cell, ""))]
    rises_each = {later > earlier for earlier, later in pairwise(figures) if later != earlier}
    return len(figures) == len(columns) > 1 and (len(rises_each) == 1 or len(columns) == 2)


def _quarters(row: TableRow) -> frozenset[str]:
    return frozenset(key for cell in row.cells for key in cell.words if _QUARTER.fullmatch(key))


def _dated_columns(case: _ClaimOnTable, row: TableRow) -> list[TableCell]:
    """Return the cells of a row in dated columns, oldest first, of the one measure that a claim is about."""
    by_measure: dict[frozenset[str], list[TableCell]] = {}
    for cell in row.cells[1:]:
        if _dates_of(cell.words):
            measure = frozenset(key for key in cell.words if key[0].isalpha() and not key.startswith("month "))
            by_measure.setdefault(measure, []).append(cell)
    fits = sorted(
        ((_fit(case, measure, [row]), len(cells) > 1, tuple(measure)) for measure, cells in by_measure.items()),
        reverse=True,
    )
    others = [_fit(case, cell.words, [row]) for cell in row.cells[1:] if number_of(cell) and not _dates_of(cell.words)]
    if not fits or (len(fits) > 1 and fits[0][:2] == fits[1][:2]) or max(others, default=0) > fits[0][0]:
        return []
    return sorted(by_measure[frozenset(fits[0][2])], key=lambda cell: _month_of(cell.words) or 0)


def _named(case: _ClaimOnTable, keys: frozenset[str]) -> list[TableRow]:
    """Return the rows whose whole first cell is among keys, but for those whose name is a part of another's."""
    names = [frozenset(item.key for item in row.cells[0].items) for row in case.rows]
    wide = with_synonyms(keys)
    mentioned = [(row, name) for row, name in zip(case.rows, names, strict=True) if name <= wide]
    if not mentioned:  # "July" for "July 2024"
        short = [frozenset(item.key for item in row.cells[0].items if item.kind != "year") for row in case.rows]
        mentioned = [(row, name) for row, name in zip(case.rows, short, strict=True) if name and name <= keys]
    return [row for row, name in mentioned if not any(name < other for _, other in mentioned)]


def _column(case: _ClaimOnTable, matching: Sequence[TableRow], adjective: Adjective | None) -> str | None:
    """Return the name of the column with figures that the adjective and the words of the claim are about."""
    columns = {cell.column: cell.words for row in case.rows for cell in row.cells[1:] if number_of(cell)}
    stems_of_adjective = stems_of(" ".join(adjective.columns)) if adjective else frozenset()
    wide = with_synonyms(stems_of_adjective)
    is_only = adjective is not None and adjective.is_only_of_these
    for stems in (stems_of_adjective,) if is_only else (stems_of_adjective, None, wide):
        among = {name: keys for name, keys in columns.items() if stems is None or not stems.isdisjoint(keys)}
        fits = sorted(((_fit(case, keys, matching), name) for name, keys in among.items()), reverse=True)
        is_clear = len(fits) == 1 or (len(fits) > 1 and fits[0][0] > fits[1][0])
        if is_clear and (stems is not None or fits[0][0] > 0):
            return fits[0][1]
    return None


def _fit(case: _ClaimOnTable, column: frozenset[str], matching: Sequence[TableRow]) -> int:
    """Count the words of a claim that are in the name of a column, names of rows acase."""
    names = {item.key for row in matching for item in row.cells[0].items if item.kind not in _DATES}
    return sum(names_any(item.key, column) for item in case.claimed.items if item.key not in names)


def _all_known(case: _ClaimOnTable, figures: Sequence[_TableFigure], at: int) -> bool:
    """Tell whether a claim has nothing that is not in the table: no condition, and no other figure.

    The noun for what is compared may be missing: "is the cheapest of the laptops".
    """
    matching = _named(case, frozenset(item.key for item in case.claimed.items))
    names = {item.key for row in matching for item in row.cells[0].items}
    compared = [figure.amount for figure in figures]
    named_columns = {word for row in case.rows for cell in row.cells for word in words(cell.column.lower())}
    if not _RELATIVE.intersection(case.claimed.lower) <= named_columns:
        return False
    after = at + 1 if not LONG_ADJECTIVES.keys().isdisjoint(case.claimed.lower[at + 1 : at + 2]) else at
    free = next((item for item in case.claimed.items if item.at > after and item.kind == "word"), None)
    is_kind = at < 2 or not _BE.isdisjoint(case.claimed.lower[max(0, at - 5) : at])
    following = any(free and item.at == free.at + 1 for item in case.claimed.items)
    return all(
        item.at in (at, after)
        or (item.at == at - 1 and item.kind == "ordinal")
        or item.key in names
        or item.key in (*_NEUTRAL, *CURRENCY_KEYS)
        or (item.kind in ("count", "percent") and (_is_any(item, compared) or _counts_rows(case, item)))
        or names_any(item.key, case.outside)
        or (item is free and is_kind and not following)
        for item in case.claimed.items
    )


def _is_any(item: TextItem, amounts: Iterable[float]) -> bool:
    """Tell whether a number is one of some amounts, exactly or rounded."""
    return any(abs(item.amount - amount) <= rounding(item) for amount in amounts)


def _counts_rows(case: _ClaimOnTable, item: TextItem) -> bool:
    """Tell whether a number is that of all rows: "of the four"."""
    return item.amount == len(_without_totals(case.rows)) and case.claimed.lower[max(0, item.at - 1)] in (
        "the",
        "all",
        "these",
    )


def _without_totals(rows: Sequence[TableRow]) -> list[TableRow]:
    return [row for row in rows if not any(item.key in _TOTALS for item in row.cells[0].items)]


def _figure(row: TableRow, column: str) -> _TableFigure | None:
    """Return the figure of a row in a column, if it has one."""
    cell = next((cell for cell in row.cells[1:] if cell.column == column), None)
    return _figure_of(row, cell, row.cells[0].value) if cell else None


def _figure_of(row: TableRow, cell: TableCell, name: str) -> _TableFigure | None:
    """Return a figure; none below zero but temperatures, since a rise of a loss may be meant either way."""
    item = number_of(cell)
    if item is None:
        return None
    amount = item.amount
    if cell.value.startswith(_MINUS) and item.unit in TEMPERATURES:
        amount = -amount
    elif cell.value.startswith(_MINUS) and not any(word.key in _OUTLAYS for word in row.cells[0].items):
        return None
    kind = "percent" if item.kind == "percent" else "count"  # 1930 inhabitants look like a year
    return _TableFigure(name, cell.value, cell.line, amount, (kind, item.unit or _currency(cell)))


def _currency(cell: TableCell) -> str:
    """Return the currency of an amount, as written."""
    names = (item.key for item in cell.items if item.key in CURRENCY_KEYS)
    return next((sign for sign in CURRENCY_SIGNS if sign in cell.value), next(names, ""))


def _dates_of(keys: Iterable[str]) -> frozenset[str]:
    """Return the keys of years and months."""
    return frozenset(key for key in keys if key.startswith("month ") or _YEAR_KEY.fullmatch(key))


def _keys_of(row: TableRow) -> frozenset[str]:
    return frozenset(item.key for item in row.cells[0].items)


def _month_of(keys: Iterable[str]) -> int | None:
    """Return the number of the month of a date, counted through the years; None without a year."""
    dates = _dates_of(keys)
    years = [int(key.lstrip("=")) for key in dates if not key.startswith("month ")]
    months = [int(key.removeprefix("month ")) for key in dates if key.startswith("month ")]
    return years[0] * _MONTHS + (months or [0])[0] if years else None
