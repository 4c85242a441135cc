"""Assignment of result files to leaderboards: only results with equal settings are compared."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from factscope.benchmarks.factbench.factbench_run import TITLE
from factscope.benchmarks.leaderboard.board import Leaderboard
from factscope.benchmarks.leaderboard.checker_board import alike, checkers_boards
from factscope.benchmarks.leaderboard.entries import BoardEntry, by_model, is_entry, read_entry
from factscope.benchmarks.leaderboard.factbench_board import factbench_boards
from factscope.benchmarks.leaderboard.grounding_board import grounding_board
from factscope.benchmarks.leaderboard.response_board import responses_board
from factscope.benchmarks.leaderboard.run_record import Find, RunRecord
from factscope.benchmarks.leaderboard.short_answer_board import short_answer_board
from factscope.benchmarks.short_answers.short_answer_result import KIND
from factscope.core.errors import InputError, UsageError
from factscope.core.user_files import user_json

_SIGNATURE_KEYS = ("judges", "examples", "prompts", "method", "models", "evidence", "name", "grader", "questions")
"""Settings, where present, that must be equal in two results for their rows to share a table."""


_Board = tuple[Leaderboard, tuple[str, ...]]
"""A board, and notes on the parts left out of it."""


def gather(
    files: Sequence[Path],
    runs: Sequence[RunRecord],
    *,
    public: Collection[str],
    totals_only: Collection[str],
    find: Find,
) -> tuple[tuple[Leaderboard, ...], tuple[str, ...]]:
    """Make all boards, and notes on parts left out.

    `public` names the splits whose examples may be shown. `totals_only` names files and ids of runs of which only
    totals are shown. Raises UsageError for a file that is not there, and InputError for one that is not ours or is
    inconsistent.
    """
    entries = [read_entry(path) for path in files if is_entry(path)]
    totals_only = {*totals_only, *(str(entry.result_path) for entry in entries if str(entry.path) in totals_only)}
    results = list(dict.fromkeys([*(p for p in files if not is_entry(p)), *(entry.result_path for entry in entries)]))
    boards = _of_files(results, entries, public, totals_only, find)
    runs_by_key: dict[tuple[str, ...], list[RunRecord]] = defaultdict(list)
    for run in runs:
        if run.method.get("name") == "facts-grounding":  # its splits are in the result file alone
            raise UsageError(f"Run {run.id} is one of FACTS Grounding.", "Give the file that bench wrote with -o.")
        if run.title.startswith(f"{TITLE} "):  # so are its tiers, without which there is no row
            raise UsageError(f"Run {run.id} is one of FactBench.", "Give the file that bench factbench wrote with -o.")
        runs_by_key[run.signature].append(run)
    boards += [responses_board(runs_alike, totals_only) for runs_alike in runs_by_key.values()]
    notes = tuple(note for _, notes in boards for note in notes)
    visible = tuple(board for board, _ in boards if board.rows)
    if not visible:
        raise InputError("No rows to show.", "; ".join(notes) or "Name results or stored runs.")
    return visible, notes


def _of_files(
    results: Sequence[Path],
    entries: Sequence[BoardEntry],
    public: Collection[str],
    totals_only: Collection[str],
    find: Find,
) -> list[_Board]:
    """Return the boards of result files, those that are alike together."""
    by_kind: dict[str, dict[str, list[Path]]] = defaultdict(lambda: defaultdict(list))
    for path in results:
        values = _values(path)
        kind = str(values.get("benchmark"))
        if kind in ("facts-grounding", "factbench", KIND):
            by_kind[kind][_signature_text(values)].append(path)
        elif "methods" in values and "dataset" in values:
            by_kind["meta"]["|".join(alike(values))].append(path)
        else:
            raise InputError(
                f"{path} is not a result that a leaderboard can show.",
                "Give results of factscope bench facts-grounding, factbench or short-answers, or of meta; or the id of"
                " a stored run.",
            )
    hidden = {str(path) for path in results} & set(totals_only)
    boards: list[_Board] = []
    for paths in by_kind["facts-grounding"].values():
        shown = () if hidden & set(map(str, paths)) else public
        of_paths = by_model([entry for entry in entries if entry.result_path in paths])
        boards.append(grounding_board(paths, of_paths, shown, find))
    for paths in by_kind["factbench"].values():
        boards += factbench_boards(paths, find, totals_only=bool(hidden & set(map(str, paths))))
    for paths in by_kind[KIND].values():
        boards.append(short_answer_board(paths, totals_only=bool(hidden & set(map(str, paths)))))
    for paths in by_kind["meta"].values():
        boards += checkers_boards(paths, find, totals_only=totals_only)
    return boards


def _signature_text(values: dict[str, Any]) -> str:
    settings = values.get("settings")
    penalty = settings.get("penalty") if isinstance(settings, dict) else None
    return json.dumps([*(values.get(key) for key in _SIGNATURE_KEYS), penalty], sort_keys=True)


def _values(path: Path) -> dict[str, Any]:
    hint = "Name a result of `bench` or `meta` (-o result.json), an entry, or the id of a stored run."
    return user_json(path, hint=hint, broken=InputError)
