"""The tables of FACTS Grounding beside its board: what its judges are like, and where models fail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from factscope.benchmarks.facts_grounding.breakdowns import PartScore, by_parts, tags_of
from factscope.benchmarks.facts_grounding.grounding_run import GroundingOutcome
from factscope.benchmarks.facts_grounding.panel_study import adaptive, without_judges
from factscope.benchmarks.facts_grounding.scores import GroundingSummary, Preferences, ScoreTable
from factscope.benchmarks.leaderboard.board import DetailTable
from factscope.core.records import Interval
from factscope.scoring.intervals import RESAMPLES

_NONE = "–"


def grounding_details(merged: GroundingOutcome, summary: GroundingSummary) -> Iterator[DetailTable]:
    """Tables of judges and of models; those with nothing to say are left out."""
    table = summary.final or summary.unadjusted
    tables = (
        _self_preference(table),
        _agreement(summary),
        _missing(table),
        _refusals(summary),
        _phase_b(summary),
        _left_out(merged),
        _third_judge(merged),
        *_parts(merged),
    )
    yield from (one for one in tables if one.rows)


def _self_preference(table: ScoreTable) -> DetailTable:
    def rows(subject: str, found: Preferences) -> Iterator[tuple[str, ...]]:
        for one in found.judges:
            models = ", ".join(one.own_models)
            yield one.judge, subject, models, _points(one.value), _points_between(one.interval), _points(one.raw)
        if len(found.judges) > 1:
            mean = (_points(found.value), _points_between(found.interval), _points(found.raw))
            yield "mean", subject, "", *mean

    return DetailTable(
        "Judges and their own",
        "Percentage points that a judge gives its own answers more than other judges do, less the same for all other "
        "models. Raw: before the latter is taken away, so mostly how lenient the judge is.",
        ("judge", "own", "models", "preference", "95\u00a0% interval", "raw"),
        (*rows("answers", table.same_model), *rows("family", table.same_family)),
    )


def _agreement(summary: GroundingSummary) -> DetailTable:
    rows = []
    for split in summary.agreement:
        phases = (("grounded", split.grounding), ("eligible", split.eligibility))
        for phase, found in phases:
            if found is None:
                continue
            for pair in found.pairs:
                figures = (_percent(pair.share), _number(pair.kappa), f"{pair.n:,}")
                rows.append((split.split, phase, f"{pair.first} and {pair.second}", *figures))
            rows.append((split.split, phase, "all, alpha", "", _number(found.alpha), f"{found.n:,}"))
    return DetailTable(
        "Agreement of the judges",
        "Share of answers of which two judges say the same, and Cohen’s kappa; Krippendorff’s alpha of all judges.",
        ("split", "phase", "judges", "same, %", "kappa or alpha", "answers"),
        tuple(rows),
    )


def _missing(table: ScoreTable) -> DetailTable:
    rows = [
        (row.model, cell.judge, cell.split, f"{cell.n_missing:,}", f"{cell.n + cell.n_missing:,}")
        for row in table.rows
        for cell in row.cells
        if cell.n_missing
    ]
    about = "Verdicts that are not there: a call failed, or its reply could not be read. None counts as inaccurate."
    return DetailTable("Missing verdicts", about, ("model", "judge", "split", "missing", "of"), tuple(rows))


def _refusals(summary: GroundingSummary) -> DetailTable:
    return DetailTable(
        "Refusals",
        "Answers that only refuse, as a rule for English tells; how many of them all judges call ineligible; and the "
        "share that each judge calls grounded, for a refusal claims nothing.",
        ("model", "refusals", "ineligible", *(f"grounded by {judge}, %" for judge in summary.judges)),
        tuple(
            (one.model, f"{one.n:,}", f"{one.n_disqualified:,}", *map(_percent, one.called_accurate))
            for one in summary.refusals
            if one.n
        ),
    )


def _phase_b(summary: GroundingSummary) -> DetailTable:
    cells = summary.unadjusted.rows[0].cells
    return DetailTable(
        "Effect of phase B",
        "Percentage points that each cell loses when ineligible answers count as inaccurate.",
        ("model", "average", *(f"{cell.judge}, {cell.split}" for cell in cells), "ineligible", "not known"),
        tuple(
            (
                one.model,
                _points(None if one.average is None else -one.average),
                *(_points(None if cell is None else -cell) for cell in one.cells),
                f"{one.n_ineligible:,}",
                f"{one.n_unknown:,}",
            )
            for one in summary.effects
        ),
    )


def _left_out(merged: GroundingOutcome) -> DetailTable:
    models = merged.verdicts.models
    return DetailTable(
        "A judge left out",
        "Rank and average of each model by the other judges.",
        ("without", *models, "ranks that change"),
        tuple(
            (
                one.judge,
                *(f"{rank}: {_percent(mean)}" for rank, mean in zip(one.ranks, one.averages, strict=True)),
                f"{one.moved:,} of {len(models):,}",
            )
            for one in without_judges(merged.verdicts)
        ),
    )


def _third_judge(merged: GroundingOutcome) -> DetailTable:
    return DetailTable(
        "A third judge asked only where two differ",
        "Share of all calls that this saves, and percentage points by which it moves the mean score: where two agree, "
        "the third may have said otherwise.",
        ("third judge", "asked about", "calls saved, %", "bias", "95\u00a0% interval"),
        tuple(
            (
                one.third,
                f"{one.asked:,} of {one.n:,}",
                _percent(one.saved),
                _points(one.bias),
                _points_between(one.interval),
            )
            for one in adaptive(merged.verdicts, resamples=RESAMPLES)
        ),
    )


def _parts(merged: GroundingOutcome) -> Iterator[DetailTable]:
    """A table for each tag: models × its values."""
    rows = merged.plan.rows
    scores = by_parts(merged.verdicts, [row.id for row in rows], tags_of(rows), resamples=RESAMPLES)
    for tag in dict.fromkeys(score.tag for score in scores):
        own = [score for score in scores if score.tag == tag]
        values = list(dict.fromkeys(score.value for score in own))
        yield DetailTable(
            f"By {tag.replace('_', ' ')}",
            "Percent of answers that are accurate and eligible, by the mean of the judges, its 95\u00a0% interval and "
            "how many examples have a verdict.",
            ("model", *values),
            tuple((model, *(_part(own, model, value) for value in values)) for model in merged.verdicts.models),
        )


def _part(scores: Sequence[PartScore], model: str, value: str) -> str:
    one = next(score for score in scores if (score.model, score.value) == (model, value))
    between = f" ({100 * one.interval.low:.1f} to {100 * one.interval.high:.1f})" if one.interval else ""
    return f"{_percent(one.score)}{between}, n\u00a0=\u00a0{one.n:,}"


def _percent(value: float | None) -> str:
    return _NONE if value is None else f"{100 * value:.1f}"


def _points(value: float | None) -> str:
    return _NONE if value is None else f"{100 * value:+.1f}"


def _points_between(interval: Interval | None) -> str:
    return f"{100 * interval.low:+.1f} to {100 * interval.high:+.1f}" if interval else _NONE


def _number(value: float | None) -> str:
    return _NONE if value is None else f"{value:.2f}"
