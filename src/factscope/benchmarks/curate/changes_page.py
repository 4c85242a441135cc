"""The change log of an update for people: a Markdown file, and a self-contained page with the same words and numbers.

The page has no script and makes no request; all outside text is escaped and inert.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import polars as pl
from pydantic import JsonValue

from factscope.benchmarks.curate.changes import ChangeLog, ReleaseChange, TopicDistance
from factscope.benchmarks.curate.parameters import TIERS
from factscope.benchmarks.curate.topic_map import SHAPES
from factscope.core import Interval, many
from factscope.report import NONE, Block, Paragraph, Points, Table, Title, number_cell, percent_cell, section, table_of
from factscope.report.markdown_text import blocks_to_markdown
from factscope.report.templates import Pages
from factscope.report.wording import excerpt

curate_pages = partial(
    Pages, "factscope.benchmarks.curate", ["page.css", "tables.css", "curate.css"], SHAPES=SHAPES, TIERS=TIERS
)
"""Pages about releases, with these functions and further names in their templates."""
MAX_IN_MARKDOWN = 200
"""Prompts of each kind in the Markdown file; the table has all."""
MAX_PROMPTS = 1000
"""Most prompts of each kind on the page; the table has all."""
SIGNS = {"added": "+", "kept": "=", "removed": "−"}
"""A sign for each change, so that none is shown by colour alone."""
SETS = {"old": "the last release", "new": "this release", "logs": "the new logs"}
MEASURES = {"hallucination": "hallucination score", "factual_precision": "factual precision %"}
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
    """Return text such as `1,000 prompts: 620 added, 380 kept, 605 removed`."""
    n_removed = sum(summary.removed.values())
    return f"{many(summary.n_new, 'prompt')}: {summary.added:,} added, {summary.kept:,} kept, {n_removed:,} removed"


def dates(summary: ReleaseChange) -> str:
    """Return the dates of the two releases, and the size of the earlier one."""
    then, now = summary.previous_made[:10], summary.made[:10]
    return f"The last release, {summary.previous} of {then}, had {many(summary.n_old, 'prompt')}; this one is of {now}."


def distances(summary: ReleaseChange) -> Table:
    """Return the distance between each two of the sets."""
    rows = (
        (
            f"{SETS[pair.first]} – {SETS[pair.second]}",
            number_cell(at.value, 3),
            figure_cell(at.corrected, at.interval),
            number_cell(at.chance, 3),
        )
        for pair in summary.representative
        if (at := pair.distance)
    )
    return table_of(("sets", "divergence", "corrected", "chance"), rows)


def drifts(summary: ReleaseChange) -> Table:
    """Return the change of difficulty, tier by tier."""
    rows = []
    for drift in summary.difficulty:
        both = drift.kept
        cell = partial(figure_cell, digits=1, scale=100) if drift.measure == "factual_precision" else figure_cell
        means = (cell(side.value, side.interval, side.n) for side in (drift.old, drift.new))
        apart = cell(drift.difference, drift.interval, sign="+")
        change = NONE if both.value is None else cell(both.value, both.interval, both.n, sign="+")
        rows.append((MEASURES[drift.measure], drift.tier or "all", *means, apart, change))
    heads = ("measure", "tier", "last release", "this release", "difference", "same prompts")
    return table_of(heads, rows, names=2)


def parameters(summary: ReleaseChange) -> Table:
    """Return the parameters that differ between the releases."""
    rows = ((one.name, value_words(one.old), value_words(one.new)) for one in summary.parameters)
    return table_of(("name", "last release", "this release"), rows, names=3)


def percentage(value: float | None) -> str:
    """Format a share as a percentage; a dash for `None`."""
    return NONE if value is None else f"{percent_cell(value)} %"


def ends(interval: Interval | None, digits: int = 3, scale: float = 1) -> str:
    """Return text such as `0.100 to 0.200`; empty without an interval."""
    bounds = (interval.low, interval.high) if interval else ()
    return " to ".join(number_cell(end, digits, scale) for end in bounds)


def figure_cell(
    value: float | None,
    interval: Interval | None,
    n: int | None = None,
    digits: int = 3,
    sign: str = "",
    scale: float = 1,
) -> str:
    """Return `scale` times a figure, with its interval and the number of values on the lines below."""
    lines = (number_cell(value, digits, scale, sign), ends(interval, digits, scale), "" if n is None else f"n={n}")
    return "\n".join(filter(None, lines))


def finding(distance: TopicDistance) -> str:
    """State a distance in a sentence."""
    first, second = SETS[distance.first].capitalize(), SETS[distance.second]
    if distance.distance is None:
        return f"{first} and {second} can't be compared: one of them is empty."
    beyond = distance.distance.beyond_chance
    comparison = "further apart than chance alone" if beyond else "no further apart than chance"
    return f"{first} and {second} are {comparison} would put them."


def value_words(value: JsonValue) -> str:
    """Format a parameter as a person would write it."""
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value in (None, "") else str(value)


def to_markdown(log: ChangeLog) -> str:
    """Return the change log as one Markdown file."""
    return blocks_to_markdown(_blocks(log), headings=True)


def _blocks(log: ChangeLog) -> Iterator[Block]:
    summary = log.summary
    yield Title(f"What changed since {summary.previous}", 1)
    yield Paragraph(f"{headline(summary)}.")
    yield Paragraph(dates(summary))
    yield from (Paragraph(note, warns=True) for note in summary.notes)
    yield Title("Why prompts went")
    yield from _filled(table_of(("reason", "prompts"), ((reason, f"{n:,}") for reason, n in summary.removed.items())))
    yield Title("Is it representative?")
    yield from _filled(distances(summary))
    yield Points(tuple(finding(distance) for distance in summary.representative))
    yield Paragraph(JSD)
    yield Title("Is it harder?")
    yield from _filled(drifts(summary))
    yield Paragraph(DRIFT)
    yield Title("Thresholds")
    thresholds = ((name, value_words(value)) for name, value in summary.thresholds.items())
    yield from _filled(table_of(("name", "value"), thresholds, names=2))
    yield from section("Parameters that differ", "", parameters(summary))
    for change in ("added", "kept", "removed"):
        yield from _prompts(log.table.filter(pl.col("change") == change), change)


def _prompts(rows: pl.DataFrame, change: str) -> Iterator[Block]:
    yield Title(f"{change.capitalize()}: {many(rows.height, 'prompt')}")
    if rows.height > MAX_IN_MARKDOWN:
        yield Paragraph(f"The first {MAX_IN_MARKDOWN}; changes.parquet has all.")
    cells = (
        (excerpt(row["prompt"], 160), row["tier"], change_reason(row))
        for row in rows.head(MAX_IN_MARKDOWN).iter_rows(named=True)
    )
    yield from _filled(table_of(("prompt", "tier", "why"), cells, names=3))


def _filled(table: Table) -> Iterator[Block]:
    yield table if table.rows else Paragraph("None.")


def change_reason(row: dict[str, object]) -> str:
    """Return the reason of a row of the change log, with its subject."""
    reason = str(row["reason"])
    if row["change"] == "removed" and row["detail"] is None and row["nearest"] is not None and "similar" in reason:
        return f"{reason}: cosine {row['cosine']:.3f} to {row['nearest']}"
    return f"{reason} ({row['detail']})" if row["detail"] else reason


def to_html(log: ChangeLog, prompts: Mapping[str, str] | None = None) -> str:
    """Return the page. `prompts` are the texts of new prompts by id, to show which one an old prompt is similar to."""
    shares = tuple(_shares(log.summary))
    rows = log.table.filter(pl.int_range(pl.len()).over("change") < MAX_PROMPTS)
    notes = (prompts or {}).get
    return _PAGES.fill(
        "changes.html",
        log=log,
        shares=shares,
        widest=max((piece for _, pieces in shares for piece in pieces), default=1.0) or 1.0,
        rows=[{**row, "nearest_prompt": notes(row["nearest"] or "")} for row in rows.iter_rows(named=True)],
        left_out=log.table.height - rows.height,
    )


def _shares(summary: ReleaseChange) -> Iterator[tuple[str, list[float]]]:
    """Yield each topic's name, and its shares of the new logs, the last release and this one, 0 to 1."""
    sets = ("logs", "old", "new")
    totals = {name: max(1, sum(getattr(topic, name) for topic in summary.topics)) for name in sets}
    for topic in summary.topics:
        yield topic.name, [getattr(topic, name) / totals[name] for name in sets]


_PAGES = curate_pages(
    (dates, finding, distances, drifts, value_words, parameters, change_reason, number_cell),
    SIGNS=SIGNS,
    JSD=JSD,
    DRIFT=DRIFT,
)
