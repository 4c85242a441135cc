"""Difficulty of prompts: each factor alone, their mean, and the checks that validate the score."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from factscope.benchmarks.curate import FACTORS, PANEL, CurationParameters, Difficulty, assess, read_panel, task, trend

LEVELS = {"hard": 2, "moderate": 1, "easy": 0}


def prompts(n: int = 60) -> pl.DataFrame:
    """Build prompts of three tiers in four topics, longer in harder tiers."""
    tiers = ["easy", "moderate", "hard"]
    return pl.DataFrame(
        [
            {
                "id": f"p{i}",
                "prompt": "Who was it?" if i % 3 == 0 else "List " + " and ".join(f"fact{j}" for j in range(i % 3 * 4)),
                "topic": i % 4,
                "tier": tiers[i % 3],
            }
            for i in range(n)
        ]
    )


def panel(asked: pl.DataFrame, *evaluators: str, models: int = 2, noise: float = 0.0) -> pl.DataFrame:
    """Build answers with more errors the harder the tier of their prompt."""
    random = np.random.default_rng(3)
    rows = []
    for row in asked.iter_rows(named=True):
        for evaluator in evaluators:
            for model in range(models):
                wrong = LEVELS[row["tier"]] * 2 + int(random.random() < noise) * 4
                rows.append(
                    {"id": row["id"], "model": f"m{model}", "evaluator": evaluator, "judged": 16}
                    | {"contradicted": wrong, "undecided": 1, "no_evidence": LEVELS[row["tier"]]}
                )
    return pl.DataFrame(rows, schema=PANEL)


@pytest.mark.parametrize(
    ("prompt", "kind"),
    [
        ("Who won the race in 1904?", "look-up"),
        ("What is the difference between rum and brandy?", "compare"),
        ("Name 10 rivers of Africa", "list"),
        ("How do I bind a book?", "instruct"),
        ("Why is the sky blue?", "explain"),
        ("Write an essay on moss.", "write"),
        ("Tell me about Ada Lovelace", "describe"),
        ("moss", "other"),
        ("", "other"),
    ],
)
def test_prompts_are_sorted_into_kinds_of_task(prompt, kind):
    assert task(prompt) == kind


def test_every_factor_is_shown_and_the_difficulty_is_their_weighted_mean():
    asked = prompts()
    parameters = CurationParameters(difficulty=Difficulty(complexity=2, domain=0, panel=3))
    table = assess(asked, panel(asked, "verify"), "verify", parameters).table
    assert table["id"].to_list() == asked["id"].to_list()
    for name in FACTORS:
        assert table[name].is_between(0, 1).all()
    row = table.row(7, named=True)
    mean = (2 * row["complexity"] + row["task"] + row["scarcity"] + 3 * row["panel"]) / 7
    assert row["difficulty"] == pytest.approx(mean)
    hard, easy = (table.filter(asked["tier"] == tier)["difficulty"].mean() for tier in ("hard", "easy"))
    assert hard > easy + 0.3


def test_an_unknown_factor_is_left_out():
    asked = prompts(6)
    answers = panel(asked.head(5), "verify").with_columns(
        judged=pl.when(pl.col("id") == "p0").then(0).otherwise("judged")
    )
    table = assess(asked, answers, "verify", CurationParameters()).table
    for unknown in ("p0", "p5"):
        row = table.row(by_predicate=pl.col("id") == unknown, named=True)
        assert (row["panel"], row["scarcity"]) == (None, None)
        assert row["difficulty"] == pytest.approx((row["complexity"] + row["domain"] + row["task"]) / 3)


@pytest.mark.parametrize(("settings", "covered"), [({}, ["p2"]), ({"least_coverage": 0.01}, ["p1", "p2"])])
def test_an_answer_below_the_least_coverage_is_not_in_a_panel(tmp_path: Path, settings, covered):
    """The limit is the result's least coverage, or the default, as in the benchmark's own table."""
    of = {"tier": "hard", "model": "m", "state": "checked"}
    responses = [
        {**of, "id": "p1", "contradicted": 1, "failed": 19},
        {**of, "id": "p2", "supported": 10, "contradicted": 1, "failed": 11},
        {**of, "id": "p3", "state": "no_answer"},
    ]
    path = tmp_path / "result.json"
    result = {"benchmark": "factbench", "method": {"name": "verify"}, "settings": settings, "responses": responses}
    result |= {"prompts": {"sha256": "ab", "tiers": ["hard"]}, "models": {}, "refusals_by": "rule"}
    path.write_text(json.dumps(result), encoding="utf-8")
    assert read_panel([path]).filter(pl.col("judged") > 0)["id"].to_list() == covered


def test_a_trend_of_worsening_answers_is_detected():
    asked = prompts(90)
    checks = assess(asked, panel(asked, "verify", "other", noise=0.1), "verify", CurationParameters()).checks
    assert sum(step.n for step in checks.trend.steps) == 90
    assert checks.trend.rho > 0.7
    assert checks.trend.p < 0.01
    means = [step.hallucination.value for step in checks.trend.steps]
    assert means[-1] > means[0] + 0.5
    assert list(checks.tiers) == ["hard", "moderate", "easy"]
    assert checks.tiers_rho > 0.7


def test_no_trend_is_found_in_random_data():
    random = np.random.default_rng(5)
    outcome = pl.DataFrame({"hallucination": random.random(80), "factual_precision": random.random(80)})
    found = trend(list(random.random(80)), outcome, 5)
    assert found.p > 0.05
    assert not found.monotonic


def test_difficulty_apart_ignores_the_reported_evaluator():
    asked = prompts(45)
    other = panel(asked, "other")
    found = assess(asked, pl.concat([panel(asked, "verify", noise=0.5), other]), "verify", CurationParameters())
    alone = assess(asked, other, "verify", CurationParameters())
    assert found.table["difficulty_apart"].to_list() == alone.table["difficulty"].to_list()
    assert found.checks.circularity.evaluators == ("other",)
    assert 0.5 < found.checks.circularity.rho <= 1
    assert alone.checks.circularity.rho == pytest.approx(1)
    assert alone.checks.circularity.overlap == 1


def test_without_answers_difficulty_rests_on_the_prompts_alone():
    asked = prompts(9)
    found = assess(asked, pl.DataFrame(schema=PANEL), "verify", CurationParameters())
    assert found.table["difficulty"].to_list() == found.table["difficulty_apart"].to_list()
    assert (found.checks.trend.rho, found.checks.circularity.evaluators) == (None, ())


@pytest.mark.medium
def test_difficulty_is_identical_in_every_process():
    """The order of a set of words differs between processes."""
    code = """
import polars as pl
from factscope.benchmarks.curate.difficulty import PANEL, assess
from factscope.benchmarks.curate.parameters import CurationParameters
texts = [" ".join(f"word{n * k % 97}" for n in range(1, 40)) for k in range(1, 30)]
asked = pl.DataFrame({"id": texts, "prompt": texts, "topic": [0] * 29, "tier": ["hard"] * 29})
print(assess(asked, pl.DataFrame(schema=PANEL), "verify", CurationParameters()).table["rarity"].to_list())
"""
    seen = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(seen) == 1


def test_difficulty_of_no_prompts_is_empty():
    none = assess(prompts(1).clear(), pl.DataFrame(schema=PANEL), "verify", CurationParameters())
    assert none.table.is_empty()
    assert none.checks.trend.steps == ()
