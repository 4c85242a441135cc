"""Only prompts that call for facts pass; a failed call is not a class."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from factscope.benchmarks.curate import BASELINE, FAILED, CurationParameters, StageContext, StageResult, verifiability
from factscope.benchmarks.rules import kind_by_rule, request_accuracy
from factscope.core import UsageError
from factscope.engine import Tools
from factscope.llm import Cache, ModelError
from tests import lab
from tests.benchmarks.curate.shops import done, lab_tools, prompts, reasons, shop

TABLE = prompts(
    "Who designed the Marlow bridge?",
    "Translate this into French: the bridge is old.",
    "Write a poem on bridges.",
    "How high is the tower? [ambiguous]",
)


@pytest.fixture(scope="module")
def running() -> Iterator[lab.Server]:
    with lab.model_server() as server:
        yield server


@pytest.fixture
def server(running: lab.Server) -> lab.Server:
    running.script([])
    return running


def sort(where: StageContext) -> StageResult:
    return done(verifiability.STAGE, TABLE, where)


def test_only_factual_prompts_of_three_classes_remain(server: lab.Server) -> None:
    found = sort(shop(tools=lab_tools(server)))
    assert found.table["id"].to_list() == ["a", "d"]
    assert reasons(found.dropped) == {"b": "Faithful", "c": "Neither"}
    assert found.table["ambiguous"].to_list() == [False, True]
    assert found.table["readings"].to_list() == [[], ["one thing", "another"]]
    assert set(found.table["verifiable_by"]) == {"openai/lab"}
    assert found.facts["classes"] == {"Factual": 2, "Faithful": 1, "Neither": 1}
    assert found.facts["ambiguous"] == 1
    assert "curate/verifiable" in found.facts["prompt"]


def test_a_failed_call_gives_no_class(server: lab.Server) -> None:
    server.script([{"when": {"contains": "poem on bridges"}, "do": {"text": "I would rather not say."}}])
    found = sort(shop(tools=lab_tools(server)))
    assert reasons(found.dropped) == {"b": "Faithful", "c": FAILED}
    assert "could not be read" in found.dropped.filter(id="c")["detail"][0]
    assert found.facts["not_read"] == 1


def test_answered_prompts_are_not_asked_again(server: lab.Server, tmp_path: Path) -> None:
    with Cache(tmp_path / "cache") as cache:
        first = sort(shop(tools=lab_tools(server, cache=cache)))
        asked = server.count()
        again = sort(shop(tools=lab_tools(server, cache=cache)))
    assert server.count() == asked == 4
    assert again.table.equals(first.table)


def test_a_wrong_key_ends_the_stage(server: lab.Server) -> None:
    server.script([{"do": {"status": 401}}])
    with pytest.raises(ModelError, match="After 0 of 4 rows") as caught:
        sort(shop(tools=lab_tools(server)))
    assert "carries on" in caught.value.hint


def test_rules_sort_the_prompts_without_models() -> None:
    found = sort(shop())
    assert found.table["id"].to_list() == ["a", "d"]
    assert set(found.table["verifiable_by"]) == {BASELINE}
    assert found.facts["by"] == BASELINE
    assert found.facts["accuracy"] == request_accuracy().sentence()
    with pytest.raises(UsageError, match="none is configured"):
        sort(StageContext(CurationParameters(), Tools()))


@pytest.mark.parametrize(
    ("prompt", "kind"),
    [
        ("What is the capital of Chad?", "Factual"),
        ("Can you elucidate the causes of the First World War?", "Factual"),
        ("Summarize the following text: it rained.", "Faithful"),
        ("Pretend to be a pirate and greet me", "Neither"),
        ("Write a python function that sorts a list", "Neither"),
        ("hi", "Neither"),
        ("zxcv qwer asdf", "Neither"),
    ],
)
def test_rules_give_each_prompt_its_class(prompt: str, kind: str) -> None:
    assert kind_by_rule(prompt) == kind
