"""Rows as CSV for a spreadsheet, with outside text protected from being read as a formula."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from io import StringIO

from factscope.report.wording import decimals, inert

# A spreadsheet reads a cell that begins like this as a formula; East Asian editions also read the full-width forms.
_SPREADSHEET_FORMULA = re.compile("[=+\\-@\t\r\n＝＋－＠]")


def csv_text(rows: Iterable[Iterable[object]], end: str = "\n") -> str:
    """Write rows, each followed by `end`; None is an empty cell."""
    out = StringIO(newline="")
    csv.writer(out, lineterminator=end).writerows(rows)
    return out.getvalue()


def csv_cell(value: str | float | None) -> str:
    """Return a value as a cell: a number with three decimals, outside text never as a formula."""
    if value is None:
        return ""
    if not isinstance(value, str):
        return decimals(value, 3) if isinstance(value, float) else str(value)
    safe = inert(value)
    return f"'{safe}" if _SPREADSHEET_FORMULA.match(value) or _SPREADSHEET_FORMULA.match(safe) else safe
