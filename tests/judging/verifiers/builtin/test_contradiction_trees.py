"""The trees that say how likely a contradiction is, and their average with the sum."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.core import StoreError
from factscope.judging.verifiers import ClaimPair
from factscope.judging.verifiers.builtin import load_small, read_contradiction_trees, with_trees

SHARES = st.floats(0.001, 0.999)


@given(SHARES, SHARES, SHARES, st.floats(0, 1))
def test_a_contradiction_is_as_likely_as_the_sum_and_the_trees_say_on_average(
    supported: float, contradicted: float, not_enough: float, chance: float
) -> None:
    before = np.array([supported, contradicted, not_enough]) / (supported + contradicted + not_enough)
    after = with_trees(before, chance)
    assert after.sum() == pytest.approx(1)
    assert after[1] == pytest.approx((before[1] + chance) / 2)
    assert after[0] * before[2] == pytest.approx(after[2] * before[0])


def test_a_contradiction_that_is_ruled_out_stays_so() -> None:
    assert list(with_trees(np.array([0.3, 0.0, 0.7]), 0.9)) == [0.3, 0.0, 0.7]


def test_trees_for_other_features_are_refused(tmp_path: Path) -> None:
    stored = {"features": ["length"], "bias": 0.0, "trees": {}}
    (tmp_path / "contradiction.json").write_text(json.dumps(stored), encoding="utf-8")
    with pytest.raises(StoreError, match="other features"):
        read_contradiction_trees(tmp_path)


def test_the_same_contradiction_is_less_likely_in_a_claim_that_goes_far_beyond_the_passage() -> None:
    passage = "The ferry to Tolsey does not run in winter."
    short = "The ferry to Tolsey runs in winter."
    long = (
        "Visitors who come by train can buy a ticket at the kiosk and wait in the hall, as the ferry to Tolsey, which"
        " belongs to the county and takes cars, runs in winter."
    )
    of_short, of_long = load_small().verify([ClaimPair(claim, passage) for claim in (short, long)])
    assert of_short.probabilities is not None
    assert of_long.probabilities is not None
    assert (of_short.probabilities.contradicted or 0) > (of_long.probabilities.contradicted or 0)
