"""The table of FACTS Grounding: missing verdicts, disqualified responses, ranks, and how certain they are."""

from __future__ import annotations

from dataclasses import replace
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from factscope.benchmarks.facts_grounding import (
    ScoredVerdicts,
    VerdictArrays,
    adaptive,
    agreement,
    choose,
    differences,
    disqualified,
    effects,
    final,
    fused_rank,
    rogan_gladen,
    rows,
    self_preference,
    summarise,
    why_no_average,
)
from factscope.core import InputError, UsageError
from factscope.scoring import Confusion

GONE = np.nan


def verdicts(
    accurate: Any, ineligible: Any = None, *, splits: tuple[str, ...] = ("open",), split: Any = None
) -> VerdictArrays:
    values = np.array(accurate, dtype=np.float64)
    n, models, judges = values.shape
    return VerdictArrays(
        tuple(f"m{i + 1}" for i in range(models)),
        tuple(f"j{i + 1}" for i in range(judges)),
        splits,
        np.zeros(n, dtype=np.int64) if split is None else np.array(split),
        values,
        None if ineligible is None else np.array(ineligible, dtype=np.float64),
    )


def drawn(n: int, rates: NDArray[np.float64], seed: int = 1) -> NDArray[np.float64]:
    return (np.random.default_rng(seed).random((n, *rates.shape)) < rates).astype(np.float64)


# Disqualified responses


@pytest.mark.parametrize(
    ("said", "out"),
    [
        ((1, 1, 1), 1),
        ((1, 1, 0), 0),  # one judge that passes the response is enough
        ((0, 0, 0), 0),
        ((1, 1, GONE), 1),  # all judges that answered agree, and there are two
        ((1, GONE, GONE), GONE),  # a single judge isn't a consensus
        ((0, GONE, GONE), 0),  # but one that passes the response settles it
        ((GONE, GONE, GONE), GONE),
    ],
)
def test_a_response_is_ineligible_only_by_consensus(said: tuple[float, ...], out: float) -> None:
    assert np.array_equal(disqualified(np.array([[said]])), [[out]], equal_nan=True)


def test_an_ineligible_response_is_inaccurate_for_every_judge() -> None:
    made = verdicts([[[1, 1, GONE]], [[1, 0, GONE]]], [[[1, 1, 1]], [[0, 1, 1]]])
    assert np.array_equal(final(made)[:, 0], [[0, 0, 0], [1, 0, GONE]], equal_nan=True)


def test_only_empty_responses_have_a_final_verdict_when_eligibility_is_unknown() -> None:
    made = verdicts([[[1, 0, GONE]], [[0, 0, 0]]], [[[1, GONE, GONE]]] * 2)
    assert np.isnan(final(made)).all()
    made = replace(made, empty=np.array([[False], [True]]))
    assert np.array_equal(final(made)[:, 0], [[GONE] * 3, [0, 0, 0]], equal_nan=True)


def test_failed_phase_b_calls_change_no_score() -> None:
    """Calls fail for four in ten accurate and four in ten inaccurate responses."""
    labels = np.repeat((np.arange(100) < 80).astype(float)[:, None, None], 3, axis=2)
    out = np.where((np.arange(100) % 10 < 4)[:, None, None], GONE, np.zeros_like(labels))
    (row,) = rows(ScoredVerdicts(made := verdicts(labels, out), final(made), 50))
    assert (row.average.score, row.average.n) == (pytest.approx(0.8), 60)


def test_without_phase_b_the_final_verdicts_are_those_of_phase_a() -> None:
    made = verdicts([[[1, 0]]])
    assert final(made) is made.accurate
    assert effects(made) == ()


# The table


def test_a_missing_verdict_is_excluded_and_counted_but_never_negative() -> None:
    made = verdicts([[[1, 1]], [[GONE, 1]], [[0, 0]], [[1, GONE]]])
    (row,) = rows(ScoredVerdicts(made, made.accurate, 50))
    first, second = row.cells
    assert (first.score, first.n, first.n_missing) == (2 / 3, 3, 1)
    assert (second.score, second.n, second.n_missing) == (2 / 3, 3, 1)
    assert row.average.score == pytest.approx(2 / 3)
    assert row.average.n == 4


