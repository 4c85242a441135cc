"""The stage that finds topics, their words and the prompts that show them, and drops prompts without a topic.

On request it lays out a grid of other sizes of cluster and sample, side by side, for a person to choose from.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import polars as pl

from factscope.benchmarks.curate.clusters import (
    Clusters,
    ClusterSizes,
    Matrix,
    cluster,
    plane,
    reduce,
    shrinks,
    sizes_for,
)
from factscope.benchmarks.curate.parameters import CurationParameters
from factscope.benchmarks.curate.prompt_vectors import matrix
from factscope.benchmarks.curate.stage import Stage, StageContext, StageResult, drops
from factscope.benchmarks.curate.topic_words import TopicDescriptions, WordCounts, count, describe
from factscope.core.errors import InputError
from factscope.core.plurals import many

_LOOKED_AT = 50
"""Number of largest, and of smallest, clusters whose words are shown in the grid (FactBench)."""
_WORDS = 4  # words by which a person recognises a topic in the grid
_MEND = (
    "Give more conversations, or set smaller figures in the table [topics] of the parameters: min_cluster_size and"
    " min_samples, or leave shrink = true."
)


def work(rows: pl.DataFrame, context: StageContext) -> StageResult:
    """Return the stage `topics`: columns topic, topic_strength, x, y; outliers go.

    Side tables: `topics` (topic, size, words, representatives: ids of prompts), `members` (id, topic: the outliers, −1,
    too) and `grid` when the parameters ask for it. Raises InputError when there are too
    few prompts, or none falls into a topic.
    """
    settings = context.parameters.topics
    prompts = rows["prompt"].to_list()
    reduced = reduce(matrix(context.side("vectors"), rows["id"]), settings)
    sizes = sizes_for(len(rows), settings)
    if sizes != (settings.min_cluster_size, settings.min_samples):
        context.log(
            f"topics: for {many(len(rows), 'prompt')} min_cluster_size is {sizes[0]} and min_samples {sizes[1]}."
        )
    clusters_found = cluster(reduced, sizes)
    if not clusters_found.number and shrinks(settings):
        context.log(f"topics: none of the {many(len(rows), 'prompt')} falls into a topic, so all are of one.")
        clusters_found = Clusters(np.zeros(len(rows), np.int64), np.ones(len(rows), np.float32), float("nan"))
    counts = count(prompts, context.parameters.vectors.characters)
    tables = {"grid": _lay_out(reduced, counts, clusters_found, context)} if settings.grid else {}
    if not clusters_found.number:
        raise InputError(
            f"None of the {many(len(rows), 'prompt')} falls into a topic with min_cluster_size {sizes[0]}"
            f" and min_samples {sizes[1]}.",
            _MEND,
        )
    placed = rows.with_columns(
        topic=pl.Series(clusters_found.topics, dtype=pl.Int32),
        topic_strength=pl.Series(clusters_found.strength),
        **{axis: pl.Series(at) for axis, at in zip("xy", plane(reduced, settings).T, strict=True)},
    )
    about = describe(counts, clusters_found.topics, settings.words, settings.representatives)
    outlier = pl.col("topic") < 0
    return StageResult(
        placed.filter(~outlier),
        drops(placed.filter(outlier), "no topic", "an outlier of HDBSCAN"),
        _facts(clusters_found, sizes, context.parameters),
        {"topics": _table(rows["id"], clusters_found, about), "members": placed.select("id", "topic"), **tables},
    )


STAGE = Stage(
    "topics", "Groups prompts into topics; those that belong to none go.", work, parameters=("vectors", "topics")
)


def _facts(clusters: Clusters, sizes: ClusterSizes, parameters: CurationParameters) -> dict[str, Any]:
    members = clusters.sizes
    return {
        "topics": clusters.number,
        "outliers": int((clusters.topics < 0).sum()),
        **sizes._asdict(),
        "seed": parameters.topics.seed,
        "largest": int(members.max()),
        "median": float(np.median(members)),
        "smallest": int(members.min()),
        "validity": None if np.isnan(clusters.validity) else round(clusters.validity, 4),
    }


def _table(ids: pl.Series, clusters: Clusters, about: list[TopicDescriptions]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "topic": pl.Series(range(clusters.number), dtype=pl.Int32),
            "size": pl.Series(clusters.sizes, dtype=pl.Int64),
            "words": [each.words for each in about],
            "representatives": [ids[each.representatives].to_list() for each in about],
        },
        schema_overrides={"words": pl.List(pl.String), "representatives": pl.List(pl.String)},
    )


def _lay_out(reduced: Matrix, counts: WordCounts, clusters: Clusters, context: StageContext) -> pl.DataFrame:
    """Return one row for each pair of sizes in `topics.grid`.

    Its columns are the numbers of clusters and outliers, their validity (`Clusters.validity`), their similarity to the
    chosen clusters (adjusted mutual information), and words of the largest and smallest clusters. FactBench chose by
    these words: neither too narrow nor too wide.
    """
    from sklearn.metrics import adjusted_mutual_info_score

    memory = str(context.scratch / "trees")
    figures = sorted(set(context.parameters.topics.grid))
    cells = []
    for samples, size in product(figures, figures):
        result = cluster(reduced, ClusterSizes(size, samples), memory)
        about = describe(counts, result.topics, _WORDS, 1) if result.number else []
        words = [" ".join(each.words) for each in about]
        cells.append(
            {
                "min_cluster_size": size,
                "min_samples": samples,
                "topics": result.number,
                "outliers": int((result.topics < 0).sum()),
                "largest": int(result.sizes.max(initial=0)),
                "median": float(np.median(result.sizes)) if result.number else 0.0,
                "validity": result.validity,
                "agreement": float(adjusted_mutual_info_score(clusters.topics, result.topics)),
                "words_of_largest": words[:_LOOKED_AT],
                "words_of_smallest": words[-_LOOKED_AT:],
            }
        )
        context.progress(len(cells), len(figures) ** 2)
    return pl.DataFrame(cells)
