"""Labelled pairs that the built-in verifier was not trained on, and how figures get into a page."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verifier_data import Row

ROOT = Path(__file__).parents[1]
MOST = 500
"""Rows of a set."""
SEED = 20251


def held_out(folder: Path) -> Iterator[tuple[str, list[Row]]]:
    """Each set and at most `MOST` of its rows.

    Of the sets that nothing was trained on, rows that nothing was fitted on either. Raises OSError.
    """
    sys.path.insert(0, str(ROOT / "scripts"))
    from verifier_data import SETS, load_rest, load_rows
    from verifier_encoder_settings import UNSEEN

    rows = [row for row in load_rows(folder) if row.held_out and row.dataset not in UNSEEN]
    rows += [row for row in load_rest(folder) if row.dataset in UNSEEN]
    chance = random.Random(SEED)
    for name in SETS:
        mine = [row for row in rows if row.dataset == name]
        yield name, chance.sample(mine, min(MOST, len(mine)))


def pasted(page: str, text: str, marks: tuple[str, str]) -> str:
    """The page with the text between its marks. Raises SystemExit where there are none."""
    head, begin, rest = page.partition(marks[0])
    _, end, tail = rest.partition(marks[1])
    if not begin or not end:
        sys.exit(f"The page has no lines {marks[0]} and {marks[1]} to write between.")
    return f"{head}{begin}\n{text}\n{end}{tail}"
