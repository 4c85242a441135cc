"""Usefulness: its formula, its exact thresholds, and two models of which one may fail to reply."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.benchmarks.curate import (
    BASELINE,
    BELOW,
    CRITERIA,
    FAILED,
    StageContext,
    StageResult,
    ablation,
    agreement,
    mean_usefulness,
    useful_by_rule,
    usefulness,
)
from factscope.llm import Cache
from tests import lab
from tests.benchmarks.curate.shops import done, lab_tools, prompts, reasons, shop

TWO = {"*": "openai/one", "curate_second": "openai/two"}


def scores(*four: int) -> dict[str, int]:
    return dict(zip(CRITERIA, four, strict=True))


FIVES = scores(5, 5, 5, 5)


def test_usefulness_matches_golden_figures() -> None:
    """Functional specification, section 7."""
    gpt, llama = scores(4, 2, 3, 5), scores(5, 3, 4, 5)
    assert mean_usefulness([gpt, llama]) == 3.875
    assert mean_usefulness([gpt]) == 3.5
    assert mean_usefulness([llama]) == 4.25
    assert mean_usefulness([]) == 0


SCORES = st.builds(scores, *[st.integers(0, 5)] * 4)


@given(st.lists(SCORES, min_size=1, max_size=4))
def test_usefulness_is_the_mean_of_means_and_five_only_if_all_scores_are(rated: list[dict[str, int]]) -> None:
    means = [sum(one[name] for one in rated) / len(rated) for name in CRITERIA]
    assert mean_usefulness(rated) == pytest.approx(sum(means) / 4)
    assert 0 <= mean_usefulness(rated) <= 5
    assert (mean_usefulness(rated) >= 5.0) == all(score == 5 for one in rated for score in one.values())


@pytest.fixture(scope="module")
def running() -> Iterator[lab.Server]:
    with lab.model_server() as server:
        yield server


@pytest.fixture
def server(running: lab.Server) -> lab.Server:
    running.script([])
    return running


def rate(where: StageContext, table: pl.DataFrame) -> StageResult:
    return done(usefulness.STAGE, table, where)


def test_thresholds_are_met_exactly(server: lab.Server) -> None:
    marks = ["4 4 4 4", "4 4 4 3", "5 5 4 4", "5 4 4 4", "5 5 5 5", "5 5 5 4"]
    tiers = ["hard", "hard", "moderate", "moderate", "easy", "easy"]
    found = rate(shop(tools=lab_tools(server)), prompts(*(f"Who? [{mark}]" for mark in marks), tier=tiers))
    assert found.table["id"].to_list() == ["a", "c", "e"]
    assert found.table["usefulness"].to_list() == [4.0, 4.5, 5.0]
    assert set(found.dropped["reason"]) == {BELOW}
    assert found.dropped["detail"].to_list()[0] == "3.75 < 4.0 (hard)"


def test_scores_of_two_models_are_averaged(server: lab.Server) -> None:
    server.script([{"when": {"model": "two"}, "do": {"text": json.dumps({"reason": "", **scores(5, 3, 4, 5)})}}])
    table = prompts("Who? [4 2 3 5]", "Who was it? [5 5 5 5]", tier=["hard", "hard"])
    found = rate(shop({"usefulness": {"hard": 3.875}}, lab_tools(server, TWO)), table)
    assert found.table["usefulness"].to_list() == [3.875, 4.625]
    assert found.table["clarity"].to_list() == [4.5, 5.0]
    said = json.loads(found.table["useful_by"][0])
    assert said["openai/one"]["generalizability"] == 2
    assert said["openai/two"]["generalizability"] == 3
    assert found.facts["by"] == ["openai/one", "openai/two"]
    assert found.facts["read_by_all"] == 2
    assert found.facts["agreement"]["clarity"]["n"] == 2


def test_ratings_by_one_model_alone_are_announced(server: lab.Server) -> None:
    told: list[str] = []
    where = replace(shop(tools=lab_tools(server, {"curate": "openai/lab"})), log=told.append)
    found = rate(where, prompts("Who? [4 4 4 5]", tier=["hard"]))
    assert found.table["usefulness"].to_list() == [4.25]
    assert found.facts["by"] == ["openai/lab"]
    assert "One model alone" in told[0]


def test_an_unreadable_reply_leaves_the_score_of_the_other_model(server: lab.Server) -> None:
    server.script([{"when": {"model": "two"}, "do": {"text": "Very useful."}}])
    found = rate(shop(tools=lab_tools(server, TWO)), prompts("Who? [4 4 4 5]", tier=["hard"]))
    assert found.table["usefulness"].to_list() == [4.25]
    assert "failed" in json.loads(found.table["useful_by"][0])["openai/two"]
    assert (found.facts["read_by_some"], found.facts["agreement"]["sum"]["n"]) == (1, 0)


def test_two_unreadable_replies_give_0_and_are_retried(server: lab.Server) -> None:
    server.script([{"do": {"text": "Very useful."}}])
    found = rate(shop(tools=lab_tools(server, TWO)), prompts("Who?", "What?", tier=["hard", "easy"]))
    assert reasons(found.dropped) == {"a": FAILED, "b": FAILED}
    assert "usefulness 0" in found.dropped["detail"][0]
    assert found.facts["read_by_none"] == 2


def test_an_unreadable_reply_is_excluded_from_every_mean(server: lab.Server) -> None:
    server.script([{"when": {"contains": "What?"}, "do": {"text": "Very useful."}}])
    found = rate(
        shop(tools=lab_tools(server)), prompts("Who? [5 5 5 5]", "What?", "What? Why?", tier=["easy", "easy", "hard"])
    )
    assert found.table["id"].to_list() == ["a"]
    read, unread = found.facts["means"]
    assert [read[name] for name in (*CRITERIA, "usefulness")] == [5.0] * 5
    assert [unread[name] for name in (*CRITERIA, "usefulness")] == [None] * 5


def test_rules_rate_usefulness_without_models() -> None:
    table = prompts("What caused the Irish famine?", "it?", tier=["easy", "hard"])
    found = rate(shop(), table)
    assert found.table["id"].to_list() == ["a"]
    assert list(json.loads(found.table["useful_by"][0])) == [BASELINE]
    assert found.facts["by"] == [BASELINE]
    nobody = rate(shop(), table.clear())
    assert nobody.table.is_empty()


@given(st.text(max_size=300))
def test_rules_stay_between_0_and_5(prompt: str) -> None:
    assert all(0 <= score <= 5 for score in useful_by_rule(prompt).values())


def test_agreement_is_computed_per_criterion_and_undefined_at_its_edges() -> None:
    rated = [[scores(n, 5 - n, 3, n), scores(n, n, 3, min(5, n + 1))] for n in (0, 1, 2, 3, 4, 5)]
    found = agreement(rated)
    assert found["clarity"]["pearson"] == pytest.approx(1)
    assert found["clarity"]["pearson_interval"] is None, "six prompts, all alike, are no certainty"
    assert found["generalizability"]["spearman"] == pytest.approx(-1)
    assert found["relevance"]["pearson"] is None
    assert found["relevance"]["equal"] == 1
    assert found["feasibility"]["mean_difference"] == pytest.approx(-5 / 6)
    assert agreement([])["sum"] == {
        "n": 0, "pearson": None, "pearson_interval": None, "spearman": None, "equal": None, "mean_difference": None
    }  # fmt: skip


def test_ablation_says_what_a_criterion_decides() -> None:
    read = [[FIVES], [scores(5, 5, 5, 0)], [scores(0, 0, 0, 0)], []]
    found = ablation(read, [5.0, 5.0, 5.0, 5.0])
    assert found["all"] == {"passing": 1}
    assert found["without feasibility"] == {"passing": 2, "overlap": 0.5}
    assert found["without clarity"] == {"passing": 1, "overlap": 1.0}
    assert ablation([[]], [1.0])["without clarity"] == {"passing": 0, "overlap": None}


def test_answers_are_cached_for_the_next_time(server: lab.Server, tmp_path: Path) -> None:
    table = prompts("Who? [4 4 4 5]", tier=["hard"])
    with Cache(tmp_path / "cache") as cache:
        first = rate(shop(tools=lab_tools(server, TWO, cache)), table)
        asked = server.count()
        assert rate(shop(tools=lab_tools(server, TWO, cache)), table).table.equals(first.table)
    assert server.count() == asked == 2