def test_a_model_without_an_average_has_no_rank_and_affects_no_other() -> None:
    """m1 would win on the one answer that both judges read; the others are ranked as if m1 were absent."""
    made = verdicts([[[1, 1], [1, 1], [0, 1]], [[GONE, 1], [0, 0], [0, 0]], [[GONE, GONE], [1, 0], [0, 0]]])
    scored = ScoredVerdicts(made, made.accurate, 50)
    assert [(one.rank, one.by) for one in scored.standings] == [(None, "none"), (1, "majority"), (2, "majority")]
    reasons = [why_no_average(row, made.least_coverage) for row in rows(scored)]
    assert reasons == ["j1 has a verdict on 1 of 3 examples of open; a score needs 50\u00a0%", None, None]
    none = verdicts([[[GONE]]])
    assert [one.rank for one in ScoredVerdicts(none, none.accurate).standings] == [None]


def test_a_judge_whose_calls_all_failed_leaves_no_average() -> None:
    made = verdicts([[[1, GONE]], [[0, GONE]]])
    (row,) = rows(ScoredVerdicts(made, made.accurate, 50))
    assert row.cells[1].score is row.cells[1].wald is row.cells[1].wilson is None
    assert (row.average.score, row.average.wald, row.average.bootstrap) == (None, None, None)
    assert np.isnan(ScoredVerdicts(made, made.accurate).averages).all()


def test_splits_count_alike_whatever_their_size() -> None:
    made = verdicts([[[1]], [[1]], [[1]], [[0]]], splits=("open", "blind"), split=[0, 0, 0, 1])
    (row,) = rows(ScoredVerdicts(made, made.accurate, 50))
    assert [(cell.split, cell.score) for cell in row.cells] == [("open", 1.0), ("blind", 0.0)]
    assert row.average.score == 0.5


def test_the_bootstrap_accounts_for_agreement_of_judges_on_an_example() -> None:
    one = drawn(400, np.full((1, 1), 0.8))
    same, apart = np.repeat(one, 3, axis=2), drawn(400, np.full((1, 3), 0.8))
    widths = []
    for values in (same, apart):
        (row,) = rows(ScoredVerdicts(verdicts(values), values))
        assert row.average.bootstrap is not None
        widths.append(row.average.bootstrap.high - row.average.bootstrap.low)
    assert widths[0] == pytest.approx(2 * 1.96 * np.sqrt(0.8 * 0.2 / 400), rel=0.1)
    assert widths[1] == pytest.approx(widths[0] / np.sqrt(3), rel=0.2)


def test_differences_are_tested_on_paired_verdicts() -> None:
    base = drawn(300, np.full((1, 3), 0.6))
    better = np.maximum(base, drawn(300, np.full((1, 3), 0.3), seed=2))
    made = verdicts(np.concatenate([base, better, base], axis=1))
    found = {(one.first, one.second): one for one in differences(ScoredVerdicts(made, made.accurate))}
    assert found["m1", "m2"].finding == "differs"
    assert found["m1", "m2"].interval is not None
    assert found["m1", "m2"].interval.high < 0
    assert (found["m1", "m3"].value, found["m1", "m3"].finding) == (0.0, "no_difference")
    assert found["m1", "m2"].value == pytest.approx(-(found["m2", "m3"].value or 0))


def test_the_tested_difference_is_the_one_shown() -> None:
    """m1 wins all 20 examples of one split, m2 60 of 200 in the other; splits weigh the same, so m1 leads."""
    labels = np.zeros((220, 2, 1))
    labels[:20, 0] = labels[20:80, 1] = 1
    made = verdicts(labels, splits=("open", "blind"), split=[0] * 20 + [1] * 200)
    ((whole,), (without,)) = (
        differences(ScoredVerdicts(arrays, arrays.accurate, 50))
        for arrays in (made, verdicts(labels[20:], splits=("blind",)))
    )
    assert whole.value == pytest.approx((1 - 0.3) / 2)
    assert without.value == pytest.approx(-0.3)
    # Of all sums of 20 signs with weight ten and 60 with weight one, count those at least as far from 0 as 200 - 60.
    sums = ((10 * (2 * a - 20) + 2 * b - 60, comb(20, a) * comb(60, b)) for a in range(21) for b in range(61))
    assert whole.p == pytest.approx(sum(ways for total, ways in sums if abs(total) >= 140) / 2**80)
    level = labels.copy()
    level[6:20, 0] = 0  # 6 of 20 against 60 of 200
    (even,) = differences(ScoredVerdicts(replace(made, accurate=level), level, 50))
    assert even.value == pytest.approx(0)
    assert (even.p, even.finding) == (1.0, "no_difference")


