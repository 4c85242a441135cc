"""A release as one self-contained page: its topics, its composition, and the rows left out on the way.

No script, no request; all outside text is escaped and inert. Every picture has a table with the same data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl
from pydantic import BaseModel

from factscope.benchmarks.curate import explore_text
from factscope.benchmarks.curate.changes import flat
from factscope.benchmarks.curate.changes_text import value_words
from factscope.benchmarks.curate.explore_view import (
    PromptView,
    ReleaseView,
    SettingView,
    TierView,
    TopicView,
    WrongUnit,
)
from factscope.benchmarks.curate.folder import Folder, open_folder
from factscope.benchmarks.curate.manifest import ManifestStep
from factscope.benchmarks.curate.model_panel import difficulty_of
from factscope.benchmarks.curate.parameters import TIERS, CurationParameters
from factscope.benchmarks.curate.topic_map import SHAPES, draw
from factscope.benchmarks.curate.topic_names import topic_name
from factscope.core import plurals
from factscope.core.field_docs import field_docs
from factscope.core.labels import Outcome
from factscope.report.templates import Pages
from factscope.scoring.means import mean

SAMPLES = 10
"""Prompts of each tier whose errors are shown."""
WRONG: tuple[Outcome, ...] = ("contradicted", "undecided", "no_evidence")
"""Outcomes of units that count against an answer, the most serious first."""


def explore(release: Path, panel: pl.DataFrame | None = None) -> str:
    """Return the page of a release. `panel` (see `difficulty.PANEL`) are evaluated answers of further models.

    Raises UsageError when there is no release, InputError when it is not a whole one, StoreError.
    """
    return to_html(view_of(open_folder(release), panel))


def view_of(folder: Folder, panel: pl.DataFrame | None = None) -> ReleaseView:
    """Collect the content of a release's page. Raises InputError when it is not a whole one, StoreError."""
    selected, parameters = folder.table("selected"), folder.manifest.parameters
    names: dict[int, str] = dict(folder.side("topic_names").select("topic", "name").iter_rows())
    topics = tuple(_topics(folder, selected, names))
    selected_step = folder.manifest.step("selected")
    return ReleaseView(
        name=folder.path.resolve().name,
        folder=folder,
        n=selected.height,
        read=folder.manifest.steps[0].rows_in,
        hallucination=mean(selected["hallucination"].to_list()),
        factual_precision=mean(selected["factual_precision"].to_list(), most=1),
        map=draw(folder.table("topics"), selected, {topic.number: topic.name for topic in topics}),
        topics=topics,
        tiers=tuple(_tiers(selected, selected_step)),
        made_of=tuple(_made_of(selected)),
        prompts=tuple(_prompts(folder, selected, names)),
        alpha=selected_step.facts.get("alpha") if selected_step else None,
        checks=difficulty_of(folder, panel).checks,
        settings=tuple(_settings(parameters)),
        notes=tuple(_notes(folder, selected_step)),
    )


def to_html(view: ReleaseView) -> str:
    """Return the page."""
    return _PAGES.fill("explore.html", view=view)


def _topics(folder: Folder, selected: pl.DataFrame, names: Mapping[int, str]) -> Iterator[TopicView]:
    about = {row["topic"]: row for row in folder.side("topics").iter_rows(named=True)}
    grouped = selected.group_by("topic").agg(pl.len().alias("n"), pl.col("hallucination").mean(), pl.col("tier"))
    for number, n, score, tiers in grouped.sort("n", "topic", descending=[True, False]).iter_rows():
        cached = about.get(number, {"words": [], "size": 0})
        yield TopicView(
            number=number,
            name=topic_name(number, names),
            words=", ".join(cached["words"]),
            size=cached["size"],
            selected=n,
            tiers={tier: tiers.count(tier) for tier in TIERS},
            hallucination=score,
        )


def _tiers(selected: pl.DataFrame, step: ManifestStep | None) -> Iterator[TierView]:
    quotas = step.facts.get("seats", {}) if step else {}
    for tier in TIERS:
        rows = selected.filter(pl.col("tier") == tier)
        hallucination = mean(rows["hallucination"].to_list())
        precision = mean(rows["factual_precision"].to_list(), most=1)
        yield TierView(tier, rows.height, quotas.get(tier, 0), hallucination, precision)


