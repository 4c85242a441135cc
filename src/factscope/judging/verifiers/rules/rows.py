"""Numbers of a claim against the row of a table that it is about: "Varga Ridge costs 1,090 crowns".

Tables reach a verifier row by row, as `column: value; column: value`. The network reads them poorly: every row supports
or contradicts everything a little. A row is about a claim that holds all words of the row's first value.
"""

# ruff: noqa: SIM905  (a list of words is easier to read and to extend as text)
from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from factscope.claims.text.comparing_words import rises
from factscope.claims.text.terms import words
from factscope.judging.verifiers.rules.accusations import is_row
from factscope.judging.verifiers.rules.derivable import EXACT, SMALL, is_limit, rounding
from factscope.judging.verifiers.rules.table_figures import without_totals
from factscope.judging.verifiers.wording.alignment import same_word
from factscope.judging.verifiers.wording.clauses import PRONOUNS, marker
from factscope.judging.verifiers.wording.date_spans import days
from factscope.judging.verifiers.wording.lexicon import stems_of
from factscope.judging.verifiers.wording.rival_dates import minutes
from factscope.judging.verifiers.wording.sentence_pair import RuleOutcome, SentencePair
from factscope.judging.verifiers.wording.table_rows import (
    TableCell,
    TableRow,
    items_of,
    names_any,
    number_of,
    with_synonyms,
)
from factscope.judging.verifiers.wording.text_items import NUMERIC, AnalysedSentence, AnalysedText, TextItem

_RATES = frozenset(("each", "per", "every", "average"))
_RELATIVE = _RATES | frozenset("than more fewer less only will would could before half quarter twice double".split())
"""Words of a claim that need not be about a cell: it compares, divides, counts rows, or speaks of another time."""
_PERIODS = ("half", "quarter")
_NTH = (("first",), ("second",), ("third",), ("fourth",), ("last",))
_NO_TIME = ("–", "-", "—", "|")
"""Cells of a timetable for a stop that is passed through."""
_NAMING = ("word", "name", "month", "year")
"""Kinds of items by which a claim may name a row."""
_COLUMNS = 3
"""Cells of a row of which the first is its name; with two, it may be what the second measures: "Height; 44 m"."""
_MANY = 20
"""Numbers of a row from which almost any other follows."""
_TIMES = (2, 3, 4, 5, 7, 10, 12)
"""Multiples of a cell that a claim may give, as for a week at a daily price; shares have words of their own."""
_VERBS = stems_of(
    "take last cost pay weigh measure count come reach make employ hold run stand total amount record report post"
    " receive get"
)
"""Stems of verbs that say no more than the name of a column."""
_PERCENT = re.compile(r"%|\bper ?cent\b|\bpct\b", re.IGNORECASE)
_OTHER_TIMES = frozenset(("until", "last", "previous", "next", "former", "earlier", "originally", "ago"))
_ENDS = ("to", "at", "from")
"""Words before the figure from which, or to which, something rose."""
_BEFORE_YEARS = frozenset(("in", "for", "of", "during", "fiscal", "year", "the", "a", "season", "and"))
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_SCALES = (1.0, 1e3, 1e6, 1e9)
"""Units that a column may count in: single ones, thousands, millions, billions."""


