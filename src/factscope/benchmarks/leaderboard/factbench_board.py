"""Results of `bench factbench` → a leaderboard for each tier; there is no row over all of them unless asked for."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from factscope.benchmarks.comparisons import Standing
from factscope.benchmarks.factbench import OVERALL, MergedFactBench, ResponseEntry, Tier, TierRow, read_results
from factscope.benchmarks.leaderboard import boards
from factscope.core import many
from factscope.report.states import State


def factbench_boards(paths: Sequence[Path], find: boards.Find, *, totals_only: bool) -> list[boards.Leaderboard]:
    """Make a board for each tier of comparable result files; the first has the notes on parts left out of all.

    With `totals_only` no prompt or response is shown. Raises the errors of `read_results`.
    """
    merged = read_results(paths)
    runs = {model: find(result.run) for model, result in merged.by_model.items()}
    done = []
    for tier in merged.summary().tiers:
        rows, refused = [], []
        for row in tier.rows:
            if row.precision.value is None or row.coverage is None:
                reason = f"has no coverage in {tier.name}: nothing there could be judged"
                refused.append(boards.MissingRow(f"{row.model} {reason}. Left out."))
            else:
                rows.append(_row(merged, tier, row, row.coverage, runs[row.model], totals_only=totals_only))
        done.append(replace(_board(merged, tier, rows, totals_only=totals_only), absent=tuple(refused)))
    notes = (*merged.notes, *(note for board in done for note in board.absent))
    return [replace(board, notes=() if index else notes) for index, board in enumerate(done)]


def _board(
    merged: MergedFactBench, tier: Tier, rows: Sequence[boards.BoardRow], *, totals_only: bool
) -> boards.Leaderboard:
    private = {tier.name: tier.n_prompts} if totals_only else {}
    title = f"FactBench: {tier.name}"
    return boards.empty_board(
        "factbench", title=title, rows=boards.in_order(rows), facts=_facts(merged, tier), private=private
    )


def _row(
    merged: MergedFactBench,
    tier: Tier,
    row: TierRow,
    coverage: float,
    stored: boards.RunRecord | None,
    *,
    totals_only: bool,
) -> boards.BoardRow:
    result = merged.by_model[row.model]
    return boards.BoardRow(
        name=row.model,
        figures=_figures(row),
        coverage=coverage,
        n=row.precision.n,
        rank=Standing(row.rank, row.tied, row.best, row.worst),
        date=stored.date if stored else boards.time_of(result.made),
        signature=_signature(merged, tier, result.factscope),
        command=_command(merged, row.model),
        versions=(
            ("Factscope", result.factscope),
            ("run", result.run or "not kept"),
            ("prompts, SHA-256", result.prompts.sha256),
        ),
        examples=() if totals_only else _examples(merged.entries, tier.name, row.model, stored),
        notes=tuple(_notes(tier, row)),
        public=None if totals_only else boards.Figure.of(row.precision.value),
    )


def _figures(row: TierRow) -> tuple[boards.Figure, ...]:
    return (
        *(boards.Figure.of(mean.value, mean.interval) for mean in (row.precision, row.hallucination)),
        *(boards.Figure(value) for value in (row.words, row.units, row.undecided, row.contradicted)),
        *(boards.Figure.of(mean.value, mean.interval) for mean in (row.refusals_as_zero, row.refusals.rate)),
    )


def _examples(
    entries: Sequence[ResponseEntry], tier: str, model: str, stored: boards.RunRecord | None
) -> tuple[boards.BoardExample, ...]:
    stored_ids = set(stored.reports) if stored else set()
    results = []
    for entry in entries:
        if entry.model == model and tier in (entry.tier, OVERALL):
            name = f"{entry.id}/{entry.model}"
            report = partial(stored.reports.__getitem__, name) if stored and name in stored_ids else None
            results.append(boards.BoardExample(entry.id, (_verdict(entry),), report))
    return tuple(results)


def _verdict(entry: ResponseEntry) -> boards.ExampleVerdict:
    state: State
    if entry.state != "checked":
        state = "failed" if entry.state == "missing" else "not_checkable"
        return boards.ExampleVerdict("verdict", state, entry.state.replace("_", " "))
    if entry.n:
        state = "contradicted" if entry.contradicted else "undecided" if entry.undecided else "supported"
        words = f"{entry.supported} of {entry.n} supported"
    else:
        state, words = ("failed", "nothing could be judged") if entry.failed else ("not_checkable", "nothing to verify")
    return boards.ExampleVerdict("verdict", state, f"{'refuses; ' if entry.refuses else ''}{words}")


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
    kind, _, remainder = (own_file.evidence or "").partition("-")
    search_flags = ["--evidence", "DOCUMENTS"] if kind else []
    if kind == "web":
        search_flags = ["--search", remainder.rpartition("-")[0]]
    judges = boards.role_options("--judge", dict(sorted(first.models.items())))
    method = ["--method", str(first.method.get("name", ""))]
    words = ["factscope", "bench", "factbench", "--data", "PROMPTS", *answered, *method, *judges, *search_flags]
    return shlex.join([*words, "--alpha", f"{first.settings.alpha:g}", "-o", "result.json"])


def _notes(tier: Tier, row: TierRow) -> Iterator[str]:
    yield from boards.not_told_apart(row.model, tier.compared)
    if n_left_out := row.n_without_units + row.n_no_answer + row.n_missing:
        left_out = many(n_left_out, "response is", "responses are")
        yield f"{left_out} in no mean: empty, missing, or with nothing to verify."
    needless = row.refusals.unjustified
    if needless.n:
        yield f"{needless.k} of {many(needless.n, 'refusal is', 'refusals are')} not justified."


def _facts(merged: MergedFactBench, tier: Tier) -> tuple[tuple[str, str], ...]:
    first, alpha = merged.first, []
    if stable := tier.sensitivity:
        held = f"{stable.stable_from:.2f} to {stable.stable_to:.2f}"
        order = f"the order by hallucination score at {stable.reference:g} holds from {held}"
        alpha = [("alpha", f"{first.settings.alpha:g}; {order}")]
    return (
        ("prompts", f"{tier.n_prompts} of the tier {tier.name}, SHA-256 of all prompts {first.prompts.sha256}"),
        *boards.checker_facts(first.method, dict(sorted(first.models.items())), first.evidence),
        ("refusals typed by", first.refusals_by),
        *alpha,
        ("rank", "by factual precision within the tier; the range is what paired tests over common prompts leave"),
    )