def _made_of(selected: pl.DataFrame) -> Iterator[tuple[str, tuple[tuple[str, int], ...]]]:
    """Yield the origins of the prompts and the models that answered them, including fresh answers by other models."""
    columns = {"source": "source", "logging model": "model", "model that was evaluated": "answered_by"}
    if selected["answered_by"].equals(selected["model"]):
        del columns["model that was evaluated"]
    for title, column in columns.items():
        yield title, tuple(selected[column].value_counts().sort("count", column, descending=[True, False]).iter_rows())


def _prompts(folder: Folder, selected: pl.DataFrame, names: Mapping[int, str]) -> Iterator[PromptView]:
    """Yield the worst of each tier, no more than two of a topic."""
    displayed = selected.sort("rank").filter(pl.int_range(pl.len()).over("tier", "topic") < 2)
    displayed = displayed.filter(pl.int_range(pl.len()).over("tier") < SAMPLES)
    units = folder.side("units").filter(pl.col("id").is_in(displayed["id"].implode()) & pl.col("outcome").is_in(WRONG))
    wrong: dict[str, list[WrongUnit]] = {}
    for row in units.iter_rows(named=True):
        unit = WrongUnit(*(row[name] for name in ("text", "outcome", "reason", "evidence", "url", "correction")))
        wrong.setdefault(row["id"], []).append(unit)
    for row in displayed.iter_rows(named=True):
        yield PromptView(
            **{name: row[name] for name in ("id", "rank", "prompt", "tier", "hallucination", "factual_precision")},
            topic=topic_name(row["topic"], names),
            answer=row["response"],
            answered_by=row["answered_by"] or "unknown",
            judged=row["units"],
            wrong=tuple(sorted(wrong.get(row["id"], ()), key=lambda unit: WRONG.index(unit.outcome))),
        )


def _settings(parameters: CurationParameters) -> Iterator[tuple[str, tuple[SettingView, ...]]]:
    """Yield all parameters with their meaning, stage by stage."""
    values, defaults = parameters.model_dump(mode="json"), dict(flat(CurationParameters().model_dump(mode="json")))
    for stage, value in values.items():
        settings = getattr(parameters, stage)
        values_by_name = (
            {stage: value} if not isinstance(value, Mapping) else {f"{stage}.{k}": v for k, v in value.items()}
        )
        rows = []
        for name, item in flat(values_by_name):
            default = defaults.get(name)
            changed = value_words(default) if name in defaults and default != item else None
            rows.append(SettingView(name, value_words(item), _meaning(settings, name.split(".")[1:]), changed))
        yield stage, tuple(rows)


def _meaning(piece: object, path: Sequence[str]) -> str:
    """Return the docstring under a field."""
    text = ""
    for name in path:
        if not isinstance(piece, BaseModel) or name not in type(piece).model_fields:
            break
        text, piece = field_docs(type(piece)).get(name, ""), getattr(piece, name)
    return " ".join(text.replace("`", "").split())


def _notes(folder: Folder, step: ManifestStep | None) -> Iterator[str]:
    """Yield the notes that a reader should see first."""
    without = [step.name for step in folder.manifest.steps if step.by_rule]
    if without:
        yield f"Made without models at {', '.join(without)}: coarse rules were used instead."
    undone = sum(step.undone for step in folder.manifest.steps)
    if undone:
        yield f"{plurals.many(undone, 'prompt')} could not be worked on and would be tried again by another build."
    for tier, short in (step.facts.get("short", {}) if step else {}).items():
        yield f"The tier {tier} is short: {plurals.many(short['wanted'], 'prompt')} wanted, {short['there']:,} there."


_PAGES = Pages(
    "factscope.benchmarks.curate",
    ["page.css", "tables.css", "curate.css"],
    explore_text.CALLED,
    SHAPES=SHAPES,
    TIERS=TIERS,
)
