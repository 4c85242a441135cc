"""Results of FACTS Grounding → a leaderboard. Of splits that are not public only totals are taken."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from factscope.benchmarks.comparisons import Standing, confirmed, standings
from factscope.benchmarks.facts_grounding import GroundingOutcome, read_with_files, summary_of
from factscope.benchmarks.facts_grounding.run_scores import GroundingSummary, ScoreTable
from factscope.benchmarks.facts_grounding.score_table import ModelDifference, covered, why_no_average
from factscope.benchmarks.leaderboard import boards
from factscope.benchmarks.leaderboard.entries import BoardEntry
from factscope.benchmarks.leaderboard.grounding_details import grounding_details
from factscope.core import same_family
from factscope.report.wording import excerpt
from factscope.scoring.intervals import RESAMPLES

_REQUEST = 120
"""Characters of a request in a list of examples."""


def grounding_board(
    paths: Sequence[Path], entries: Mapping[str, BoardEntry], public: Collection[str], find: boards.Find
) -> boards.Leaderboard:
    """Make the board of result files by the same judges on the same examples.

    A row without an average, which ranks, is refused. Raises the errors of `read_with_files`.
    """
    merged, files = read_with_files(paths)
    summary = summary_of(merged)
    table = summary.final or summary.unadjusted
    stored_runs = {model: find(file.run) for model, file in files.items()}
    shared = _shared(merged, public, stored_runs)
    positions, rows, refused = _standings(table), [], []
    for m, (model, row) in enumerate(zip(summary.models, table.rows, strict=True)):
        coverage = covered(row.cells)
        reason = why_no_average(row, merged.verdicts.least_coverage)
        if coverage is None or reason:
            lacking = "average" if coverage else "coverage"
            refused.append(boards.MissingRow(f"{model} has no {lacking}: {reason}. Left out."))
            continue
        file, stored, entry = files[model], stored_runs[model], entries.get(model)
        notes = (*boards.not_told_apart(model, _compared(table)), *([entry.notes] if entry and entry.notes else []))
        hashed = ("examples, SHA-256", merged.plan.examples.sha256)
        shown = [cell.score for cell in row.cells if cell.split in public and cell.score is not None]
        rows.append(
            boards.BoardRow(
                name=model,
                figures=_figures(summary, table, m, merged.panel.models),
                coverage=coverage,
                n=row.average.n,
                rank=positions[model],
                date=entry.date.isoformat() if entry else stored.date if stored else boards.time_of(file.made),
                signature=_signature(merged, file.factscope),
                command=(entry.command if entry else "") or _command(merged, model),
                versions=(("Factscope", file.factscope), ("run", file.run or "not kept"), hashed),
                examples=_examples(merged, summary, m, public, shared),
                notes=notes,
                link=entry.link if entry else None,
                public=boards.Figure(sum(shown) / len(shown)) if shown else None,
            )
        )
    sizes = Counter(example.split for example in merged.plan.rows)
    private = {split: sizes[split] for split in summary.splits if split not in public}
    return boards.empty_board(
        "facts-grounding",
        columns=_columns(summary),
        rows=boards.in_order(rows),
        facts=_facts(merged, private),
        absent=tuple(refused),
        private=private,
        shared=shared,
        details=tuple(grounding_details(merged, summary)),
        notes=(*merged.plan.examples.notes, *refused),
    )


def _compared(table: ScoreTable) -> list[ModelDifference]:
    """Return the tests of pairs of models that both have an average, and so a rank."""
    return [difference for difference in table.differences if difference.value is not None]


def _standings(table: ScoreTable) -> dict[str, Standing]:
    ranked = [(row, fused.rank) for row, fused in zip(table.rows, table.standings, strict=True)]
    ranks = {row.model: rank for row, rank in ranked if rank is not None}
    pairs = confirmed(_compared(table), lambda difference: difference.value)
    return standings({row.model: row.average.score for row, _ in ranked}, pairs, ranks)


def _columns(summary: GroundingSummary) -> tuple[boards.Column, ...]:
    cells = [
        boards.Column(
            f"{cell.judge}, {cell.split}", f"share accurate by {cell.judge} on {cell.split}; Wilson’s interval"
        )
        for cell in summary.unadjusted.rows[0].cells
    ]
    return (
        boards.Column("average", "mean over judges and splits; bootstrap over examples"),
        *cells,
        boards.Column("before phase B", "the average without taking out ineligible answers"),
        boards.Column("ineligible", "answers that all judges call ineligible", "count", higher_is_better=False),
    )


def _figures(
    summary: GroundingSummary, table: ScoreTable, m: int, judge_models: Sequence[str]
) -> tuple[boards.Figure, ...]:
    row, before = table.rows[m], summary.unadjusted.rows[m]
    effect = summary.effects[m] if summary.effects else None
    marks = {judge: _mark(row.model, model) for judge, model in zip(summary.judges, judge_models, strict=True)}
    return (
        boards.Figure.of(row.average.score, row.average.bootstrap),
        *(boards.Figure.of(cell.score, cell.wilson, marks[cell.judge]) for cell in row.cells),
        boards.Figure.of(before.average.score, before.average.bootstrap),
        boards.Figure(effect.n_ineligible if effect else None),
    )


def _mark(model: str, judge: str) -> str:
    if model == judge:
        return "judges itself"
    return "judge of its family" if same_family(model, judge) else ""


def _shared(
    merged: GroundingOutcome, public: Collection[str], stored_runs: Mapping[str, boards.RunRecord | None]
) -> tuple[boards.SharedExample, ...]:
    """Return the public examples whose answers are kept, each with those of all models."""
    shared = []
    runs = {model: (run, set(run.reports)) for model, run in stored_runs.items() if run}
    for row in merged.plan.rows:
        names = {model: f"{row.id}/{model}" for model in runs}
        answers = tuple(
            (model, partial(run.reports.__getitem__, names[model]))
            for model, (run, ids) in runs.items()
            if names[model] in ids
        )
        if answers and row.split in public:
            prompt = answers[0][1]().response.prompt or ""
            shared.append(boards.SharedExample(row.id, excerpt(prompt, _REQUEST), answers))
    return tuple(shared)


def _examples(
    merged: GroundingOutcome,
    summary: GroundingSummary,
    m: int,
    public: Collection[str],
    shared: Sequence[boards.SharedExample],
) -> tuple[boards.BoardExample, ...]:
    pages = {example.id: (number, example) for number, example in enumerate(shared, 1)}
    results = []
    for e, row in enumerate(merged.plan.rows):
        if row.split not in public:
            continue
        number, example = pages.get(row.id, (None, None))
        answered = example is not None and summary.models[m] in dict(example.answers)
        request = example.request if example else ""
        verdicts = tuple(_verdicts(merged, summary, e, m))
        results.append(boards.BoardExample(row.id, verdicts, request=request, shared=number if answered else None))
    return tuple(results)


def _verdicts(merged: GroundingOutcome, summary: GroundingSummary, e: int, m: int) -> Iterator[boards.ExampleVerdict]:
    verdicts = merged.verdicts
    for j, judge in enumerate(summary.judges):
        grounded = verdicts.accurate[e, m, j]
        out = verdicts.ineligible[e, m, j] if verdicts.ineligible is not None else 0.0
        if grounded != grounded:
            yield boards.ExampleVerdict(judge, "failed", "missing")
        elif out == 1:
            yield boards.ExampleVerdict(judge, "contradicted", "grounded, ineligible" if grounded else "neither")
        elif grounded:
            yield boards.ExampleVerdict(judge, "supported", "grounded")
        else:
            yield boards.ExampleVerdict(judge, "undecided", "not grounded")


def _signature(merged: GroundingOutcome, version: str) -> str:
    judges = "+".join(f"{model}:{template}" for model, template in merged.panel.judges)
    eligible = "yes" if merged.panel.method.eligible else "no"
    return (
        f"facts-grounding|judges={judges}|phase_b={eligible}|examples={merged.plan.examples.sha256[:12]}"
        f"|bootstrap={RESAMPLES}|seed=0|factscope={version}"
    )


def _command(merged: GroundingOutcome, model: str) -> str:
    data = [word for split in merged.plan.examples.splits for word in ("--data", f"{split}=FILE")]
    judges = [word for judge, template in merged.panel.judges for word in ("--judge", f"{template}={judge}")]
    return shlex.join(["factscope", "bench", "facts-grounding", *data, "--model", model, *judges, "-o", "result.json"])


def _facts(merged: GroundingOutcome, private: Mapping[str, int]) -> tuple[tuple[str, str], ...]:
    splits = ", ".join(f"{name} (totals only)" if name in private else name for name in merged.plan.examples.splits)
    judges = [
        (f"judge {number}", f"{model}, template {template}")
        for number, (model, template) in enumerate(merged.panel.judges, 1)
    ]
    return (
        ("examples", f"{len(merged.plan.rows)}, SHA-256 of their texts {merged.plan.examples.sha256}"),
        ("splits", splits),
        *judges,
        ("method", f"{merged.panel.method.name}: {merged.panel.method.title}"),
        ("cites", merged.panel.method.cites or "none"),
        ("rank", "pairwise majority over judges and splits, then the average; the range is what paired tests leave"),
    )
