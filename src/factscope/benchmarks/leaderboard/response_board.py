"""Kept runs of `factscope run` with a model for each response → factual precision by model, as FactBench has it."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from itertools import combinations
from math import fsum
from typing import NamedTuple

from factscope.benchmarks.leaderboard.board import (
    BoardExample,
    BoardRow,
    Column,
    ExampleVerdict,
    Figure,
    Leaderboard,
    figure,
    standings,
)
from factscope.benchmarks.leaderboard.run_record import RunRecord
from factscope.core.labels import Outcome
from factscope.core.records import Score
from factscope.scoring import summarise_all
from factscope.scoring.counts import ReportCounts, count_units
from factscope.scoring.paired_tests import finding, holm, sign_flip

MEASURES = ("factual_precision", "hallucination")
_COLUMNS = (
    Column("factual precision", "mean over responses of supported / judged units; bootstrap over responses"),
    Column(
        "hallucination",
        "mean of (contradicted + 0.5 × undecided) / √units; lower is better",
        "number",
        higher_is_better=False,
    ),
    Column("units", "mean number of judged units in a response", "number"),
    Column("undecided", "mean number of undecided units", "number", higher_is_better=False),
    Column("contradicted", "mean number of contradicted units", "number", higher_is_better=False),
    Column("words", "mean length of a response", "number"),
)
_LIMITS = (
    "Figures compare models under one checker; another checker cuts other units, and its figures can’t be laid beside "
    "these.",
    "Factual precision says nothing of what a response leaves out: a short one is precise more easily.",
    "Responses without a single unit to judge, such as refusals, are in none of the means.",
    "A verdict says what the evidence at hand says, not what is true.",
)


class _ResponseSummary(NamedTuple):
    """Summary of a response in memory."""

    run: RunRecord
    id: str
    model: str
    prompt: str | None
    outcome: Outcome
    counts: ReportCounts
    words: int


def responses_board(runs: Sequence[RunRecord], totals_only: Collection[str]) -> tuple[Leaderboard, tuple[str, ...]]:
    """The board of runs that checked alike, and what was left out of it."""
    by_model, nameless = _read(runs)
    refused = [f"{nameless} responses name no model: left out. Name a column: --column model=…"] if nameless else []
    scored: dict[str, tuple[Score, ...]] = {}
    for model, ones in by_model.items():
        scores = summarise_all((summary.run.reports[summary.id] for summary in ones), MEASURES)
        if scores[0].coverage is None or scores[0].value is None:
            refused.append(f"{model} has no coverage: nothing in its responses could be judged. Left out.")
        else:
            scored[model] = scores
    precise = {model: scores[0].value for model, scores in scored.items()}
    confirmed = _confirmed({model: by_model[model] for model in scored})
    positions = standings(precise, confirmed)
    rows = [
        BoardRow(
            name=model,
            figures=_figures(scores, by_model[model]),
            coverage=scores[0].coverage or 0.0,
            n=scores[0].n,
            rank=positions[model],
            date=max(summary.run.date for summary in by_model[model]),
            signature=scores[0].signature,
            command=_command(by_model[model][0].run),
            versions=_versions(by_model[model]),
            examples=tuple(_example(summary) for summary in by_model[model] if summary.run.id not in totals_only),
            public=None
            if any(summary.run.id in totals_only for summary in by_model[model])
            else figure(precise[model]),
        )
        for model, scores in scored.items()
    ]
    rows.sort(key=lambda row: (row.rank.rank, row.name))
    hidden = {run.title.rpartition("/")[2]: len(run.reports) for run in runs if run.id in totals_only}
    board = Leaderboard(
        kind="factual-precision",
        title="Factual precision",
        about="How much of what models state is supported by evidence, with 95\u00a0% intervals.",
        unit="model",
        columns=_COLUMNS,
        rows=tuple(rows),
        facts=_facts(runs),
        limits=_LIMITS,
        private=hidden,
    )
    return board, tuple(refused)


def _read(runs: Iterable[RunRecord]) -> tuple[dict[str, list[_ResponseSummary]], int]:
    summaries: dict[str, list[_ResponseSummary]] = defaultdict(list)
    nameless = 0
    for run in runs:
        for name, report in run.reports.items():
            response = report.response
            if response.model is None:
                nameless += 1
                continue
            outcome, n_words = report.verdict().outcome, len(response.text.split())
            summary = _ResponseSummary(
                run, name, response.model, response.prompt, outcome, count_units(report), n_words
            )
            summaries[response.model].append(summary)
    return summaries, nameless


def _figures(scores: Sequence[Score], ones: Sequence[_ResponseSummary]) -> tuple[Figure, ...]:
    counted = [summary for summary in ones if summary.counts.judged]
    return (
        *(figure(score.value, score.interval) for score in scores),
        _mean(item.counts.judged for item in counted),
        _mean(item.counts.units("undecided", "no_evidence") for item in counted),
        _mean(item.counts.units("contradicted") for item in counted),
        _mean(item.words for item in counted),
    )


def _mean(values: Iterable[int]) -> Figure:
    results = list(values)
    return Figure(fsum(results) / len(results) if results else None)


def _confirmed(by_model: dict[str, list[_ResponseSummary]]) -> list[tuple[str, str]]:
    """Pairs (better, worse) that a paired test over common prompts tells apart, corrected for their number (Holm)."""
    values = {model: _by_prompt(ones) for model, ones in by_model.items()}
    pairs = list(combinations(values, 2))
    gaps = [[values[a][key] - values[b][key] for key in values[a].keys() & values[b].keys()] for a, b in pairs]
    ps = holm([sign_flip(gap) if gap else 1.0 for gap in gaps])
    return [
        (a, b) if fsum(group) > 0 else (b, a)
        for (a, b), group, p in zip(pairs, gaps, ps, strict=True)
        if finding(p, len(group), len(pairs)) == "differs"
    ]


def _by_prompt(ones: Iterable[_ResponseSummary]) -> dict[str, float]:
    """Factual precision by prompt: responses of two models go together when they answer the same one."""
    scores_by_prompt: dict[str, list[float]] = defaultdict(list)
    for summary in ones:
        if summary.prompt and summary.counts.judged:
            scores_by_prompt[summary.prompt].append(summary.counts.units("supported") / summary.counts.judged)
    return {prompt: fsum(values) / len(values) for prompt, values in scores_by_prompt.items()}


def _example(summary: _ResponseSummary) -> BoardExample:
    words = f"{summary.counts.units('supported')} of {summary.counts.judged} supported"
    return BoardExample(
        summary.id,
        (ExampleVerdict("verdict", summary.outcome, words),),
        partial(summary.run.reports.__getitem__, summary.id),
    )


def _command(run: RunRecord) -> str:
    models = [word for role, model in run.models.items() for word in ("--model", f"{role}={model}")]
    evidence = ["--evidence", "DOCUMENTS"] if run.evidence else []
    return shlex.join(["factscope", "run", "FILE", "--method", str(run.method.get("name", "")), *models, *evidence])


def _versions(ones: Sequence[_ResponseSummary]) -> tuple[tuple[str, str], ...]:
    runs = {summary.run.id: summary.run for summary in ones}
    return (
        *(("run", name) for name in runs),
        ("Factscope", ", ".join(dict.fromkeys(run.factscope for run in runs.values()))),
        ("evidence", ", ".join(dict.fromkeys(run.evidence or "none" for run in runs.values()))),
    )


def _facts(runs: Sequence[RunRecord]) -> tuple[tuple[str, str], ...]:
    first = runs[0]
    return (
        *(("responses", f"{len(run.reports)}, run {run.id}, {run.date}") for run in runs),
        ("checker", f"{first.method.get('name')}: {first.method.get('title')}"),
        ("cites", str(first.method.get("cites") or "none")),
        *((f"model for {role}", model) for role, model in first.models.items()),
        ("evidence", first.evidence or "none"),
        ("rank", "by factual precision; the range is what paired tests over common prompts leave"),
    )
