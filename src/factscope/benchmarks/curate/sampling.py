"""A limit on the prompts of a topic, so that no subject dominates the benchmark and the costly stages stay limited.

The most representative prompts of a topic come first (FactBench takes 100 by class-based TF-IDF), then random ones. The
random rank of a prompt depends only on the seed and its id, so it stays the same whatever else is in the table.
"""

from __future__ import annotations

from hashlib import sha256

import polars as pl

from factscope.benchmarks.curate.stage import Stage, StageContext, StageResult, drops

OVER = "its topic has enough"
"""Reason for prompts beyond the number for their topic."""


def work(table: pl.DataFrame, context: StageContext) -> StageResult:
    """Keep `sampling.per_topic` prompts of each topic; the order of the table stays."""
    settings = context.parameters.sampling
    first = _representatives(context) if "topics" in context.tables else {}
    last = len(first)
    lots = [(first.get(name, last), _lot(name, settings.seed)) for name in table["id"]]
    lot = (
        table.select("id", "topic")
        .with_columns(pl.Series("place", [lot[0] for lot in lots]), pl.Series("lot", [lot[1] for lot in lots]))
        .sort("topic", "place", "lot", "id")
        .group_by("topic", maintain_order=True)
        .head(settings.per_topic)
    )
    whether = pl.col("id").is_in(lot["id"].to_list())
    passing, dropped = table.filter(whether), table.filter(~whether)
    sizes = table["topic"].value_counts()
    facts = {
        "topics": sizes.height,
        "topics_cut": sizes.filter(pl.col("count") > settings.per_topic).height,
        "representative": passing.filter(pl.col("id").is_in(list(first))).height,
    }
    return StageResult(passing, drops(dropped, OVER, pl.format("topic {}", "topic")), facts)


def _representatives(context: StageContext) -> dict[str, int]:
    """Return the rank of each representative prompt within its topic, by id."""
    lists = context.side("topics")["representatives"].to_list()
    return {name: index for names in lists for index, name in enumerate(names)}


def _lot(name: str, seed: int) -> str:
    return sha256(f"{seed}:{name}".encode()).hexdigest()


STAGE = Stage("sampling", "At most a set number of prompts of each topic go on, the most representative first.", work)
