"""Results of `factscope meta` → a leaderboard of checkers against human labels."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field

from factscope.benchmarks.comparisons import ResultPart, Standing, read_result, standings
from factscope.benchmarks.datasets import DATASETS
from factscope.benchmarks.leaderboard import boards
from factscope.benchmarks.meta_eval import LEVELS, MEANINGS, PLURALS, TITLES
from factscope.core import Level, Outcome, many

_MEASURES = ("f1", "precision", "recall", "balanced_accuracy", "kappa", "auroc")
_NUMBERS = ("kappa", "auroc")
_PARTS = (("by domain", "by_domain", "f1"), ("by kind of error", "by_error_type", "recall"))
"""Tables by part of the data: title, field of the result, and measure."""
_MOST_PARTS = 12
"""Columns of a table by domain or kind of error."""


class _Figures(ResultPart):
    n: int
    n_answered: int
    coverage: float | None
    error: Mapping[str, float | None] = {}
    balanced_accuracy: float | None = None
    kappa: float | None = None
    auroc: float | None = None
    intervals: Mapping[str, tuple[float, float]] = {}
    remarks: Mapping[str, str] = {}
    by_domain: Mapping[str, _Figures] = {}
    by_error_type: Mapping[str, _Figures] = {}

    def figure(self, name: str) -> boards.Figure:
        """Return a figure by its name, with its interval."""
        value = self.error[name] if name in self.error else getattr(self, name, None)
        low, high = self.intervals.get(name, (None, None))
        return boards.Figure(value, low, high)


class _MetaEvidence(ResultPart):
    text: str
    source: str = ""


class _MetaCase(ResultPart):
    sample: str
    unit: str
    text: str
    wrong: bool
    outcome: Outcome | None = None
    reason: str | None = None
    comment: str | None = None
    evidence: tuple[_MetaEvidence, ...] = ()


class _Disagreements(ResultPart):
    n: int = 0
    shown: tuple[_MetaCase, ...] = ()


class _MetaChecker(ResultPart):
    method: str
    models: Mapping[str, str] = {}
    run: str | None = None
    levels: dict[Level, _Figures] = Field(min_length=1)
    disagreements: _Disagreements = _Disagreements()


class _Pairing(ResultPart):
    level: Level
    first: str
    second: str
    findings: Mapping[str, str] = {}
    contrasts: tuple[dict[str, Any], ...] = ()


class _Meta(ResultPart):
    dataset: str
    sha256: str | None = None
    licence: str | None = None
    n_samples: int
    units: str
    rule: str
    methods: tuple[_MetaChecker, ...] = Field(min_length=1)
    pairings: tuple[_Pairing, ...] = ()
    resamples: int
    seed: int
    factscope: str
    made: str | None = None


class _MetaEntry(NamedTuple):
    """A checker, with the result that contains it."""

    meta: _Meta
    checker: _MetaChecker
    examples: bool
    """Whether its disagreements may be shown."""


def checkers_boards(
    paths: Sequence[Path], find: boards.Find, *, totals_only: Collection[str]
) -> list[boards.Leaderboard]:
    """Return the boards of results that are alike: the finest level, other levels, by domain and by kind of error.

    The first has the notes on parts left out. Raises InputError for a file that is not such a result.
    """
    by_method: dict[str, _MetaEntry] = {}
    notes = []
    for path in paths:
        meta = read_result(path, _Meta, "meta", "Make one: factscope meta … -o FILE.json")
        for one in meta.methods:
            if one.method in by_method:
                notes.append(f"{one.method} is in an earlier file already: left out of {path}.")
            else:
                by_method[one.method] = _MetaEntry(meta, one, str(path) not in totals_only)
    entries = list(by_method.values())
    levels = [level for level in LEVELS if any(level in entry.checker.levels for entry in entries)]
    main, *others = (_level_board(entries, level, find, finest=level == levels[0]) for level in levels)
    notes += [note for board in (main, *others) for note in board.absent]
    others += filter(None, (_parts_board(main, entries, levels[0], *parts) for parts in _PARTS))
    return [replace(main, notes=tuple(notes)), *others]


def _level_board(entries: Sequence[_MetaEntry], level: Level, find: boards.Find, *, finest: bool) -> boards.Leaderboard:
    """Return the table of one level, with examples at the finest."""
    meta = entries[0].meta
    subject = meta.dataset if finest else f"{meta.dataset}, {PLURALS[level]}"
    refused, rows, good = [], [], []
    for entry in entries:
        figures = entry.checker.levels.get(level)
        if figures is None:
            refused.append(f"{entry.checker.method} was not measured by {PLURALS[level]}: no row on {subject}.")
        elif figures.coverage and figures.figure("f1").value is not None:
            good.append(entry)
        else:
            reason = figures.remarks.get("f1") or "it judged nothing"
            refused.append(boards.MissingRow(f"{entry.checker.method} has no F1 on {subject}: {reason}. Left out."))
    ranks = _ranks(entries, good, level)
    for entry in good:
        one = entry.checker
        figures, stored = one.levels[level], find(one.run or "")
        shown = one.disagreements.shown if finest and entry.examples else ()
        rows.append(
            boards.BoardRow(
                name=one.method,
                figures=tuple(figures.figure(name) for name in _MEASURES),
                coverage=figures.coverage or 0.0,
                n=figures.n_answered,
                rank=ranks[one.method],
                date=stored.date if stored else boards.time_of(entry.meta.made),
                signature=_signature(entry.meta, level),
                command=_command(entry.meta, one),
                versions=(("Factscope", entry.meta.factscope), ("run", one.run or "recorded predictions")),
                examples=tuple(_example(case, level) for case in shown),
                notes=tuple(_notes(one, level, finest=finest)),
            )
        )
    board = _board(meta, level, rows, totals_only=not all(entry.examples for entry in entries))
    title = board.title if finest else f"{board.title}, {PLURALS[level]}"
    return replace(board, title=title, absent=tuple(refused))


def _parts_board(
    board: boards.Leaderboard, entries: Sequence[_MetaEntry], level: Level, name: str, field: str, measure: str
) -> boards.Leaderboard | None:
    """Return a table with a column for each domain or kind of error; `None` where there are not several."""
    parts_of = {entry.checker.method: getattr(entry.checker.levels.get(level), field, {}) for entry in entries}
    names = list(dict.fromkeys(part for parts in parts_of.values() for part in parts))
    if len(names) < 2:
        return None
    only = f" The first {_MOST_PARTS} of {len(names)} have a column." if len(names) > _MOST_PARTS else ""
    names = names[:_MOST_PARTS]
    figures = {
        method: tuple(parts[part].figure(measure) if part in parts else boards.Figure(None) for part in names)
        for method, parts in parts_of.items()
    }
    measured = f"{TITLES[measure]} {name}"
    return replace(
        board,
        title=f"{board.title}, {name}",
        about=f"{measured[:1].upper()}{measured[1:]}: {MEANINGS[measure]}. Rows stand in the order of the main table."
        f"{only}",
        columns=tuple(boards.Column(part, f"{TITLES[measure]} of {part}") for part in names),
        rows=tuple(replace(row, figures=figures[row.name], examples=(), notes=()) for row in board.rows),
    )


def _notes(checker: _MetaChecker, level: Level, *, finest: bool) -> Iterator[str]:
    """Yield the number of disagreements, and why a column has no value or one of only some answers."""
    if finest:
        yield f"{checker.disagreements.n} {PLURALS[level]} on which it and people disagree."
    remarks = checker.levels[level].remarks
    yield from (f"{TITLES[name]}: {remarks[name]}." for name in _MEASURES if name in remarks)


def _signature(meta: _Meta, level: Level) -> str:
    return (
        f"meta|dataset={meta.dataset}:{(meta.sha256 or 'unknown')[:12]}|level={level}|rule={meta.rule}"
        f"|units={meta.units}|bootstrap={meta.resamples}|seed={meta.seed}|factscope={meta.factscope}"
    )


def _board(meta: _Meta, level: Level, rows: Sequence[boards.BoardRow], *, totals_only: bool) -> boards.Leaderboard:
    known = meta.dataset in DATASETS.names()  # any other is called by its file name, which says little
    return boards.empty_board(
        "meta",
        title=f"Checkers on {meta.dataset}" if known else f"Checkers on the data set “{meta.dataset}”",
        about=f"How well checkers find the {PLURALS[level]} that people call wrong, with 95\u00a0% intervals.",
        columns=tuple(
            boards.Column(TITLES[name], MEANINGS[name], "number" if name in _NUMBERS else "share") for name in _MEASURES
        ),
        rows=boards.in_order(rows),
        facts=(
            ("data set", f"{meta.dataset}, {many(meta.n_samples, 'sample')}"),
            ("SHA-256", meta.sha256 or "unknown"),
            ("licence", meta.licence or "unknown"),
            ("level", PLURALS[level]),
            ("units", meta.units),
            ("flagged", meta.rule),
            ("rank", "by F1 of errors; the range is what paired tests leave"),
        ),
        private={meta.dataset: meta.n_samples} if totals_only else {},
    )


def _ranks(entries: Sequence[_MetaEntry], good: Sequence[_MetaEntry], level: Level) -> dict[str, Standing]:
    """Return the ranks by F1, limited by the tests of all files.

    Files may give one name to different checkers, so a test counts only if its file has the figures that are shown of
    both. A test on the units that both answered may contradict the order by F1; it then confirms no rank.
    """
    figures = {entry.checker.method: entry.checker.levels[level] for entry in good}
    scores = {name: checker_figures.figure("f1").value for name, checker_figures in figures.items()}
    confirmed = []
    for meta in {id(entry.meta): entry.meta for entry in entries}.values():
        here = {checker.method: checker.levels.get(level) for checker in meta.methods}
        same = {name for name, checker_figures in figures.items() if here.get(name) == checker_figures}
        for better, worse in _confirmed(meta, level):
            if {better, worse} <= same and (scores[better] or 0) > (scores[worse] or 0):
                confirmed.append((better, worse))
    return standings(scores, confirmed)


def _confirmed(meta: _Meta, level: Level) -> Iterator[tuple[str, str]]:
    for pairing in meta.pairings:
        gap = next((c.get("value") for c in pairing.contrasts if c.get("measure") == "f1"), None)
        if pairing.level == level and pairing.findings.get("f1") == "differs" and gap:
            yield (pairing.second, pairing.first) if gap > 0 else (pairing.first, pairing.second)


def _example(case: _MetaCase, level: Level) -> boards.BoardExample:
    if case.wrong:
        people = boards.ExampleVerdict("people", "contradicted", "wrong")
        checker = boards.ExampleVerdict("checker", case.outcome or "supported", "wrong, not flagged")
    else:
        people = boards.ExampleVerdict("people", "supported", "right")
        checker = boards.ExampleVerdict("checker", case.outcome or "contradicted", "right, but flagged")
    evidence = (": ".join(filter(None, (passage.source, passage.text))) for passage in case.evidence)
    lines = tuple(filter(None, (case.text, case.reason, case.comment, *evidence)))
    return boards.BoardExample(f"{case.sample} {level} {case.unit}", (people, checker), lines=lines)


def _command(meta: _Meta, checker: _MetaChecker) -> str:
    if checker.run is None:
        return shlex.join(["factscope", "meta", meta.dataset, "--predictions", "FILE", "--format", "json"])
    models = boards.role_options("--model", checker.models)
    return shlex.join(["factscope", "meta", meta.dataset, "--method", checker.method, *models, "--format", "json"])
