"""The change log of an update as one self-contained page: no script, no request, all outside text escaped and inert."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import polars as pl

from factscope.benchmarks.curate import changes_text
from factscope.benchmarks.curate.changes import ChangeLog, ReleaseChange
from factscope.benchmarks.curate.parameters import TIERS
from factscope.benchmarks.curate.topic_map import SHAPES
from factscope.report.templates import Pages

MAX_PROMPTS = 1000
"""Most prompts of each kind on the page; the table has all."""
SIGNS = {"added": "+", "kept": "=", "removed": "−"}
"""A sign for each change, so that none is shown by colour alone."""


class TopicShares(NamedTuple):
    """A topic's share of each set of prompts."""

    name: str
    shares: tuple[float, float, float]
    """Of the new logs, the last release and this one, 0 to 1."""


def to_html(log: ChangeLog, prompts: Mapping[str, str] | None = None) -> str:
    """Return the page. `prompts` are the texts of new prompts by id, to show which one an old prompt is similar to."""
    shares = tuple(_shares(log.summary))
    rows = log.table.filter(pl.int_range(pl.len()).over("change") < MAX_PROMPTS)
    notes = (prompts or {}).get
    return _PAGES.fill(
        "changes.html",
        log=log,
        shares=shares,
        widest=max((piece for share in shares for piece in share.shares), default=1.0) or 1.0,
        rows=[{**row, "nearest_prompt": notes(row["nearest"] or "")} for row in rows.iter_rows(named=True)],
        left_out=log.table.height - rows.height,
    )


def _shares(summary: ReleaseChange) -> Iterator[TopicShares]:
    totals = [max(1, sum(getattr(topic, name) for topic in summary.topics)) for name in ("logs", "old", "new")]
    for topic in summary.topics:
        log_share, two, three = (n / total for n, total in zip((topic.logs, topic.old, topic.new), totals, strict=True))
        yield TopicShares(topic.name, (log_share, two, three))


_PAGES = Pages(
    "factscope.benchmarks.curate",
    ["page.css", "tables.css", "curate.css"],
    SHAPES=SHAPES,
    SIGNS=SIGNS,
    TIERS=TIERS,
    texts=changes_text,
)