def test_clear_differences_between_sixteen_models_survive_correction() -> None:
    # 120 pairs: a p drawn from 2,000 resamples can't be below 1/2001, and 120 times that is above 0.05.
    made = verdicts(drawn(400, np.repeat(np.linspace(0.05, 0.95, 16)[:, None], 3, axis=1)))
    found = {(one.first, one.second): one for one in differences(ScoredVerdicts(made, made.accurate, 500))}
    assert len(found) == 120
    assert found["m1", "m16"].finding == "differs"
    assert found["m1", "m16"].p is not None
    assert found["m1", "m16"].p < 1e-60
    assert all(one.finding == "differs" for one in found.values() if abs(one.value or 0) > 0.2)


def test_a_handful_of_examples_supports_no_finding() -> None:
    made = verdicts([[[1, 1], [0, 0]]] * 3)
    assert [one.finding for one in differences(ScoredVerdicts(made, made.accurate))] == ["too_few"]


def test_the_effect_of_phase_b_is_measured_with_its_counts() -> None:
    made = verdicts([[[1, 1]]] * 4, [[[1, 1]], [[0, 1]], [[GONE, 1]], [[0, 0]]])
    (effect,) = effects(made)
    assert (effect.n_ineligible, effect.n_unknown) == (1, 1)
    assert effect.cells == (pytest.approx(1 - 2 / 3),) * 2
    assert effect.average == pytest.approx(1 / 3)


def test_phase_b_is_measured_on_responses_with_both_verdicts() -> None:
    """The eligibility of m1's error is unknown, so phase B must not appear to raise the score."""
    made = verdicts([[[1, 1]], [[1, 1]], [[1, 1]], [[0, 0]]], [[[0, 0]], [[0, 0]], [[1, 1]], [[GONE, GONE]]])
    (effect,) = effects(made)
    assert (effect.n_unknown, effect.average) == (1, pytest.approx(1 / 3))


# The fused rank


def places(scores: Any, average: Any = None) -> list[tuple[int, str]]:
    array = np.array(scores, dtype=np.float64)
    mean = array.mean(axis=1) if average is None else np.array(average, dtype=np.float64)
    return [(one.rank, one.by) for one in fused_rank(array, mean)]


def test_majority_takes_precedence_over_the_average() -> None:
    assert places([[2, 2, 0], [1, 1, 9]]) == [(1, "majority"), (2, "majority")]


def test_a_cycle_is_ranked_together_and_ordered_by_the_average() -> None:
    cycle = [[3, 1, 2], [2, 3, 1], [1, 2, 3]]
    ranked = places([[9, 9, 9], *cycle, [0, 0, 0]], [9, 2.1, 2.3, 2.2, 0])
    assert ranked == [(1, "majority"), (4, "average"), (2, "average"), (3, "average"), (5, "majority")]


def test_models_in_a_group_are_ordered_by_number_of_wins() -> None:
    # a beats b, b beats d, d beats a; a beats c, which ties with the others.
    ranked = places([[3, 1, 2], [2, 3, 1], [2, 2, 1.5], [1, 2, 3]], [0, 1, 9, 2])
    assert ranked == [(1, "copeland"), (3, "average"), (4, "copeland"), (2, "average")]


def test_models_equal_in_everything_share_a_rank() -> None:
    assert places([[1, 2], [2, 1], [0, 0]]) == [(1, "tied"), (1, "tied"), (3, "majority")]


def test_averages_differing_only_by_rounding_are_tied() -> None:
    """Of ten examples, two judges pass 1 and 2 for one model, and 3 and 0 for the other."""
    passed = np.zeros((10, 2, 2))
    for model, counts in enumerate(((1, 2), (3, 0))):
        for judge, n in enumerate(counts):
            passed[:n, model, judge] = 1
    both = summarise(verdicts(passed), resamples=10).unadjusted
    assert both.rows[0].average.score != both.rows[1].average.score, "as floats they differ"
    assert [(one.rank, one.by) for one in both.standings] == [(1, "tied"), (1, "tied")]


