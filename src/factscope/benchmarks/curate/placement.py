"""New prompts → existing topics, as an update needs it for the prompts of the previous release."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from factscope.benchmarks.curate.prompt_vectors import Matrix

_BLOCK = 256  # rows of a similarity matrix at once, to bound memory


class PlacedPrompts(NamedTuple):
    """Prompts whose topics are known."""

    vectors: Matrix
    """Of shape (prompts, dimensions), of length 1."""
    topics: NDArray[np.int64]
    """Of shape (prompts,); −1 are outliers."""


def fitted(vectors: pl.DataFrame, rows: pl.DataFrame) -> PlacedPrompts:
    """Return the prompts of the side table `vectors`, with the topics that the table of the stage gives them."""
    joined = vectors.join(rows.select("id", "topic"), on="id", how="left", maintain_order="left")
    topics = joined["topic"].fill_null(-1).cast(pl.Int64).to_numpy()
    return PlacedPrompts(joined["vector"].to_numpy(), topics)


def assign_topics(vectors: Matrix, placement: PlacedPrompts, neighbours: int = 15) -> NDArray[np.int64]:
    """Return the topics of other prompts, of shape (vectors,), by a vote of the nearest known prompts; −1 for outliers.

    Each votes with its cosine as weight. Only the tables of a release are needed, while HDBSCAN's own
    prediction needs the fitted models of UMAP and HDBSCAN. `perf/curate.py` measures the accuracy.
    """
    placed = np.full(len(vectors), -1, np.int64)
    neighbours = min(neighbours, len(placement.topics))
    for start in range(0, len(vectors) if neighbours else 0, _BLOCK):
        cosines = vectors[start : start + _BLOCK] @ placement.vectors.T
        nearest = np.argpartition(-cosines, neighbours - 1, axis=1)[:, :neighbours]
        say = np.maximum(np.take_along_axis(cosines, nearest, axis=1), 0)
        neighbour_topics = placement.topics[nearest]
        votes = (say[:, :, None] * (neighbour_topics[:, :, None] == neighbour_topics[:, None, :])).sum(axis=1)
        best = np.take_along_axis(neighbour_topics, votes.argmax(axis=1)[:, None], axis=1)[:, 0]
        placed[start : start + _BLOCK] = np.where(votes.max(axis=1) > 0, best, -1)
    return placed
