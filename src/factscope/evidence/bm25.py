"""BM25 as sparse arrays: each term's score for each unit is precomputed, so that a query only adds up scores.

As Lù (2024), "BM25S: Orders of magnitude faster lexical search via eager sparse scoring"; BM25 as in Robertson and
Zaragoza, "The Probabilistic Relevance Framework" (2009), section 3.2, with Lucene's idf, which is never negative. We
don't use the paper's package because it imports two compilers when they are installed, which takes a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

K1 = 1.2  # saturation of term frequency, the usual value (Lucene's default)
B = 0.75  # the usual weight of a unit's length


class Postings(NamedTuple):
    """Units and scores, term by term; each term's units in ascending order."""

    scores: NDArray[np.float32]
    units: NDArray[np.int32]
    starts: NDArray[np.int64]
    """Index of the first entry of each term, and the end of the last."""


def postings(terms: NDArray[np.int32], lengths: NDArray[np.int64], n_terms: int) -> Postings:
    """Compute the scores of all terms.

    `terms` has those of each unit in turn; `lengths` is the number of terms of each unit.
    """
    n_units = len(lengths)
    places = terms.astype(np.int64) * n_units + np.repeat(np.arange(n_units), lengths)
    places, counts = np.unique(places, return_counts=True)
    numbers, units = np.divmod(places, n_units)
    holders = np.bincount(numbers, minlength=n_terms)  # number of units that contain each term
    rarity = np.log(1 + (n_units - holders + 0.5) / (holders + 0.5)).astype(np.float32)
    saturation = K1 * (1 - B + B * lengths / lengths.mean())
    return Postings(
        scores=(rarity[numbers] * (counts / (saturation[units] + counts))).astype(np.float32),
        units=units.astype(np.int32),
        starts=np.concatenate([[0], np.cumsum(holders)]).astype(np.int64),
    )


def unit_scores(postings: Postings, query: Sequence[int], n_units: int) -> NDArray[np.float32]:
    """Score all units by the terms in `query`."""
    scores = np.zeros(n_units, np.float32)
    for number in query:
        held = slice(*postings.starts[number : number + 2].tolist())
        scores[postings.units[held]] += postings.scores[held]  # a term has each unit only once
    return scores
