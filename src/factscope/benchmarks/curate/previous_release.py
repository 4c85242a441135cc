"""The prompts of the previous release among new ones: the topic of each, and whether it is replaced."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from factscope.benchmarks.curate.parameters import Update
from factscope.benchmarks.curate.topic_words import Matrix

SAME = "too similar"
SAME_IN_TOPIC = "too similar in its topic"
ID_IN_USE = "its id is that of another new prompt"
_BLOCK = 256  # rows of a similarity matrix at once, to bound memory
_SAMPLE = 2_000
"""Randomly drawn new prompts whose similarity to other new prompts is measured."""

PLACED = {
    "id": pl.String,
    "topic": pl.Int32,
    "twin": pl.String,
    "nearest": pl.String,
    "cosine": pl.Float64,
    "reason": pl.String,
}
"""Columns of the table of old prompts. `topic` is the new topic, −1 outside all; `twin` the new prompt with the same
words; `nearest` the most similar new prompt, with its `cosine`, within the same topic if `reason` says so. A prompt
with a `reason` is replaced, one without stays."""


class NewPrompts(NamedTuple):
    """The new prompts that old ones are compared with."""

    rows: pl.DataFrame
    """id, prompt, topic of the prompts that may get into the release."""
    vectors: Matrix
    """Of shape (rows, dimensions), of length 1."""


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


def placed(old: pl.DataFrame, vectors: Matrix, new: NewPrompts, placement: PlacedPrompts, rule: Update) -> pl.DataFrame:
    """Assign each of `old` (id, prompt; its `vectors` in the space of the new) to a topic, and decide whether it stays.

    FactBench places old prompts in the clusters of the new ones, and drops those that are too similar to a new one:
    their cosine reaches a threshold, or a lower one if they share a topic (`rule` has both). Only new prompts that may
    get into the release count. When the same prompt was asked again, the old one stays and its twin is dropped.
    """
    topics, twins = _topics(vectors, placement, rule), _twins(old, new.rows)
    names: list[str] = new.rows["id"].to_list()
    at = {name: number for number, name in enumerate(names)}
    others = np.array([at[twin] if twin else -1 for twin in twins], dtype=np.int64)
    same, same_cosine = _nearest(vectors, new.vectors, others)
    new_topics = new.rows["topic"].cast(pl.Int64).to_numpy()
    within, cosine_within = _nearest(vectors, new.vectors, others, (topics, new_topics))
    results = []
    for i, (name, twin) in enumerate(zip(old["id"], twins, strict=True)):
        reason = None
        if name in at and twin != name:
            reason = ID_IN_USE
        elif twin is None and same_cosine[i] >= rule.same_cosine:
            reason = SAME
        elif twin is None and cosine_within[i] >= rule.same_topic_cosine:
            reason = SAME_IN_TOPIC
        by, cosine = (within, cosine_within) if reason == SAME_IN_TOPIC else (same, same_cosine)
        nearest = (names[by[i]], float(cosine[i])) if by[i] >= 0 else (None, None)
        results.append((name, int(topics[i]), twin, *nearest, reason))
    return pl.DataFrame(results, PLACED, orient="row")


def _nearest(
    old: Matrix,
    new: Matrix,
    twins: NDArray[np.int64] | None = None,
    topics: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return for each old prompt the index of the most similar new one other than its twin, and its cosine.

    With `topics`, only new prompts of its topic count. Without any, the index is −1 and the cosine −2.
    """
    at, cosine = np.full(len(old), -1, np.int64), np.full(len(old), -2.0)
    for start in range(0, len(old) if len(new) else 0, _BLOCK):
        block = slice(start, start + _BLOCK)
        likeness = old[block] @ new.T
        if twins is not None:
            rows = np.flatnonzero(twins[block] >= 0)
            likeness[rows, twins[block][rows]] = -2.0
        if topics:
            own_topics, theirs = topics[0][block], topics[1]
            likeness[(own_topics[:, None] != theirs[None, :]) | (own_topics[:, None] < 0)] = -2.0
        best = likeness.argmax(axis=1)
        best_cosine = likeness[np.arange(len(best)), best]
        at[block], cosine[block] = np.where(best_cosine > -2.0, best, -1), best_cosine
    return at, cosine


def _topics(vectors: Matrix, placement: PlacedPrompts, rule: Update) -> NDArray[np.int64]:
    """Return the topics of old prompts. A prompt less similar to all new ones than these are to each other has −1."""
    topics = assign_topics(vectors, placement, rule.neighbours)
    inside = placement.vectors[placement.topics >= 0]
    if not rule.outside or len(inside) < 2 or not len(vectors):
        return topics
    lot = np.random.default_rng(rule.seed).permutation(len(inside))[:_SAMPLE]
    _, own_cosine = _nearest(inside[lot], inside, lot)
    _, cosine = _nearest(vectors, inside)
    return np.where(cosine < np.quantile(own_cosine, rule.outside), -1, topics)


def _twins(old: pl.DataFrame, new: pl.DataFrame) -> list[str | None]:
    """Return for each old prompt the first new one with the same words; `None` if there is none."""
    by_words = {_words(prompt): name for name, prompt in new["id", "prompt"].reverse().iter_rows()}
    return [by_words.get(_words(prompt)) for prompt in old["prompt"]]


def _words(prompt: str) -> str:
    """Return the prompt without differences in case and spaces."""
    return " ".join(prompt.casefold().split())
