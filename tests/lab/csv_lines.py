"""A CSV of figures as its readers see it: one table, one value per cell."""

from __future__ import annotations

import csv
from io import StringIO

HEADS = ["table", "model", "measure", "value", "low", "high", "n"]


def csv_lines(text: str) -> dict[tuple[str, str, str], dict[str, str]]:
    """Return the lines by table, model and measure; fail unless they form one table with one number per cell."""
    reader = csv.DictReader(StringIO(text), strict=True)
    assert reader.fieldnames == HEADS, text
    lines: dict[tuple[str, str, str], dict[str, str]] = {}
    for line in reader:
        assert list(line) == HEADS, line
        for name in HEADS[3:]:
            assert not line[name] or float(line[name]) is not None, line
        key = (line["table"], line["model"], line["measure"])
        assert key not in lines, f"two lines of {key}"
        lines[key] = line
    assert lines, text
    return lines
