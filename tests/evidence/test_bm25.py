"""BM25 scores, computed by hand."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from factscope.evidence import postings, unit_scores


def test_scores_follow_the_formula() -> None:
    """Units 0 0 1, 1 and 2 1 1 2: term 0 is in one of three, term 1 in all, term 2 in one."""
    bm25 = postings(np.array([0, 0, 1, 1, 2, 1, 1, 2], np.int32), np.array([3, 1, 4]), 4)

    def score(count: int, length: int, holders: int) -> float:
        return log(1 + (3 - holders + 0.5) / (holders + 0.5)) * count / (
            1.2 * (0.25 + 0.75 * length / (8 / 3)) + count
        )  # fmt: skip

    assert unit_scores(bm25, [0], 3) == pytest.approx([score(2, 3, 1), 0, 0], rel=1e-6)
    assert unit_scores(bm25, [1, 2], 3) == pytest.approx(
        [score(1, 3, 3), score(1, 1, 3), score(2, 4, 3) + score(2, 4, 1)], rel=1e-6
    )
    assert unit_scores(bm25, [3], 3).tolist() == [0, 0, 0], "a term of no unit"
    assert unit_scores(bm25, [], 3).tolist() == [0, 0, 0]
