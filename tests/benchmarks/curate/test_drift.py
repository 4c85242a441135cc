"""Distance between two releases: known values, honest intervals, and cases without an answer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.benchmarks.curate import drift, topic_distance

COUNTS = st.dictionaries(st.integers(0, 8), st.integers(1, 30), min_size=1)


def test_equal_topics_have_distance_0_and_disjoint_ones_one_bit():
    same = topic_distance({1: 40, 2: 60}, {1: 80, 2: 120})
    apart = topic_distance({1: 5}, {2: 9})
    assert same is not None
    assert apart is not None
    assert (same.value, same.beyond_chance) == (0.0, False)
    assert (apart.value, apart.beyond_chance) == (1.0, True)
    assert (apart.n_old, apart.n_new) == (5, 9)


def test_divergence_of_a_known_pair():
    found = topic_distance({1: 1, 2: 1}, {1: 1})
    assert found is not None
    # M = (3/4, 1/4): H(M) - H(1/2, 1/2) / 2
    assert found.value == pytest.approx(0.8112781245 - 0.5)


def test_topic_distance_is_undefined_without_topics_on_both_sides():
    assert topic_distance({}, {1: 3}) is None
    assert topic_distance({1: 3}, {1: 0}) is None


@given(COUNTS, COUNTS)
def test_distance_is_symmetric_and_its_interval_contains_the_corrected_value(one, two):
    there, back = topic_distance(one, two, resamples=200), topic_distance(two, one, resamples=200)
    assert there is not None
    assert back is not None
    assert there.value == pytest.approx(back.value, abs=1e-9)
    assert 0 <= there.interval.low <= there.corrected + 1e-9
    assert there.corrected <= there.interval.high + 1e-9


def test_two_samples_of_one_distribution_seldom_look_different_and_shrink_when_corrected():
    random = np.random.default_rng(1)
    share = random.dirichlet(np.ones(60))
    found = []
    for trial in range(60):
        one, two = (dict(enumerate(random.multinomial(n, share))) for n in (300, 500))
        found.append(topic_distance(one, two, resamples=300, seed=trial))
    added = np.mean([one.value for one in found if one])  # caused by small samples alone
    assert added > 0.03
    assert np.mean([one.corrected for one in found if one]) < added / 3
    assert sum(one.beyond_chance for one in found if one) <= 9


def test_drift_distinguishes_a_harder_selection_from_worse_answers():
    old = {f"old{n}": 0.4 + n % 5 / 100 for n in range(40)}
    kept = {name: value + 0.1 for name, value in list(old.items())[:20]}
    new = kept | {f"new{n}": 0.9 for n in range(20)}
    found = drift("hallucination", "hard", old, new)
    assert found.difference == pytest.approx(0.29)
    assert found.interval is not None
    assert found.interval.low < found.difference < found.interval.high
    assert (found.kept.n, found.kept.value) == (20, pytest.approx(0.1))
    assert (found.old.n, found.new.n) == (40, 40)


def test_drift_has_no_difference_without_common_prompts_or_values():
    none = drift("hallucination", None, {"a": None}, {"b": 0.5})
    assert (none.difference, none.interval, none.old.value, none.kept.n) == (None, None, None, 0)
    assert none.new.value == 0.5
