"""All figures of a checker with intervals; the value of its confidence; and whether two checkers differ."""

from __future__ import annotations

import math
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.benchmarks.meta_eval import THIRDS, Bar, MatchedAnswer, bars, compute_figures, contrasts
from factscope.scoring import auroc, brier, ece, reliability
from tests.lab.growth import growth

pairs = st.lists(st.tuples(st.integers(0, 20).map(lambda n: n / 20), st.booleans()), min_size=1, max_size=30)


def answers(n: int, clusters: int, seed: int = 0, skill: float = 0.25) -> list[MatchedAnswer]:
    draw = random.Random(seed)
    made = []
    for i in range(n):
        wrong = draw.random() < 0.2
        p = min(1.0, max(0.0, draw.gauss(0.4 + skill * wrong, 0.2)))
        domain = f"d{i % clusters % 5}"
        made.append(
            MatchedAnswer(f"r{i % clusters}", wrong, p > 0.5, p, domain, "knowledge", (i // clusters + 0.5) / 5)
        )
    return made


@given(pairs)
def test_auroc_is_the_chance_that_an_error_ranks_higher(rows: list[tuple[float, bool]]) -> None:
    p, wrong = [a for a, _ in rows], [b for _, b in rows]
    errors, right = [a for a, b in rows if b], [a for a, b in rows if not b]
    if not errors or not right:
        assert auroc(p, wrong) is None
        return
    won = sum((a > b) + (a == b) / 2 for a in errors for b in right)
    assert auroc(p, wrong) == pytest.approx(won / len(errors) / len(right))


def test_calibration_of_a_worked_example() -> None:
    p, wrong = [0.1, 0.1, 0.9, 1.0], [False, True, True, True]
    bins = reliability(p, wrong)
    assert [(one.n, one.stated, one.seen) for one in bins if one.n] == [(2, 0.1, 0.5), (2, 0.95, 1.0)]
    assert ece(p, wrong) == pytest.approx((2 * 0.4 + 2 * 0.05) / 4)
    assert brier(p, wrong) == pytest.approx((0.01 + 0.81 + 0.01 + 0) / 4)
    assert (ece([], []), brier([], [])) == (None, None)
    with pytest.raises(ValueError, match="not a probability"):
        reliability([math.nan], [True])


def test_figures_of_a_small_set() -> None:
    rows = [
        MatchedAnswer("a", True, True, 0.9, "x", "knowledge", 0.25),
        MatchedAnswer("a", False, False, 0.2, "x", None, 0.75),
        MatchedAnswer("b", True, False, 0.4, "y", "reasoning", None),
        MatchedAnswer("b", False, None, None, "y", None, None),
    ]
    found = compute_figures(rows)
    whole = found.overall
    assert (whole.n, whole.n_answered, whole.coverage, whole.n_samples) == (4, 3, 0.75, 2)
    assert (whole.tp, whole.fp, whole.fn, whole.tn) == (1, 0, 1, 1)
    assert whole.values["precision"] == 1
    assert whole.values["recall"] == 0.5
    assert whole.values["auroc"] == 1
    assert found.by_domain["y"].values["recall"] == 0
    assert found.by_domain["y"].remarks["balanced_accuracy"] == "there is nothing right and nothing was flagged"
    assert found.by_error_type["knowledge"].values == {"recall": 1}
    assert found.by_error_type["reasoning"].values == {"recall": 0}
    assert list(found.by_position) == [THIRDS[0], THIRDS[2]]
    assert (found.share_pearson, found.n_shares) == (-1, 2)


def test_figures_without_answers_are_undefined() -> None:
    found = compute_figures([]).overall
    assert (found.n, found.coverage) == (0, None)
    assert set(found.values.values()) == {None}
    assert set(found.remarks.values()) == {"nothing was judged", "no answer says how sure it is"}
    unsure = compute_figures([MatchedAnswer("a", True, True), MatchedAnswer("b", False, False)]).overall
    assert (unsure.values["auroc"], unsure.remarks["ece"]) == (None, "no answer says how sure it is")
    silent = compute_figures([MatchedAnswer("a", True, None), MatchedAnswer("b", False, None)]).overall
    assert (silent.n, silent.n_answered, silent.coverage) == (2, 0, 0.0)
    assert silent.values["f1"] is None


def test_figures_of_one_class_without_flags_are_undefined_with_a_remark() -> None:
    right = compute_figures([MatchedAnswer(f"r{i}", False, False, 0.1) for i in range(40)]).overall
    assert right.values["f1"] is None
    assert right.remarks["f1"] == "there are no errors and nothing was flagged"
    assert right.values["auroc"] is None
    assert right.values["accuracy"] == 1
    assert right.intervals == {}, "where all resamples are alike there is no interval, and no certainty"
    few = compute_figures(answers(30, 9)).overall
    assert few.values["accuracy"] is not None
    assert few.intervals == {}, "nor where there are too few responses to draw from"


def test_intervals_contain_the_value_and_resample_whole_responses() -> None:
    rows = answers(400, 40)
    found = compute_figures(rows).overall
    for name, value in found.values.items():
        assert value is not None
        drawn = found.intervals[name]
        # ECE is biased upwards in resamples: it may be below its interval.
        assert name == "ece" or drawn.low <= value <= drawn.high, name
    twice = [row for row in rows for _ in range(2)]  # each unit twice in its response, which adds no information
    again = compute_figures(twice).overall.intervals["recall"]
    assert again.low == pytest.approx(found.intervals["recall"].low)
    alone = compute_figures([row._replace(sample=f"{i}") for i, row in enumerate(twice)]).overall.intervals["recall"]
    assert alone.high - alone.low < again.high - again.low


def test_the_same_seed_gives_the_same_figures() -> None:
    rows = answers(100, 20)
    assert compute_figures(rows, seed=3) == compute_figures(rows, seed=3)
    assert compute_figures(rows, resamples=0).overall.intervals == {}


@pytest.mark.medium
def test_the_time_for_ten_thousand_answers_grows_linearly() -> None:
    rows = answers(10_000, 2_000)
    assert growth(lambda size: compute_figures(rows[:size]), len(rows)) < 1.5
    found = compute_figures(rows)
    assert len(found.by_domain) == 5
    assert {"f1", "auroc", "ece", "kappa"} <= set(found.overall.intervals)


def test_contrasts_find_a_difference_only_between_different_checkers() -> None:
    good, bad = answers(500, 100, skill=0.5), answers(500, 100, skill=0.0)
    assert [a.wrong for a in good] != []
    bad = [b._replace(wrong=a.wrong) for a, b in zip(good, bad, strict=True)]
    by_name = {one.measure: one for one in contrasts(bad, good)}
    better = by_name["balanced_accuracy"]
    assert better.value is not None
    assert better.p is not None
    assert better.interval is not None
    assert better.value > 0.1
    assert better.p < 0.01
    assert better.interval.low > 0
    same = {one.measure: one for one in contrasts(good, good)}["f1"]
    assert (same.value, same.p) == (0, 1)


def test_contrasts_resample_until_a_p_value_can_survive_correction() -> None:
    good = answers(500, 100, skill=0.5)
    bad = [a._replace(flagged=not a.flagged) for a in good]
    alone, of_many = (contrasts(bad, good, resamples=200, tests=tests)[0] for tests in (1, 276))
    assert (alone.draws, of_many.draws) == (200, 200 * 276)
    assert alone.p == 1 / 201
    assert of_many.p is not None
    assert 276 * of_many.p < 0.05
    assert contrasts(good, good, resamples=200, tests=276)[0].draws == 200, "a p of 1 is sure at once"


def test_contrasts_leave_out_units_that_one_checker_did_not_answer() -> None:
    first = [MatchedAnswer("a", True, True), MatchedAnswer("b", False, None), MatchedAnswer("c", False, False)]
    second = [MatchedAnswer("a", True, False), MatchedAnswer("b", False, False), MatchedAnswer("c", False, False)]
    (f1, *_) = contrasts(first, second)
    assert (f1.n, f1.n_samples, f1.value) == (2, 2, -1)


def test_figures_of_less_than_half_the_units_are_withheld() -> None:
    rows = [a._replace(flagged=None, p_wrong=None) if i % 5 else a for i, a in enumerate(answers(100, 20))]
    found = compute_figures(rows).overall
    assert (found.n, found.n_answered) == (100, 20)
    assert set(found.values.values()) == {None}
    assert found.intervals == {}
    assert found.remarks["f1"] == "withheld: only 20 of 100 units have an answer"
    assert compute_figures(rows, least_coverage=0.2).overall.values["f1"] is not None
    in_few = [row._replace(sample=f"s{i // 10}") for i, row in enumerate(rows)]
    shown = [
        (one.n_shares, one.share_pearson is None, one.share_intervals == {}, one.reliability == ())
        for one in (compute_figures(in_few), compute_figures(in_few, least_coverage=0.2))
    ]
    assert shown == [(0, True, True, True), (10, False, False, False)], (
        "nor how shares go with people's, or calibration"
    )


def test_bars_with_their_names_and_values_fit_a_phone() -> None:
    drawn = bars("Checkers", {"F1": (Bar("facts-and-evidence/hhem-2-1-open", 1.0, 0.9, 1.0), Bar("b", None))})
    width = re.search(r'viewBox="0 0 (\d+) \d+"', drawn)
    assert width
    assert int(width[1]) <= 390 - 2 * 16, "the page's margins are 16 pixels wide"
    assert "facts-and-evidence/hhem-2-1-open" in drawn
    assert "– undefined" in drawn
