"""The stage that finds topics, their words and the prompts that show them, and drops prompts without a topic.

Vectors → clusters: UMAP to a few dimensions, then HDBSCAN, as FactBench does with BERTopic; and a map for people. Both
are seeded or deterministic, so that the same vectors give the same clusters on the same machine and libraries. On
request the stage lays out a grid of other sizes of cluster and sample, side by side, for a person to choose from.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from factscope.benchmarks.curate.parameters import CurationParameters, Topics
from factscope.benchmarks.curate.prompt_vectors import matrix
from factscope.benchmarks.curate.stage import Stage, StageContext, StageResult, sifted
from factscope.benchmarks.curate.topic_words import Matrix, TopicDescriptions, WordCounts, count, describe
from factscope.core import InputError, many

FACTBENCH_SIZE = 294_333
"""Prompts that FactBench clustered with 100 and 25."""
_LEAST_SIZE, _LEAST_SAMPLES = 5, 3  # below this HDBSCAN finds clusters in noise
_MAP_SAMPLE = 4_000  # UMAP takes minutes for more; the rest is placed beside its neighbours
_MAP_NEIGHBOURS = 5  # neighbours of the sample that a prompt is placed between


class ClusterSizes(NamedTuple):
    """The two size parameters of HDBSCAN."""

    min_cluster_size: int
    min_samples: int


class Clusters(NamedTuple):
    """Cluster of each vector."""

    topics: NDArray[np.int64]
    """0 is the largest cluster, 1 the next largest; −1 marks outliers."""
    strength: Matrix
    """Strength of a vector's membership in its cluster, 0 to 1; 0 for outliers."""
    validity: float
    """HDBSCAN's quick estimate of density-based cluster validity (DBCV, Moulavi et al. 2014), −1 to 1. It compares
    settings on the same vectors, but not across vectors. NaN with fewer than two clusters."""

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of vectors in each cluster."""
        return np.bincount(self.topics[self.topics >= 0])

    @property
    def number(self) -> int:
        """Count the clusters."""
        return len(self.sizes)


def shrinks(topics: Topics) -> bool:
    """Return whether clusters are made smaller for few prompts.

    `topics.shrink` decides; if it is not set, they are when the sizes are FactBench's.
    """
    plain = Topics.model_fields
    published = all(getattr(topics, name) == plain[name].default for name in ("min_cluster_size", "min_samples"))
    return published if topics.shrink is None else topics.shrink


def sizes_for(prompts: int, topics: Topics) -> ClusterSizes:
    """Return the sizes for HDBSCAN: those of the parameters, or smaller ones for few prompts."""
    if not shrinks(topics) or prompts >= FACTBENCH_SIZE:
        return ClusterSizes(topics.min_cluster_size, topics.min_samples)
    ratio = (prompts / FACTBENCH_SIZE) ** 0.5
    return ClusterSizes(
        min(topics.min_cluster_size, max(_LEAST_SIZE, round(topics.min_cluster_size * ratio))),
        min(topics.min_samples, max(_LEAST_SAMPLES, round(topics.min_samples * ratio))),
    )


def reduce(vectors: Matrix, topics: Topics) -> Matrix:
    """Reduce vectors to shape (vectors, wanted.dimensions), so that neighbours by cosine stay neighbours.

    Raises InputError when there are too few vectors for UMAP.
    """
    least = max(topics.dimensions + 2, topics.neighbours + 1)
    if len(vectors) < least:
        raise InputError(
            f"Topics need at least {many(least, 'prompt')}; {len(vectors):,} left.",
            "Give more conversations, or set fewer dimensions and neighbours in the table [topics] of the parameters.",
        )
    return _umap(vectors, topics.dimensions, topics.neighbours, "cosine", topics.seed)


def cluster(reduced: Matrix, sizes: ClusterSizes, memory: str = "") -> Clusters:
    """Return clusters of points, of shape (points, dimensions).

    `memory` is a folder in which a grid keeps each tree.
    """
    points = len(reduced)
    if points < max(sizes.min_cluster_size, sizes.min_samples + 1):
        return Clusters(np.full(points, -1), np.zeros(points, np.float32), float("nan"))
    with _quiet():
        import hdbscan

        result = hdbscan.HDBSCAN(
            min_cluster_size=sizes.min_cluster_size,
            min_samples=sizes.min_samples,
            gen_min_span_tree=True,
            core_dist_n_jobs=1,  # more would copy the points into processes of their own
            **({"memory": memory} if memory else {}),
        ).fit(reduced.astype(np.float64))
        labels = _by_size(np.asarray(result.labels_, np.int64))
        validity = float(result.relative_validity_) if labels.max(initial=-1) > 0 else float("nan")
    return Clusters(labels, result.probabilities_.astype(np.float32), validity)


def plane(reduced: Matrix, topics: Topics) -> Matrix:
    """Return a map to look at, of shape (points, 2), from 0 to 1 on both axes.

    UMAP places a sample; each other point is placed between the nearest points of the sample.
    """
    from sklearn.neighbors import NearestNeighbors

    sample = np.sort(np.random.default_rng(topics.seed).permutation(len(reduced))[:_MAP_SAMPLE])
    layout = _umap(reduced[sample], 2, min(topics.neighbours, len(sample) - 1), "euclidean", topics.seed)
    nearest = NearestNeighbors(n_neighbors=min(_MAP_NEIGHBOURS, len(sample))).fit(reduced[sample])
    far, neighbours = nearest.kneighbors(reduced)
    pull = 1 / np.maximum(far, 1e-6)
    points = (layout[neighbours] * (pull / pull.sum(axis=1, keepdims=True))[..., None]).sum(axis=1)
    points -= points.min(axis=0)
    scaled: Matrix = (points / np.maximum(points.max(axis=0), 1e-12)).astype(np.float32)
    return scaled


def _umap(points: Matrix, dimensions: int, neighbours: int, metric: str, seed: int) -> Matrix:
    with _quiet():
        import umap

        _keep_compiled("umap", "pynndescent")
        embedded = umap.UMAP(
            n_components=dimensions,
            n_neighbors=neighbours,
            metric=metric,
            min_dist=0.0,  # BERTopic's: points of a cluster may lie on each other
            random_state=seed,
            n_jobs=1,  # what a seed asks for
        ).fit_transform(points)
    return np.asarray(embedded, np.float32)


@cache
def _keep_compiled(*packages: str) -> None:
    """Make numba cache the code that it compiles for packages, beside their files.

    UMAP does not enable that, so each process would compile for ten seconds before its first layout.
    """
    from numba.core.dispatcher import Dispatcher

    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in packages:
            for value in vars(module).values():
                if isinstance(value, Dispatcher) and not value.signatures:
                    value.enable_caching()


def _by_size(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Renumber clusters so that the largest is 0; −1 stays."""
    sizes = np.bincount(labels[labels >= 0])
    order = np.argsort(-sizes, kind="stable")
    new = np.empty(len(sizes) + 1, np.int64)
    new[order] = np.arange(len(sizes))
    new[-1] = -1  # where label −1 looks
    return new[labels]


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence warnings of the packages about each other, which users can't act on."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


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
    return sifted(
        placed,
        pl.col("topic") >= 0,
        "no topic",
        "an outlier of HDBSCAN",
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
