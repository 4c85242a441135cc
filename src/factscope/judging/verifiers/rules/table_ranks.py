"""Places that a table decides: "Gannel Head ranked third, with 0.95 chicks per nest", "Hollin Bay finished fourth".

The place is that of the claim's figure in its column, or the one in the table's first column.
"""

from __future__ import annotations

from collections.abc import Sequence

from factscope.claims.text.comparing_words import PLACED
from factscope.core import Label
from factscope.judging.verifiers.rules.rows import is_equal
from factscope.judging.verifiers.rules.table_comparisons import ClaimOnTable, all_known, named_rows, put_beside
from factscope.judging.verifiers.rules.table_figures import TableFigure, figure_in, figure_of, without_totals
from factscope.judging.verifiers.wording.sentence_pair import RuleOutcome, SentencePair
from factscope.judging.verifiers.wording.table_rows import RANK_COLUMNS, TableRow, names_any, tables
from factscope.judging.verifiers.wording.text_items import TextItem

_FEWEST = 3
"""Rows of a table in which a figure has a place."""


def find_place(pair: SentencePair) -> RuleOutcome | None:
    """Decide a claim with a place by the row of the table that it names."""
    claimed = pair.claimed
    ordinals = [item for item in claimed.items if item.kind == "ordinal"]
    if len(ordinals) != 1 or not ordinals[0].at or claimed.words[ordinals[0].at - 1] not in PLACED:
        return None
    if claimed.question or claimed.cues.negations or "last" in claimed.lower:
        return None
    (ordinal,) = ordinals
    for rows in tables(pair.passage, pair.weights):
        case = put_beside(claimed, pair.passage, rows, rows)
        matching = named_rows(case, claimed.keys)
        if len(matching) == 1:
            by = _by_first_column if matching[0].rank else _by_figure
            if result := by(case, matching[0], ordinal):
                return result
    return None


def _by_figure(case: ClaimOnTable, row: TableRow, ordinal: TextItem) -> RuleOutcome | None:
    """Return the label by the columns in which the row has the claim's figure; None if they disagree."""
    numbers = case.claimed.amounts
    counted = [item.key for item in case.claimed.items if item.kind == "word"]
    results: set[tuple[Label, str]] = set()
    for cell in row.cells[1:]:
        if not any(names_any(key, cell.words) for key in counted):
            continue
        figure = figure_of(row, cell, row.cells[0].value)
        if figure and any(is_equal(item, number) for item in numbers for number in cell.items):
            results |= _placed(case.rows, figure, cell.column, int(ordinal.amount))
    labels = {label for label, _ in results}
    return RuleOutcome(min(labels), row.span, min(results)[1]) if len(labels) == 1 else None


def _placed(rows: Sequence[TableRow], claimed: TableFigure, column: str, rank: int) -> set[tuple[Label, str]]:
    figures = [figure for row in without_totals(rows) if (figure := figure_in(row, column))]
    amounts = sorted((figure.amount for figure in figures), reverse=True)
    if len(amounts) < _FEWEST or amounts.count(claimed.amount) > 1:
        return set()
    from_top = amounts.index(claimed.amount) + 1
    reason = f"in the column {column} of the table, {claimed.value} is in place {from_top} of {len(amounts)}"
    if rank == from_top:
        return {("supported", reason)}
    return set() if rank == len(amounts) + 1 - from_top else {("contradicted", reason)}


def _by_first_column(case: ClaimOnTable, row: TableRow, ordinal: TextItem) -> RuleOutcome | None:
    """Return the label by the place in front of the row's name."""
    first = row.cells[0]
    is_ranked = row.rank.isdecimal() and RANK_COLUMNS.fullmatch(row.rank_column) is not None
    columns = frozenset[str]().union(*(cell.words for cell in row.cells))
    is_of_column = any(item.key in columns for item in case.claimed.items if item.kind in ("word", "name"))
    if not is_ranked or is_of_column or not all_known(case, [], ordinal.at + 1):
        return None
    label: Label = "supported" if int(row.rank) == int(ordinal.amount) else "contradicted"
    return RuleOutcome(label, row.span, f"{first.value}: the table gives {row.rank} for {row.rank_column}")
