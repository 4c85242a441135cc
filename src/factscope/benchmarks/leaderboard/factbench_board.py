"""Results of `bench factbench` → a leaderboard for each tier; there is no row over all of them unless asked for."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from factscope.benchmarks.factbench.factbench_result import MergedFactBench, read_results
from factscope.benchmarks.factbench.tiers import OVERALL, ResponseEntry, Tier, TierRow
from factscope.benchmarks.leaderboard.board import (
    BY_THE_EVIDENCE,
    ONE_CHECKER,
    PRECISE_IF_SHORT,
    PRECISION,
    UNITS,
    BoardExample,
    BoardRank,
    BoardRow,
    Column,
    ExampleVerdict,
    Figure,
    Leaderboard,
    figure,
)
from factscope.benchmarks.leaderboard.run_record import Find, RunRecord, time_of
from factscope.core.plurals import many
from factscope.report.states import State
from factscope.scoring.means import Mean

_COLUMNS = (
    PRECISION,
    Column(
        "hallucination score",
        "mean of (unsupported + alpha × undecidable) / √units; lower is better",
        "number",
        higher_is_better=False,
    ),
    Column("words", "mean length of a response in words; the published table has tokens", "number"),
    UNITS,
    Column("undecidable", "mean number of units that evidence does not settle", "number", higher_is_better=False),
    Column("unsupported", "mean number of units that evidence contradicts", "number", higher_is_better=False),
    Column("refusals as 0", "factual precision with 0 for every refusal and every empty answer"),
    Column("refused", "share of responses that refuse; Wilson’s interval", higher_is_better=False),
)
_LIMITS = (
    ONE_CHECKER,
    "A tier is that of the model that answered its prompts when they were logged, not how hard they were found to be.",
    PRECISE_IF_SHORT,
    "Responses without a single unit to judge are in none of the means but that with refusals as 0.",
    "Prompts are public, and may have been learnt by a model that was trained after they appeared.",
    BY_THE_EVIDENCE,
)


def factbench_boards(
    paths: Sequence[Path], find: Find, *, totals_only: bool
) -> tuple[list[Leaderboard], tuple[str, ...]]:
    """Make a board for each tier of comparable result files, and notes on parts left out.

    With `totals_only` no prompt or response is shown. Raises the errors of `read_results`.
    """
    merged = read_results(paths)
    runs = {model: find(result.run) for model, result in merged.by_model.items()}
    refused: list[str] = []
    boards = []
    for tier in merged.summary().tiers:
        rows = []
        for row in tier.rows:
            coverage = _coverage(merged.entries, tier.name, row.model)
            if row.precision.value is None or coverage is None:
                refused.append(f"{row.model} has no coverage in {tier.name}: nothing there could be judged. Left out.")
            else:
                rows.append(_row(merged, tier, row, coverage, runs[row.model], totals_only=totals_only))
        boards.append(_board(merged, tier, rows, totals_only=totals_only))
    return boards, (*merged.notes, *refused)


def _board(merged: MergedFactBench, tier: Tier, rows: Sequence[BoardRow], *, totals_only: bool) -> Leaderboard:
    return Leaderboard(
        kind="factbench",
        title=f"FactBench: {tier.name}",
        about="How much of what models state in answer to prompts of real users is supported by evidence, with "
        "95\u00a0% intervals.",
        unit="model",
        columns=_COLUMNS,
        rows=tuple(sorted(rows, key=lambda row: (row.rank.rank, row.name))),
        facts=_facts(merged, tier),
        limits=_LIMITS,
        private={tier.name: tier.n_prompts} if totals_only else {},
    )


def _row(
    merged: MergedFactBench, tier: Tier, row: TierRow, coverage: float, stored: RunRecord | None, *, totals_only: bool
) -> BoardRow:
    result = merged.by_model[row.model]
    return BoardRow(
        name=row.model,
        figures=_figures(row),
        coverage=coverage,
        n=row.precision.n,
        rank=BoardRank(row.rank, row.tied, row.best, row.worst),
        date=stored.date if stored else time_of({"made": result.made}),
        signature=_signature(merged, tier, result.factscope),
        command=_command(merged, row.model),
        versions=(
            ("Factscope", result.factscope),
            ("run", result.run or "not kept"),
            ("prompts, SHA-256", result.prompts.sha256),
        ),
        examples=() if totals_only else _examples(merged.entries, tier.name, row.model, stored),
        notes=_notes(tier, row),
        public=None if totals_only else figure(row.precision.value),
    )


def _coverage(entries: Sequence[ResponseEntry], tier: str, model: str) -> float | None:
    """Return the share of units with a verdict, times the share of responses that are there."""
    in_tier = [entry for entry in entries if entry.model == model and tier in (entry.tier, OVERALL)]
    judged = sum(prediction.n for prediction in in_tier)
    total = judged + sum(prediction.failed for prediction in in_tier)
    n_present = sum(prediction.state != "missing" for prediction in in_tier)
    return judged / total * n_present / len(in_tier) if judged else None


def _figures(row: TierRow) -> tuple[Figure, ...]:
    rate = row.refusals.rate
    return (
        _of(row.precision),
        _of(row.hallucination),
        *(Figure(value) for value in (row.words, row.units, row.undecided, row.contradicted)),
        _of(row.refusals_as_zero),
        figure(rate.value, rate.interval),
    )


def _of(mean: Mean) -> Figure:
    return figure(mean.value, mean.interval)


def _examples(
    entries: Sequence[ResponseEntry], tier: str, model: str, stored: RunRecord | None
) -> tuple[BoardExample, ...]:
    stored_ids = set(stored.reports) if stored else set()
    results = []
    for entry in entries:
        name = f"{entry.id}/{entry.model}"
        if entry.model == model and tier in (entry.tier, OVERALL):
            report = partial(stored.reports.__getitem__, name) if stored and name in stored_ids else None
            results.append(BoardExample(entry.id, (_verdict(entry),), report))
    return tuple(results)


def _verdict(entry: ResponseEntry) -> ExampleVerdict:
    if entry.state != "checked":
        return ExampleVerdict(
            "verdict", "failed" if entry.state == "missing" else "not_checkable", entry.state.replace("_", " ")
        )
    state: State = "contradicted" if entry.contradicted else "undecided" if entry.undecided else "supported"
    refuses = "refuses; " if entry.refuses else ""
    if not entry.n:
        return ExampleVerdict("verdict", "failed" if entry.failed else "not_checkable", f"{refuses}nothing to verify")
    return ExampleVerdict("verdict", state, f"{refuses}{entry.supported} of {entry.n} supported")


def _signature(merged: MergedFactBench, tier: Tier, version: str) -> str:
    first = merged.first
    models = "+".join(f"{role}:{model}" for role, model in sorted(first.models.items()))
    settings = first.settings
    return (
        f"factbench|tier={tier.name}|method={first.method.get('name')}|models={models}|alpha={settings.alpha:g}"
        f"|prompts={first.prompts.sha256[:12]}|evidence={(first.evidence or 'none')[:12]}"
        f"|bootstrap={settings.resamples}|seed={settings.seed}|factscope={version}"
    )


def _command(merged: MergedFactBench, model: str) -> str:
    first, own_file = merged.first, merged.by_model[model]
    answered = ["--answers", "FILE"] if model in own_file.answers_from_file else ["--model", model]
    evidence = own_file.evidence or ""
    kind, _, remainder = evidence.partition("-")
    search_flags = (
        ["--search", remainder.rpartition("-")[0]] if kind == "web" else ["--evidence", "DOCUMENTS"] if evidence else []
    )
    judges = [word for role, name in sorted(first.models.items()) for word in ("--judge", f"{role}={name}")]
    method = ["--method", str(first.method.get("name", ""))]
    words = ["factscope", "bench", "factbench", "--data", "PROMPTS", *answered, *method, *judges, *search_flags]
    return shlex.join([*words, "--alpha", f"{first.settings.alpha:g}", "-o", "result.json"])


def _notes(tier: Tier, row: TierRow) -> tuple[str, ...]:
    unsure = [
        pair.second if pair.first == row.model else pair.first
        for pair in tier.compared
        if row.model in (pair.first, pair.second) and pair.finding != "differs"
    ]
    needless = row.refusals.unjustified
    n_left_out = row.n_without_units + row.n_no_answer + row.n_missing
    return (
        *((f"Not told apart from {', '.join(unsure)} by a paired test at 5\u00a0%.",) if unsure else ()),
        *(
            (
                f"{many(n_left_out, 'response is', 'responses are')} in no mean: empty, missing, or with"
                " nothing to verify.",
            )
            if n_left_out
            else ()
        ),
        *((f"{needless.k} of {many(needless.n, 'refusal is', 'refusals are')} not justified.",) if needless.n else ()),
    )


def _facts(merged: MergedFactBench, tier: Tier) -> tuple[tuple[str, str], ...]:
    first = merged.first
    models: Mapping[str, str] = first.models
    stable = tier.sensitivity
    return (
        ("prompts", f"{tier.n_prompts} of the tier {tier.name}, SHA-256 of all prompts {first.prompts.sha256}"),
        ("checker", f"{first.method.get('name')}: {first.method.get('title')}"),
        ("cites", str(first.method.get("cites") or "none")),
        *((f"model for {role}", model) for role, model in sorted(models.items())),
        ("evidence", first.evidence or "none"),
        ("refusals typed by", first.refusals_by),
        *((("alpha", _alpha(first.settings.alpha, stable.stable_from, stable.stable_to)),) if stable else ()),
        ("rank", "by factual precision within the tier; the range is what paired tests over common prompts leave"),
    )


def _alpha(alpha: float, low: float, high: float) -> str:
    return f"{alpha:g}; the order by hallucination score at 0.5 holds from {low:.2f} to {high:.2f}"