def test_a_column_without_a_score_decides_nothing() -> None:
    assert places([[GONE, 1, 1], [9, 0, 0]], [1, 3]) == [(1, "majority"), (2, "majority")]
    assert places([[GONE, GONE], [1, 1]], [GONE, 1]) == [(2, "average"), (1, "average")]


@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=6), st.randoms())
def test_ranks_are_independent_of_order_and_a_model_beating_all_is_first(table: list[list[int]], random: Any) -> None:
    scores = np.array(table, dtype=np.float64)
    ranks = [one.rank for one in fused_rank(scores, scores.mean(axis=1))]
    order = list(range(len(table)))
    random.shuffle(order)
    again = [one.rank for one in fused_rank(scores[order], scores[order].mean(axis=1))]
    assert again == [ranks[m] for m in order]
    assert min(ranks) == 1
    for m, row in enumerate(scores):
        if all((row > other).sum() > (row < other).sum() for k, other in enumerate(scores) if k != m):
            assert ranks[m] == 1
            assert ranks.count(1) == 1


# Judges and their own answers


def test_leniency_is_not_a_preference() -> None:
    rates = np.full((4, 3), 0.6)
    rates[:, 1] = 0.8
    made = verdicts(drawn(900, rates))
    (judge,) = self_preference(ScoredVerdicts(made, made.accurate, 400), [[], [1], []]).judges
    assert judge.judge == "j2"
    assert judge.raw > 0.1
    assert judge.interval is not None
    assert judge.interval.low < 0 < judge.interval.high


def test_a_preference_is_found() -> None:
    rates = np.full((4, 3), 0.6)
    rates[0, 2] = 0.85
    made = verdicts(drawn(900, rates))
    found = self_preference(ScoredVerdicts(made, made.accurate, 400), [[], [1], [0]])
    other, partial = found.judges
    assert partial.own_models == ("m1",)
    assert partial.interval is not None
    assert partial.interval.low > 0
    assert found.value == pytest.approx((other.value + partial.value) / 2)


def test_a_family_is_several_models_and_a_judge_without_others_is_left_out() -> None:
    made = verdicts(drawn(50, np.full((2, 2), 0.5)))
    assert self_preference(ScoredVerdicts(made, made.accurate, 20), [[0, 1], []]).judges == ()
    assert self_preference(ScoredVerdicts(made, made.accurate, 20), [[0], []]).judges[0].own_models == ("m1",)


def test_a_judge_that_never_answers_does_not_affect_other_preferences() -> None:
    labels = drawn(60, np.array([[0.9, 0.5, 0.5], [0.5, 0.5, 0.5], [0.4, 0.5, 0.5]]))
    silent = labels.copy()
    silent[2:, :, 2] = GONE  # two verdicts are too few for a score
    silent[:, 2] = GONE  # this model was never judged
    three, two = verdicts(silent), verdicts(labels[:, :2, :2])
    found = self_preference(ScoredVerdicts(three, three.accurate, 50), [[0], [1], [1]])
    assert found == self_preference(ScoredVerdicts(two, two.accurate, 50), [[0], [1]])
    assert [judge.judge for judge in found.judges] == ["j1", "j2"]
    alone = self_preference(ScoredVerdicts(three, three.accurate, 50), [[2], [], [0]])
    assert (alone.judges, alone.value) == ((), None), "nothing is left to compare"


def test_verdicts_by_rule_do_not_count_for_the_judges() -> None:
    """No judge reads an empty answer, so shared inaccurate verdicts on it aren't agreement."""
    labels = np.array([[[1, 0, 1]], [[0, 1, 1]], [[1, 1, 0]], [[0, 0, 0]], [[0, 0, 0]]], dtype=np.float64)
    empty = np.array([[False]] * 3 + [[True]] * 2)
    asked, every = verdicts(labels[:3]), replace(verdicts(labels, labels), empty=empty)
    found = summarise(every, refused=empty, resamples=20)
    assert found.agreement[0].grounding == agreement(labels[:3], asked.judges) == found.agreement[0].eligibility
    assert found.refusals[0].called_accurate == (None, None, None)
    assert found.unadjusted.rows[0].cells[0].n == 5, "they count in the scores"
    assert [(one.n, one.asked) for one in adaptive(every, resamples=20)] == [(3, 2)] * 3