def find_row_conflict(pair: SentencePair) -> RuleOutcome | None:
    """Contradict a number of the claim that the row about the same thing gives otherwise."""
    claim, claimed, passage, weights = pair.claim, pair.claimed, pair.passage, pair.weights
    if not (about := row_about(claimed, pair.rows)) or _counts_all(claimed, about):
        return None
    if other_time := _other_time(claim.text, claimed, about):
        return other_time
    cells, named_keys = about.cells, claimed.keys | {item.unit for item in claimed.items}
    keys = with_synonyms(named_keys)
    elsewhere = [*_outside(passage, pair.rows), *(item for cell in cells for item in items_of(cell.column, weights))]
    listed = [*elsewhere, *(item for cell in cells for item in cell.items)]
    if len(_unlisted(claimed, listed)) > 1 or _is_of_other_time(claimed, listed) or _is_of_other_kind(claimed, about):
        return None  # the numbers belong together, "two nights cost 240 euros", or to another row
    numbers = claimed.amounts
    if len(numbers) > 1 and not _unlisted(claimed, listed):
        return None
    is_change = any(rises(claimed.lower, claimed.words, at) is not None for at in range(len(claimed.lower)))
    for item in numbers:
        ours = claim.text[item.start : item.end]
        if item.key in about.keys or is_limit(claimed, item) or ours.lower() == "one" or _is_share(claimed, item):
            continue
        before = claimed.lower[max(0, item.at - 1)]
        if (before in ("the", "all") and item.amount <= SMALL) or (is_change and before not in _ENDS):
            continue  # it counts rows, "the lowest of the three", or is by how much something rose
        if len(numbers) > 1 and any(is_equal(item, other) for cell in cells for other in cell.items):
            continue  # it is of another column, "seven goals and five of another kind"
        cell = _column_of(item, claimed, cells[1:])
        if cell and any(is_equal(other, _figure(cell)) for other in numbers if other is not item):
            continue  # the claim has the figure, too, and this is of another row: "€3 for you and €1.50 for the child"
        is_clear = _is_all_named(claimed, passage) and are_of_figures(claimed.years, claimed)
        if cell and _is_dated(cell) and not is_clear:
            continue  # a year alone does not say of what its figure is
        if cell and cell.words.isdisjoint(named_keys) and not _is_plain(claimed, about):
            continue  # "the lamp for the Heron costs" is not about the price of the Heron
        signed = claim.text[max(0, item.start - 1) : item.end]
        if any(each.value == signed and not (cell and _is_dated(each) and _is_dated(cell)) for each in cells):
            continue  # with its sign it is another cell: "€12"
        named = [each for each in cells if each.words & (keys | {item.unit}) and not _is_of_other_year(each, claimed)]
        known = [*elsewhere, *(other for each in named for other in each.items)]
        if cell and not _follows(item, cell, cells) and not any(is_equal(item, other) for other in known):
            reason = f"{cells[0].value}: the table gives {cell.value} for {cell.column}, not {ours}"
            return RuleOutcome("contradicted", about.span, reason)
    return None


def _counts_all(claimed: AnalysedSentence, row: TableRow) -> bool:
    """Tell whether a claim gives a total, which a row about one thing can't contradict without a column for it."""
    has_column = any("total" in cell.words for cell in row.cells)
    return "total" in claimed.lower and not has_column and bool(without_totals([row]))


def _other_time(text: str, claimed: AnalysedSentence, row: TableRow) -> RuleOutcome | None:
    """Contradict "Train 1405 calls at Tovik at 06:41" by another time, or none, in the only column that it names."""
    times = [item for item in claimed.items if minutes(item.key) is not None]
    columns = [cell for cell in row.cells[1:] if cell.words and cell.words <= claimed.keys]
    if len(times) != 1 or len(columns) != 1 or "at" not in claimed.lower[max(0, times[0].at - 1) : times[0].at]:
        return None
    (time,), (cell,) = times, columns
    theirs = [minutes(item.key) for item in cell.items]
    if cell.value not in _NO_TIME and (len(theirs) != 1 or theirs[0] in (None, minutes(time.key))):
        return None
    ours = text[time.start : time.end]
    reason = f"{row.cells[0].value}: the table gives {cell.value} for {cell.column}, not {ours}"
    return RuleOutcome("contradicted", row.span, reason)


def _is_of_other_time(claimed: AnalysedSentence, listed: Sequence[TextItem]) -> bool:
    """Tell whether a claim names a date that the row lacks, or another time than the row's: "last season"."""
    keys = {item.key for item in listed}
    dates = claimed.of_kind("year", "month")
    return any(item.key not in keys for item in dates) or not _OTHER_TIMES.isdisjoint(claimed.lower)


def _is_of_other_kind(claimed: AnalysedSentence, row: TableRow) -> bool:
    """Tell whether a row says in words what a claim does not, which has something else: "in winter" for summer."""
    known = _VERBS | row.all_keys
    is_other = any(item.key not in known and marker(claimed, item) for item in claimed.of_kind("word", "name"))
    in_words = [cell for cell in row.cells[1:] if cell.items and not any(item.kind in NUMERIC for item in cell.items)]
    return is_other and any(claimed.keys.isdisjoint(item.key for item in cell.items) for cell in in_words)


def _is_dated(cell: TableCell) -> bool:
    return bool(_YEAR.search(cell.column))


def _is_of_other_year(cell: TableCell, claimed: AnalysedSentence) -> bool:
    """Tell whether a column names a year, and the claim only others."""
    years = {item.key for item in claimed.years}
    return _is_dated(cell) and bool(years) and years.isdisjoint(cell.words)


def _is_all_named(claimed: AnalysedSentence, passage: AnalysedText) -> bool:
    """Tell whether all words of a claim are in the row or the titles above it, verbs that say little aside."""
    keys = _VERBS.union(passage.keys)
    others = [item for item in claimed.of_kind("word", "name") if item.key not in keys]
    return all(any(same_word(item.key, key) for key in keys) for item in others)


def _is_plain(claimed: AnalysedSentence, row: TableRow) -> bool:
    """Tell whether a claim has no word that is not in the row or the names of its columns."""
    known = _VERBS | row.all_keys
    return all(names_any(item.key, known) for item in claimed.of_kind("word", "name"))


