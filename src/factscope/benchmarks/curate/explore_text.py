"""The words and numbers of the page of a release."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from factscope.benchmarks.curate.changes_text import ends, number
from factscope.benchmarks.curate.difficulty import DifficultyChecks
from factscope.benchmarks.curate.manifest import ManifestStep
from factscope.report.document import Block, Table, Title, notes, table_of
from factscope.scoring.means import Mean

_LEFT, _TOP, _WIDE, _HIGH = 46, 10, 400, 200
"""The plot of alpha, in pixels."""


def stage_table(steps: Iterable[ManifestStep]) -> Table:
    """Return time, models and notes of each stage."""
    rows = (
        (step.name, f"{step.seconds:.1f}", ", ".join(dict.fromkeys(step.models.values())) or "–", _plain_facts(step))
        for step in steps
    )
    return table_of(("stage", "seconds", "models", "notes"), rows, align="lrll")


def _plain_facts(step: ManifestStep) -> str:
    """Select a stage's facts, except for long lists."""
    short = {name: fact for name, fact in step.facts.items() if not isinstance(fact, list | dict)}
    return ", ".join(f"{name.replace('_', ' ')} {_fact_text(fact)}" for name, fact in short.items()) or "–"


def curve(points: Sequence[Mapping[str, Any]], name: str) -> str:
    """Return one figure over alpha, as an SVG path."""
    defined = [(point["alpha"], point[name]) for point in points if point[name] is not None]
    at = [f"{_LEFT + _WIDE * x:.1f} {_y(y):.1f}" for x, y in defined]
    return f"M{'L'.join(at)}" if at else "M0 0"


def end_labels(points: Sequence[Mapping[str, Any]]) -> Iterator[tuple[float, str]]:
    """Place the names of the two lines at their ends, without overlap."""
    names = (("overlap", "— overlap of the selection"), ("tau", "- - Kendall’s tau of the order"))
    ends_found = [(_y(points[-1][name]), text) for name, text in names if points[-1][name] is not None]
    ends_found.sort()
    before = 0.0
    for y, text in ends_found:
        before = max(y + 4, before + 18)
        yield round(before, 1), text


def alpha_table(alpha: Mapping[str, Any]) -> Table:
    """Return the curve as a table."""
    heads = ("alpha", "mean score", "overlap with the selection", "overlap with the row above", "Kendall’s tau")
    names = ("mean", "overlap", "overlap_before", "tau")
    numbers = ((point["alpha"], [point[name] for name in names]) for point in alpha["curve"])
    rows = ((f"{at:g}", *("–" if value is None else f"{value:.3f}" for value in values)) for at, values in numbers)
    return table_of(heads, rows, names=0)


def difficulty_blocks(checks: DifficultyChecks) -> Iterator[Block]:
    """Yield scores by difficulty, and the checks of the difficulty."""
    yield _step_table(checks)
    yield from notes((_trend_words(checks), _circle_words(checks)))
    yield Title("Beside the tiers", 3)
    yield _tier_table(checks)


def _step_table(checks: DifficultyChecks) -> Table:
    """Return scores by step of difficulty."""
    step = "fifth" if len(checks.trend.steps) == 5 else "step"
    heads = (f"{step}, easiest first", "difficulty", "prompts", "hallucination score", "factual precision")
    rows = (
        (
            str(number),
            f"{step.low:.2f} to {step.high:.2f}",
            f"{step.n:,}",
            _with_ends(step.hallucination),
            _with_ends(step.factual_precision),
        )
        for number, step in enumerate(checks.trend.steps, 1)
    )
    return table_of(heads, rows, names=0)


def _tier_table(checks: DifficultyChecks) -> Table:
    """Return the difficulty by tier."""
    rows = ((tier.tier, _with_ends(tier.difficulty), f"{tier.difficulty.n:,}") for tier in checks.tiers)
    return table_of(("tier", "mean difficulty", "prompts"), rows)


def _trend_words(checks: DifficultyChecks) -> str:
    """Return whether answers get worse with difficulty."""
    trend = checks.trend
    if trend.rho is None or trend.p is None:
        return "Difficulties or scores are all alike, so that nothing can be said of whether they rise together."
    steps = "rises from step to step" if trend.monotonic else "does not rise at every step"
    return (
        f"The mean score {steps}. Spearman’s correlation of difficulty and hallucination score is {trend.rho:.2f}; "
        f"chance alone brings one as strong with p = {trend.p:.3f}."
    )


def _circle_words(checks: DifficultyChecks) -> str:
    """State how much the difficulty depends on the reported evaluator."""
    circle = checks.circularity
    by = ", ".join(circle.evaluators) if circle.evaluators else "the prompts alone"
    rho_text = "can’t be told" if circle.rho is None else f"is {circle.rho:.2f}"
    return (
        f"Without the reported evaluator ({circle.reported}) the difficulty rests on {by}. Spearman’s correlation of "
        f"the two {rho_text}, and {100 * circle.overlap:.0f} % of the hardest prompts are the same."
    )


CALLED = (number, ends, stage_table, curve, end_labels, alpha_table, difficulty_blocks)
"""Functions that the template calls."""


def _with_ends(mean: Mean) -> str:
    return f"{number(mean.value, 2)}\n{ends(mean.interval, 2)}".rstrip()


def _y(value: float) -> float:
    return _TOP + _HIGH * (1 - min(max(value, 0.0), 1.0))


def _fact_text(fact: object) -> str:
    return f"{fact:,.4g}" if isinstance(fact, float) else f"{fact:,}" if isinstance(fact, int) else str(fact)
