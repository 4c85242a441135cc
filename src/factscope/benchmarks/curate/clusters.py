"""Vectors → clusters: UMAP to a few dimensions, then HDBSCAN, as FactBench does with BERTopic; and a map for people.

Both are seeded or deterministic, so that the same vectors give the same clusters on the same machine and libraries.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factscope.benchmarks.curate.parameters import Topics
from factscope.core.errors import InputError
from factscope.core.plurals import many

FACTBENCH_SIZE = 294_333
"""Prompts that FactBench clustered with 100 and 25."""
_LEAST_SIZE, _LEAST_SAMPLES = 5, 3  # below this HDBSCAN finds clusters in noise
_MAP_SAMPLE = 4_000  # UMAP takes minutes for more; the rest is placed beside its neighbours
_MAP_NEIGHBOURS = 5  # neighbours of the sample that a prompt is placed between
Matrix = NDArray[np.float32]


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
