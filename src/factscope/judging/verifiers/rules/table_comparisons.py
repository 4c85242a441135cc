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
from factscope.claims.text.terms import term, words
from factscope.judging.verifiers.rules.derivable import rounding
from factscope.judging.verifiers.rules.rows import is_equal
from factscope.judging.verifiers.rules.table_figures import (
    TableFigure,
    dates_of,
    figure_in,
    figure_of,
    month_of,
    without_totals,
)
from factscope.judging.verifiers.wording.lexicon import stems_of
from factscope.judging.verifiers.wording.sentence_pair import RuleOutcome, SentencePair
from factscope.judging.verifiers.wording.table_rows import (
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
from factscope.judging.verifiers.wording.text_items import AnalysedSentence, AnalysedText, TextItem, WordWeights

_NEUTRAL, _FEATURES = (stems_of(WORD_LISTS[name]) for name in ("neutral", "features"))
_OTHERWISE = re.compile(
    r"(?i)\b(?:one of|among) the\b|\bnot\b|\b(?:at|by) (?:most|least)\b|\bmost of\b|\bor (?:more|less)\b"
    r"|\b(?:twice|double|times|almost|nearly|as)\b"
    r"|(?<!first )(?<!second )(?<!third )(?<!fourth )\b(?:half|thirds?|quarters?)\b"
)
"""Words of claims that hold for several rows, by a factor, or are no comparisons."""
_RELATIVE = frozenset("share shares rate rates ratio proportion percentage per average often frequently".split())
"""Words of claims about something else than the figures of a column that lacks them."""
_BE = frozenset(("is", "are", "was", "were"))
_DATES = ("year", "month")
_NEAR = 3
"""Words between a comparing word and the number by which two figures differ."""
_MONTHS = 12
_QUARTER = re.compile(r"q[1-4]")
_FEWEST = 3
"""Rows of a table of which one can be the largest."""
_BOLD = "**"


class ClaimOnTable(NamedTuple):
    """A claim beside one table."""

    claimed: AnalysedSentence
    rows: Sequence[TableRow]
    outside: frozenset[str]
    """Keys of titles, notes and names of columns."""


def find_table_comparison(pair: SentencePair) -> RuleOutcome | None:
    """Decide a comparison by the figures of one table; the sentence is the row of the first figure."""
    claimed, passage = pair.claimed, pair.passage
    places = comparing_words(claimed.lower, claimed.words)
    if len(places) != 1 or claimed.question or claimed.cues.negations or _OTHERWISE.search(pair.claim.text):
        return None
    if claimed.lower[:1] == ("most",):
        return None  # "Most visitors came in July" is about a majority
    results = [
        result
        for rows in tables(passage, pair.weights)
        for table in by_thing(rows, pair.weights)
        if (result := _decide(put_beside(claimed, passage, rows, table), places[0]))
    ]
    return results[0] if len({result.label for result in results}) == 1 else None


def needs_figures(claimed: AnalysedSentence) -> bool:
    """Tell whether a claim may be decided only by several figures of a table."""
    return bool(comparing_words(claimed.lower, claimed.words))


def by_thing(rows: Sequence[TableRow], weights: WordWeights) -> list[Sequence[TableRow]]:
    """Return the table with a row for each thing: as it is, or turned if it lists features, or both."""
    corner, *columns = rows[0].cells
    if any(dates_of(cell.words) for cell in columns):
        return [rows]
    if not corner.words:
        return [rows, turned(rows, weights)]
    return [rows] if _FEATURES.isdisjoint(corner.words) else [turned(rows, weights)]


def put_beside(
    claimed: AnalysedSentence, passage: AnalysedText, rows: Sequence[TableRow], table: Sequence[TableRow]
) -> ClaimOnTable:
    """Put a claim beside a table, with the titles and notes outside its `rows`."""
    titles = (
        item.key
        for stretch in passage.stretches
        for item in stretch.items
        if not any(row.span.start <= item.start < row.span.end for row in rows)
    )
    columns = (cell.words for row in table for cell in row.cells)
    return ClaimOnTable(claimed, table, frozenset(titles).union(*columns))


def _decide(case: ClaimOnTable, at: int) -> RuleOutcome | None:
    """Return the result of the comparison whose word is at a place, if all that the claim names is in the table."""
    adjective = adjective_at(case.claimed.lower, at)
    if adjective and adjective.is_superlative:
        return _superlative(case, adjective, at)
    pair = _compared(case, adjective) if adjective else _changed(case)
    if not pair or pair[0].kind != pair[1].kind:
        return None
    first, second = pair
    difference = _difference(case.claimed, at)
    known = [*pair, first._replace(amount=difference.amount)] if difference else pair
    if not all_known(case, known, at) or (difference and difference.kind != first.kind[0]):
        return None
    is_more = adjective.is_more if adjective else rises(case.claimed.lower, case.claimed.words, at)
    agrees = (first.amount > second.amount) == is_more and first.amount != second.amount
    if difference and not is_equal(difference, difference._replace(amount=abs(first.amount - second.amount))):
        agrees = False
    if agrees and "only" in case.claimed.lower:
        return _only(case, pair, bool(is_more))
    reason = f"the table has {first.value} for {first.name} and {second.value} for {second.name}"
    return RuleOutcome("supported" if agrees else "contradicted", first.span, reason)


def _difference(claimed: AnalysedSentence, at: int) -> TextItem | None:
    """Return the number by which a claim says that two figures differ: "two points more than", "rose by 245,000"."""
    numbers = (item for item in claimed.items if item.kind in ("count", "percent"))
    return next(
        (
            item
            for item in numbers
            if (claimed.lower[item.at - 1 : item.at] == ("by",) and 0 < item.at - at <= _NEAR)
            or (0 < at - item.at <= _NEAR and "than" in claimed.lower[at:])
        ),
        None,
    )


def _only(case: ClaimOnTable, pair: tuple[TableFigure, TableFigure], is_more: bool) -> RuleOutcome | None:
    """Return the label of "Only Corra grew from 2019 to 2024", where it did: whether another row did, too."""
    if case.claimed.lower[0] != "only" and ("the", "only") not in pairwise(case.claimed.lower):
        return None
    others = [row for row in without_totals(case.rows) if row.span != pair[0].span]
    figures = [(figure_in(row, pair[0].name), figure_in(row, pair[1].name)) for row in others]
    for row, (later, earlier) in zip(others, figures, strict=True):
        if later and earlier and later.amount != earlier.amount and (later.amount > earlier.amount) == is_more:
            theirs = f"{later.value} and {earlier.value} for {row.cells[0].value}"
            return RuleOutcome("contradicted", row.span, f"the table has {theirs}, too")
    if not others or not all(later and earlier for later, earlier in figures):
        return None
    reason = f"the table has {pair[0].value} and {pair[1].value}, and no other row did so"
    return RuleOutcome("supported", pair[0].span, reason)


def _superlative(case: ClaimOnTable, adjective: Adjective, at: int) -> RuleOutcome | None:
    """Return the label of "the largest", or "the second largest", by one column, or by all dated ones if they agree."""
    matching = named_rows(case, case.claimed.keys)
    measured = {item.key for item in case.claimed.items if item.at == at + 1}
    if len(matching) != 1 or measured & matching[0].keys:
        return None  # "the most goals" are not a thing that has the most of something
    columns = _columns(case, matching, adjective)
    is_open = len(columns) != 1 and not adjective.is_only_of_these
    if is_open and (dated := _dated_columns(case, matching[0])):
        columns = [cell.column for cell in reversed(dated)]
    if any(case.claimed.words[at] in cell.words for cell in matching[0].cells):
        return None  # a column of the largest of each
    results = [_ranked_in(case, adjective, at, matching[0], name) for name in columns]
    return results[0] if len({result and result.label for result in results}) == 1 else None


def _ranked_in(case: ClaimOnTable, adjective: Adjective, at: int, row: TableRow, column: str) -> RuleOutcome | None:
    """Return the label by one column of all rows; with some rows, only a contradiction."""
    single = without_totals(case.rows)
    figures = [figure for each in single if (figure := figure_in(each, column))]
    claimed = figure_in(row, column)
    listed = [figure for each in case.rows for cell in each.cells[1:] if (figure := figure_of(each, cell, ""))]
    if not claimed or len({figure.kind for figure in figures}) != 1 or not all_known(case, listed, at):
        return None
    ranked = sorted(figures, key=lambda figure: figure.amount, reverse=adjective.is_more)
    rank = next((int(item.amount) for item in case.claimed.items if item.kind == "ordinal" and item.at == at - 1), 1)
    is_tied = sum(figure.amount == claimed.amount for figure in figures) > 1
    if is_tied or rank > len(ranked):
        return None
    holder = ranked[rank - 1]
    if holder != claimed:
        if holder.name.startswith(_BOLD) and not claimed.name.startswith(_BOLD):
            return None  # it may be the sum of others
        reason = f"the table has {holder.value} for {holder.name} and {claimed.value} for {claimed.name} ({column})"
        return RuleOutcome("contradicted", claimed.span, reason)
    is_part = len(figures) < max(len(single), 2 if "two" in case.claimed.lower else _FEWEST)
    if is_part or not all_known(case, [claimed], at):
        return None
    other = ranked[rank if rank < len(ranked) else rank - 2]
    reason = f"the table has {claimed.value} for {claimed.name}, and {other.value} for {other.name} ({column})"
    return RuleOutcome("supported", claimed.span, reason)


def _compared(case: ClaimOnTable, adjective: Adjective) -> tuple[TableFigure, TableFigure] | None:
    """Return the figures of two rows, or of two dates of one row: "higher in 2024 than in 2023"."""
    than = case.claimed.lower.index("than")
    sides = [
        frozenset(item.key for item in case.claimed.items if (item.at < than) == is_left) for is_left in (True, False)
    ]
    matching = [named_rows(case, keys) for keys in sides]
    if len(matching[0]) == len(matching[1]) == 1 and matching[0] != matching[1]:
        rows = [matching[0][0], matching[1][0]]
        columns = _columns(case, rows, adjective)
        first, second = (figure_in(row, columns[0]) if len(columns) == 1 else None for row in rows)
        return (first, second) if first and second else None
    dates = [dates_of(keys) for keys in sides]
    return _of_dates(case, dates) if all(dates) and not adjective.is_only_of_these else None


def _changed(case: ClaimOnTable) -> tuple[TableFigure, TableFigure] | None:
    """Return the later and the earlier figure of a change: of two dated columns of a row, or of two dated rows."""
    keys = case.claimed.keys
    years = sorted((key for key in dates_of(keys) if not key.startswith("month ")), reverse=True)
    if pair := _of_dates(case, [frozenset((year,)) for year in years]) if len(years) <= 2 else None:
        return pair
    rows = _dated_rows(case, keys)
    if not rows or len(columns := _columns(case, rows, None)) != 1:
        return None
    later, earlier = (figure_in(row, columns[0]) for row in rows)
    return (later, earlier) if later and earlier else None


def _dated_rows(case: ClaimOnTable, keys: frozenset[str]) -> tuple[TableRow, TableRow] | None:
    """Return the later and the earlier of two rows that are dates, or a date and the month or year before."""
    dated = {month_of(row.keys): row for row in case.rows}
    times = sorted(time for time in (month_of(row.keys) for row in named_rows(case, keys)) if time)
    if len(times) == 1:
        has_month = any(key.startswith("month ") for key in dated[times[0]].keys)
        times.insert(0, times[0] - (1 if has_month else _MONTHS))
    return (dated[times[1]], dated[times[0]]) if len(times) == 2 and times[0] in dated else None


def _of_dates(case: ClaimOnTable, dates: Sequence[frozenset[str]]) -> tuple[TableFigure, TableFigure] | None:
    """Return the figures of one row in the columns of two dates, in this order.

    Of a single date, the other is the one before, at most a year ago; with none, the row has two, or all its changes go
    the same way. With one of several quarters, it may be the quarter before or that of the year before.
    """
    matching = named_rows(case, case.claimed.keys)
    if len(matching) != 1:
        return None
    quarters = {key for cell in matching[0].cells for key in cell.words if _QUARTER.fullmatch(key)}
    if len(dates) == 1 and len(quarters) > 1:
        return None
    columns = _dated_columns(case, matching[0])
    selected = [cell for date in dates for cell in columns if date <= cell.words]
    if len(dates) == len(selected) == 1 and (at := columns.index(selected[0])):
        now, before = (month_of(cell.words) for cell in (columns[at], columns[at - 1]))
        selected += [columns[at - 1]] if now and before and now - before <= _MONTHS else []
    elif not dates and _is_steady(matching[0], columns):
        selected = columns[:-3:-1]
    figures = [figure for cell in selected if (figure := figure_of(matching[0], cell, cell.column))]
    return (figures[0], figures[1]) if len(figures) == 2 else None


def _is_steady(row: TableRow, columns: Sequence[TableCell]) -> bool:
    """Tell whether all changes from one column to the next go the same way."""
    figures = [figure.amount for cell in columns if (figure := figure_of(row, cell, ""))]
    rises_each = {later > earlier for earlier, later in pairwise(figures) if later != earlier}
    return len(figures) == len(columns) > 1 and (len(rises_each) == 1 or len(columns) == 2)


def _dated_columns(case: ClaimOnTable, row: TableRow) -> list[TableCell]:
    """Return the cells of a row in dated columns, oldest first, of the one measure that a claim is about."""
    by_measure: dict[frozenset[str], list[TableCell]] = {}
    for cell in row.cells[1:]:
        if dates_of(cell.words):
            measure = frozenset(key for key in cell.words if key[0].isalpha() and not key.startswith("month "))
            by_measure.setdefault(measure, []).append(cell)
    fits = sorted(
        ((_fit(case, measure, [row]), len(cells) > 1, tuple(measure)) for measure, cells in by_measure.items()),
        reverse=True,
    )
    others = [_fit(case, cell.words, [row]) for cell in row.cells[1:] if number_of(cell) and not dates_of(cell.words)]
    if not fits or (len(fits) > 1 and fits[0][:2] == fits[1][:2]) or max(others, default=0) > fits[0][0]:
        return []
    return sorted(by_measure[frozenset(fits[0][2])], key=lambda cell: month_of(cell.words) or 0)


def named_rows(case: ClaimOnTable, keys: frozenset[str]) -> list[TableRow]:
    """Return the rows whose name, brackets aside, is among keys, but for those whose name is a part of another's."""
    wide = with_synonyms(keys)
    named = [(row, row.keys if row.keys <= wide else _before_brackets(row)) for row in case.rows]
    mentioned = [(row, name) for row, name in named if name <= wide]
    if not mentioned:  # "July" for "July 2024"
        short = [frozenset(item.key for item in row.cells[0].items if item.kind != "year") for row in case.rows]
        mentioned = [(row, name) for row, name in zip(case.rows, short, strict=True) if name and name <= keys]
    return [row for row, name in mentioned if not any(name < other for _, other in mentioned)]


def _before_brackets(row: TableRow) -> frozenset[str]:
    """Return the keys of a row's name without what is in brackets: "Events (quiz night)"."""
    _, _, in_brackets = row.cells[0].value.partition(" (")
    return row.keys - frozenset(map(term, words(in_brackets.lower()))) or row.keys


def _columns(case: ClaimOnTable, matching: Sequence[TableRow], adjective: Adjective | None) -> list[str]:
    """Return the names of the columns with figures that the adjective and the words of the claim are about.

    With several that fit equally well, the claim must hold by each of them.
    """
    columns = {cell.column: cell.words for row in case.rows for cell in row.cells[1:] if number_of(cell)}
    stems_of_adjective = stems_of(" ".join(adjective.columns)) if adjective else frozenset()
    is_only = adjective is not None and adjective.is_only_of_these
    fitting: list[str] = []
    for stems in (stems_of_adjective,) if is_only else (stems_of_adjective, None, with_synonyms(stems_of_adjective)):
        among = {name: keys for name, keys in columns.items() if stems is None or not stems.isdisjoint(keys)}
        fits = {name: _fit(case, keys, matching) for name, keys in among.items()}
        best = max(fits.values(), default=0)
        names = [name for name, fit in fits.items() if fit == best]
        if names and (stems is not None or best > 0):
            if len(names) == 1:
                return names
            fitting = fitting or names
    return fitting


def _fit(case: ClaimOnTable, column: frozenset[str], matching: Sequence[TableRow]) -> int:
    """Count the words of a claim that are in the name of a column, names of rows acase."""
    names = {item.key for row in matching for item in row.cells[0].items if item.kind not in _DATES}
    return sum(names_any(item.key, column) for item in case.claimed.items if item.key not in names)


def all_known(case: ClaimOnTable, figures: Sequence[TableFigure], at: int) -> bool:
    """Tell whether a claim has nothing that is not in the table: no condition, and no other figure.

    The noun for what is compared may be missing: "is the cheapest of the laptops".
    """
    matching = named_rows(case, case.claimed.keys)
    names = {key for row in matching for key in row.keys}
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


def _counts_rows(case: ClaimOnTable, item: TextItem) -> bool:
    """Tell whether a number is that of all rows: "of the four"."""
    return item.amount == len(without_totals(case.rows)) and case.claimed.lower[max(0, item.at - 1)] in (
        "the",
        "all",
        "these",
    )
