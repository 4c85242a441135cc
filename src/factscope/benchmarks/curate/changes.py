"""Change log of an update, prompt by prompt and as a whole: added, retained and removed prompts, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, Literal, NamedTuple

import polars as pl
from pydantic import Field, JsonValue

from factscope.benchmarks.curate.drift import Distance, Drift, drift, topic_distance
from factscope.benchmarks.curate.folder import Folder
from factscope.benchmarks.curate.parameters import TIERS, Update
from factscope.benchmarks.curate.previous_release import ID_IN_USE
from factscope.benchmarks.curate.stage import no_drops
from factscope.benchmarks.curate.topic_names import topic_name
from factscope.core.records import Record

MEASURES = ("hallucination", "factual_precision")
CHANGES = pl.Schema(
    {
        **dict.fromkeys(("change", "id", "prompt", "tier"), pl.String),
        **dict.fromkeys(("topic", "topic_before"), pl.Int32),
        **dict.fromkeys(("reason", "detail", "nearest"), pl.String),
        "cosine": pl.Float64,
        **dict.fromkeys(("rank", "rank_before"), pl.Int64),
        **dict.fromkeys(("hallucination", "hallucination_before"), pl.Float64),
    }
)
"""Columns of the change log.

`change` is added, kept or removed. Topics are numbered again in each release: `topic` is that of the new one, −1 for
outside of all, and `topic_before` that of the old. `nearest` is the most similar new prompt."""
NEW = "asked in the new logs, and selected"
STAYS = "selected again"


class TopicShare(Record):
    """Share of one topic in each set of prompts."""

    topic: int
    """Its number in the new release; −1 for prompts outside all topics."""
    name: str
    logs: int = Field(ge=0)
    """New prompts in topics, before any filter."""
    old: int = Field(ge=0)
    """Prompts of the old release."""
    new: int = Field(ge=0)
    """Prompts of the new release."""


class TopicDistance(Record):
    """Distance between the topics of two sets of prompts."""

    first: Literal["old", "new"]
    """The old or the new release."""
    second: Literal["logs", "new"]
    """The set that it is compared with: the new logs, or the new release."""
    distance: Distance | None
    """`None` when one of the two is empty."""


class ParameterChange(Record):
    """A parameter in which the two releases differ."""

    name: str
    """Its name with dots, such as `selection.size`."""
    old: JsonValue
    new: JsonValue


class ReleaseChange(Record):
    """The change of a release as a whole."""

    type: Literal["update"] = "update"
    version: Literal[1] = 1
    """Version of this format."""
    factscope: str
    """Version of Factscope that made the new release."""
    made: str
    """When the new release was made."""
    previous: str
    """Name of the old release's folder."""
    previous_made: str
    """When the old one was made."""
    n_old: int = Field(ge=0)
    n_new: int = Field(ge=0)
    added: int = Field(ge=0)
    kept: int = Field(ge=0)
    removed: dict[str, int]
    """Number of removed old prompts, by reason."""
    topics: tuple[TopicShare, ...]
    """The largest among the new logs first."""
    representative: tuple[TopicDistance, ...]
    """Distances of the old release to the new logs, the new release to the new logs, and the old to the new release."""
    difficulty: tuple[Drift, ...]
    """By measure, all tiers together and then each tier."""
    parameters: tuple[ParameterChange, ...]
    """In which the two differ."""
    thresholds: dict[str, JsonValue]
    """`Parameters.update` as applied, and the `version` of the parameters."""
    notes: tuple[str, ...]
    """Notes to read before relying on it."""


class ChangeLog(NamedTuple):
    """The changes of an update."""

    table: pl.DataFrame
    """One row for each prompt of either release, with the columns of `CHANGES`."""
    summary: ReleaseChange


class PreviousRelease(NamedTuple):
    """The previous release."""

    name: str
    """Name of its folder."""
    made: str
    """When it was made, ISO 8601; empty when unknown."""
    prompts: pl.DataFrame
    """With the columns of `release.COLUMNS`."""
    parameters: Mapping[str, Any]
    """The parameters that it was made with, as values."""
    evaluator: Any
    """Its evaluator."""


