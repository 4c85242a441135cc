"""Published figures that the scores must reproduce. The tables are in `factscope/benchmarks/papers/published`."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from factscope.core.records import Report
from factscope.scoring import band, measure, summarise, wald
from tests.scoring.example_reports import NO, OFF, OPEN, YES, J, make_report

GOLDEN = Path(__file__).parents[2] / "src" / "factscope" / "benchmarks" / "papers" / "published"


def table(name: str) -> list[dict[str, Any]]:
    with (GOLDEN / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def half_width(percent: float, n: int) -> float:
    interval = wald(percent / 100, n)
    assert interval is not None
    return 50 * (interval.high - interval.low)


@pytest.mark.parametrize(("percent", "n", "published"), [(91.4, 860, 1.9), (50.1, 860, 3.3), (83.6, 1719, 1.8)])
def test_half_widths_named_in_the_facts_paper(percent: float, n: int, published: float) -> None:
    assert round(half_width(percent, n), 1) == published


def test_the_half_width_of_an_average_counts_examples_and_not_verdicts() -> None:
    assert half_width(83.6, 1719) == pytest.approx(1.7504, abs=1e-4)
    assert round(half_width(83.6, 3 * 1719), 1) == 1.0


def test_all_published_intervals_of_the_facts_leaderboard() -> None:
    rows = table("facts_table5_unadjusted") + table("facts_table6_final")
    cells = [row for row in rows if row["judge"] != "average"]
    averages = [row for row in rows if row["judge"] == "average"]
    assert (len(cells), len(averages)) == (108, 18)
    for row in rows:
        assert round(half_width(float(row["score_pct"]), int(row["n"])), 1) == float(row["ci95_halfwidth"]), row


def evidence(supporting: int, total: int) -> Report:
    """Make a report with this much evidence, three pieces per claim."""
    pieces: list[J] = [YES] * supporting + [OFF] * (total - supporting)
    return make_report([pieces[i : i + 3] for i in range(0, total, 3)])


def test_credibility_of_the_published_screens() -> None:
    rows = table("fe_fig3_fig4_examples")
    assert [(row["supported"], row["total"]) for row in rows] == [("22", "39"), ("4", "6")]
    for row, colour in zip(rows, ("orange", "green"), strict=True):
        (score,) = measure(evidence(int(row["supported"]), int(row["total"])), ["credibility"])
        assert score.value is not None
        assert (round(score.value, 2), band(score.value)) == (float(row["score"]), colour)
        assert (score.n, score.over) == (int(row["total"]), "judgements")


@pytest.mark.parametrize(("supporting", "total", "colour"), [(3, 10, "orange"), (6, 10, "green"), (2999, 10000, "red")])
def test_the_ends_of_the_colour_bands(supporting: int, total: int, colour: str) -> None:
    assert band(supporting / total) == colour


def test_hallucination_score_of_the_worked_example() -> None:
    report = make_report([[YES]] * 19 + [[NO]] + [[OPEN]] * 4)
    (score,) = measure(report, ["hallucination(alpha=0.5)"])
    assert score.n == 24
    assert score.value == pytest.approx(0.6124, abs=5e-5)


def test_the_published_mean_counts_give_nearly_the_published_hallucination_scores() -> None:
    # From mean counts, so not the mean of scores: the gap is Jensen's, a few percent upwards, less rounding.
    ratios = []
    for row in table("factbench_leaderboard"):
        units, undecidable, wrong = (float(row[f"avg_{name}"]) for name in ("units", "undecidable", "unsupported"))
        scale = 20  # twentieths of a unit, to turn the means into whole claims
        n, unsure, bad = (round(scale * number) for number in (units, undecidable, wrong))
        report = make_report([[YES]] * (n - unsure - bad) + [[NO]] * bad + [[OPEN]] * unsure)
        (score,) = measure(report, ["hallucination"])
        assert score.value is not None
        # H grows with the root of the length, so a report of `scale` times the claims has sqrt(`scale`) times H.
        ratios.append(score.value / scale**0.5 / float(row["hallucination_score"]))
    assert sum(ratios) / len(ratios) == pytest.approx(1.06, abs=0.01)
    assert 0.99 <= min(ratios) <= max(ratios) <= 1.12


def test_the_study_of_alpha_averages_to_its_published_mean() -> None:
    *models, average = table("factbench_alpha_study")
    for column, published in (("factual_pct", 57.0), ("not_factual_pct", 43.0)):
        assert float(average[column]) == published
        assert sum(float(row[column]) for row in models) / len(models) == pytest.approx(published)


def test_the_mean_weighs_responses_and_not_claims_as_in_the_study_of_alpha() -> None:
    # The four models of the study as four responses: 1,000 claims each, a tenth of that for the last; same mean.
    *models, _ = table("factbench_alpha_study")
    reports = []
    for row, size in zip(models, (1000, 1000, 1000, 100), strict=True):
        right = round(size * float(row["factual_pct"]) / 100)
        reports.append(make_report([[YES]] * right + [[OPEN]] * (size - right)))
    score = summarise(reports, "factual_precision")
    assert score.value == pytest.approx(0.570, abs=1e-9)


def test_ranks_within_a_tier_follow_precision_for_all_rows() -> None:
    rows = table("factbench_leaderboard")
    assert len(rows) == 21
    order = sorted(rows, key=lambda row: (int(row["tier"]), -float(row["factual_precision_pct"])))
    assert order == rows
    assert [int(row["rank"]) for row in order] == [1, 2, 3, 4, 5, 6, 7] * 3
    by_hallucination = sorted(rows, key=lambda row: (int(row["tier"]), float(row["hallucination_score"])))
    assert by_hallucination != rows


@pytest.mark.parametrize(
    ("supported", "judged", "name", "worked"),
    [
        (20, 25, "f1_at_k(k=64)", 0.449438),  # P .8, R .3125: 2·.25/1.1125
        (178, 200, "f1_at_k(k=178)", 0.941799),  # P .89, R 1: 1.78/1.89
        (5, 5, "factscore", 0.367879),  # exp(1 - 10/5)
        (6, 8, "factscore(gamma=10)", 0.584101),  # .75·exp(1 - 10/8)
        (9, 12, "factscore(gamma=10)", 0.75),
    ],
)
def test_f1_at_k_and_factscore_worked_by_hand(supported: int, judged: int, name: str, worked: float) -> None:
    (score,) = measure(make_report([[YES]] * supported + [[NO]] * (judged - supported)), [name])
    assert score.value == pytest.approx(worked, abs=5e-7)