def test_agreement_of_judges_is_computed_from_shared_verdicts() -> None:
    found = agreement(np.array([[[1, 1, 1]], [[0, 0, 1]], [[1, 1, GONE]], [[GONE, 1, GONE]]]), ("a", "b", "c"))
    assert found.n == 3
    first = found.pairs[0]
    assert (first.first, first.second, first.share, first.kappa, first.n) == ("a", "b", 1.0, 1.0, 3)
    assert (found.pairs[1].share, found.pairs[1].kappa) == (0.5, 0.0)
    assert found.alpha is not None
    assert 0 < found.alpha < 1


# Correction, and choice of templates

JUDGE = Confusion(tp=90, fp=20, fn=10, tn=80)


@pytest.mark.parametrize("truth", [0.0, 0.3, 1.0])
def test_the_correction_gives_back_the_truth(truth: float) -> None:
    seen = truth * 0.9 + (1 - truth) * 0.2
    made = rogan_gladen(seen, 10_000, JUDGE)
    assert made.value == pytest.approx(truth)
    assert made.interval is not None
    assert made.interval.low <= truth <= made.interval.high
    assert made.interval.high - made.interval.low > 0.02


def test_a_withheld_score_is_not_corrected() -> None:
    labels = drawn(20, np.array([[0.5, 0.5]]))
    labels[9:, 0, 0] = GONE
    found = summarise(verdicts(labels), errors={name: Confusion(8, 2, 2, 8) for name in ("j1", "j2")}, resamples=20)
    assert [cell.score is None for cell in found.unadjusted.rows[0].cells] == [True, False]
    assert [cell.judge for cell in found.corrected] == ["j2"]


@pytest.mark.parametrize("by_rule", [True, False], ids=["empty", "ineligible"])
def test_only_verdicts_given_by_a_judge_are_corrected(by_rule: bool) -> None:
    """All 400 are accurate and the judge passes 80 %, as expected; half are empty or ineligible in any case."""
    passed = np.repeat((np.arange(400) % 5 < 4).astype(float)[:, None, None], 2, axis=2)
    out = np.arange(400) < 200
    if by_rule:
        passed[out] = 0.0
        made = replace(verdicts(passed), empty=out[:, None])
    else:
        made = verdicts(passed, np.repeat(out.astype(float)[:, None, None], 2, axis=2))
    (cell,) = summarise(made, errors={"j1": Confusion(80, 20, 20, 80)}, resamples=400).corrected
    assert (cell.corrected.value, cell.corrected.clipped) == (pytest.approx(0.5), False)
    assert cell.corrected.interval is not None
    assert cell.corrected.interval.low < 0.5 <= cell.corrected.interval.high


def test_nothing_is_corrected_when_all_responses_are_ineligible() -> None:
    found = summarise(verdicts(np.ones((4, 1, 2)), np.ones((4, 1, 2))), errors={"j1": JUDGE}, resamples=20)
    assert [(cell.corrected.value, cell.corrected.interval) for cell in found.corrected] == [(0.0, None)]


def test_a_score_outside_the_range_of_the_error_rates_is_marked_as_clipped() -> None:
    made = rogan_gladen(0.95, 1000, JUDGE)
    assert (made.value, made.clipped) == (1.0, True)


@pytest.mark.parametrize("judge", [Confusion(50, 50, 50, 50), Confusion(10, 0, 2, 0), Confusion(0, 5, 0, 5)])
def test_a_judge_no_better_than_chance_corrects_nothing(judge: Confusion) -> None:
    made = rogan_gladen(0.5, 100, judge)
    assert (made.value, made.interval) == (None, None)


