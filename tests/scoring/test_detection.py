"""Detection of errors: the papers' tables from their confusion counts, and measures without a value."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.scoring import (
    DETECTION_MEASURES,
    Confusion,
    ReportCounts,
    read,
    specificity,
    why_undefined,
)
from factscope.scoring.measures import factual_precision

GOLDEN = Path(__file__).parents[2] / "src" / "factscope" / "benchmarks" / "papers" / "published"
counts = st.builds(Confusion, *[st.integers(0, 50)] * 4)


def table(name: str) -> list[dict[str, Any]]:
    with (GOLDEN / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def confusion(row: dict[str, Any], form: str = "{}") -> Confusion:
    tp, fp, fn, tn = (int(row[form.format(name)]) for name in ("tp", "fp", "fn", "tn"))
    return Confusion(tp, fp, fn, tn)


def percent(name: str, found: Confusion, digits: int) -> float | None:
    value = read(name, found)
    return None if value is None else round(100 * value, digits)


SIZES = {  # errors and correct units of FELM's domains, segments then responses: Table 2
    "WK": ((147, 385), (85, 99)),
    "Reasoning": ((148, 877), (47, 161)),
    "Math": ((122, 477), (64, 130)),
    "Sci/Tech": ((101, 582), (39, 86)),
    "Wri/rec": ((267, 1319), (47, 89)),
}


def nearest(row: dict[str, Any]) -> Confusion:
    errors, right = SIZES[row["domain"]][row["level"] == "response"]
    tp = round(errors * float(row["recall"]) / 100)
    fp = round(100 * tp / float(row["precision"])) - tp
    return Confusion(tp, fp, errors - tp, right - fp)


def of_array(function: Any, found: Confusion) -> float:
    return float(function(np.array(found, dtype=float)))


def test_the_four_systems_of_wice_are_reproduced() -> None:
    rows = table("wice_systems")
    assert len(rows) == 4
    for row in rows:
        found = confusion(row)
        assert found.n == 100
        assert percent("f1", found, 1) == float(row["f1"]), row
        assert percent("accuracy", found, 1) == float(row["accuracy"]), row


def test_all_judges_of_facts_grounding_are_reproduced() -> None:
    """Tables 2 and 4: 27 confusion matrices, with the accurate response as the positive one."""
    rows = table("facts_table2_template_selection") + table("facts_table4_eligibility_selection")
    assert len(rows) == 27
    for row in rows:
        found = Confusion(*(int(row[f"derived_{name}"]) for name in ("TP", "FP", "FN", "TN")))
        assert found.n in (406, 450)
        measured = {
            "accuracy": percent("accuracy", found, 2),
            "macro_f1": percent("macro_f1", found, 2),
            "f1_pos": percent("f1", found, 2),
            "f1_neg": percent("f1_right", found, 2),
            "fpr": round(100 - 100 * of_array(specificity, found), 2),
            "fnr": round(100 - (percent("recall", found, 9) or 0), 2),
        }
        assert measured == {name: pytest.approx(float(row[name]), abs=0.0051) for name in measured}, row
        # The same judge with errors as the positive class: the two F1 scores are swapped.
        assert (percent("f1", Confusion(*reversed(found)), 2), percent("f1_right", Confusion(*reversed(found)), 2)) == (
            measured["f1_neg"],
            measured["f1_pos"],
        )


def test_felm_cells_with_integer_counts() -> None:
    rows = [row for row in table("felm_confusions") if row["status"] in ("exact", "several")]
    assert len(rows) == 171
    for row in rows:
        found = confusion(row)
        for name in ("precision", "recall", "f1"):
            assert 100 * (read(name, found) or 0) == pytest.approx(float(row[name]), abs=0.051), row  # 80.15 as 80.2
        if row["status"] == "exact" and row["balanced_accuracy"]:
            assert 100 * (read("balanced_accuracy", found) or 0) == pytest.approx(
                float(row["balanced_accuracy"]), abs=0.051
            ), row


def test_felm_all_is_pooled_and_not_a_mean_over_domains() -> None:
    """Spec of FELM's golden figures: GPT-4 cot on segments, GPT-4 vanilla on responses."""

    def pooled(method: str, level: str) -> Confusion:
        parts = {
            row["domain"]: confusion(row)
            for row in table("felm_confusions")
            if (row["model"], row["unit"], row["method"], row["level"])
            == ("GPT-4", "Segment", method, level[: 4 if level == "response" else 3])
            and row["domain"] != "All"
        }
        for row in table("felm_table4_results"):  # where no whole numbers fit, the nearest to P and R
            where = (row["model"], row["method"], row["unit"], row["level"])
            if where == ("GPT-4", method.lower(), "segment", level) and row["domain"] not in (*parts, "All"):
                parts[row["domain"]] = nearest(row)
        assert len(parts) == 5
        return Confusion(*map(sum, zip(*parts.values(), strict=True)))

    cot = pooled("Cot", "segment")
    assert [percent(name, cot, 1) for name in ("f1", "precision", "recall")] == [42.0, 68.1, 30.4]  # as published
    vanilla = pooled("Vanilla", "response")
    assert [percent(name, vanilla, 1) for name in ("f1", "precision", "recall")] == [48.3, 62.4, 39.4]