def change_log(old: PreviousRelease, new: Folder, notes: tuple[str, ...] = ()) -> ChangeLog:
    """List the changes of the update from `old` to `new`. Raises InputError when a table is lacking, StoreError."""
    after, placed = new.table("selected"), new.side("placed")
    taken_ids = placed.filter(pl.col("reason") == ID_IN_USE)["id"].implode()
    # An id identifies one prompt: if a new prompt has the same, the old one is marked.
    label = (
        pl.when(pl.col("id").is_in(taken_ids)).then(pl.format("{} (last release)", "id")).otherwise("id").alias("id")
    )
    before, placed = old.prompts.with_columns(label), placed.with_columns(label)
    table = _table(before, after, placed, _drops(new))
    reasons = table.filter(pl.col("change") == "removed")["reason"].value_counts()
    changed = dict(table["change"].value_counts().iter_rows())
    shares = _shares(new, placed, after)
    parameters = new.manifest.parameters
    return ChangeLog(
        table,
        ReleaseChange(
            factscope=new.manifest.factscope,
            made=new.manifest.made,
            previous=old.name,
            previous_made=old.made,
            n_old=before.height,
            n_new=after.height,
            added=changed.get("added", 0),
            kept=changed.get("kept", 0),
            removed=dict(reasons.sort("count", "reason", descending=[True, False]).iter_rows()),
            topics=shares,
            representative=_representative(shares, parameters.update),
            difficulty=tuple(_drifts(before, after)),
            parameters=tuple(_differences(old.parameters, parameters.model_dump(mode="json"))),
            thresholds={"version": parameters.version, **parameters.update.model_dump(mode="json")},
            notes=notes,
        ),
    )


def _table(before: pl.DataFrame, after: pl.DataFrame, placed: pl.DataFrame, dropped: pl.DataFrame) -> pl.DataFrame:
    """Return the change log: added by new rank, then kept, then removed by old rank."""
    facts = ("rank", "hallucination")
    old = before.select("id", "prompt", "tier", *(pl.col(name).alias(f"{name}_before") for name in ("topic", *facts)))
    new = after.select("id", "prompt", "tier", "topic", *facts)
    where = placed.select("id", "nearest", "cosine", pl.col("topic").alias("topic_placed"), fate="reason")
    added = new.join(old, on="id", how="anti").with_columns(change=pl.lit("added"), reason=pl.lit(NEW))
    unchanged = new.join(old.drop("prompt", "tier"), on="id").with_columns(change=pl.lit("kept"), reason=pl.lit(STAYS))
    removed = old.join(new, on="id", how="anti").join(where, on="id", how="left").join(dropped, on="id", how="left")
    removed = removed.with_columns(
        change=pl.lit("removed"),
        topic="topic_placed",
        reason=pl.coalesce("fate", "reason", pl.lit("not selected")),
        detail=pl.when(pl.col("fate").is_null()).then("detail"),
    )
    frames = [
        added.sort("rank"),
        unchanged.join(where.drop("fate"), on="id", how="left").sort("rank"),
        removed.sort("rank_before", "id"),
    ]
    blank = pl.DataFrame(schema=CHANGES)
    return pl.concat([blank, *frames], how="diagonal_relaxed").select(*CHANGES).cast(CHANGES)


def _drops(new: Folder) -> pl.DataFrame:
    """Collect the rows that stages after the union dropped, each with its stage in the reason."""
    names = [step.name for step in new.manifest.steps]
    frames = [
        new.drops(name).with_columns(reason=pl.format("{}: {}", pl.lit(name), pl.col("reason")))
        for name in names[names.index("previous") + 1 :]
    ]
    return pl.concat(frames) if frames else no_drops()


def _shares(new: Folder, placed: pl.DataFrame, after: pl.DataFrame) -> tuple[TopicShare, ...]:
    sizes: dict[int, int] = dict(new.side("topics").select("topic", "size").iter_rows())
    names: dict[int, str] = dict(new.side("topic_names").select("topic", "name").iter_rows())
    old, now = (Counter[int](side["topic"].drop_nulls().to_list()) for side in (placed, after))
    topics = sorted({*sizes, *old, *now}, key=lambda topic: (-sizes.get(topic, 0), topic))
    return tuple(
        TopicShare(topic=topic, name=topic_name(topic, names), logs=sizes.get(topic, 0), old=old[topic], new=now[topic])
        for topic in topics
    )


def _representative(shares: tuple[TopicShare, ...], rule: Update) -> tuple[TopicDistance, ...]:
    sets = {name: {share.topic: getattr(share, name) for share in shares} for name in ("logs", "old", "new")}

    def compare(first: Literal["old", "new"], second: Literal["logs", "new"]) -> TopicDistance:
        distance = topic_distance(sets[first], sets[second], resamples=rule.resamples, seed=rule.seed)
        return TopicDistance(first=first, second=second, distance=distance)

    return compare("old", "logs"), compare("new", "logs"), compare("old", "new")


def _drifts(before: pl.DataFrame, after: pl.DataFrame) -> Iterator[Drift]:
    for measure, tier in product(MEASURES, (None, *TIERS)):
        sides = (side if tier is None else side.filter(pl.col("tier") == tier) for side in (before, after))
        old, new = (dict(side.select("id", measure).iter_rows()) for side in sides)
        yield drift(measure, tier, old, new)


def _differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[ParameterChange]:
    before_values, two = dict(flat(old)), dict(flat(new))
    for name in sorted({*before_values, *two}):
        if before_values.get(name) != two.get(name):
            yield ParameterChange(name=name, old=before_values.get(name), new=two.get(name))


def flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield settings one by one, with dotted names."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value
