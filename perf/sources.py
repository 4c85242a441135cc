"""Accuracy of source categories from host names without a model, on a sample labelled by hand.

Run `python perf/sources.py`. `sources_sample.tsv` holds 346 hosts, labelled from their names before the code saw them;
how they were drawn is in `src/factscope/evidence/sources/DATA_CARD.md`. The table and rules were finished before the
sample was drawn and have not been changed for it. Prints, for each part of the sample and each category, how many hosts
the table and rules decide and how many of those they decide as the label says; then the disagreements and the time.
"""

from __future__ import annotations

import csv
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from factscope.core.labels import CATEGORIES
from factscope.evidence.sources import AssignedCategory, categorise
from factscope.evidence.sources.assign import shipped_rules, shipped_table

SAMPLE = Path(__file__).with_name("sources_sample.tsv")
ROUNDS = 20


class Row(NamedTuple):
    """A host of the sample."""

    host: str
    category: str
    part: str
    """`links`: given as sources by people; `search`: answers of an index of web pages."""
    seen: str
    """`before` the table was finished, or only `after`."""


def counted(name: str, rows: Sequence[Row], said: dict[str, AssignedCategory | None]) -> str:
    """Return one line: hosts, decided ones, and of these the right ones.

    And right ones when the rest counts as other.
    """
    answers = [(row, said[row.host]) for row in rows]
    decided = [(row, answer) for row, answer in answers if answer]
    right = sum(answer.category == row.category for row, answer in decided)
    overall = sum((answer.category if answer else "other") == row.category for row, answer in answers)
    share = f"{right / len(decided):7.1%}" if decided else "      –"
    return (
        f"  {name:22}{len(rows):6}{len(decided):9}{len(decided) / len(rows):8.1%}{right:7}{share}"
        f"{overall / len(rows):17.1%}"
    )


def main() -> None:
    """Print the figures."""
    with SAMPLE.open(encoding="utf-8", newline="") as file:
        rows = [Row(**row) for row in csv.DictReader(file, delimiter="\t")]
    start = time.perf_counter()
    table = shipped_table().hosts
    shipped_rules()
    print(f"{len(table):,} hosts in the table, read in {1000 * (time.perf_counter() - start):.0f} ms")
    said = {row.host: categorise(row.host) for row in rows}

    print(f"\n  {'':22}{'hosts':>6}{'decided':>9}{'':8}{'right':>7}{'':7}{'right, rest other':>17}")
    print(counted("all", rows, said))
    for part in ("links", "search"):
        print(counted(part, [row for row in rows if row.part == part], said))
    print(counted("not known before", [row for row in rows if row.seen == "after"], said))
    print(counted("labelled a kind", [row for row in rows if row.category != "other"], said))
    for category in CATEGORIES:
        print(counted(category, [row for row in rows if row.category == category], said))

    answers = [(row, answer) for row in rows if (answer := said[row.host])]
    right = Counter(answer.how for row, answer in answers if answer.category == row.category)
    for how, count in Counter(answer.how for _, answer in answers).most_common():
        print(f"  decided by {how:11}{count:6}, right {right[how]}")

    print("\nNot as labelled:")
    for row, answer in answers:
        if answer.category != row.category:
            print(f"  {row.host:40} labelled {row.category:19} said {answer.category} ({answer.how})")

    start = time.perf_counter()
    for _ in range(ROUNDS):
        for row in rows:
            categorise(row.host)
    print(f"\n{1e6 * (time.perf_counter() - start) / ROUNDS / len(rows):.0f} µs for a host")


if __name__ == "__main__":
    main()
