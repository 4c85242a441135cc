"""Change log of an update, prompt by prompt and as a whole: added, retained and removed prompts, and why.

As a whole, a release drifts from the last one in its topics and in its difficulty.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import Field, JsonValue

from factscope.benchmarks.curate.folders import Folder
from factscope.benchmarks.curate.parameters import TIERS, Update
from factscope.benchmarks.curate.previous_release import ID_IN_USE
from factscope.benchmarks.curate.release import Release
from factscope.benchmarks.curate.stage import by_frequency, no_drops
from factscope.benchmarks.curate.topic_names import topic_name
from factscope.core import Interval, Record
from factscope.scoring import RESAMPLES, Mean, PairedDifference, mean, paired_difference, percentiles

LEVEL = 0.95  # of the intervals


class Distance(Record):
    """Distance between two distributions over the same topics, in bits: 0 for the same, 1 when they share none."""

    value: float = Field(ge=0, le=1)
    """Jensen–Shannon divergence of the two samples (Lin 1991, section 4, with equal weights and logarithms to base 2).
    """
    corrected: float = Field(ge=0, le=1)
    """The same, corrected for small samples: twice the value minus its mean over the resamples, at least 0."""
    interval: Interval
    """Interval of `corrected`: the basic bootstrap (Efron and Tibshirani 1993, chapter 12), resampling both samples."""
    chance: float = Field(ge=0, le=1)
    """95th percentile of `value` if both samples came from the same distribution."""
    n_old: int = Field(ge=1)
    """Size of the first sample."""
    n_new: int = Field(ge=1)
    """Size of the second."""

    @property
    def beyond_chance(self) -> bool:
        """Return whether the two differ by more than two samples of one distribution would."""
        return self.value > self.chance


class Drift(Record):
    """One measure of one tier in both releases."""

    measure: str
    """`hallucination` or `factual_precision`."""
    tier: str | None
    """`None` for all tiers together."""
    old: Mean
    new: Mean
    difference: float | None
    """New minus old; `None` when one side is empty."""
    interval: Interval | None
    """Interval of the difference: bootstrap over the prompts of each release separately."""
    kept: PairedDifference
    """Prompts in both releases, compared with themselves: changes due to models and checking, not to the selection."""


def topic_distance(
    old: Mapping[int, int], new: Mapping[int, int], *, resamples: int = RESAMPLES, seed: int = 0
) -> Distance | None:
    """Return the distance of two distributions, given as counts by topic; `None` when one of them is empty."""
    names = sorted({*old, *new})
    old_counts, new_counts = (np.array([side.get(name, 0) for name in names], dtype=np.int64) for side in (old, new))
    n, m = int(old_counts.sum()), int(new_counts.sum())
    if not n or not m:
        return None
    random = np.random.default_rng(seed)
    observed = float(_divergence(old_counts / n, new_counts / m))
    resampled = _divergence(
        random.multinomial(n, old_counts / n, resamples) / n, random.multinomial(m, new_counts / m, resamples) / m
    )
    pooled = (old_counts + new_counts) / (n + m)
    by_chance = _divergence(random.multinomial(n, pooled, resamples) / n, random.multinomial(m, pooled, resamples) / m)
    low, high = np.quantile(resampled, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Distance(
        value=observed,
        corrected=_within(2 * observed - float(resampled.mean())),
        interval=Interval(
            low=_within(2 * observed - high), high=_within(2 * observed - low), level=LEVEL, method="bootstrap"
        ),
        chance=_within(float(np.quantile(by_chance, LEVEL))),
        n_old=n,
        n_new=m,
    )


def drift(measure: str, tier: str | None, old: Mapping[str, float | None], new: Mapping[str, float | None]) -> Drift:
    """Compare one measure of the prompts of two releases, given by id. It is None where nothing could be judged."""
    both = [name for name in old if name in new]
    ends = [np.array([value for value in side.values() if value is not None]) for side in (old, new)]
    has_values, most = all(map(len, ends)), 1.0 if measure == "factual_precision" else None
    return Drift(
        measure=measure,
        tier=tier,
        old=mean(old.values(), most=most),
        new=mean(new.values(), most=most),
        difference=float(ends[1].mean() - ends[0].mean()) if has_values else None,
        interval=_difference(*ends) if min(map(len, ends)) > 1 else None,
        kept=paired_difference([old[name] for name in both], [new[name] for name in both]),
    )


def _divergence(p: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Jensen–Shannon divergence in bits along the last axis."""
    middle = (p + q) / 2
    return np.clip(_entropy(middle) - (_entropy(p) + _entropy(q)) / 2, 0.0, 1.0)


def _entropy(p: NDArray[np.float64]) -> NDArray[np.float64]:
    logs = np.log2(p, out=np.zeros_like(p), where=p > 0)
    entropy: NDArray[np.float64] = -(p * logs).sum(axis=-1)
    return entropy


def _within(value: float) -> float:
    return min(max(float(value), 0.0), 1.0)


def _difference(old: NDArray[np.float64], new: NDArray[np.float64]) -> Interval | None:
    random = np.random.default_rng(0)
    means = [side[random.integers(len(side), size=(RESAMPLES, len(side)))].mean(axis=1) for side in (old, new)]
    return percentiles(means[1] - means[0], min(len(old), len(new)), LEVEL)


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


def change_log(old: Release, new: Folder, notes: tuple[str, ...] = ()) -> ChangeLog:
    """List the changes of the update from `old` to `new`. Raises InputError when a table is lacking, StoreError."""
    after, placed = new.table("selected"), new.side("placed")
    taken_ids = placed.filter(pl.col("reason") == ID_IN_USE)["id"].implode()
    # An id identifies one prompt: if a new prompt has the same, the old one is marked.
    label = (
        pl.when(pl.col("id").is_in(taken_ids)).then(pl.format("{} (last release)", "id")).otherwise("id").alias("id")
    )
    before, placed = old.prompts.with_columns(label), placed.with_columns(label)
    table = _table(before, after, placed, _drops(new))
    changed = Counter(table["change"])
    shares = _shares(new, placed, after)
    parameters = new.manifest.parameters
    return ChangeLog(
        table,
        ReleaseChange(
            factscope=new.manifest.factscope,
            made=new.manifest.made,
            previous=old.name,
            previous_made=str(old.manifest.get("made", "")),
            n_old=before.height,
            n_new=after.height,
            added=changed["added"],
            kept=changed["kept"],
            removed=by_frequency(table.filter(pl.col("change") == "removed")["reason"]),
            topics=shares,
            representative=_representative(shares, parameters.update),
            difficulty=tuple(_drifts(before, after)),
            parameters=tuple(_differences(old.manifest.get("parameters") or {}, parameters.model_dump(mode="json"))),
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
    old_values, new_values = dict(flat(old)), dict(flat(new))
    for name in sorted({*old_values, *new_values}):
        if old_values.get(name) != new_values.get(name):
            yield ParameterChange(name=name, old=old_values.get(name), new=new_values.get(name))


def flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield settings one by one, with dotted names."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value
