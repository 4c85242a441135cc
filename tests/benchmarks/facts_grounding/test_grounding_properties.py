"""The table of FACTS Grounding for any verdicts: counts add up, names don't matter, and phase B only lowers scores."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from factscope.benchmarks.facts_grounding import (
    CRITERIA,
    GroundingSummary,
    VerdictArrays,
    agreement,
    choose,
    disqualified,
    final,
    metrics,
    resampled_means,
    summarise,
    wins,
)
from factscope.scoring import Confusion
from tests.lab.many_cases import try_all

GONE = np.nan
LABEL = st.sampled_from([0.0, 1.0, 1.0, GONE])


@st.composite
def runs(draw: st.DrawFn, label: st.SearchStrategy[float] = LABEL) -> VerdictArrays:
    """Draw verdicts of two or three judges on a few models and examples of two splits, with or without phase B."""
    n, models, judges = draw(st.integers(2, 7)), draw(st.integers(1, 3)), draw(st.integers(2, 3))

    def labels() -> NDArray[np.float64]:
        cells = draw(st.lists(label, min_size=n * models * judges, max_size=n * models * judges))
        return np.array(cells).reshape(n, models, judges)

    return VerdictArrays(
        tuple(f"m{k + 1}" for k in range(models)),
        tuple(f"j{k + 1}" for k in range(judges)),
        ("open", "blind"),
        np.array([0, 1, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))]),
        labels(),
        labels() if draw(st.booleans()) else None,
    )


def summary(made: VerdictArrays, **more: Any) -> GroundingSummary:
    return summarise(made, resamples=20, **more)


@settings(max_examples=12)
@given(runs())
def test_every_example_has_a_verdict_or_is_missing_in_each_cell(made: VerdictArrays) -> None:
    sizes = {split: int((made.split == s).sum()) for s, split in enumerate(made.splits)}
    found = summary(made)
    for table in (found.unadjusted, found.final or found.unadjusted):
        for m, row in enumerate(table.rows):
            assert row.model == made.models[m]
            assert [(cell.split, cell.judge) for cell in row.cells] == [
                (s, j) for s in made.splits for j in made.judges
            ]
            assert all(cell.n + cell.n_missing == sizes[cell.split] for cell in row.cells)
            scores = [cell.score for cell in row.cells]
            known = [score for score in scores if score is not None]
            mean = None if len(known) < len(scores) else sum(known) / len(known)
            assert row.average.score == (mean if mean is None else pytest.approx(mean))


@settings(max_examples=12)
@given(runs(st.sampled_from([0.0, 1.0])))
def test_phase_b_only_lowers_scores_when_no_verdict_is_missing(made: VerdictArrays) -> None:
    found = summary(made)
    if found.final is None:
        assert (found.effects, found.corrected) == ((), ())
        return
    for before, after, effect in zip(found.unadjusted.rows, found.final.rows, found.effects, strict=True):
        assert before.average.score is not None
        assert after.average.score is not None
        assert effect.average == pytest.approx(before.average.score - after.average.score)
        assert all(lost is not None and lost >= 0 for lost in effect.cells)
        assert effect.n_unknown == 0
        if not effect.n_ineligible:
            assert effect.average == 0


@settings(max_examples=10)
@given(runs(), st.randoms())
def test_the_order_of_the_models_makes_no_difference(made: VerdictArrays, random: Any) -> None:
    order = list(range(len(made.models)))
    random.shuffle(order)
    moved = replace(
        made,
        models=tuple(made.models[m] for m in order),
        accurate=made.accurate[:, order],
        ineligible=None if made.ineligible is None else made.ineligible[:, order],
    )
    first, second = summary(made).unadjusted, summary(moved).unadjusted
    by_name = {row.model: (row, rank) for row, rank in zip(first.rows, first.standings, strict=True)}
    again = {row.model: (row, rank) for row, rank in zip(second.rows, second.standings, strict=True)}
    assert again == by_name
    gaps = {frozenset((one.first, one.second)): abs(one.value or 0) for one in first.differences}
    moved_gaps = {frozenset((one.first, one.second)): abs(one.value or 0) for one in second.differences}
    assert moved_gaps == pytest.approx(gaps)


@settings(max_examples=10)
@given(runs())
def test_the_same_verdicts_and_seed_give_the_same_summary(made: VerdictArrays) -> None:
    assert repr(summary(made, seed=4)) == repr(summary(made, seed=4))


@settings(max_examples=12)
@given(runs())
def test_a_final_verdict_is_that_of_phase_a_or_negative(made: VerdictArrays) -> None:
    last = final(made)
    given_verdicts = ~np.isnan(last)
    assert ((last == made.accurate) | (last == 0) | ~given_verdicts).all()
    if made.ineligible is not None:
        out = disqualified(made.ineligible)
        assert (last[out == 1] == 0).all(), "whatever their accuracy was"
        assert np.isnan(last[np.isnan(out)]).all()


def test_a_run_without_any_example_has_no_score_and_no_crash() -> None:
    nothing = np.zeros((0, 2, 2))
    made = VerdictArrays(("m1", "m2"), ("j1", "j2"), ("open",), np.zeros(0, dtype=np.int64), nothing, nothing)
    found = summary(made, refused=np.zeros((0, 2), dtype=bool), errors={"j1": Confusion(8, 2, 2, 8)})
    assert found.final is not None
    assert [row.average.score for row in found.final.rows] == [None, None]
    assert [one.rank for one in found.final.standings] == [None, None]
    assert [one.finding for one in found.final.differences] == ["too_few"]
    assert (found.corrected, found.final.same_model.judges) == ((), ())
    assert [(one.n, one.n_disqualified) for one in found.refusals] == [(0, 0), (0, 0)]


def test_a_split_without_examples_leaves_no_average_and_the_other_cells_their_scores() -> None:
    made = VerdictArrays(("m1",), ("j1", "j2"), ("open", "blind"), np.array([0, 0]), np.ones((2, 1, 2)))
    (row,) = summary(made).unadjusted.rows
    assert [cell.score for cell in row.cells] == [1.0, 1.0, None, None]
    assert row.average.score is None


def test_refusals_are_counted_with_their_verdicts() -> None:
    accurate = np.array([[[1, 0]], [[1, GONE]], [[0, 0]], [[1, 1]]])
    ineligible = np.array([[[1, 1]], [[1, 0]], [[1, 1]], [[1, 1]]], dtype=np.float64)
    made = VerdictArrays(("m1",), ("j1", "j2"), ("open",), np.zeros(4, dtype=np.int64), accurate, ineligible)
    (found,) = summary(made, refused=np.array([[True], [True], [True], [False]])).refusals
    assert (found.n, found.n_disqualified, found.called_accurate) == (3, 2, (2 / 3, 0.0))


# Parts of the table


@settings(max_examples=30)
@given(st.lists(st.lists(LABEL, min_size=3, max_size=3), min_size=1, max_size=8))
def test_each_pair_of_judges_is_compared_on_responses_both_judged(rows: list[list[float]]) -> None:
    values = np.array(rows)[:, None]
    found = agreement(values, ("a", "b", "c"))
    assert [(one.first, one.second) for one in found.pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    for one in found.pairs:
        sides = ["abc".index(one.first), "abc".index(one.second)]
        both = [(row[sides[0]], row[sides[1]]) for row in rows if not np.isnan([row[side] for side in sides]).any()]
        assert one.n == len(both)
        assert one.share == (sum(a == b for a, b in both) / len(both) if both else None)
    assert found.n == sum(np.count_nonzero(~np.isnan(row)) >= 2 for row in rows)


def test_resampled_means_ignore_missing_values() -> None:
    values = np.array([[1.0, 0.0, GONE], [1.0, 1.0, GONE], [1.0, GONE, GONE]])
    means = resampled_means(values, 200, 3)
    assert means.shape == (200, 3)
    assert (means[:, 0] == 1).all()
    assert np.isnan(means[:, 2]).all(), "nothing is there in any resample"
    drawn = means[:, 1][~np.isnan(means[:, 1])]
    assert 0 <= drawn.min() < drawn.max() <= 1
    assert np.array_equal(means, resampled_means(values, 200, 3), equal_nan=True)
    assert not np.array_equal(means, resampled_means(values, 200, 4), equal_nan=True)


@settings(max_examples=30)
@given(st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=2, max_size=5))
def test_each_column_is_a_win_for_at_most_one_of_two_models(table: list[list[int]]) -> None:
    higher = wins(np.array(table, dtype=np.float64))
    assert (np.diag(higher) == 0).all()
    ties = [[sum(a == b for a, b in zip(row, other, strict=True)) for other in table] for row in table]
    assert (higher + higher.T + np.array(ties) == 3).all()


@settings(max_examples=30)
@given(st.tuples(*[st.integers(0, 20)] * 4))
def test_the_metrics_of_a_template_mirror_each_other_when_the_classes_are_swapped(counts: tuple[int, ...]) -> None:
    tp, fp, fn, tn = counts
    found, mirrored = metrics(Confusion(tp, fp, fn, tn)), metrics(Confusion(tn, fn, fp, tp))
    assert (found["fpr"], found["f1_pos"], found["f1_neg"]) == (mirrored["fnr"], mirrored["f1_neg"], mirrored["f1_pos"])
    assert (found["accuracy"], found["macro_f1"]) == (mirrored["accuracy"], mirrored["macro_f1"])
    assert found["accuracy"] == ((tp + tn) / sum(counts) if sum(counts) else None)


@try_all("criterion", CRITERIA)
def test_a_template_without_errors_is_chosen_by_every_criterion(criterion: str) -> None:
    truth = np.array([True, False] * 8)
    labels = truth.astype(np.float64)
    found = choose(truth, {"lazy": np.ones(16), "right": labels, "wrong": 1 - labels}, criterion, resamples=40)
    assert (found.template, found.criterion) == ("right", criterion)
    assert sum(one.chosen_share for one in found.tried) == pytest.approx(1)
