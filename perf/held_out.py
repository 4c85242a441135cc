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
    """Yield each set with at most `MOST` rows that no built-in verifier was trained on. Raises OSError."""
    from training.features.data import CAPS, SETS, Row, load_rest
    from training.labelled import clean, is_held_out

    unseen = {name: [row for row in load_rest(folder) if row.dataset == name] for name in CAPS}
    chance = random.Random(SEED)
    for name in SETS:
        mine = unseen.get(name) or _held_out_of(folder, name)
        yield name, chance.sample(mine, min(MOST, len(mine)))


def pasted(page: str, text: str, marks: tuple[str, str]) -> str:
    """The page with the text between its marks. Raises SystemExit where there are none."""
    head, begin, rest = page.partition(marks[0])
    _, end, tail = rest.partition(marks[1])
    if not begin or not end:
        sys.exit(f"The page has no lines {marks[0]} and {marks[1]} to write between.")
    return f"{head}{begin}\n{text}\n{end}{tail}"