def find_row_statement(pair: SentencePair) -> RuleOutcome | None:
    """Support a claim by the row that gives its number for what it is about.

    A row has no verb, so the claim may add one that says no more than the name of a column.
    """
    claimed = pair.claimed
    if not (about := row_about(claimed, pair.rows)):
        return None
    cells, names = about.cells, about.keys
    numbers = [item for item in claimed.items if item.kind in NUMERIC and item.key not in names]
    if len(numbers) != 1 or numbers[0].kind not in ("count", "percent") or is_limit(claimed, numbers[0]):
        return None
    (number,) = numbers
    cell = _column_of(number, claimed, cells[1:])
    slack = rounding(number) if number.about else EXACT * number.amount  # "200" may be exact, and is not 190 then
    if not cell or abs(number.amount - _figure(cell).amount) > slack:
        return None
    known = names | _VERBS | cell.words | {item.key for other in cells for item in other.items}
    others = [item for item in claimed.items if item is not number and item.key not in known]
    if not all(names_any(item.key, cell.words) for item in others):
        return None
    return RuleOutcome("supported", about.span, f"{cells[0].value}: {cell.value} for {cell.column} in the table")


def is_about_other_row(pair: SentencePair) -> bool:
    """Tell whether the claim compares with a name that the passage lacks, or has one and no row is about another."""
    claimed = pair.claimed
    mentioned = pair.passage.keys
    lacked = [item for item in claimed.items if item.key not in mentioned]
    than = claimed.lower.index("than") if "than" in claimed.lower else len(claimed.lower)
    is_with_name = any(item.kind == "name" for item in claimed.items if item.at > than)
    if is_with_name and any(item.kind == "name" or not item.at for item in lacked):
        return True
    if not any(item.kind == "name" for item in lacked):
        return False
    return not any(claimed.keys & row.keys for row in pair.rows)


def may_contradict(pair: SentencePair) -> bool:
    """Tell whether the network's contradiction by the closest row counts: the claim names only this, and what it has.

    One word of a claim without figures may be another. Of 2,840 of our own claims on tables, some 65 are rightly
    contradicted in this way, and 2 wrongly.
    """
    claimed = pair.claimed
    about = row_about(claimed, pair.rows)
    if about is None or claimed.lower[0] in PRONOUNS or not about.span.overlaps(pair.nearest.span):
        return False  # "It takes 300 kg" may be about any column
    known = _VERBS.union(pair.passage.keys)
    unknown = [item for item in claimed.of_kind("word", "name") if not names_any(item.key, known)]
    has_figure = any(
        (item.kind in ("count", "percent") and item.key not in about.keys) or minutes(item.key) is not None
        for item in claimed.items
    )
    has_time = any(minutes(item.key) is not None for item in claimed.items)
    return not has_time and are_of_figures(claimed.years, claimed) and len(unknown) <= (not has_figure)


def is_row_about_another(pair: SentencePair) -> bool:
    """Tell whether a passage is a row about another day than the claim, or about a thing that the claim does not name.

    The network takes any row for one about the claim. Of 7,000 rows beside our own claims on tables that name nothing
    in the row but have a word that it lacks, it calls 520 supporting, though next to none settles the claim.
    """
    claimed = pair.claimed
    if len(pair.rows) != 1:
        return False
    cells = pair.rows[0].cells
    if (day := days(cells[0].items)) and (claimed_days := days(claimed.items)):
        return day.isdisjoint(claimed_days)
    if claimed.keys & pair.rows[0].keys:
        return False
    return _is_without_figure(pair) or (len(cells) >= _COLUMNS and _names_nothing(pair, cells))


def _is_without_figure(pair: SentencePair) -> bool:
    """Tell whether a row lacks a figure of the claim: from its many figures, some sum or difference is near to any."""
    figures = [item for item in pair.passage.items if item.kind in NUMERIC]
    return any(
        item.kind in ("count", "percent") and (item.amount > SMALL or item.amount % 1 > 0)
        for item in _unlisted(pair.claimed, figures)
    )


def _names_nothing(pair: SentencePair, cells: Sequence[TableCell]) -> bool:
    """Tell whether a claim names no value of a row in words, and has a word that the row and its titles lack."""
    in_words = [item.key for cell in cells for item in cell.items if item.kind in _NAMING]
    if not any(item.kind in _NAMING for item in cells[0].items):
        return False
    if any(names_any(item.key, in_words) for item in pair.claimed.items):
        return False
    known = _VERBS.union(item.key for item in pair.passage.items)
    return any(item.kind in ("word", "name") and not names_any(item.key, known) for item in pair.claimed.items)


