"""Results of `factscope meta` → a leaderboard of checkers against people's labels."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from factscope.benchmarks.leaderboard.board import (
    BoardExample,
    BoardRow,
    Column,
    ExampleVerdict,
    Figure,
    Leaderboard,
    standings,
)
from factscope.benchmarks.leaderboard.run_record import Find, time_of
from factscope.benchmarks.meta_eval.evaluation_words import MEANINGS, PLURALS, TITLES
from factscope.core.errors import InputError
from factscope.core.labels import Outcome
from factscope.core.records import Level

_FINEST: tuple[Level, ...] = ("claim", "segment", "response")
_MEASURES = ("f1", "precision", "recall", "balanced_accuracy", "kappa", "auroc")
_NUMBERS = ("kappa", "auroc")
_LIMITS = (
    "The labels are people’s, and people err: look at where a checker and people disagree before you trust a rank.",
    "Public labels may have been learnt by the models inside a checker.",
    "Checkers that cut a text themselves are measured by what overlaps the labelled units.",
    "Intervals are bootstrap intervals over whole responses; with fewer than ten of them there are none.",
)


class _LenientMetaModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _Figures(_LenientMetaModel):
    n: int
    n_answered: int
    coverage: float | None
    error: dict[str, float | None] = {}
    balanced_accuracy: float | None = None
    kappa: float | None = None
    auroc: float | None = None
    intervals: dict[str, tuple[float, float]] = {}

    def figure(self, name: str) -> Figure:
        value = self.error[name] if name in self.error else getattr(self, name, None)
        low, high = self.intervals.get(name, (None, None))
        return Figure(value, low, high)


class _MetaEvidence(_LenientMetaModel):
    text: str
    source: str = ""


class _MetaCase(_LenientMetaModel):
    sample: str
    unit: str
    text: str
    wrong: bool
    outcome: Outcome | None = None
    reason: str | None = None
    comment: str | None = None
    evidence: tuple[_MetaEvidence, ...] = ()


class _Disagreements(_LenientMetaModel):
    n: int = 0
    shown: tuple[_MetaCase, ...] = ()


class _MetaChecker(_LenientMetaModel):
    method: str
    models: dict[str, str] = {}
    run: str | None = None
    levels: dict[Level, _Figures]
    disagreements: _Disagreements = _Disagreements()


class _Pairing(_LenientMetaModel):
    level: Level
    first: str
    second: str
    findings: dict[str, str] = {}
    contrasts: tuple[dict[str, Any], ...] = ()


class _Meta(_LenientMetaModel):
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


def checkers_board(path: Path, find: Find, *, totals_only: bool) -> tuple[Leaderboard, tuple[str, ...]]:
    """The board of one result at its finest level, and what was left out. Raises InputError for another file."""
    try:
        meta = _Meta.model_validate(json.loads(path.read_bytes()))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise InputError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg'].lower()}.") from None
    level = next(level for level in _FINEST if level in meta.methods[0].levels)
    refused, rows = [], []
    good: list[_MetaChecker] = []
    for method in meta.methods:
        if (
            level in method.levels
            and method.levels[level].coverage
            and method.levels[level].figure("f1").value is not None
        ):
            good.append(method)
        else:
            refused.append(f"{method.method} has no coverage on {meta.dataset}: it judged nothing. Left out.")
    positions = standings(
        {checker.method: checker.levels[level].figure("f1").value for checker in good}, _confirmed(meta, level)
    )
    for method in good:
        figures, stored = method.levels[level], find(method.run or "")
        rows.append(
            BoardRow(
                name=method.method,
                figures=tuple(figures.figure(name) for name in _MEASURES),
                coverage=figures.coverage or 0.0,
                n=figures.n_answered,
                rank=positions[method.method],
                date=stored.date if stored else time_of(meta.model_dump(include={"made"})),
                signature=_signature(meta, level),
                command=_command(meta, method),
                versions=(("Factscope", meta.factscope), ("run", method.run or "recorded predictions")),
                examples=() if totals_only else tuple(_example(case, level) for case in method.disagreements.shown),
                notes=(f"{method.disagreements.n} {PLURALS[level]} on which it and people disagree.",),
            )
        )
    rows.sort(key=lambda row: (row.rank.rank, row.name))
    return _board(meta, level, rows, totals_only=totals_only), tuple(refused)


def _signature(meta: _Meta, level: Level) -> str:
    return (
        f"meta|dataset={meta.dataset}:{(meta.sha256 or 'unknown')[:12]}|level={level}|rule={meta.rule}"
        f"|units={meta.units}|bootstrap={meta.resamples}|seed={meta.seed}|factscope={meta.factscope}"
    )


def _board(meta: _Meta, level: Level, rows: Sequence[BoardRow], *, totals_only: bool) -> Leaderboard:
    return Leaderboard(
        kind="meta",
        title=f"Checkers on {meta.dataset}",
        about=f"How well checkers find the {PLURALS[level]} that people call wrong, with 95\u00a0% intervals.",
        unit="checker",
        columns=tuple(
            Column(TITLES[name], MEANINGS[name], "number" if name in _NUMBERS else "share") for name in _MEASURES
        ),
        rows=tuple(rows),
        facts=(
            ("data set", f"{meta.dataset}, {meta.n_samples} samples"),
            ("SHA-256", meta.sha256 or "unknown"),
            ("licence", meta.licence or "unknown"),
            ("units", meta.units),
            ("flagged", meta.rule),
            ("rank", "by F1 of errors; the range is what paired tests leave"),
        ),
        limits=_LIMITS,
        private={meta.dataset: meta.n_samples} if totals_only else {},
    )


def _confirmed(meta: _Meta, level: Level) -> list[tuple[str, str]]:
    results = []
    for pairing in meta.pairings:
        gap = next((c.get("value") for c in pairing.contrasts if c.get("measure") == "f1"), None)
        if pairing.level == level and pairing.findings.get("f1") == "differs" and gap:
            results.append((pairing.second, pairing.first) if gap > 0 else (pairing.first, pairing.second))
    return results


def _example(case: _MetaCase, level: Literal["claim", "segment", "response"]) -> BoardExample:
    state, word = ("contradicted", "wrong, not flagged") if case.wrong else ("undecided", "right, but flagged")
    verdict = ExampleVerdict(
        "people", "contradicted" if case.wrong else "supported", "wrong" if case.wrong else "right"
    )
    text = ExampleVerdict("checker", case.outcome or ("supported" if state == "contradicted" else "contradicted"), word)
    evidence = tuple(
        f"{passage.source}: {passage.text}" if passage.source else passage.text for passage in case.evidence
    )
    lines = tuple(filter(None, (case.text, case.reason, case.comment, *evidence)))
    return BoardExample(f"{case.sample} {level} {case.unit}", (verdict, text), lines=lines)


def _command(meta: _Meta, checker: _MetaChecker) -> str:
    if checker.run is None:
        return shlex.join(["factscope", "meta", meta.dataset, "--predictions", "FILE", "--format", "json"])
    models = [word for role, model in checker.models.items() for word in ("--model", f"{role}={model}")]
    return shlex.join(["factscope", "meta", meta.dataset, "--method", checker.method, *models, "--format", "json"])
