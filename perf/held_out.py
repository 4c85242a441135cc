"""Labelled pairs that the built-in verifier was not trained on, and how figures get into a page."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from training.features.data import Row

ROOT = Path(__file__).parents[1]
MOST = 500
"""Rows of a set."""
SEED = 20251


def held_out(folder: Path) -> Iterator[tuple[str, list[Row]]]:
    """Yield each set with at most `MOST` rows that the network of `builtin` was not trained on.

    `builtin-features` was trained on many of them: of its own it has only figures on the sets in `CAPS`, on which
    nothing was fitted. Raises OSError.
    """
    sys.path.insert(0, str(ROOT))
    from training.features.data import CAPS, SETS, load_rest, load_rows
    from training.labelled import group_of, is_held_out

    rows = [row for row in load_rows(folder) if row.dataset not in CAPS and is_held_out(group_of(row.passage))]
    rows += load_rest(folder)
    chance = random.Random(SEED)
    for name in SETS:
        mine = [row for row in rows if row.dataset == name]
        yield name, chance.sample(mine, min(MOST, len(mine)))


def pasted(page: str, text: str, marks: tuple[str, str]) -> str:
    """Return the page with the text between its marks. Raises SystemExit where there are none."""
    head, begin, rest = page.partition(marks[0])
    _, end, tail = rest.partition(marks[1])
    if not begin or not end:
        sys.exit(f"The page has no lines {marks[0]} and {marks[1]} to write between.")
    return f"{head}{begin}\n{text}\n{end}{tail}"
