"""Figures of a row given to another year: "The property tax brings in $9,310,000 in 2025", which it did in 2024.

The columns of a row with several years differ only in these, so a figure of the row that the claim gives to another of
its years is wrong, whatever words the claim has for it. So is another figure beside one that the row has: "58 % in
2024, up from 40.8 % in 2023".
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise

from factscope.judging.verifiers.rules.derivable import is_limit
from factscope.judging.verifiers.rules.rows import are_of_figures, is_equal, is_percent, row_about
from factscope.judging.verifiers.wording.lexicon import stems_of
from factscope.judging.verifiers.wording.sentence_pair import RuleOutcome, SentencePair
from factscope.judging.verifiers.wording.table_rows import TableCell, TableRow, number_of
from factscope.judging.verifiers.wording.text_items import AnalysedSentence, TextItem

_YEAR = re.compile(r"=(?:1[5-9]|20)\d\d")
_SEASON = re.compile(r"(?:1[5-9]|20)\d\d[-–/]\d\d\b")
_SEASON_GAP = 4
"""Characters between the years of a season: "2022 to 2023"."""
_COMPARED = stems_of(
    "compare contrast than above below against versus unlike exceed beat after before since from until between"
    " by over previous last next earlier later turn become"
)
"""Stems of words of a claim with one year whose figure may be of another."""


def find_year_conflict(pair: SentencePair) -> RuleOutcome | None:
    """Contradict a figure of a claim that the row about the same thing gives for another year."""
    claimed = pair.claimed
    about = row_about(claimed, pair.rows)
    if not about:
        return None
    of_seasons = {second.start for first, second in pairwise(claimed.years) if second.start - first.end <= _SEASON_GAP}
    years = [year for year in claimed.years if year.start not in of_seasons]
    ends = {year.end + 1 for year in years}  # of "2022–23"
    numbers = [item for item in claimed.amounts if item.start not in ends]
    dated = _dated(numbers, years, claimed) if years and not any(is_limit(claimed, item) for item in numbers) else []
    for cells in _by_measure(about).values():
        right = [number for number, year in dated if year in cells and _gives(cells[year], number)]
        for number, year in dated:
            if year not in cells or any(_gives(cell, number) for cell in about.cells if year in cell.words):
                continue
            is_of_another = any(_gives(cell, number) for key, cell in cells.items() if key != year)
            if is_of_another or any(other.kind == number.kind for other in right):
                ours = pair.claim.text[number.start : number.end]
                reason = f"the table gives {cells[year].value} for {cells[year].column}, not {ours}"
                return RuleOutcome("contradicted", about.span, f"{about.cells[0].value}: {reason}")
    return None


def _dated(
    numbers: Sequence[TextItem], years: Sequence[TextItem], claimed: AnalysedSentence
) -> list[tuple[TextItem, str]]:
    """Return numbers with the years that a claim gives them for; none if that is not clear.

    Each number is before its year, or each after it.
    """
    if not are_of_figures(years, claimed):
        return []
    if len(years) == 1:
        is_clear = len(numbers) == 1 and _COMPARED.isdisjoint(claimed.words)
        return [(numbers[0], years[0].key)] if is_clear else []
    order = sorted((*numbers, *years), key=lambda item: item.at)
    kinds = ["year" if item.kind == "year" else "number" for item in order]
    pairs = list(zip(order[::2], order[1::2], strict=False))
    if len(order) % 2 or any(first == second for first, second in zip(kinds[::2], kinds[1::2], strict=True)):
        return []
    if kinds[::2] == ["number"] * len(pairs):
        return [(number, year.key) for number, year in pairs]
    return [(number, year.key) for year, number in pairs] if kinds[::2] == ["year"] * len(pairs) else []


def _by_measure(row: TableRow) -> Mapping[frozenset[str], dict[str, TableCell]]:
    """Return the cells under names with one year or season, by the rest of the name and by the year."""
    measures: defaultdict[frozenset[str], dict[str, TableCell]] = defaultdict(dict)
    for cell in row.cells[1:]:
        years = {key for key in cell.words if _YEAR.fullmatch(key)}
        if len(years) == 1 and number_of(cell):
            words = {key for key in cell.words if key[0].isalpha()} if _SEASON.search(cell.column) else cell.words
            measures[frozenset(words) - years].setdefault(min(years), cell)
    return measures


def _gives(cell: TableCell, number: TextItem) -> bool:
    figure = number_of(cell)
    return figure is not None and is_percent(cell) == (number.kind == "percent") and is_equal(number, figure)
