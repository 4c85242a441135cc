"""Inspect's scorers and tasks, run by Inspect with its mock model, and logs opened by its own reader."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

pytest.importorskip("inspect_ai", exc_type=ImportError)

from inspect_ai import Task, eval  # noqa: A004
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ModelOutput, get_model

import factscope as fs
from factscope.integrations import factual, grounded, write_responses
from tests.integrations.runner import CONTEXTS, GREETING, QUESTION, REPLAY, RIGHT, WRONG


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count words, because Inspect's mock model counts tokens by a table that it fetches."""
    monkeypatch.setattr("inspect_ai.model._model.count_text_tokens", lambda text: len(text.split()))


def mock(*answers: str) -> object:
    return get_model("mockllm/model", custom_outputs=[ModelOutput.from_content("mockllm", one) for one in answers])


def evaluated(task: object, *answers: str, folder: Path, **more: object) -> EvalLog:
    quiet = {"log_dir": str(folder / "logs"), "display": "none", "max_samples": 1, "max_connections": 1}
    (log,) = eval(task, model=mock(*answers), **quiet, **more)
    assert log.status == "success", log.error
    return read_eval_log(log.location)


def samples(*contexts: object) -> list[Sample]:
    return [Sample(id=n, input=QUESTION, metadata={"context": one}) for n, one in enumerate(contexts, 1)]


def test_right_wrong_and_unscorable_answers_are_scored_accordingly(tmp_path: Path) -> None:
    task = Task(dataset=samples(CONTEXTS, CONTEXTS, None, CONTEXTS), scorer=grounded())
    log = evaluated(task, RIGHT, WRONG, RIGHT, GREETING, folder=tmp_path)
    right, wrong, bare, greeting = (sample.scores["grounded"] for sample in log.samples)
    assert (right.value, wrong.value) == (1.0, 0.5)
    assert wrong.metadata["coverage"] == 1.0
    assert wrong.metadata["problems"][0]["quote"] == "In 1858 a first-order Fresnel lens was fitted."
    assert "contradicted: The Fresnel lens was fitted in 1901." in wrong.explanation
    for one in (bare, greeting):
        assert math.isnan(one.value)
        assert one.reason == "not_assessed"
    assert log.results.scores[0].metrics["mean"].value == 0.75


def test_a_scorer_can_have_its_own_evidence(tmp_path: Path) -> None:
    (tmp_path / "keeper.txt").write_text(CONTEXTS[0], encoding="utf-8")
    task = Task(dataset=samples(None), scorer=factual(evidence=str(tmp_path / "keeper.txt")))
    log = evaluated(task, WRONG, folder=tmp_path)
    assert log.samples[0].scores["factual"].value == 0.5


def test_a_failed_check_is_unscored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACTSCOPE_REPLAY", str(REPLAY))
    task = Task(dataset=samples(CONTEXTS), scorer=grounded(method="verify", model="openai/by-hand"))
    (score,) = evaluated(task, RIGHT, folder=tmp_path).samples[0].scores.values()
    assert math.isnan(score.value)
    assert score.reason == "scoring_failed"
    assert "could not be checked" in score.explanation


def test_facts_grounding_runs_by_its_registered_name(tmp_path: Path) -> None:
    rows = [{"id": "a", "system": "Use the document only.", "request": QUESTION, "context": CONTEXTS[0]}]
    data = tmp_path / "grounding.jsonl"
    data.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    log = evaluated("factscope/facts_grounding", WRONG, folder=tmp_path, task_args={"data": str(data)})
    assert log.eval.task == "factscope/facts_grounding"
    assert CONTEXTS[0] in log.samples[0].input
    assert log.samples[0].scores["grounded"].value == 0.5


def test_felm_measures_the_model_as_a_checker(tmp_path: Path) -> None:
    row = {
        "index": "0", "domain": "wk", "source": "quora", "prompt": QUESTION, "response": WRONG,
        "segmented_response": ["The Fresnel lens was fitted in 1901.", "Electric light came in 1937."],
        "labels": [False, True], "comment": ["It was 1858.", ""], "type": ["knowledge_error", None],
        "ref": ["https://example.org"], "ref_contents": [CONTEXTS[0]],
    }  # fmt: skip
    data = tmp_path / "felm.jsonl"
    data.write_text("\n".join(json.dumps({**row, "index": str(n)}) for n in range(3)), encoding="utf-8")
    answers = ("Answer: 1", "Answer: 2", "I cannot say.")
    log = evaluated("factscope/felm", *answers, folder=tmp_path, task_args={"data": str(data)})
    first, second, third = (sample.scores["wrong_segments"] for sample in log.samples)
    assert (first.value, second.value, third.reason) == (1.0, 0.0, "invalid_response_format")
    found = {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
    assert found == {"balanced_accuracy": 0.5, "f1_of_errors": 0.5}
    assert "1: The Fresnel lens was fitted in 1901." in str(log.samples[0].input)


def test_simpleqa_is_graded_by_the_grader(tmp_path: Path) -> None:
    rows = [{"original_index": n, "problem": "When was the lens fitted?", "answer": "1858"} for n in range(3)]
    data = tmp_path / "simpleqa.jsonl"
    data.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    grader = mock("The year is the same.\nGrade: CORRECT", "It does not answer.\nGrade: NOT_ATTEMPTED", "Hm.")
    log = evaluated(
        "factscope/simpleqa_verified", "1858", "I do not know.", "1901", folder=tmp_path, task_args={"data": str(data)},
        model_roles={"grader": grader},
    )  # fmt: skip
    first, second, third = (sample.scores["short_answer"] for sample in log.samples)
    assert (first.value, second.value, third.reason) == ("C", "N", "grader_failed")
    found = {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
    assert (found["accuracy"], found["attempted"]) == (0.5, 0.5)
    assert found["f1_of_answers"] == pytest.approx(2 / 3)


def test_a_log_becomes_rows_to_check(tmp_path: Path) -> None:
    task = Task(dataset=samples(CONTEXTS, CONTEXTS, None), scorer=grounded())
    log = evaluated(task, RIGHT, WRONG, RIGHT, folder=tmp_path)
    assert write_responses(log.location, tmp_path / "answers.jsonl") == 3
    with fs.Checker() as checker, checker.run(tmp_path / "answers.jsonl") as run:
        assert (run.score, run.unassessed) == (0.75, ("3",))
