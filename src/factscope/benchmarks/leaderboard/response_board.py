"""Stored runs of `factscope run` with a model for each response → a table of the models.

By factual precision, as in FactBench; for texts checked with `--cited`, by citation recall, as in ALCE.
"""

from __future__ import annotations

import shlex
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from math import fsum
from typing import NamedTuple

import numpy as np

from factscope.benchmarks.comparisons import ModelComparison, confirmed, standings, tested_pairs
from factscope.benchmarks.leaderboard import boards
from factscope.core import Outcome, Score, many
from factscope.methods.cited_method import CITED
from factscope.methods.cited_method import MEASURES as CITATION_MEASURES
from factscope.scoring import RESAMPLES, ReportCounts, count_units, least_coverage, summarise_all

MEASURES = ("factual_precision", "hallucination")


class _ResponseSummary(NamedTuple):
    """The values of a response that the table needs."""

    run: boards.RunRecord
    id: str
    prompt: str | None
    outcome: Outcome
    counts: ReportCounts
    words: int


class _Subject(NamedTuple):
    """One kind of table of models."""

    kind: boards.Kind
    measures: tuple[str, ...]
    """Scores of a row; the first ranks the models."""
    share: Callable[[_ResponseSummary], tuple[int, int]]
    """Count and total behind the first score of one response: `7 of 9`."""
    means: tuple[Callable[[_ResponseSummary], int], ...]
    """Numbers whose means are the columns after the scores, over responses with a first score."""
    words: str
    """Description of the count."""


def _subject(run: boards.RunRecord) -> _Subject:
    evidence = run.method.get("evidence")
    return _CITATIONS if isinstance(evidence, dict) and evidence.get("source") == CITED else _FACTS


_FACTS = _Subject(
    measures=MEASURES,
    kind="factual-precision",
    share=lambda summary: (summary.counts.units("supported"), summary.counts.judged),
    means=(
        lambda summary: summary.counts.judged,
        lambda summary: summary.counts.units("undecided", "no_evidence"),
        lambda summary: summary.counts.units("contradicted"),
        lambda summary: summary.words,
    ),
    words="supported",
)
_CITATIONS = _Subject(
    measures=CITATION_MEASURES,
    kind="citations",
    share=lambda summary: summary.counts.citations.get("citation_recall", (0, 0, 0))[:2],
    means=(
        lambda summary: summary.counts.citations.get("citation_precision", (0, 0, 0))[1],
        lambda summary: summary.words,
    ),
    words="sentences supported by what they cite",
)


def responses_board(runs: Sequence[boards.RunRecord], totals_only: Collection[str]) -> boards.Leaderboard:
    """Make the board of comparable runs."""
    subject = _subject(runs[0])
    by_model, nameless = _read(runs)
    unnamed = many(nameless, "response names", "responses name")
    again = "left out. Run again with the column: factscope run … --column model=NAME"
    refused = [f"{unnamed} no model: {again}"] if nameless else []
    scored: dict[str, tuple[Score, ...]] = {}
    for model, ones in by_model.items():
        scores = summarise_all((summary.run.reports[summary.id] for summary in ones), subject.measures)
        if scores[0].coverage is None or scores[0].value is None:
            reason = "nothing in its responses could be judged, or too little"
            refused.append(boards.MissingRow(f"{model} has no score: {reason}. Left out."))
        else:
            scored[model] = scores
    left_out = sum((Counter(run.left_out) for run in runs), Counter[str | None]())
    refused += [_left_out(model, n, has_responses=model in by_model) for model, n in left_out.items()]
    precise = {model: scores[0].value for model, scores in scored.items()}
    pairs = _confirmed({model: by_model[model] for model in scored}, subject)
    positions = standings(precise, pairs)
    rows = []
    for model, scores in scored.items():
        ones = by_model[model]
        shown = [summary for summary in ones if summary.run.id not in totals_only]
        rows.append(
            boards.BoardRow(
                name=model,
                figures=_figures(scores, ones, subject),
                coverage=scores[0].coverage or 0.0,
                n=scores[0].n,
                n_left_out=left_out[model],
                rank=positions[model],
                date=max(summary.run.date for summary in ones),
                signature=_signature(scores[0]),
                command=_command(ones[0].run),
                versions=_versions(ones),
                examples=tuple(_example(summary, subject) for summary in shown),
                notes=(_left_out(model, left_out[model], has_responses=True),) if left_out[model] else (),
                public=boards.Figure.of(precise[model]) if len(shown) == len(ones) else None,
            )
        )
    hidden = Counter[str]()
    for run in (run for run in runs if run.id in totals_only):
        hidden[run.title.rpartition("/")[2]] += len(run.reports)
    board = boards.empty_board(subject.kind)
    return replace(
        board,
        rows=boards.in_order(rows),
        facts=_facts(runs, board.columns[0].name),
        private=hidden,
        absent=tuple(refused),
        notes=tuple(refused),
    )


