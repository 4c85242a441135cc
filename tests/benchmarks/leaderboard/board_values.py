"""Boards and rows as values, for tests of pages made from them; and sites read back from memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from factscope.benchmarks import Standing
from factscope.benchmarks.leaderboard import BoardRow, Column, Figure, Kind, Leaderboard, RunRecord, gather, pages

SHARE = Column("precision", "supported / judged")


def board_row(name: str, *figures: Figure, **change: Any) -> BoardRow:
    """Build a row that ranks first, with these changes."""
    values: dict[str, Any] = {
        "name": name,
        "figures": figures or (Figure(0.5),),
        "coverage": 1.0,
        "n": 40,
        "rank": Standing(1, False, 1, 1),
        "date": "2026-11-02T10:00:00",
        "signature": "a|b",
        "command": "factscope run FILE",
        "versions": (("Factscope", "1"),),
        "examples": (),
    }
    return BoardRow(**values | change)


def board_of(*rows: BoardRow, kind: Kind = "factual-precision", **change: Any) -> Leaderboard:
    """Build a board of one column, with these changes."""
    values: dict[str, Any] = {
        "title": "A board",
        "about": "About it.",
        "unit": "model",
        "columns": (SHARE,),
        "facts": (),
        "limits": (),
        "private": {},
    }
    return Leaderboard(kind=kind, rows=rows, **values | change)


def site_of(*boards: Leaderboard, **more: Any) -> dict[str, str]:
    """Return all files of a site by path, and fail if a path is repeated."""
    files: dict[str, str] = {}
    for path, text in pages(boards, **more):
        assert path not in files, path
        files[path] = text
    return files


def gathered(
    *files: Path, runs: tuple[RunRecord, ...] = (), kept: RunRecord | None = None, **change: Any
) -> tuple[tuple[Leaderboard, ...], tuple[str, ...]]:
    """Return the boards of these results and runs, and the notes on what was left out."""
    options: dict[str, Any] = {"public": (), "totals_only": (), "find": lambda run: kept}
    return gather(files, runs, **options | change)
