"""Grid of alternative cluster and sample sizes, side by side, for a person to choose from."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl

from factscope.benchmarks.curate.clusters import Clusters, ClusterSizes, cluster
from factscope.benchmarks.curate.prompt_vectors import Matrix
from factscope.benchmarks.curate.stage import StageContext
from factscope.benchmarks.curate.topic_words import WordCounts, describe

_LOOKED_AT = 50
"""Number of largest, and of smallest, clusters whose words are shown (FactBench)."""
_WORDS = 4  # words by which a person recognises a topic in the table


def lay_out(reduced: Matrix, counts: WordCounts, clusters: Clusters, context: StageContext) -> pl.DataFrame:
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
        members = np.bincount(result.topics[result.topics >= 0])
        about = describe(counts, result.topics, _WORDS, 1) if result.number else []
        words = [" ".join(each.words) for each in about]
        cells.append(
            {
                "min_cluster_size": size,
                "min_samples": samples,
                "topics": result.number,
                "outliers": int((result.topics < 0).sum()),
                "largest": int(members.max(initial=0)),
                "median": float(np.median(members)) if result.number else 0.0,
                "validity": result.validity,
                "agreement": float(adjusted_mutual_info_score(clusters.topics, result.topics)),
                "words_of_largest": words[:_LOOKED_AT],
                "words_of_smallest": words[-_LOOKED_AT:],
            }
        )
        context.progress(len(cells), len(figures) ** 2)
    return pl.DataFrame(cells)
