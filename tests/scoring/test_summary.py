"""One number over many responses."""

from __future__ import annotations

import pytest

from factscope.core import UsageError
from factscope.methods import RollUp
from factscope.scoring import summarise, summarise_all
from tests.scoring.example_reports import FAILED, NO, OPEN, YES, make_report

LONG_AND_GOOD = make_report([[YES]] * 9 + [[NO]])
SHORT_AND_BAD = make_report([[YES], [OPEN]], response_id="r2")
NOTHING = make_report([], skipped=2, response_id="r3")
BROKEN = make_report([[FAILED]], response_id="r4")


def test_responses_weigh_the_same_whatever_their_length() -> None:
    score = summarise([LONG_AND_GOOD, SHORT_AND_BAD], "factual_precision")
    assert score.value == pytest.approx((0.9 + 0.5) / 2)  # pooled counts would give 10/12
    assert (score.n, score.over, score.n_failed, score.coverage) == (2, "responses", 0, 1)
    assert score.interval is not None
    assert score.interval.method == "bayesian"
    assert 0 < score.interval.low < 0.5 < 0.7 < 0.9 < score.interval.high < 1, "two responses say little"


def test_undefined_responses_are_problems_and_counted() -> None:
    score = summarise([LONG_AND_GOOD, SHORT_AND_BAD, NOTHING, BROKEN], "factual_precision")
    assert score.value == pytest.approx(0.7)
    assert (score.n, score.n_failed, score.coverage) == (2, 1, 12 / 13)
    assert "|responses:4|" in score.signature


def test_a_mean_of_nothing_is_none() -> None:
    for reports in ([], [NOTHING], [NOTHING, NOTHING]):
        score = summarise(reports, "hallucination(alpha=0.5)")
        assert (score.value, score.interval, score.n, score.coverage) == (None, None, 0, None)


def test_one_response_has_a_mean_and_no_interval() -> None:
    score = summarise([LONG_AND_GOOD], "factual_precision")
    assert (score.value, score.interval) == (0.9, None)


def test_the_order_of_responses_makes_no_difference() -> None:
    reports = [make_report([[YES]] * (n * n % 17) + [[NO]] * n) for n in range(1, 30)]
    once, again = (summarise(order, "hallucination", seed=3) for order in (reports, reports[::-1]))
    assert once.interval is not None
    assert once == again


def test_the_seed_is_in_the_signature() -> None:
    signatures = {summarise([LONG_AND_GOOD, SHORT_AND_BAD], "coverage", seed=seed).signature for seed in (1, 2)}
    assert len(signatures) == 2
    assert any("|seed:1|" in signature for signature in signatures)


def test_the_measures_of_the_method_are_the_default() -> None:
    report = SHORT_AND_BAD.model_copy(
        update={"method": {**SHORT_AND_BAD.method, "scores": ["coverage", "f1_at_k(k=2)"]}}
    )
    assert [score.name for score in summarise_all([report])] == ["coverage", "f1_at_k(k=2)"]
    assert [score.name for score in summarise_all([report], ["factscore"])] == ["factscore(gamma=10)"]
    assert summarise_all([]) == ()
    assert summarise_all([report]) == summarise_all([report], seed=0)
    assert summarise([report], "coverage") == summarise([report], "coverage", seed=0)


def test_different_methods_have_no_common_mean() -> None:
    with pytest.raises(UsageError, match="have no common mean: both called test, with other settings"):
        summarise([LONG_AND_GOOD, make_report([[YES]], rules=RollUp(margin=0.3))], "coverage")


def test_a_mean_leaves_out_responses_that_could_hardly_be_judged() -> None:
    hardly = make_report([[YES], *[[FAILED]] * 3], response_id="r5")
    score = summarise([LONG_AND_GOOD, SHORT_AND_BAD, hardly], "factual_precision")
    assert (score.value, score.n, score.n_failed) == (pytest.approx(0.7), 2, 1)
    assert score.coverage == 13 / 16
    assert summarise([hardly, hardly], "factual_precision").value is None


def test_the_mean_of_an_unbounded_score_has_a_reliable_interval() -> None:
    none = summarise([make_report([[YES]] * 9, response_id=f"r{n}") for n in range(3)], "hallucination(alpha=0.5)")
    assert none.value == 0
    assert none.interval is not None
    assert none.interval.low == 0
    assert 0.5 < none.interval.high < 3, "no error in three responses is no proof that there are none"
