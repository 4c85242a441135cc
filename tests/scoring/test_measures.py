"""Values of each measure for a report, and attempts to fool it."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, sqrt
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.core import NOT_READ, OUTCOMES, Outcome, UsageError
from factscope.core.records import Exclusions, Report, Searched
from factscope.methods import Measure, RollUp
from factscope.scoring import (
    MEASURES,
    MeasureResult,
    ReportCounts,
    band,
    count_units,
    find,
    measure,
    register_measure,
    shares,
)
from tests.conftest import at_least
from tests.scoring.example_reports import (
    FAILED,
    NO,
    OFF,
    OPEN,
    YES,
    J,
    claims,
    claims_with_evidence,
    every_rule,
    make_report,
    without,
)

ALL = ("factual_precision", "hallucination", "credibility", "f1_at_k(k=3)", "factscore", "coverage")

# 6 supported, 1 contradicted, 2 undecided, 1 without evidence, 2 failed; 12 pieces of evidence, 7 of them supporting.
WORKED = [[YES, YES], *[[YES]] * 5, [NO], [OPEN], [YES, NO], [OFF], [FAILED], []]


def worked() -> Report:
    return make_report(WORKED, failed_claims=[12], skipped=3)


def value(report: Report, name: str) -> float | None:
    return measure(report, [name])[0].value


def test_the_counts_of_the_worked_report_add_up() -> None:
    report = worked()
    expected: dict[Outcome, int] = dict.fromkeys(OUTCOMES, 0)
    expected |= {"supported": 6, "contradicted": 1, "undecided": 2, "no_evidence": 1, "failed": 2, "not_checkable": 3}
    assert report.counts == expected
    counted = count_units(report)
    assert (counted.judged, counted.failed, counted.judgements_failed) == (10, 2, 1)
    assert counted.labels == {"supported": 8, "contradicted": 2, "not_enough_evidence": 1, "irrelevant": 1}


@pytest.mark.parametrize(
    ("name", "expected", "n", "n_failed"),
    [
        ("factual_precision", 0.6, 10, 2),
        ("hallucination(alpha=0.5)", (1 + 0.5 * 3) / sqrt(10), 10, 2),
        ("hallucination(alpha=0)", 1 / sqrt(10), 10, 2),
        ("hallucination(alpha=1)", 4 / sqrt(10), 10, 2),
        ("credibility", 8 / 12, 12, 1),
        ("f1_at_k(k=12)", 2 * 0.6 * 0.5 / 1.1, 10, 2),
        ("f1_at_k(k=3)", 2 * 0.6 / 1.6, 10, 2),
        ("factscore(gamma=9)", 0.6, 10, 2),
        ("factscore(gamma=10)", 0.6, 10, 2),  # at gamma itself the penalty is exp(0)
        ("factscore(gamma=20)", 0.6 * exp(-1), 10, 2),
        ("coverage", 10 / 12, 10, 2),
    ],
)
def test_each_measure_on_the_worked_report(name: str, expected: float, n: int, n_failed: int) -> None:
    (score,) = measure(worked(), [name])
    assert score.value == pytest.approx(expected, abs=1e-12)
    assert (score.n, score.n_failed, score.coverage) == (n, n_failed, 10 / 12)


def test_f1_without_support_is_zero_and_not_undefined() -> None:
    assert value(make_report([[NO], [OPEN]]), "f1_at_k") == 0


def test_only_shares_have_an_interval() -> None:
    by_name = {score.name: score.interval for score in measure(worked(), ALL)}
    precision = by_name["factual_precision"]
    assert precision is not None
    assert precision.method == "wilson"
    assert precision.low < 0.6 < precision.high
    assert by_name["credibility"] is not None
    assert by_name["hallucination(alpha=0.5)"] is None


def test_unread_claims_lower_the_coverage() -> None:
    assert ReportCounts({"supported": 2}, {}, 0).coverage == 1
    assert ReportCounts({"supported": 2, "failed": 1}, {}, 0, not_read=5).coverage == 2 / 8
    report = make_report([[YES], [NO]], skipped=2)
    unread = report.claims[2].model_copy(update={"skipped": f"{NOT_READ}: it is in Welsh"})
    report = report.model_copy(update={"claims": (*report.claims[:2], unread, report.claims[3])})
    assert (count_units(report).not_read, count_units(report).to_judge) == (1, 3)


def test_a_dependent_error_is_counted_once() -> None:
    report = make_report([[NO], [NO], [NO], [YES]])
    first, second, *others = report.verdicts
    report = report.model_copy(update={"verdicts": (first, second.model_copy(update={"at_risk": ("s1.c1",)}), *others)})
    assert count_units(report).outcomes["contradicted"] == 2
    assert count_units(report).judged == 3


@pytest.mark.parametrize(
    "report",
    [
        make_report([]),
        make_report([], skipped=4),
        make_report([[FAILED], []], failed_claims=[2]),
    ],
    ids=["nothing", "nothing checkable", "everything failed"],
)
def test_nothing_to_count_is_none(report: Report) -> None:
    scores = {score.name.partition("(")[0]: score for score in measure(report, ALL)}
    coverage = scores.pop("coverage")
    assert coverage.value == coverage.coverage == (0 if report.counts["failed"] else None)
    assert {score.value for score in scores.values()} == {None}
    assert {score.interval for score in scores.values()} == {None}
    assert {score.n for score in scores.values()} == {0}


# Properties


@settings(deadline=None, max_examples=at_least(25, in_all=100))
@given(claims, st.integers(0, 3), every_rule)
def test_every_unit_ends_in_exactly_one_outcome(per_claim: list[list[J]], skipped: int, rules: RollUp) -> None:
    report = make_report(per_claim, rules=rules, skipped=skipped)
    assert list(report.counts) == list(OUTCOMES)
    assert sum(report.counts.values()) == len(report.unit_ids()) == len(per_claim) + skipped
    counted = count_units(report)
    assert counted.judged + counted.failed + counted.units("excluded", "not_checkable") == len(report.unit_ids())


@settings(deadline=None, max_examples=at_least(25, in_all=100))
@given(claims_with_evidence, every_rule)
def test_with_all_evidence_ruled_out_every_score_is_none(per_claim: list[list[J]], rules: RollUp) -> None:
    report = make_report(per_claim, rules=rules)
    bare = without(report, Exclusions(categories=("other",)))
    assert bare.counts["excluded"] == len(per_claim)
    assert [(s.value, s.n, s.n_failed, s.coverage) for s in measure(bare, ALL)] == [(None, 0, 0, None)] * len(ALL)


RANK: dict[Outcome, int] = {"contradicted": 0, "supported": 2}


@settings(deadline=None, max_examples=at_least(50, in_all=200))
@given(claims_with_evidence, every_rule, st.data())
def test_ruling_out_evidence_never_helps_the_side_it_was_on(
    per_claim: list[list[J]], rules: RollUp, data: st.DataObject
) -> None:
    report = make_report(per_claim, rules=rules)
    judgement = data.draw(st.sampled_from(report.judgements))
    after = without(report, Exclusions(passages=judgement.passage_ids))
    step = RANK.get(after.verdict(judgement.unit_id).outcome, 1) - RANK.get(
        report.verdict(judgement.unit_id).outcome, 1
    )
    before_share, after_share = (value(r, "credibility") for r in (report, after))
    if report.counts["failed"] != after.counts["failed"]:
        return  # judgements of a failed claim do not count, so another set of judgements is pooled
    if judgement.label == "supported":
        assert step <= 0
        assert after_share is None or before_share is None or after_share <= before_share
    if judgement.label == "contradicted":
        assert step >= 0
        assert after_share is None or before_share is None or after_share >= before_share
    assert all(after.verdict(c.id) == report.verdict(c.id) for c in report.claims if c.id != judgement.unit_id)


@settings(deadline=None, max_examples=at_least(25, in_all=100))
@given(claims, every_rule, st.booleans())
def test_a_failure_lowers_coverage_and_nothing_else(per_claim: list[list[J]], rules: RollUp, judge: bool) -> None:
    more: Sequence[J] = [FAILED] if judge else []
    before = make_report(per_claim, rules=rules)
    after = make_report([*per_claim, more], rules=rules, failed_claims=[] if judge else [len(per_claim) + 1])
    names = [name for name in ALL if name != "coverage"]
    for old, new in zip(measure(before, names), measure(after, names), strict=True):
        assert new.n == old.n
        assert new.coverage is not None
        if new.coverage >= 0.5:  # below that the value is withheld
            assert (new.value, new.interval) == (old.value, old.interval)
        else:
            assert (new.value, new.interval) == (None, None)
        assert new.n_failed == old.n_failed + (judge or new.over == "units")
        assert new.coverage is not None
        assert new.coverage == 0 if not old.coverage else new.coverage < old.coverage


@settings(deadline=None, max_examples=at_least(20, in_all=60))
@given(claims, every_rule)
def test_credibility_is_pooled_and_never_a_mean_of_means(per_claim: list[list[J]], rules: RollUp) -> None:
    report = make_report(per_claim, rules=rules)
    pooled = shares(report)
    coverage = value(report, "coverage")
    if coverage is not None and coverage >= 0.5:
        assert pooled["r1"].value == value(report, "credibility")
    assert pooled["r1"].total == sum(pooled[claim.id].total for claim in report.claims)
    assert pooled["r1"].supporting == sum(pooled[segment.id].supporting for segment in report.segments)


def test_shares_follow_exclusions() -> None:
    report = make_report([[YES, OFF], [FAILED], [NO]])
    assert [shares(report)[name].value for name in ("s1.c1", "s1", "s2", "s3.c1", "r1")] == [0.5, 0.5, None, 0, 1 / 3]
    after = without(report, Exclusions(passages=("s1.c1.p2",)))
    assert shares(after)["s1"].value == 1
    assert shares(after)["r1"] == (1, 2)


@pytest.mark.parametrize(
    ("share", "colour"),
    [(0, "red"), (0.2999, "red"), (0.3, "orange"), (0.5999, "orange"), (0.6, "green"), (1, "green"), (None, None)],
)
def test_colour_bands(share: float | None, colour: str | None) -> None:
    assert band(share) == colour


# Names, parameters, signatures


def test_defaults_are_written_out() -> None:
    assert [s.name for s in measure(worked(), ALL[:4])] == [
        "factual_precision",
        "hallucination(alpha=0.5)",
        "credibility",
        "f1_at_k(k=3)",
    ]
    assert str(find("factscore")[1]) == "factscore(gamma=10)"
    assert measure(worked(), [Measure(name="hallucination")]) == measure(worked(), ["hallucination(alpha=0.5)"])


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ("factual_precison", "Did you mean factual_precision or citation_precision?"),
        ("halucination(alpha=1)", "Did you mean hallucination"),
        ("bleu", "coverage, credibility, dead_sources"),
        ("hallucination(alfa=1)", "Did you mean alpha?"),
        ("coverage(k=1)", "Its parameters: none."),
        ("hallucination(alpha=1.5)", "It may be 0 to 1"),
        ("hallucination(alpha=nan)", "out of range"),
        ("f1_at_k(k=inf)", "It may be 1 to 1,000,000"),
        ("f1_at_k(k=0)", "out of range"),
        ("hallucination(0.5)", "is not a parameter"),
        ("Not a score", "is not a score"),
    ],
)
def test_an_invalid_score_is_refused_with_a_hint(asked: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        measure(worked(), ["coverage", asked])
    assert says in str(caught.value)


def test_a_name_is_taken_only_once() -> None:
    MEASURES.names()  # Factscope's own are registered on the first call

    def read(*_: Any) -> MeasureResult:
        """Another."""
        return MeasureResult(1.0, 1, 0)

    with pytest.raises(ValueError, match="already"):
        register_measure("coverage", cites="none")(read)
    with pytest.raises(ValueError, match="no docstring"):
        register_measure("other", cites="none")(lambda tally, parameters: MeasureResult(1.0, 1, 0))


def test_the_signature_holds_what_the_number_depends_on() -> None:
    report = worked().model_copy(update={"searched": Searched(id="c-01234567", n_documents=1, n_passages=1)})
    (score,) = measure(report, ["hallucination"])
    parts = dict(part.split(":", 1) for part in score.signature.split("|"))
    assert parts.keys() == {"score", "over", "method", "judge", "evidence", "factscope"}
    assert parts["score"] == "hallucination(alpha=0.5)"
    assert (parts["over"], parts["judge"], parts["evidence"]) == ("units", "test-1", "c-01234567")
    assert parts["method"].startswith("test#")


def test_the_signature_changes_with_each_setting() -> None:
    base = worked()
    others = [
        without(base, Exclusions(passages=("s1.c1.p1",))),
        without(base, Exclusions(passages=("s1.c1.p2",))),
        make_report(WORKED, rules=RollUp(margin=0.2), failed_claims=[12], skipped=3),
        base.model_copy(update={"factscope": "9.9.9"}),
        base.model_copy(update={"searched": Searched(id="c-01234567", n_documents=1, n_passages=1)}),
    ]
    signatures = {measure(report, ["coverage"])[0].signature for report in (base, *others)}
    assert len(signatures) == 6


def test_the_order_of_exclusions_does_not_matter() -> None:
    first = without(worked(), Exclusions(passages=("s1.c1.p1", "s2.c1.p1")))
    second = without(worked(), Exclusions(passages=("s2.c1.p1", "s1.c1.p1")))
    assert measure(first, ALL) == measure(second, ALL)


def test_a_score_with_less_than_half_coverage_is_withheld() -> None:
    report = make_report([[YES], [NO], *[[FAILED]] * 3])
    scores = {score.name: score for score in measure(report, ALL)}
    assert scores["coverage"].value == pytest.approx(2 / 5)
    assert {name: one.value for name, one in scores.items() if name != "coverage"} == dict.fromkeys(
        ("factual_precision", "hallucination(alpha=0.5)", "credibility", "f1_at_k(k=3)", "factscore(gamma=10)")
    )
    assert (scores["factual_precision"].interval, scores["factual_precision"].n) == (None, 2)
    half = make_report([[YES], [NO], *[[FAILED]] * 2])
    assert value(half, "factual_precision") == 0.5
    lax = report.model_copy(update={"method": {**report.method, "least_coverage": 0.2}})
    assert value(lax, "factual_precision") == 0.5
    assert value(half.model_copy(update={"method": {**half.method, "least_coverage": 0.6}}), "credibility") is None
