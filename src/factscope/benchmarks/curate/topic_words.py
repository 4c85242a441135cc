"""Description of topics: words by class-based TF-IDF, and the most representative prompts.

    W(t, c) = tf(t, c) · log(1 + A / f(t))        Grootendorst 2022, BERTopic, section 3.3

tf(t, c) is the share of word t among the words of class c, f(t) how often it occurs in all classes, A the mean number
of words of a class. A prompt is as representative as its words, weighed in the same way, point in the direction of its
topic (cosine), as in BERTopic.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]


class WordCounts(NamedTuple):
    """Word counts of each prompt."""

    matrix: Any
    """Sparse, of shape (prompts, words)."""
    words: NDArray[np.object_]
    """Words in the order of the columns."""


_WORD = re.compile(r"(?u)\b\w\w+\b")
_REQUEST_WORDS = frozenset(files(__package__).joinpath("request_words.txt").read_text("utf-8").split())
"""Words of requests rather than of their subject; they do not count for topics."""


def content_words(prompt: str) -> list[str]:
    """Return the words of a prompt, without those of the English stop list and the words of requests."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    words = (word.casefold() for word in _WORD.findall(prompt))
    return [word for word in words if word not in ENGLISH_STOP_WORDS and word not in _REQUEST_WORDS]


def count(prompts: Sequence[str], characters: int) -> WordCounts:
    """Return the words of prompts that describe their subject; only the first characters of each prompt are used."""
    from sklearn.feature_extraction.text import CountVectorizer

    cut = [prompt[:characters] for prompt in prompts]
    counter = CountVectorizer(analyzer=content_words, dtype=np.float32)
    try:
        matrix = counter.fit_transform(cut)
    except ValueError:  # no prompt has a word that is not on the stop list: these words then say what they are about
        counter = CountVectorizer(analyzer=lambda prompt: prompt.split() or ["-"], dtype=np.float32)
        matrix = counter.fit_transform(cut)
    return WordCounts(matrix, counter.get_feature_names_out())


class TopicDescriptions(NamedTuple):
    """Descriptions of topics."""

    words: list[str]
    """The most characteristic first."""
    representatives: list[int]
    """Rows of the most representative prompts, the most representative first."""


def describe(
    counts: WordCounts, topics: NDArray[np.int64], words: int, representatives: int
) -> list[TopicDescriptions]:
    """Describe the topics 0, 1, … in order, each with its top words and prompts; rows of topic −1 are left out.

    `topics` has shape (prompts,); each topic has at least one prompt.
    """
    rows = np.flatnonzero(topics >= 0)
    of_topic = np.split(rows[np.argsort(topics[rows], kind="stable")], np.cumsum(np.bincount(topics[rows]))[:-1])
    inside = counts.matrix[rows]
    frequency = np.maximum(np.asarray(inside.sum(axis=0)).ravel(), 1e-12)
    idf = np.log1p(frequency.sum() / len(of_topic) / frequency).astype(np.float32)
    described = []
    for members in of_topic:
        member_counts = counts.matrix[members]
        weights = np.asarray(member_counts.sum(axis=0)).ravel() * idf  # over the words of the class: the same order
        best = [index for index in _highest(weights, words) if weights[index] > 0]
        cosines = _cosines(member_counts.multiply(idf).tocsr(), weights)
        examples = members[_highest(cosines, representatives)]
        described.append(TopicDescriptions([str(counts.words[index]) for index in best], examples.tolist()))
    return described


def _highest(values: NDArray[np.float32], most: int) -> NDArray[np.int64]:
    """Return the indices of the highest values; of ties, the first."""
    return np.argsort(-values, kind="stable")[:most]


def _cosines(rows: Any, weights: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel()) * np.linalg.norm(weights)
    cosines: NDArray[np.float32] = np.asarray(rows @ weights).ravel() / np.maximum(lengths, 1e-12)
    return cosines