def _left_out(model: str | None, n: int, *, has_responses: bool) -> str:
    """Say how many rows of a model no figure counts."""
    rows = many(n, "row")
    if model is None:
        return f"{rows} of the data, of a model that is not known, could not be checked: no figure counts them."
    if not has_responses:
        return boards.MissingRow(f"{model} has no score: none of its rows ({n:,}) could be checked. Left out.")
    return f"{model}: {rows} of its data could not be checked, and no figure counts them."


def _read(runs: Iterable[boards.RunRecord]) -> tuple[dict[str, list[_ResponseSummary]], int]:
    summaries: dict[str, list[_ResponseSummary]] = defaultdict(list)
    nameless = 0
    for run in runs:
        for name, report in run.reports.items():
            response = report.response
            if response.model is None:
                nameless += 1
                continue
            outcome, counts, words = report.verdict().outcome, count_units(report), len(response.text.split())
            summary = _ResponseSummary(run, name, response.prompt, outcome, counts, words)
            summaries[response.model].append(summary)
    return summaries, nameless


def _figures(scores: Sequence[Score], ones: Sequence[_ResponseSummary], subject: _Subject) -> tuple[boards.Figure, ...]:
    counted = [summary for summary in ones if _has_score(summary, subject)]
    means = (fsum(map(number, counted)) / len(counted) if counted else None for number in subject.means)
    return *(boards.Figure.of(score.value, score.interval) for score in scores), *map(boards.Figure, means)


def _signature(score: Score) -> str:
    """Return the signature without the number of responses, which is the row's `n` and not a way of measuring."""
    return "|".join(part for part in score.signature.split("|") if not part.startswith("responses:"))


def _has_score(summary: _ResponseSummary, subject: _Subject) -> bool:
    """Return whether a response counts in the mean of the first score: enough of it was judged."""
    coverage = summary.counts.coverage
    enough = coverage is None or coverage >= least_coverage(summary.run.method)
    return enough and bool(subject.share(summary)[1])


def _confirmed(by_model: dict[str, list[_ResponseSummary]], subject: _Subject) -> list[tuple[str, str]]:
    """Return pairs (better, worse) that a paired test over common prompts tells apart, corrected by Holm."""
    values = {model: _by_prompt(ones, subject) for model, ones in by_model.items()}
    # Without a common prompt there is one difference of 0: p is then 1, and Holm counts the pair.
    gaps = {
        (a, b): np.array([values[a][key] - values[b][key] for key in values[a].keys() & values[b].keys()] or [0.0])
        for a, b in combinations(values, 2)
    }
    tests = tested_pairs(gaps, resamples=RESAMPLES, seed=0)
    comparisons = (ModelComparison(**test) for test in tests.values())
    return confirmed(comparisons, lambda pair: gaps[pair.first, pair.second].sum())


def _by_prompt(ones: Iterable[_ResponseSummary], subject: _Subject) -> dict[str, float]:
    """Return the first score by prompt: responses of two models go together when they answer the same one."""
    scores_by_prompt: dict[str, list[float]] = defaultdict(list)
    for summary in ones:
        k, n = subject.share(summary)
        if summary.prompt and _has_score(summary, subject):
            scores_by_prompt[summary.prompt].append(k / n)
    return {prompt: fsum(values) / len(values) for prompt, values in scores_by_prompt.items()}


def _example(summary: _ResponseSummary, subject: _Subject) -> boards.BoardExample:
    k, n = subject.share(summary)
    verdict = boards.ExampleVerdict("verdict", summary.outcome, f"{k} of {n} {subject.words}")
    return boards.BoardExample(summary.id, (verdict,), partial(summary.run.reports.__getitem__, summary.id))


def _command(run: boards.RunRecord) -> str:
    evidence = ["--evidence", "DOCUMENTS"] if run.evidence else []
    name, cited, _ = str(run.method.get("name", "")).partition("/cited")
    words = ["factscope", "run", "FILE", "--method", name, *boards.role_options("--model", run.models), *evidence]
    return shlex.join([*words, *(["--cited"] if cited else [])])


def _versions(ones: Sequence[_ResponseSummary]) -> tuple[tuple[str, str], ...]:
    runs = {summary.run.id: summary.run for summary in ones}
    return (
        *(("run", name) for name in runs),
        ("Factscope", ", ".join(dict.fromkeys(run.factscope for run in runs.values()))),
        ("evidence", ", ".join(dict.fromkeys(run.evidence or "none" for run in runs.values()))),
    )


def _facts(runs: Sequence[boards.RunRecord], ranked_by: str) -> tuple[tuple[str, str], ...]:
    first = runs[0]
    return (
        *(("responses", f"{len(run.reports)}{_and_left_out(run)}, run {run.id}, {run.date}") for run in runs),
        *boards.checker_facts(first.method, first.models, first.evidence),
        ("rank", f"by {ranked_by}; the range is what paired tests over common prompts leave"),
    )


def _and_left_out(run: boards.RunRecord) -> str:
    n = sum(run.left_out.values())
    return f" and {many(n, 'row')} left out" if n else ""
