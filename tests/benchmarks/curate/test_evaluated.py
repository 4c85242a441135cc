"""Answers and their errors: logged or fresh, checked by a method, stored and resumed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from factscope.benchmarks.curate import (
    BASELINE,
    CHAIN,
    FAILED,
    WAITING,
    BuildConfig,
    CurationParameters,
    EvaluationSettings,
    StageContext,
    evaluate_answers,
    fresh_answers,
    prepared,
    usefulness,
    verifiability,
)
from factscope.core import BoundaryError, UsageError
from factscope.core.records import Span
from factscope.engine import Settings, Store, Tools, open_tools
from factscope.judging.verifiers import ClaimPair, Prediction
from factscope.llm import Allowance, BatchFolder, Budget, Cache, HttpSender, ModelClient, ModelError, Models
from factscope.methods import method_named
from tests import lab
from tests.benchmarks.curate.shops import done, lab_tools, prompts, reasons, shop
from tests.conftest import ScriptedVerifier, with_verifier
from tests.lab.tools import QUICK

BUILTIN = method_named("builtin")
STANDARD = method_named("standard")

ASKED = prompts(
    "Tell me of it.", "And this?", "Why?", "Who?", model=["gpt-4"] * 4, tier=["hard", "easy", "hard", "hard"]
)


@pytest.fixture(scope="module")
def running() -> Iterator[lab.Server]:
    with lab.model_server() as server:
        yield server


@pytest.fixture
def server(running: lab.Server) -> lab.Server:
    running.script([])
    return running


def logged(*texts: str | None) -> pl.DataFrame:
    return pl.DataFrame({"id": list("abcd")[: len(texts)], "response": list(texts)}, {"id": str, "response": str})


def test_logged_answers_are_used_and_empty_ones_dropped(tmp_path: Path) -> None:
    responses = logged("The bridge was opened in 1931.", "NaN", " \n")
    found = done(fresh_answers.STAGE, ASKED, shop(folder=tmp_path, responses=responses))
    assert found.table["id", "response", "answered_by"].rows() == [("a", "The bridge was opened in 1931.", "gpt-4")]
    assert reasons(found.dropped) == dict.fromkeys("bcd", fresh_answers.NO_ANSWER)
    assert found.dropped["detail"].to_list() == ["'NaN'", "''", "none was logged"]
    refusal = done(
        fresh_answers.STAGE, ASKED.head(1), shop(folder=tmp_path, responses=logged("I'm sorry, but I can't."))
    )
    assert refusal.facts["only_refuse"] == 1
    assert refusal.table.height == 1


def test_fresh_answers_by_tier(server: lab.Server, tmp_path: Path) -> None:
    server.script(
        [
            {"when": {"contains": "Why?"}, "do": {"status": 400}},
            {"when": {"contains": "Who?"}, "do": {"refusal": "No."}},
            {"when": {"model": "new"}, "do": {"text": "A fresh one."}},
        ]
    )
    fresh = {"answering": {"fresh": {"hard": "openai/new"}}}
    where = shop(fresh, lab_tools(server), tmp_path, responses=logged("Old.", "Old too."))
    found = done(fresh_answers.STAGE, ASKED, where)
    assert found.table["response"].to_list() == ["A fresh one.", "Old too."]
    assert found.table["answered_by"].to_list() == ["openai/new", "gpt-4"]
    assert reasons(found.dropped) == {"c": FAILED, "d": fresh_answers.NO_ANSWER}
    assert found.facts["logged"] == 1
    with pytest.raises(UsageError, match="there are none"):
        done(fresh_answers.STAGE, ASKED, shop(fresh, None, tmp_path, responses=logged("Old.")))


def answered(*texts: str) -> pl.DataFrame:
    names = list("abcdefgh")[: len(texts)]
    return pl.DataFrame(
        {"id": names, "prompt": "Tell me.", "response": list(texts), "answered_by": "gpt-4", "tier": "hard"}
    )


def test_without_models_nothing_is_looked_up() -> None:
    table = answered("The bridge was opened in 1931. It has four arches.", "Who knows? Do you?", "\0")
    found = done(evaluate_answers.STAGE, table, shop())
    row = found.table.row(0, named=True)
    assert (row["units"], row["undecided"], row["coverage"]) == (2, None, 0.0)
    assert (row["hallucination"], row["factual_precision"]) == (None, None), "nobody judged it"
    assert reasons(found.dropped)["b"] == evaluate_answers.NO_UNITS
    assert found.facts["evaluator"]["method"].startswith(BASELINE)
    units = found.tables["units"]
    assert isinstance(units, pl.DataFrame)
    assert units["outcome"].to_list() == ["no_evidence", "no_evidence"]


def judge(pair: ClaimPair) -> Prediction:
    """Judge a claim by its words: "six" is contradicted, "broken" fails, and the rest is supported."""
    if "broken" in pair.claim:
        raise BoundaryError("model", "The judge is out of order.")
    label: Any = "contradicted" if "six" in pair.claim else "supported"
    return Prediction(label, 0.9, Span(start=0, end=5), "It was read.")


@pytest.fixture
def checking(tools: Tools, tmp_path: Path) -> Iterator[StageContext]:
    with Store(tmp_path / "runs.db") as store:
        parameters = CurationParameters(evaluation=EvaluationSettings(method=BUILTIN))
        yield StageContext(parameters, with_verifier(tools, ScriptedVerifier(judge)), store)


def test_evaluated_answers_have_scores_and_units_and_failed_ones_are_dropped(checking: StageContext) -> None:
    table = answered(
        "The Marlow bridge was opened in 1931. The Marlow bridge has six arches.",
        "I hope so? Do you?",
        "The Marlow bridge is broken.",
        "The Marlow bridge is broken. The town hall was finished in 1908.",
    )
    found = done(evaluate_answers.STAGE, table, checking)
    assert found.table["id"].to_list() == ["a", "d"]
    first, last = found.table.to_dicts()
    assert (first["units"], first["supported"], first["contradicted"]) == (2, 1, 1)
    assert first["hallucination"] == pytest.approx(1 / 2**0.5)
    assert first["factual_precision"] == 0.5
    assert (last["units"], last["failed"], last["coverage"]) == (1, 1, 0.5)
    assert reasons(found.dropped) == {"b": evaluate_answers.NO_UNITS, "c": FAILED}
    assert found.unanswered == {FAILED: 1}, "the unit of the last answer"
    units = found.tables["units"]
    assert isinstance(units, pl.DataFrame)
    wrong = units.filter(outcome="contradicted").row(0, named=True)
    assert wrong["id"] == "a"
    assert "six arches" in wrong["text"]
    assert wrong["reason"] == "It was read."
    assert wrong["evidence"]
    assert wrong["url"] in ("bridge.md", "town.txt")
    assert set(units["id"]) == {"a", "d"}
    evaluator = found.facts["evaluator"]
    assert (evaluator["method"], evaluator["judges"], evaluator["models"]) == ("builtin", "scripted-1", {})
    assert evaluator["searched"]


def test_an_answer_in_another_language_does_not_state_nothing(
    checking: StageContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ScriptedVerifier, "languages", ("en",), raising=False)
    german = "Die Brücke von Marlow wurde im Jahr 1931 eröffnet. Das Rathaus steht seit vielen Jahren am Markt."
    english = "The Marlow bridge was opened in 1931."
    table = answered(german, f"{english} {german}", english)
    found = done(evaluate_answers.STAGE, table, checking)
    assert found.table["id"].to_list() == ["c"]
    assert reasons(found.dropped) == dict.fromkeys("ab", evaluate_answers.UNREADABLE)
    told = "most of its units are in a language that is not read, 2 of them"
    assert found.dropped["detail"].to_list() == [told, told]
    unseen = done(evaluate_answers.STAGE, answered(german, english), shop())
    assert reasons(unseen.dropped) == {"a": evaluate_answers.UNREADABLE}


def test_failed_units_of_an_answer_are_tried_again(checking: StageContext) -> None:
    table = answered("The Marlow bridge is broken. The town hall was finished in 1908.")
    assert done(evaluate_answers.STAGE, table, checking).unanswered == {FAILED: 1}
    tools = checking.tools
    assert tools is not None
    working = with_verifier(tools, ScriptedVerifier(lambda pair: Prediction("supported", 0.9, None, "It was read.")))
    found = done(evaluate_answers.STAGE, table, replace(checking, tools=working))
    assert (found.table["coverage"][0], found.unanswered) == (1, {})


def test_without_models_answers_can_be_checked_against_evidence(checking: StageContext) -> None:
    table = answered("The Marlow bridge was opened in 1931. The Marlow bridge has six arches.")
    alone = replace(checking, parameters=CurationParameters(), tools=None, evidence=checking.tools)
    found = done(evaluate_answers.STAGE, table, alone)
    assert found.table["units", "supported", "contradicted"].rows() == [(2, 1, 1)]
    assert found.facts["evaluator"]["method"] == "builtin"
    with pytest.raises(UsageError, match="evidence"):
        prepared(BuildConfig(evidence=Tools()), CHAIN)


def test_fresh_answers_without_models_are_refused_before_the_build_starts() -> None:
    fresh = CurationParameters.model_validate({"answering": {"fresh": {"hard": "openai/lab"}}})
    with pytest.raises(UsageError, match="Fresh answers need models"):
        prepared(BuildConfig(fresh), CHAIN)
    prepared(BuildConfig(fresh), CHAIN[:3])


def test_a_model_of_vectors_that_cannot_be_used_is_refused_before_the_build_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    for model, problem in (("api:openai/text-embedding-3-small", "No key"), ("some/model", "none can be opened")):
        parameters = CurationParameters.model_validate({"vectors": {"model": model}})
        with pytest.raises(UsageError, match=problem):
            prepared(BuildConfig(parameters), CHAIN)
        prepared(BuildConfig(parameters), CHAIN[:3])


def test_checked_answers_are_not_checked_again(checking: StageContext) -> None:
    table = answered("The Marlow bridge was opened in 1931.")
    first = done(evaluate_answers.STAGE, table, checking)
    verifier = ScriptedVerifier(judge)
    tools = checking.tools
    assert tools is not None
    again = done(evaluate_answers.STAGE, table, replace(checking, tools=with_verifier(tools, verifier)))
    assert again.table.equals(first.table)
    assert verifier.asked == []
    other = answered("The Marlow bridge has four arches.")
    assert (
        done(evaluate_answers.STAGE, other, replace(checking, tools=with_verifier(tools, verifier))).table.height == 1
    )
    assert verifier.asked


def test_models_of_other_roles_do_not_affect_the_method(server: lab.Server, tools: Tools, tmp_path: Path) -> None:
    roles = {"*": "openai/lab", "curate": "openai/small", "curate_second": "openai/other"}
    mine = replace(tools, models=lab_tools(server, roles).models)
    with Store(tmp_path / "runs.db") as store:
        where = StageContext(CurationParameters(evaluation=EvaluationSettings(method=STANDARD)), mine, store)
        found = done(
            evaluate_answers.STAGE, answered("The Marlow bridge was opened in 1931. It has six arches."), where
        )
    row = found.table.row(0, named=True)
    assert (row["supported"], row["contradicted"]) == (1, 1)
    units = found.tables["units"]
    assert isinstance(units, pl.DataFrame)
    assert [row["evidence"] for row in units.filter(outcome="contradicted").to_dicts()] == [
        "It has four arches and is 212 metres long"
    ]
    assert set(found.facts["evaluator"]["models"].values()) == {"openai/lab"}
    assert {row.model for row in where.ledger.usage()} == {"openai/lab"}
    with Store(tmp_path / "runs.db") as store:
        again = StageContext(where.parameters, mine, store)
        done(evaluate_answers.STAGE, answered("The Marlow bridge was opened in 1931. It has six arches."), again)
    assert again.ledger.usage() == ()
    by_default = evaluate_answers.evaluator(StageContext(CurationParameters(), mine))[0]
    assert by_default.name == "verify"


def test_different_model_addresses_are_distinguished_but_not_published(
    settings: Settings, tmp_path: Path, documents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def described_at(address: str) -> dict[str, Any]:
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        async with open_tools(documents, settings=settings.model_copy(update={"model": {"*": "openai/lab"}})) as tools:
            return evaluate_answers.described(STANDARD, tools)

    first, second = (asyncio.run(described_at(f"https://models-{n}.corp.example/v1")) for n in (1, 2))
    assert first != second
    assert "corp.example" not in json.dumps([first, second])


def test_an_outage_ends_the_stage_but_checked_answers_remain(server: lab.Server, tools: Tools, tmp_path: Path) -> None:
    server.script([{"do": {"status": 401}}])
    with Store(tmp_path / "runs.db") as store:
        where = StageContext(
            CurationParameters(evaluation=EvaluationSettings(method=STANDARD)),
            replace(tools, models=lab_tools(server).models),
            store,
        )
        with pytest.raises(ModelError):
            done(evaluate_answers.STAGE, answered("The Marlow bridge was opened in 1931."), where)
        server.script([])
        where = replace(where, tools=replace(tools, models=lab_tools(server).models))
        assert done(evaluate_answers.STAGE, answered("The Marlow bridge was opened in 1931."), where).table.height == 1


def test_a_spent_budget_ends_the_stage_and_a_larger_one_resumes_it(
    server: lab.Server, tools: Tools, tmp_path: Path
) -> None:
    parameters = CurationParameters(evaluation=EvaluationSettings(method=STANDARD))
    table = answered(*(f"The town hall was finished in {year}." for year in range(1900, 1906)))
    environment = {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "sk-lab"}

    def models(allowance: Allowance) -> Models:
        return Models(
            lambda: ModelClient(HttpSender(environment, QUICK, budget=Budget(allowance)), cache), {"*": "openai/lab"}
        )

    with Store(tmp_path / "runs.db") as store, Cache(tmp_path / "replies.db") as cache:
        few = StageContext(parameters, replace(tools, models=models(Allowance(calls=5))), store)
        with pytest.raises(BoundaryError, match=r"After \d of 6 answers: The budget of 5 calls"):
            done(evaluate_answers.STAGE, table, few)
        with pytest.raises(ModelError, match=r"After \d of 6 rows: The budget of 5 calls"):
            done(verifiability.STAGE, table.with_columns(prompt="response"), few)
        more = done(evaluate_answers.STAGE, table, replace(few, tools=replace(tools, models=models(Allowance()))))
    assert more.table.height == 6


def test_rows_waiting_in_batch_files_count_neither_as_failed_nor_as_done(tools: Tools, tmp_path: Path) -> None:
    environment = {"OPENAI_API_KEY": "sk-lab"}
    models = Models(lambda: ModelClient(BatchFolder(tmp_path / "batch", environment)), {"*": "openai/lab"})
    table = answered("The town hall was finished in 1908.").with_columns(tier=pl.lit("hard"))
    with Store(tmp_path / "runs.db") as store:
        where = StageContext(
            CurationParameters(evaluation=EvaluationSettings(method=STANDARD)), replace(tools, models=models), store
        )
        for stage in (verifiability.STAGE, usefulness.STAGE, evaluate_answers.STAGE):
            assert reasons(done(stage, table, where).dropped) == {"a": WAITING}
    assert list((tmp_path / "batch").glob("requests-*.jsonl"))
