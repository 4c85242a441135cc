"""Checkers measured on FELM's own form, and models on both benchmarks, run for real against the laboratory."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import factscope as fs
from tests import lab
from tests.benchmarks.datasets.example_records import FELM

BRIDGE = "The Marlow bridge was opened in 1931. It has four arches and is 212 metres long. It was designed by Ida Kern."
GOOD = "The Marlow bridge was opened in 1931. The Marlow bridge was designed by Ida Kern."
WRONG = "The Marlow bridge was opened in 1950. The Marlow bridge has six arches, and much else."
RULES: list[lab.Rule] = [
    {"when": {"model": "good", "contains": "about the bridge"}, "do": {"text": GOOD}},
    {"when": {"model": "wrong", "contains": "about the bridge"}, "do": {"text": WRONG}},
]
MODELS = ["openai/good", "openai/wrong"]


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[lab.Server]:
    monkeypatch.setenv("FACTSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("FACTSCOPE_STORE", str(tmp_path / "runs.db"))
    with lab.model_server(RULES) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-lab")
        yield server


def never_wrong(prompt: str | None, units: Sequence[object]) -> list[bool]:
    """Flag no unit."""
    return [False for _ in units]


@pytest.mark.usefixtures("server")
def test_checkers_and_functions_are_measured_on_rows_in_felm_format(tmp_path: Path) -> None:
    with fs.Checker(method="felm/segment-vanilla", model="openai/lab", name="asked") as asked:
        result = fs.evaluate([asked, never_wrong], dataset=FELM, level="segment", by="domain", resamples=20)
    assert [checker.name for checker in result.record.checkers] == ["asked", "never_wrong"]
    table = result.table()
    assert "never_wrong" in table
    (difference,) = result.compare()
    assert {difference.first, difference.second} == {"asked", "never_wrong"}
    saved = json.loads(result.save(tmp_path / "felm.json").read_text(encoding="utf-8"))
    assert saved == json.loads(json.dumps(result.to_dict()))
    frame = result.to_pandas()
    assert {"f1", "recall"} <= set(frame["measure"])
    numbers = frame[["value", "low", "high", "n", "answered"]]
    assert all(isinstance(cell, int | float | None) for row in numbers.values.tolist() for cell in row), "not text"
    assert 0 < numbers["value"].mean() < 1


def test_facts_grounding_ranks_models_by_faithfulness_to_the_document(tmp_path: Path, server: lab.Server) -> None:
    data = tmp_path / "examples.jsonl"
    data.write_text(
        json.dumps({"id": "bridge", "request": "Tell me about the bridge.", "context": BRIDGE}), encoding="utf-8"
    )
    judges = ["openai/judge-a", "openai/judge-b"]
    result = fs.benchmark("facts-grounding", models=MODELS, judges=judges, data=data, limit=1, resamples=20)
    rows = {row["model"]: row["average"]["score"] for row in result.to_dict()["summary"]["final"]["rows"]}
    assert rows == {"openai/good": 1.0, "openai/wrong": 0.0}
    assert all(model in result.table() for model in MODELS)
    saved = json.loads(result.save(tmp_path / "table.json").read_text(encoding="utf-8"))
    assert saved == json.loads(json.dumps(result.to_dict()))
    lines = result.save(tmp_path / "table.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "table,model,measure,value,low,high,n"
    assert {line.split(",")[1] for line in lines[1:]} == set(MODELS)


def test_a_benchmark_says_why_something_is_missing(tmp_path: Path, server: lab.Server) -> None:
    data = tmp_path / "examples.jsonl"
    row = {"id": "bridge", "request": "Tell me about the bridge.", "context": BRIDGE}
    data.write_text(json.dumps(row), encoding="utf-8")
    judges = ["openai/judge-a", "openai/judge-c"]
    server.script(
        [{"when": {"model": "judge-c"}, "do": {"status": 400}}, {"when": {"model": "bad"}, "do": {"status": 400}}]
    )
    models = ["openai/any", "openai/bad"]
    result = fs.benchmark("facts-grounding", models=models, judges=judges, data=data, resamples=20)
    answer, failed = result.problems
    assert re.match(r"1 answer missing: openai/bad at .* \(HTTP 400\)", answer)
    assert re.match(r"1 response with failures: openai/judge-c at .* \(HTTP 400\)", failed)
    assert failed[:60] in " ".join(result.table().split())
    stopped = fs.benchmark(
        "facts-grounding", models=["openai/one"], judges=judges, data=data, max_calls=1, resamples=20
    )
    assert "budget of 1 call" in stopped.problems[0]


def test_factbench_ranks_models_by_support_from_the_evidence(
    tmp_path: Path, documents: Path, server: lab.Server
) -> None:
    data = tmp_path / "prompts.jsonl"
    row = {"id": "bridge", "tier": "Hard", "prompt": "Tell me about the bridge."}
    data.write_text(json.dumps(row), encoding="utf-8")
    result = fs.benchmark(
        "factbench", models=MODELS, judges=["openai/judge"], data=data, evidence=documents, limit=1, resamples=20
    )
    (tier,) = result.to_dict()["summary"]["tiers"]
    assert {row["model"]: row["precision"]["value"] for row in tier["rows"]} == {
        "openai/good": 1.0,
        "openai/wrong": 0.0,
    }
    assert "Hard" in str(result)


def test_factbench_withholds_scores_below_the_coverage_required_by_its_method(
    tmp_path: Path, documents: Path, server: lab.Server
) -> None:
    data = tmp_path / "prompts.jsonl"
    data.write_text(json.dumps({"id": "bridge", "tier": "Hard", "prompt": "Tell me about the bridge."}), "utf-8")
    method = tmp_path / "strict.toml"
    method.write_text('based_on = "builtin"\nname = "strict"\nleast_coverage = 0.9\n', encoding="utf-8")
    result = fs.benchmark(
        "factbench", models=MODELS[:1], data=data, evidence=documents, method=str(method), resamples=20
    )
    assert result.to_dict()["settings"]["least_coverage"] == 0.9