def test_flagging_everything_or_nothing_in_felm_is_scored() -> None:
    (row,) = (row for row in table("felm_table2_statistics") if row["statistic"] == "segments_incorrect")
    (right,) = (row for row in table("felm_table2_statistics") if row["statistic"] == "segments_correct")
    everything = Confusion(tp=int(row["All"]), fp=int(right["All"]))
    nothing = Confusion(fn=everything.tp, tn=everything.fp)
    assert everything.n == 4425
    assert percent("f1", everything, 1) == 30.1
    assert percent("balanced_accuracy", everything, 1) == 50.0
    assert percent("f1", nothing, 1) == 0.0
    assert read("precision", nothing) is None
    assert why_undefined("precision", nothing) == "nothing was flagged"
    assert why_undefined("f1", nothing) == "nothing was flagged, so F1 is 0 by definition"
    assert why_undefined("mcc", everything) == "everything was flagged"


def test_an_empty_f1_of_the_papers_tables_is_0_with_a_word() -> None:
    (row,) = (row for row in table("felm_table12_self_consistency") if not row["f1"])
    assert (row["precision"], row["recall"]) == ("0.0", "0.0")
    found = Confusion(tp=0, fp=3, fn=267, tn=1316)
    assert (read("precision", found), read("recall", found), read("f1", found)) == (0, 0, 0)


def test_the_percentages_of_the_facts_and_evidence_errors_follow_from_counts() -> None:
    rows = table("fe_table3_errors")
    assert [round(100 * int(row["implied_count_of_30"]) / 30, 1) for row in rows] == [
        float(row["occurrence_pct"]) for row in rows
    ]


CONVENTIONS = {  # for the part shipped with its licence, 315 of 549 responses
    "ChatGPT": (87, 62.10, 57.64),
    "InstructGPT": (103, 46.20, 40.97),
    "PerplexityAI": (90, 84.66, 80.84),
}


def test_human_factscore_labels_are_reproduced_under_both_conventions() -> None:
    """Irrelevant facts left out of the denominator, as in the paper, or counted in it as not supported."""
    rows = table("factscore_labels")
    assert len(rows) == 315
    for model, (n, left_out, counted) in CONVENTIONS.items():
        means = []
        for irrelevant in ("not_checkable", "undecided"):
            readings = [
                factual_precision.read(
                    ReportCounts(
                        {
                            "supported": int(row["supported"]),
                            "contradicted": int(row["not_supported"]),
                            irrelevant: int(row["irrelevant"]),  # type: ignore[dict-item]
                        },
                        {},
                        0,
                    ),
                    {},
                )
                for row in rows
                if row["model"] == model
            ]
            values = [reading.value for reading in readings if reading.value is not None]
            means.append((len(values), round(100 * sum(values) / len(values), 2)))
        assert means[0] == (n, left_out)
        assert means[1][1] == counted


def test_a_response_with_only_irrelevant_facts_is_left_out_and_not_0() -> None:
    reading = factual_precision.read(ReportCounts({"not_checkable": 3}, {}, 0), {})
    assert (reading.value, reading.n) == (None, 0)


def test_matthews_correlation_matches_the_scikit_learn_example() -> None:
    """The example in its documentation of matthews_corrcoef: [1, 1, 1, -1] read as [1, -1, 1, 1] has -0.33."""
    assert read("mcc", Confusion(tp=2, fp=1, fn=1)) == pytest.approx(-1 / 3)
    assert read("mcc", Confusion(tp=6, fp=1, fn=2, tn=3)) == pytest.approx(16 / (7 * 8 * 4 * 5) ** 0.5)


def test_a_matrix_without_counts_is_empty_with_a_reason() -> None:
    assert Confusion() == (0, 0, 0, 0)
    assert [why_undefined(name, Confusion()) for name in DETECTION_MEASURES] == ["nothing was judged"] * len(
        DETECTION_MEASURES
    )


@pytest.mark.parametrize(
    ("name", "found", "why"),
    [
        ("mcc", Confusion(fp=2, tn=2), "there are no errors"),
        ("mcc", Confusion(tp=2, fn=2), "there is nothing right"),
        ("mcc", Confusion(tp=2, fp=2), "everything was flagged"),
        ("mcc", Confusion(fn=2, tn=3), "nothing was flagged"),
        ("recall", Confusion(tn=3), "there are no errors and nothing was flagged"),
        ("kappa", Confusion(tp=3), "there is nothing right and everything was flagged"),
        ("f1", Confusion(tn=3), "there are no errors and nothing was flagged"),
        ("f1", Confusion(fn=1, tn=3), "nothing was flagged, so F1 is 0 by definition"),
        ("f1", Confusion(fp=1, tn=3), None),
        ("precision", Confusion(tp=1, fn=3), None),
    ],
)
def test_the_reason_why_a_measure_is_undefined_is_given(name: str, found: Confusion, why: str | None) -> None:
    assert why_undefined(name, found) == why


@given(counts)
def test_every_measure_is_in_range_or_undefined_with_a_reason(found: Confusion) -> None:
    for name in DETECTION_MEASURES:
        value = read(name, found)
        if value is None:
            assert why_undefined(name, found), name
        else:
            assert (-1 if name in ("mcc", "kappa", "alpha") else 0) - 1e-9 <= value <= 1 + 1e-9


@given(counts)
def test_swapping_the_classes_changes_only_the_asymmetric_measures(found: Confusion) -> None:
    for name in ("accuracy", "balanced_accuracy", "macro_f1", "mcc", "kappa", "alpha"):
        assert read(name, found) == pytest.approx(read(name, Confusion(*reversed(found))))
    assert read("f1", found) == read("f1_right", Confusion(*reversed(found)))


@given(st.lists(counts, min_size=1, max_size=5))
def test_measures_of_many_matrices_at_once_equal_the_single_ones(some: list[Confusion]) -> None:
    for name, measure in DETECTION_MEASURES.items():
        together = measure(np.array(some, dtype=float))
        alone = [read(name, one) for one in some]
        assert [None if np.isnan(value) else value for value in together] == pytest.approx(alone)
