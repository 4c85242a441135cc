"""The tables of FACTS Grounding beside its board: the behaviour of its judges, and where models fail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from factscope.benchmarks.facts_grounding import GroundingOutcome, PartScore, Preferences, by_parts, tags_of
from factscope.benchmarks.facts_grounding.panel_study import adaptive, without_judges
from factscope.benchmarks.facts_grounding.run_scores import GroundingSummary, ScoreTable
from factscope.core import Interval, group_by
from factscope.report.document import NONE, Block, number_cell, percent_cell, points_cell, section, table_of
from factscope.scoring.intervals import RESAMPLES


def grounding_details(merged: GroundingOutcome, summary: GroundingSummary) -> Iterator[Block]:
    """Yield tables of judges and of models; those with nothing to say are left out."""
    table = summary.final or summary.unadjusted
    yield from _self_preference(table)
    yield from _agreement(summary)
    yield from _missing(table)
    yield from _refusals(summary)
    yield from _phase_b(summary)
    yield from _left_out(merged)
    yield from _third_judge(merged)
    yield from _parts(merged)


def _self_preference(table: ScoreTable) -> Iterator[Block]:
    def preference_rows(subject: str, preferences: Preferences) -> Iterator[tuple[str, ...]]:
        for each in preferences.judges:
            models, value = ", ".join(each.own_models), _with_ends(each.value, each.interval)
            yield each.judge, subject, models, value, points_cell(each.raw)
        if len(preferences.judges) > 1:
            yield "mean", subject, "", _with_ends(preferences.value, preferences.interval), points_cell(preferences.raw)

    rows = (*preference_rows("answers", table.same_model), *preference_rows("family", table.same_family))
    yield from section(
        "Judges and their own",
        "Percentage points that a judge gives its own answers more than other judges do, less the same for all other "
        "models. Raw: before the latter is taken away, so mostly how lenient the judge is.",
        table_of(("judge", "own", "models", "preference", "raw"), rows, names=3),
    )


def _agreement(summary: GroundingSummary) -> Iterator[Block]:
    rows = []
    for split in summary.agreement:
        for phase, agreement in (("grounded", split.grounding), ("eligible", split.eligibility)):
            if agreement is None:
                continue
            for pair in agreement.pairs:
                figures = (percent_cell(pair.share), number_cell(pair.kappa), f"{pair.n:,}")
                rows.append((split.split, phase, f"{pair.first} and {pair.second}", *figures))
            rows.append((split.split, phase, "all, alpha", "", number_cell(agreement.alpha), f"{agreement.n:,}"))
    yield from section(
        "Agreement of the judges",
        "Share of answers of which two judges say the same, and Cohen’s kappa; Krippendorff’s alpha of all judges.",
        table_of(("split", "phase", "judges", "same, %", "kappa or alpha", "answers"), rows, names=3),
    )


def _missing(table: ScoreTable) -> Iterator[Block]:
    rows = [
        (row.model, cell.judge, cell.split, f"{cell.n_missing:,}", f"{cell.n + cell.n_missing:,}")
        for row in table.rows
        for cell in row.cells
        if cell.n_missing
    ]
    about = "Verdicts that are not there: a call failed, or its reply could not be read. None counts as inaccurate."
    yield from section("Missing verdicts", about, table_of(("model", "judge", "split", "missing", "of"), rows, names=3))


def _refusals(summary: GroundingSummary) -> Iterator[Block]:
    heads = ("model", "refusals", "ineligible", *(f"grounded by {judge}, %" for judge in summary.judges))
    rows = (
        (each.model, f"{each.n:,}", f"{each.n_disqualified:,}", *map(percent_cell, each.called_accurate))
        for each in summary.refusals
        if each.n
    )
    yield from section(
        "Refusals",
        "Answers that only refuse, as a rule for English tells; how many of them all judges call ineligible; and the "
        "share that each judge calls grounded, for a refusal claims nothing.",
        table_of(heads, rows),
    )


def _phase_b(summary: GroundingSummary) -> Iterator[Block]:
    cells = summary.unadjusted.rows[0].cells
    heads = ("model", "average", *(f"{cell.judge}, {cell.split}" for cell in cells), "ineligible", "not known")
    rows = (
        (
            effect.model,
            *(points_cell(None if value is None else -value) for value in (effect.average, *effect.cells)),
            f"{effect.n_ineligible:,}",
            f"{effect.n_unknown:,}",
        )
        for effect in summary.effects
    )
    about = "Percentage points that each cell loses when ineligible answers count as inaccurate."
    yield from section("Effect of phase B", about, table_of(heads, rows))


def _left_out(merged: GroundingOutcome) -> Iterator[Block]:
    models = merged.verdicts.models
    rows = (
        (
            study.judge,
            *(f"{rank or NONE}: {percent_cell(mean)}" for rank, mean in zip(study.ranks, study.averages, strict=True)),
            f"{study.moved:,} of {len(models):,}",
        )
        for study in without_judges(merged.verdicts)
    )
    about = "Rank and average of each model by the other judges."
    yield from section("A judge left out", about, table_of(("without", *models, "ranks that change"), rows))


def _third_judge(merged: GroundingOutcome) -> Iterator[Block]:
    about = (
        "Share of all calls that this saves, and percentage points by which it moves the mean score: where two agree, "
        "the third may have said otherwise."
    )
    rows = (
        (each.third, f"{each.asked:,} of {each.n:,}", percent_cell(each.saved), _with_ends(each.bias, each.interval))
        for each in adaptive(merged.verdicts, resamples=RESAMPLES)
    )
    table = table_of(("third judge", "asked about", "calls saved, %", "bias"), rows)
    yield from section("A third judge asked only where two differ", about, table)


def _parts(merged: GroundingOutcome) -> Iterator[Block]:
    """Yield a table for each tag: models × its values."""
    rows = merged.plan.rows
    scores = by_parts(merged.verdicts, [row.id for row in rows], tags_of(rows), resamples=RESAMPLES)
    for tag, own in group_by(scores, lambda score: score.tag).items():
        values = list(dict.fromkeys(score.value for score in own))
        rows_of_tag = ((model, *(_part(own, model, value) for value in values)) for model in merged.verdicts.models)
        yield from section(
            f"By {tag.replace('_', ' ')}",
            "Percent of answers that are accurate and eligible, by the mean of the judges, its 95\u00a0% interval and "
            "how many examples have a verdict.",
            table_of(("model", *values), rows_of_tag),
        )


def _part(scores: Sequence[PartScore], model: str, value: str) -> str:
    part = next(score for score in scores if (score.model, score.value) == (model, value))
    between = f"\n{percent_cell(part.interval.low)} to {percent_cell(part.interval.high)}" if part.interval else ""
    return f"{percent_cell(part.score)}{between}\nn\u00a0=\u00a0{part.n:,}"


def _with_ends(value: float | None, interval: Interval | None) -> str:
    return points_cell(value) + (f"\n{100 * interval.low:+.1f} to {100 * interval.high:+.1f}" if interval else "")
