"""A release as one self-contained page: its topics, its composition, and the rows left out on the way.

No script, no request; all outside text is escaped and inert. Every picture has a table with the same data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from pydantic import BaseModel

from factscope.benchmarks.curate.changes import flat
from factscope.benchmarks.curate.changes_page import curate_pages, ends, figure_cell, percentage, value_words
from factscope.benchmarks.curate.difficulty import DifficultyChecks, difficulty_of
from factscope.benchmarks.curate.folders import ManifestStep, ReleaseManifest, open_folder
from factscope.benchmarks.curate.parameters import TIERS, CurationParameters
from factscope.benchmarks.curate.release import uncovered
from factscope.benchmarks.curate.stage import by_frequency, topic_count
from factscope.benchmarks.curate.topic_map import draw
from factscope.benchmarks.curate.topic_names import topic_name
from factscope.core import Outcome, field_docs, plurals
from factscope.report.document import Block, Table, Title, notes, number_cell, table_of
from factscope.scoring.means import Mean, mean

SAMPLES = 10
"""Prompts of each tier whose errors are shown."""
WRONG: tuple[Outcome, ...] = ("contradicted", "undecided", "no_evidence")
"""Outcomes of units that count against an answer, the most serious first."""
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
    facts = []
    for name, fact in step.facts.items():
        if fact is not None and not isinstance(fact, list | dict):
            is_count = isinstance(fact, int) and not isinstance(fact, bool)
            text = f"{fact:,}" if is_count else f"{fact:,.4g}" if isinstance(fact, float) else value_words(fact)
            facts.append(f"{name.replace('_', ' ')} {text}")
    return ", ".join(facts) or "–"


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
    rows = ((f"{at:g}", *(number_cell(value, 3) for value in values)) for at, values in numbers)
    return table_of(heads, rows, names=0)


def difficulty_blocks(checks: DifficultyChecks) -> Iterator[Block]:
    """Yield scores by difficulty, and the checks of the difficulty."""
    first = f"{'fifth' if len(checks.trend.steps) == 5 else 'step'}, easiest first"
    rows = []
    for index, step in enumerate(checks.trend.steps, 1):
        hallucination = figure_cell(step.hallucination.value, step.hallucination.interval, digits=2)
        precision = figure_cell(step.factual_precision.value, step.factual_precision.interval, digits=1, scale=100)
        rows.append((str(index), f"{step.low:.2f} to {step.high:.2f}", f"{step.n:,}", hallucination, precision))
    yield table_of((first, "difficulty", "prompts", "hallucination score", "factual precision %"), rows, names=0)
    yield from notes((_trend_words(checks), _circle_words(checks)))
    yield Title("Beside the tiers", 3)
    tiers = (
        (tier, figure_cell(level.value, level.interval, digits=2), f"{level.n:,}")
        for tier, level in checks.tiers.items()
    )
    yield table_of(("tier", "mean difficulty", "prompts"), tiers)
    if checks.tiers_rho is not None:
        yield from notes((f"Spearman’s correlation of tier, easy to hard, and difficulty is {checks.tiers_rho:.2f}.",))


def _trend_words(checks: DifficultyChecks) -> str:
    """Return whether answers get worse with difficulty."""
    trend = checks.trend
    if not any(step.hallucination.n for step in trend.steps):
        return "No answer was judged, so whether harder prompts get worse answers can’t be told."
    if trend.rho is None or trend.p is None:
        return "All difficulties or all scores are equal, so their correlation is undefined."
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


def _y(value: float) -> float:
    return _TOP + _HIGH * (1 - min(max(value, 0.0), 1.0))


def explore(release: Path, panel: pl.DataFrame | None = None) -> str:
    """Return the page of a release. `panel` (see `difficulty.PANEL`) are evaluated answers of further models.

    Raises UsageError when there is no release, InputError when it is not a whole one, StoreError.
    """
    folder = open_folder(release)
    selected, manifest = folder.table("selected"), folder.manifest
    facts = manifest.facts("selected")
    names: dict[int, str] = dict(folder.side("topic_names").select("topic", "name").iter_rows())
    topics = list(_topics(folder.side("topics"), selected, names))
    tiers = list(_tiers(selected, facts.get("seats", {})))
    means = _means(selected)
    view = {
        "name": folder.path.resolve().name,
        "manifest": manifest,
        "n": selected.height,
        "widest": max(1, *(step.rows_in for step in manifest.steps)),
        "evaluated": means["hallucination"].n > 0,
        **means,
        "map": draw(folder.table("topics"), selected, {topic["number"]: topic["name"] for topic in topics}),
        "topics": topics,
        "topic_count": topic_count(selected),
        "previous": manifest.facts("previous"),
        "tiers": tiers,
        "tier_counts": {row["tier"]: row["n"] for row in tiers},
        "made_of": list(_made_of(selected)),
        "prompts": list(_prompts(folder.side("units"), selected, names)),
        "alpha": facts.get("alpha"),
        "checks": difficulty_of(folder, panel).checks,
        "settings": list(_settings(manifest.parameters)),
        "notes": list(_notes(manifest, uncovered(selected) if means["hallucination"].n else None)),
    }
    return _PAGES.fill("explore.html", view=view)


def _topics(about: pl.DataFrame, selected: pl.DataFrame, names: Mapping[int, str]) -> Iterator[dict[str, Any]]:
    grouped = selected.group_by("topic").agg(pl.len().alias("selected"), pl.col("hallucination").mean(), pl.col("tier"))
    joined = grouped.join(about.select("topic", "words", "size"), on="topic", how="left")
    for row in joined.sort("selected", "topic", descending=[True, False]).iter_rows(named=True):
        name, words = topic_name(row["topic"], names), ", ".join(row["words"] or ())
        tiers = {tier: row["tier"].count(tier) for tier in TIERS}
        yield {**row, "number": row["topic"], "name": name, "words": words, "tiers": tiers}


def _tiers(selected: pl.DataFrame, quotas: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    for tier in TIERS:
        rows = selected.filter(pl.col("tier") == tier)
        yield {"tier": tier, "n": rows.height, "quota": quotas.get(tier, 0), **_means(rows)}


def _means(rows: pl.DataFrame) -> dict[str, Mean]:
    precision = mean(rows["factual_precision"].to_list(), most=1)
    return {"hallucination": mean(rows["hallucination"].to_list()), "factual_precision": precision}


def _made_of(selected: pl.DataFrame) -> Iterator[tuple[str, tuple[tuple[str, int], ...]]]:
    """Yield the origins of the prompts and the models that answered them, including fresh answers by other models."""
    columns = {"source": "source", "logging model": "model", "model that was evaluated": "answered_by"}
    if selected["answered_by"].equals(selected["model"]):
        del columns["model that was evaluated"]
    for title, column in columns.items():
        yield title, tuple(by_frequency(selected[column]).items())


def _prompts(units: pl.DataFrame, selected: pl.DataFrame, names: Mapping[int, str]) -> Iterator[dict[str, Any]]:
    """Yield the worst of each tier, no more than two of a topic, with the units that count against their answers."""
    displayed = selected.sort("rank").filter(pl.int_range(pl.len()).over("tier", "topic") < 2)
    displayed = displayed.filter(pl.int_range(pl.len()).over("tier") < SAMPLES)
    wrong = units.filter(pl.col("outcome").is_in(WRONG)).sort(
        pl.col("outcome").cast(pl.Enum(WRONG)), maintain_order=True
    )
    by_prompt = {key: group.to_dicts() for (key,), group in wrong.group_by("id", maintain_order=True)}
    for row in displayed.iter_rows(named=True):
        topic, answered_by = topic_name(row["topic"], names), row["answered_by"] or "unknown"
        yield {**row, "topic": topic, "answered_by": answered_by, "wrong": by_prompt.get(row["id"], [])}


def _settings(parameters: CurationParameters) -> Iterator[tuple[str, list[dict[str, str | None]]]]:
    """Yield all parameters with their meaning and, if they were changed, their default, stage by stage."""
    defaults = dict(flat(CurationParameters().model_dump(mode="json")))
    for stage, values in parameters.model_dump(mode="json").items():
        settings = [
            {
                "name": name,
                "value": value_words(value),
                "meaning": _meaning(getattr(parameters, stage), name.split(".")[1:]),
                "default": value_words(defaults[name]) if defaults.get(name, value) != value else None,
            }
            for name, value in flat({stage: values})
        ]
        yield stage, settings


def _meaning(piece: object, path: Sequence[str]) -> str:
    """Return the docstring under a field."""
    text = ""
    for name in path:
        if not isinstance(piece, BaseModel) or name not in type(piece).model_fields:
            break
        text, piece = field_docs(type(piece)).get(name, ""), getattr(piece, name)
    return " ".join(text.replace("`", "").split())


def _notes(manifest: ReleaseManifest, coverage: str | None) -> Iterator[str]:
    """Yield the notes that a reader should see first."""
    if coverage:
        yield coverage
    if without := [step.name for step in manifest.steps if step.by_rule]:
        yield f"Made without models at {', '.join(without)}: coarse rules were used instead."
    if undone := sum(step.undone for step in manifest.steps):
        yield f"{plurals.many(undone, 'prompt')} could not be worked on and would be tried again by another build."
    for tier, short in manifest.facts("selected").get("short", {}).items():
        yield f"The tier {tier} is short: {plurals.many(short['wanted'], 'prompt')} wanted, {short['there']:,} there."


_PAGES = curate_pages((number_cell, percentage, ends, stage_table, curve, end_labels, alpha_table, difficulty_blocks))
