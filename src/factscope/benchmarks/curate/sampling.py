"""A limit on the prompts of a topic, so that no subject dominates the benchmark and the costly stages stay limited.

The most representative prompts of a topic come first (FactBench takes 100 by class-based TF-IDF), then random ones. The
random rank of a prompt depends only on the seed and its id, so it stays the same whatever else is in the table.
"""

from __future__ import annotations

from hashlib import sha256

import polars as pl

from factscope.benchmarks.curate.stage import Stage, StageContext, StageResult, split_rows

OVER = "its topic has enough"
"""Reason for prompts beyond the number for their topic."""


def work(table: pl.DataFrame, context: StageContext) -> StageResult:
    """Keep `sampling.per_topic` prompts of each topic; the order of the table stays."""
    settings = context.parameters.sampling
    lists = context.side("topics")["representatives"] if "topics" in context.tables else ()
    first = {name: index for names in lists for index, name in enumerate(names)}  # rank within its topic
    lots = [sha256(f"{settings.seed}:{name}".encode()).hexdigest() for name in table["id"]]
    place = pl.col("id").replace_strict(first, default=len(first), return_dtype=pl.Int64)
    chosen = (
        table.select("id", "topic", place=place, lot=pl.Series(lots, dtype=pl.String))
        .sort("topic", "place", "lot", "id")
        .group_by("topic", maintain_order=True)
        .head(settings.per_topic)
    )
    whether = pl.col("id").is_in(chosen["id"].to_list())
    sizes = table["topic"].value_counts()
    facts = {
        "topics": sizes.height,
        "topics_cut": sizes.filter(pl.col("count") > settings.per_topic).height,
        "representative": chosen.filter(pl.col("id").is_in(list(first))).height,
    }
    return split_rows(table, whether, OVER, pl.format("topic {}", "topic"), facts)


STAGE = Stage("sampling", "At most a set number of prompts of each topic go on, the most representative first.", work)