def test_the_interval_is_wider_when_fewer_responses_were_labelled() -> None:
    few = Confusion(*(count // 5 for count in JUDGE))
    wide, narrow = (rogan_gladen(0.6, 1000, judge).interval for judge in (few, JUDGE))
    assert wide is not None
    assert narrow is not None
    assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)


def test_the_better_template_is_chosen_with_its_share_of_resamples() -> None:
    truth = drawn(400, np.array(0.85)).astype(bool)
    slip = np.random.default_rng(3).random(400)
    good, poor = (np.where(slip < rate, ~truth, truth).astype(float) for rate in (0.1, 0.35))
    unread = np.where(slip > 0.9, np.nan, good)
    found = choose(truth, {"poor": poor, "good": good, "unread": unread}, resamples=300)
    assert found.template in ("good", "unread")
    shares = {one.template: one.chosen_share for one in found.tried}
    assert shares["poor"] < 0.01
    assert sum(shares.values()) == pytest.approx(1)
    assert [one.n_missing for one in found.tried][2] > 0
    assert found.tried[1].counts.n == 400


def test_a_template_that_hardly_ever_answers_is_not_chosen() -> None:
    truth = np.array([True, False] * 6)
    fails = np.where(np.arange(12) < 4, truth, GONE)
    errs = np.where(np.arange(12) < 2, ~truth, truth).astype(np.float64)
    found = choose(truth, {"fails": fails, "errs": errs}, "accuracy", resamples=50)
    assert found.template == "errs"
    assert {one.template: (one.metrics["accuracy"], one.n_missing, one.chosen_share) for one in found.tried} == {
        "fails": (1.0, 8, 0.0),
        "errs": (pytest.approx(10 / 12), 0, 1.0),
    }
    with pytest.raises(InputError, match="of 12 answers 4 have a verdict"):
        choose(truth, {"fails": fails, "nothing": np.full(12, GONE)})


def test_resamples_without_a_best_template_count_for_none() -> None:
    truth = np.array([True] * 6 + [False] * 3)  # about ten of 400 resamples contain only accurate responses
    found = choose(truth, {"all": np.ones(9), "right": truth.astype(np.float64)}, resamples=400)
    assert {one.template: one.chosen_share for one in found.tried} == {"all": 0.0, "right": 1.0}


def test_templates_that_tie_share_the_resamples() -> None:
    """One in eight resamples has answers of one class only, where only a template that errs would get a score."""
    truth = np.array([True, True, False, False])
    labels = truth.astype(float)
    found = choose(truth, {"one": labels, "two": labels, "worse": 1 - labels}, resamples=50)
    assert found.template == "one"
    assert [one.chosen_share for one in found.tried] == [0.5, 0.5, 0.0]


def test_a_template_that_passes_everything_wins_by_accuracy_alone() -> None:
    truth = np.array([True] * 9 + [False])
    said = {"lazy": np.ones(10), "keen": np.array([1.0] * 6 + [0.0] * 4)}
    assert choose(truth, said, "accuracy", resamples=20).template == "lazy"
    assert choose(truth, said, "balanced_accuracy", resamples=20).template == "keen"
    with pytest.raises(UsageError, match="Unknown criterion 'f2'"):
        choose(truth, said, "f2")


# The whole summary


def test_a_summary_allows_judges_among_the_candidates() -> None:
    values, out = drawn(60, np.full((2, 2), 0.6)), drawn(60, np.full((2, 2), 0.4), seed=5)
    names = ("maker/one", "maker/two")
    refused = np.zeros((60, 2), dtype=bool)
    refused[:3, 0] = True
    made = VerdictArrays(names, names, ("open",), np.zeros(60, dtype=np.int64), values, out)
    found = summarise(made, families=dict.fromkeys(names, "M"), refused=refused, errors={names[0]: JUDGE}, resamples=50)
    assert found.final is not None
    assert [one.own_models for one in found.final.same_model.judges] == [("maker/one",), ("maker/two",)]
    assert found.final.same_family.judges == ()  # no judge outside the family to compare with
    assert [(one.model, one.n) for one in found.refusals] == [("maker/one", 3), ("maker/two", 0)]
    assert found.refusals[1].called_accurate == (None, None)
    assert {one.judge for one in found.corrected} == {names[0]}
    assert found.agreement[0].eligibility is not None
    assert [one.average.n for one in found.final.rows] == [60, 60]
    assert summarise(VerdictArrays(names, names, ("open",), made.split, values), resamples=20).final is None
