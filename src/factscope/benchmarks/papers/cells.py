"""Recomputed figures, and the published tables, which are part of the package."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from importlib.resources import files
from typing import NamedTuple

from factscope.core import group_by

ROUNDED = "inputs are printed rounded"


class PaperCell(NamedTuple):
    """One figure of a table."""

    paper: str
    """Name of the paper."""
    table: str
    """Its table, or the place of another figure in the paper."""
    row: str
    """Of the table."""
    column: str
    """Of the table."""
    published: float | None
    """As printed; `None` where the paper prints a dash, or only the data say it."""
    recomputed: float | None
    """From recorded material; `None` where there is none to compute it from."""
    digits: int
    """Decimals that the paper prints."""
    why: str
    """The material it was recomputed from, or why it differs or can't be recomputed."""

    @property
    def difference(self) -> float | None:
        """Recomputed less published, at the printed decimals."""
        if self.published is None or self.recomputed is None:
            return None
        return round(rounded(self.recomputed, self.digits) - self.published, self.digits)

    @property
    def agrees(self) -> bool | None:
        """Whether both are the same as printed; `None` where one of them is missing."""
        if self.difference is None or self.recomputed is None or self.published is None:
            return None
        half = 0.5 * 10**-self.digits
        return abs(self.recomputed - self.published) <= half * (1 + 1e-6) or self.difference == 0


class PaperSummary(NamedTuple):
    """Comparison of the cells of a table."""

    paper: str
    table: str
    cells: int
    """All figures."""
    same: int
    """As printed."""
    differ: int
    missing: int
    """Figures that can't be recomputed, or were not published."""
    largest: float | None
    """The largest difference, whatever its sign; `None` without one."""
    why: tuple[str, ...]
    """Notes on those that differ or are missing."""


def rounded(value: float, digits: int) -> float:
    """Round as papers do: halves away from zero."""
    return float(Decimal(repr(round(value, 9))).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


def table(name: str) -> list[dict[str, str]]:
    """Return the rows of a published table. Raises FileNotFoundError for a name that there is not."""
    text = files("factscope.benchmarks.papers").joinpath("published", f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def figure(text: str | None) -> float | None:
    """Return a printed figure; `None` for an empty cell."""
    return float(text) if text and text.strip() else None


def percent(share: float | None) -> float | None:
    """Return a share in percent; `None` for none."""
    return None if share is None else 100 * share


def paper_cell(
    paper: str, table: str, row: str, column: str, printed: str | None, recomputed: float | None, digits: int, why: str
) -> PaperCell:
    """Make a cell from the printed text and the recomputed figure."""
    return PaperCell(paper, table, row, column, figure(printed), recomputed, digits, why)


def summaries(cells: Iterable[PaperCell]) -> list[PaperSummary]:
    """Compare the cells of each table, in the order of the tables."""
    by_table = group_by(cells, lambda cell: (cell.paper, cell.table))
    return [_summary(*name, group) for name, group in by_table.items()]


def _summary(paper: str, name: str, cells: Sequence[PaperCell]) -> PaperSummary:
    apart = [cell for cell in cells if cell.agrees is False]
    sizes = [abs(cell.difference) for cell in apart if cell.difference is not None]
    return PaperSummary(
        paper=paper,
        table=name,
        cells=len(cells),
        same=sum(cell.agrees is True for cell in cells),
        differ=len(apart),
        missing=sum(cell.agrees is None for cell in cells),
        largest=max(sizes, default=None),
        why=tuple(dict.fromkeys(cell.why for cell in cells if cell.agrees is not True)),
    )
