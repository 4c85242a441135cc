"""The change log for people: the words and numbers that its page and its Markdown file share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import polars as pl
from pydantic import JsonValue

from factscope.benchmarks.curate.changes import ChangeLog, ReleaseChange, TopicDistance
from factscope.benchmarks.curate.drift import Drift
from factscope.core.records import Interval
from factscope.report.markdown_text import escaped, table_lines
from factscope.report.wording import clip, many, one_line
from factscope.scoring.means import Mean

MAX_PROMPTS = 200
"""Prompts of each kind in the Markdown file; the table has all."""
NONE = "–"
SETS = {"old": "the last release", "new": "this release", "logs": "the new logs"}
MEASURES = {"hallucination": "hallucination score", "factual_precision": "factual precision"}
DISTANCE_HEADS = ("", "divergence", "corrected", "95 % interval", "chance")
DRIFT_HEADS = ("measure", "tier", "last release", "this release", "difference", "same prompts")
JSD = (
    "Jensen–Shannon divergence in bits (Lin 1991): 0 when both have the same shares of topics, 1 when they have no "
    "topic in common. Small samples seem further apart than they are: the second figure is corrected for that, its "
    "interval is a basic bootstrap, and two samples of one distribution would stay below the last figure 95 times in "
    "100."
)
DRIFT = (
    "Means over prompts with 95 % bootstrap intervals. What changed among the prompts that both releases have is due "
    "to new answers and new evidence; the rest is due to the choice of prompts."
)


def headline(summary: ReleaseChange) -> str:
    """Such as `1,000 prompts: 620 added, 380 kept, 605 removed`."""
    n_removed = sum(summary.removed.values())
    return f"{many(summary.n_new, 'prompt')}: {summary.added:,} added, {summary.kept:,} kept, {n_removed:,} removed"


def dates(summary: ReleaseChange) -> str:
    """When the two releases were made, and how large the last was."""
    then, now = summary.previous_made[:10], summary.made[:10]
    return f"The last release, {summary.previous} of {then}, had {many(summary.n_old, 'prompt')}; this one is of {now}."


def distance_rows(summary: ReleaseChange) -> Iterator[tuple[str, ...]]:
    """The rows below `DISTANCE_HEADS`."""
    for distance in summary.representative:
        if distance.distance:
            observed = number(distance.distance.value), number(distance.distance.corrected)
            yield _pair(distance), *observed, ends(distance.distance.interval), number(distance.distance.chance)


def drift_rows(summary: ReleaseChange) -> Iterator[tuple[str, ...]]:
    """The rows below `DRIFT_HEADS`."""
    for drift in summary.difficulty:
        sides = with_ends(drift.old), with_ends(drift.new)
        yield MEASURES[drift.measure], drift.tier or "all", *sides, apart_words(drift), kept_words(drift)


def number(value: float | None, digits: int = 3) -> str:
    """Write a number with these decimals; a dash for nothing."""
    return NONE if value is None else f"{value:.{digits}f}"


def ends(interval: Interval | None) -> str:
    """Such as `0.100 to 0.200`; empty without one."""
    return "" if interval is None else f"{interval.low:.3f} to {interval.high:.3f}"


def with_ends(mean: Mean) -> str:
    """A mean, its interval and how many it is of."""
    return " ".join(
        filter(None, [number(mean.value), f"({ends(mean.interval)})" if mean.interval else "", f"n={mean.n}"])
    )


def finding(distance: TopicDistance) -> str:
    """State a distance in a sentence."""
    first, second = SETS[distance.first].capitalize(), SETS[distance.second]
    if distance.distance is None:
        return f"{first} and {second} can't be compared: one of them is empty."
    comparison = (
        "further apart than chance alone" if distance.distance.beyond_chance else "no further apart than chance"
    )
    return f"{first} and {second} are {comparison} would put them."


def _pair(distance: TopicDistance) -> str:
    return f"{SETS[distance.first]} – {SETS[distance.second]}"


def kept_words(drift: Drift) -> str:
    """State how prompts that both releases have changed."""
    if drift.kept.value is None:
        return NONE
    sure = f" ({ends(drift.kept.interval)})" if drift.kept.interval else ""
    return f"{drift.kept.value:+.3f}{sure} n={drift.kept.n}"


def apart_words(drift: Drift) -> str:
    """State the difference of the two means."""
    if drift.difference is None:
        return NONE
    return f"{drift.difference:+.3f}" + (f" ({ends(drift.interval)})" if drift.interval else "")


def value_words(value: JsonValue) -> str:
    """A parameter as a person writes it."""
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value in (None, "") else str(value)


def to_markdown(log: ChangeLog) -> str:
    """The change log as one Markdown file."""
    return "\n".join(_lines(log)) + "\n"


def _lines(log: ChangeLog) -> Iterator[str]:
    summary = log.summary
    yield from (f"# What changed since {escaped(summary.previous)}", "", f"**{headline(summary)}.**", "")
    yield dates(summary)
    for note in summary.notes:
        yield from ("", f"> {escaped(note)}")
    yield from ("", "## Why prompts went", "")
    yield from _table(("reason", "prompts"), ((escaped(reason), f"{n:,}") for reason, n in summary.removed.items()))
    yield from ("", "## Is it representative?", "")
    yield from _table(DISTANCE_HEADS, distance_rows(summary))
    yield from ("", *(finding(distance) for distance in summary.representative), "", JSD, "", "## Is it harder?", "")
    yield from _table(DRIFT_HEADS, drift_rows(summary))
    yield from ("", DRIFT, "", "## Thresholds", "")
    yield from _table(("name", "value"), ((name, value_words(value)) for name, value in summary.thresholds.items()))
    if summary.parameters:
        yield from ("", "## Parameters that differ", "")
        changed = (
            (parameter.name, escaped(value_words(parameter.old)), escaped(value_words(parameter.new)))
            for parameter in summary.parameters
        )
        yield from _table(("name", "last release", "this release"), changed)
    for change in ("added", "kept", "removed"):
        yield from _prompts(log.table.filter(pl.col("change") == change), change)


def _prompts(rows: pl.DataFrame, change: str) -> Iterator[str]:
    yield from ("", f"## {change.capitalize()}: {many(rows.height, 'prompt')}", "")
    if rows.height > MAX_PROMPTS:
        yield from (f"The first {MAX_PROMPTS}; `changes.parquet` has all.", "")
    yield from _table(
        ("prompt", "tier", "why"),
        (
            (escaped(clip(one_line(row["prompt"]), 160)), row["tier"], escaped(change_reason(row)))
            for row in rows.head(MAX_PROMPTS).iter_rows(named=True)
        ),
    )


def change_reason(row: dict[str, object]) -> str:
    """Return the reason of a row of the change log, with its subject."""
    reason = str(row["reason"])
    if row["change"] == "removed" and row["detail"] is None and row["nearest"] is not None and "similar" in reason:
        return f"{reason}: cosine {row['cosine']:.3f} to {row['nearest']}"
    return f"{reason} ({row['detail']})" if row["detail"] else reason


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    body = list(rows)
    yield from table_lines(heads, body, "l" * len(heads)) if body else ("None.",)
