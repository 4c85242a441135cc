"""Figures of a cascade for the best result that its model could reach."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence

import pytest
from rich.console import Console

from factscope.benchmarks.datasets import LabelledData
from factscope.benchmarks.meta_eval import (
    CheckerPrediction,
    CheckerSide,
    EvaluationOptions,
    EvaluationResult,
    as_json,
    compare,
    evaluation_document,
    evaluation_html,
)
from factscope.report import print_document
from factscope.scoring import proportion
from tests.benchmarks.meta_eval.example_samples import PLACES, sample


def said(*answers: tuple[bool | None, bool]) -> list[CheckerPrediction]:
    """Build predictions: whether each sentence is flagged, and whether it was passed on."""
    return [
        CheckerPrediction(flagged, span=place, passed_on=passed_on)
        for place, (flagged, passed_on) in zip(PLACES, answers, strict=False)
    ]


def side(name: str, rows: dict[str, Sequence[CheckerPrediction]]) -> CheckerSide:
    all_of_them = [one for some in rows.values() for one in some]
    passed = proportion(sum(one.passed_on for one in all_of_them), len(all_of_them))
    return CheckerSide(name=name, predictions=rows, passed_on=passed)


def evaluated(*sides: CheckerSide) -> EvaluationResult:
    # Right, right, wrong; then wrong, right, right.
    samples = (sample("a", [True, True, False]), sample("b", [False, True, True]))
    return compare(LabelledData("d", samples), sides, EvaluationOptions(levels=("segment",), resamples=100))


KEPT = side(
    "cascade cascade=0.5",
    # Kept and right, kept and wrong, passed on and wrongly judged; passed on and rightly judged, kept and right twice.
    {"a": said((False, False), (True, False), (False, True)), "b": said((True, True), (False, False), (False, False))},
)
ALL = side(
    "cascade cascade=1",
    {"a": said((True, True), (True, True), (False, True)), "b": said((False, True), (True, True), (True, True))},
)


def test_the_ceiling_assumes_a_perfect_model_on_passed_on_claims_only() -> None:
    low, high = (one["passed_on"]["ceiling"] for one in as_json(evaluated(KEPT, ALL))["methods"])
    assert low["accuracy"] == pytest.approx(5 / 6)
    assert low["balanced_accuracy"] == pytest.approx((2 / 2 + 3 / 4) / 2)
    assert high["accuracy"] == high["balanced_accuracy"] == 1
    assert "accuracy" not in low["intervals"]  # withheld: six segments are too few for an interval


def test_the_ceiling_counts_only_answered_units_like_accuracy() -> None:
    rows = {"a": said((False, False), (True, False), (None, False)), "b": said((None, True), (False, False))}
    (found,) = evaluated(side("cascade cascade=0.5", rows)).checkers
    assert found.ceiling is not None
    assert found.ceiling.n_answered == found.levels["segment"].overall.n_answered == 3
    assert found.ceiling.values["accuracy"] == pytest.approx(2 / 3)


def test_a_flagged_claim_not_passed_on_makes_its_sentence_wrong() -> None:
    two = [CheckerPrediction(True, span=PLACES[0]), CheckerPrediction(False, span=PLACES[0], passed_on=True)]
    rows = [*two, CheckerPrediction(False, span=PLACES[1])]
    (found,) = evaluated(side("cascade cascade=0.5", {"a": rows, "b": rows})).checkers
    assert found.ceiling is not None
    assert found.ceiling.values["accuracy"] == pytest.approx(3 / 4)  # the first sentence is true in a and false in b


def test_the_ceiling_is_never_below_what_was_measured() -> None:
    for one in evaluated(KEPT, ALL).checkers:
        assert one.ceiling is not None
        assert (one.ceiling.values["accuracy"] or 0) >= (one.levels["segment"].overall.values["accuracy"] or 0)


def test_a_checker_that_is_not_a_cascade_has_no_ceiling() -> None:
    (found,) = evaluated(CheckerSide(name="x", predictions=KEPT.predictions)).checkers
    assert found.ceiling is None


def test_the_table_and_the_page_show_the_ceiling_next_to_the_measured_values() -> None:
    result = evaluated(KEPT, ALL)
    out = io.StringIO()
    print_document(evaluation_document(result), Console(file=out, width=110))
    (row,) = [line.split() for line in out.getvalue().splitlines() if "2 of 6, 33%" in line]
    assert row[-4:] == ["0.667", "0.833", "0.625", "0.875"]
    assert "at most: with a model that judges every claim passed on as people did" in out.getvalue()
    page = evaluation_html(result)
    (plot,) = re.findall(r"<figure>(.*?)</figure>", page, re.DOTALL)[1:2]
    dashes = re.findall(r'class="line" stroke-dasharray="([^"]*)"', plot)
    assert len(dashes) == 2
    assert dashes[0] != dashes[1]
    assert re.findall(r">(measured|at most)</text>", plot) == ["measured", "at most"]
    assert "at most, 0.5: 0.833 at 0.33" in plot
