"""Alpha from labels, and what it does to scores and ranks."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.scoring.alpha import EndedUnits, estimate_alpha, sensitivity

GOLDEN = Path(__file__).parents[2] / "src" / "factscope" / "benchmarks" / "papers" / "published"


def test_the_study_of_factbench_suggests_less_than_a_half() -> None:
    """570 undecided units of four models: 43 % not factual overall, 32 to 49 % by model."""
    with (GOLDEN / "factbench_alpha_study.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["model"] != "Average"]
    each = 570 // len(rows)  # how many units each model has, is not published
    labels = {}
    for row in rows:
        wrong = round(each * float(row["not_factual_pct"]) / 100)
        labels[row["model"]] = [True] * wrong + [False] * (each - wrong)
    common, *models = estimate_alpha(labels)
    assert common.value == pytest.approx(0.43, abs=0.005)
    assert common.interval is not None
    assert common.interval.high < 0.5
    for one, row in zip(models, rows, strict=True):
        assert one.raw == pytest.approx(float(row["not_factual_pct"]) / 100, abs=0.005)
        assert one.interval is not None
        assert one.interval.low < one.value < one.interval.high
        assert abs(one.value - common.value) <= abs((one.raw or 0) - common.value)
    assert models[0].value < models[2].value


def test_without_labels_alpha_is_a_half() -> None:
    common, group = estimate_alpha({"m": []})
    assert (common.value, common.interval, common.raw, common.n) == (0.5, None, None, 0)
    assert (group.value, group.interval) == (0.5, None)
    assert estimate_alpha({})[0].value == 0.5


def test_a_handful_of_labels_moves_it_a_little() -> None:
    common, *_ = estimate_alpha({"m": [True, True]})
    assert common.value == 0.75
    assert common.raw == 1


def test_groups_that_do_not_differ_share_the_common_value() -> None:
    common, a, b = estimate_alpha({"a": [True, False] * 20, "b": [True, False] * 10})
    assert a.value == b.value == common.value == 0.5
    assert a.borrowed is None


@given(st.dictionaries(st.sampled_from("abcd"), st.lists(st.booleans(), max_size=12)))
def test_estimates_lie_between_own_and_common(labels: dict[str, list[bool]]) -> None:
    common, *groups = estimate_alpha(labels)
    for one in groups:
        ends = sorted([common.value, one.raw if one.raw is not None else common.value])
        assert ends[0] - 1e-9 <= one.value <= ends[1] + 1e-9
        assert one.interval is None or one.interval.low - 1e-9 <= one.value <= one.interval.high + 1e-9


def test_ranks_change_where_the_lines_cross() -> None:
    """A: one error in four; B: two undecided in four. Equal at alpha 0.5."""
    models = {"A": [EndedUnits(1, 1, 4)], "B": [EndedUnits(0, 4, 4)], "C": [EndedUnits(4, 0, 4)]}
    found = sensitivity(models, reference=0.5)
    assert found is not None
    # A: (1 + a)/2, B: 4a/2: they cross at a = 1/3. C: 2, which B reaches only at 1.
    assert found.stable_from == pytest.approx(1 / 3)
    assert found.stable_to == 1
    first, last = found.curve[0], found.curve[-1]
    assert first.ranks == {"A": 2, "B": 1, "C": 3}
    assert found.curve[5].ranks == {"A": 1, "B": 2, "C": 3}
    assert found.curve[5].tau == 1
    assert first.tau == pytest.approx(1 / 3)
    assert last.scores == {"A": 1.0, "B": 2.0, "C": 2.0}


def test_nothing_judged_has_no_curve() -> None:
    assert sensitivity({"A": [EndedUnits(0, 0, 0)]}) is None
    with pytest.raises(ValueError, match="between 0 and 1"):
        sensitivity({}, reference=1.5)
