"""Assignment of result files to leaderboards: only results with equal settings are compared."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from factscope.benchmarks.factbench.factbench_run import TITLE
from factscope.benchmarks.leaderboard.boards import Find, Leaderboard, RunRecord
from factscope.benchmarks.leaderboard.checker_board import checkers_boards
from factscope.benchmarks.leaderboard.entries import BoardEntry, by_model, is_entry, read_entry
from factscope.benchmarks.leaderboard.factbench_board import factbench_boards
from factscope.benchmarks.leaderboard.grounding_board import grounding_board
from factscope.benchmarks.leaderboard.response_board import responses_board
from factscope.benchmarks.leaderboard.short_answer_board import short_answer_board
from factscope.benchmarks.short_answers.short_answer_result import KIND
from factscope.core import InputError, UsageError, group_by, user_json

_SETTINGS = ("judges", "examples", "prompts", "method", "models", "evidence", "name", "grader", "questions")
_META_SETTINGS = ("dataset", "sha256", "units", "rule", "resamples", "seed")
_ALIKE = {"facts-grounding": _SETTINGS, "factbench": _SETTINGS, KIND: _SETTINGS, "meta": _META_SETTINGS}
"""Settings, where present, that must be equal in two results of a kind for their rows to share a table."""


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
    boards = list(_of_files(results, entries, public, totals_only, find))
    for run in runs:
        if run.method.get("name") == "facts-grounding":  # its splits are in the result file alone
            raise UsageError(f"Run {run.id} is one of FACTS Grounding.", "Give the file that bench wrote with -o.")
        if run.title.startswith(f"{TITLE} "):  # so are its tiers, without which there is no row
            raise UsageError(f"Run {run.id} is one of FactBench.", "Give the file that bench factbench wrote with -o.")
    by_signature = group_by(runs, lambda run: run.signature)
    boards += [responses_board(runs_alike, totals_only) for runs_alike in by_signature.values()]
    notes = tuple(note for board in boards for note in board.notes)
    visible = tuple(board for board in boards if board.rows)
    if not visible:
        raise InputError("No rows to show.", "; ".join(notes) or "Name results or stored runs.")
    return visible, notes


def _of_files(
    results: Sequence[Path],
    entries: Sequence[BoardEntry],
    public: Collection[str],
    totals_only: Collection[str],
    find: Find,
) -> Iterator[Leaderboard]:
    """Yield the boards of result files, those that are alike together."""
    groups = group_by(results, _kind_and_settings)
    for (kind, _), paths in sorted(groups.items(), key=lambda group: list(_ALIKE).index(group[0][0])):
        hidden = any(str(path) in totals_only for path in paths)
        if kind == "facts-grounding":
            of_paths = by_model([entry for entry in entries if entry.result_path in paths])
            yield grounding_board(paths, of_paths, () if hidden else public, find)
        elif kind == "factbench":
            yield from factbench_boards(paths, find, totals_only=hidden)
        elif kind == KIND:
            yield short_answer_board(paths, totals_only=hidden)
        else:
            yield from checkers_boards(paths, find, totals_only=totals_only)


def _kind_and_settings(path: Path) -> tuple[str, str]:
    """Return the kind of a result file, and the settings that it must share with others. Raises InputError."""
    hint = "Name a result of `bench` or `meta` (-o result.json), an entry, or the id of a stored run."
    values = user_json(path, hint=hint, broken=InputError)
    kind = "meta" if "methods" in values and "dataset" in values else str(values.get("benchmark"))
    if kind not in _ALIKE:
        raise InputError(
            f"{path} is not a result that a leaderboard can show.",
            "Give results of factscope bench facts-grounding, factbench or short-answers, or of meta; or the id of"
            " a stored run.",
        )
    settings = values.get("settings")
    penalty = settings.get("penalty") if isinstance(settings, dict) else None
    return kind, json.dumps([*(values.get(key) for key in _ALIKE[kind]), penalty], sort_keys=True)