def row_about(claimed: AnalysedSentence, all_rows: Sequence[TableRow]) -> TableRow | None:
    """Return the only row about the thing that a plain statement names."""
    if claimed.question or claimed.cues.negations or _is_relative(claimed):
        return None
    about = [row for row in all_rows if row.keys and row.keys <= claimed.keys]
    return about[0] if len(about) == 1 else None


def _is_relative(claimed: AnalysedSentence) -> bool:
    """Tell whether a claim compares, divides or counts rows; "the first half" and "will … in 2025" are only times."""
    return any(
        word in _RELATIVE
        and not (word in _PERIODS and claimed.lower[at - 1 : at] in _NTH)
        and not (word == "will" and any(item.kind == "year" for item in claimed.items))
        for at, word in enumerate(claimed.lower)
    )


def _outside(passage: AnalysedText, all_rows: Sequence[TableRow]) -> Iterator[TextItem]:
    """Yield the numbers of the title and notes of a table."""
    for stretch in passage.stretches:
        is_inside = any(row.span.start <= stretch.start < row.span.end for row in all_rows)
        if not is_inside and not is_row(passage.part(stretch)):
            yield from (item for item in stretch.items if item.kind in NUMERIC)


def _is_share(claimed: AnalysedSentence, item: TextItem) -> bool:
    """Tell whether a number is a share of another or a rate: "six of the eight", "twenty pupils to a teacher"."""
    after = claimed.lower[item.at + 1 : item.at + 5]
    if any(pair in (("to", "a"), ("to", "an")) for pair in pairwise(after)):
        return True
    others = [other.at for other in claimed.amounts if 0 < abs(other.at - item.at) <= 4]
    return any({"of", "in"}.intersection(claimed.lower[min(at, item.at) : max(at, item.at)]) for at in others)


def are_of_figures(years: Sequence[TextItem], claimed: AnalysedSentence) -> bool:
    """Tell whether years are those of figures: "in 2023", and not "compared with 2023" or "up on 2023"."""
    return all(year.at and claimed.lower[year.at - 1] in _BEFORE_YEARS for year in years)


def is_equal(number: TextItem, other: TextItem) -> bool:
    """Tell whether two numbers are equal, exactly or rounded, in units, thousands, millions or billions."""
    return any(abs(number.amount - other.amount * scale) <= rounding(number) for scale in _SCALES)


def _unlisted(claimed: AnalysedSentence, listed: Sequence[TextItem]) -> list[TextItem]:
    """Return the numbers of a claim that are not listed."""
    numbers = [other for other in listed if other.kind in NUMERIC]
    return [item for item in claimed.of_kind(*NUMERIC) if not any(is_equal(item, other) for other in numbers)]


def _follows(number: TextItem, cell: TableCell, cells: Sequence[TableCell]) -> bool:
    """Tell whether a number may follow from its cell: a multiple, a sum in its row, or any amount at a rate."""
    amounts = [item.amount for each in cells for item in each.items if item.kind in ("count", "percent")]
    if len(amounts) > _MANY or not _RATES.isdisjoint(words(cell.column.lower())):
        return True
    slack = rounding(number)
    amounts = [amount for amount in amounts if amount > slack]  # others make no difference to a sum
    results = [_figure(cell).amount * by for by in _TIMES]
    results += [sum(some) for size in (2, 3, len(amounts)) for some in combinations(amounts, size)]
    return any(abs(number.amount - result) <= slack for result in results)


def _figure(cell: TableCell) -> TextItem:
    number = number_of(cell)
    assert number is not None  # `_column_of` returns no other
    return number


def is_percent(cell: TableCell) -> bool:
    """Tell whether a cell has a share, by its figure or by the name of its column."""
    return _figure(cell).kind == "percent" or bool(_PERCENT.search(cell.column))


def _column_of(number: TextItem, claimed: AnalysedSentence, cells: list[TableCell]) -> TableCell | None:
    """Return the cell with a number whose column is named by what the claim's number counts, else by any of its words.

    A percentage is only in a column of percentages. None when two columns do as well.
    """
    keys = with_synonyms(claimed.keys) | {number.unit}
    numeric = [cell for cell in cells if number_of(cell)]
    alike = [cell for cell in numeric if is_percent(cell) == (number.kind == "percent")]
    candidates = [cell for cell in alike if names_any(number.unit, cell.words)]
    if not candidates:
        candidates = [cell for cell in alike if _figure(cell).unit == number.unit and cell.words & keys]
    ranked = sorted(candidates, key=lambda cell: len(cell.words - keys))
    if not ranked or (len(ranked) > 1 and len(ranked[0].words - keys) == len(ranked[1].words - keys)):
        return None
    return ranked[0]
