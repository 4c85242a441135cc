"""The evaluator for pydantic-evals in its own runner."""

from __future__ import annotations

import pytest

pytest.importorskip("pydantic_evals", exc_type=ImportError)

from pydantic_evals import Case, Dataset

from factscope.integrations import Factual
from tests.integrations.runner import CONTEXTS, HALF, QUESTION, RIGHT, WRONG, failing_checker

ANSWERS = {"right": RIGHT, "wrong": WRONG, "bare": RIGHT, "half": HALF}


def report(evaluator: Factual) -> object:
    cases = [
        Case(
            name=name,
            inputs={"question": QUESTION, "name": name},
            metadata=None if name == "bare" else {"contexts": CONTEXTS},
        )
        for name in ANSWERS
    ]
    dataset = Dataset(name="answers", cases=cases, evaluators=[evaluator])
    return dataset.evaluate_sync(lambda inputs: ANSWERS[inputs["name"]], progress=False)


def test_right_and_wrong_answers_and_answers_without_contexts_are_evaluated() -> None:
    cases = {case.name: case for case in report(Factual()).cases}
    assert cases["right"].scores["factscope"].value == 1.0
    assert cases["right"].assertions["factual"].value is True
    assert cases["wrong"].scores["factscope"].value == 0.5
    assert cases["wrong"].assertions["factual"].value is False
    assert "In 1858 a first-order Fresnel lens was fitted." in cases["wrong"].assertions["factual"].reason
    assert (cases["bare"].scores, cases["bare"].assertions) == ({}, {})
    assert cases["bare"].labels["factscope_status"].value == "not assessed"


def test_a_partly_judged_answer_passes_only_with_a_lower_required_coverage() -> None:
    (half,) = (case for case in report(Factual()).cases if case.name == "half")
    assert (half.scores["factscope"].value, half.assertions["factual"].value) == (1.0, False)
    assert half.assertions["factual"].reason.startswith("coverage 0.50 is below 1.00")
    (half,) = (case for case in report(Factual(min_coverage=0.5)).cases if case.name == "half")
    assert half.assertions["factual"].value is True


def test_a_failed_check_is_a_failure_of_the_evaluator() -> None:
    cases = {case.name: case for case in report(Factual(checker=failing_checker())).cases}
    assert cases["right"].scores == {}
    assert "could not be checked" in cases["right"].evaluator_failures[0].error_message


def test_an_output_without_an_answer_is_a_failure_and_no_unassessed_answer() -> None:
    case = Case(name="lens", inputs=QUESTION, metadata={"contexts": CONTEXTS})
    dataset = Dataset(name="answers", cases=[case], evaluators=[Factual()])
    for output in ({"text": RIGHT}, 1858):
        (done,) = dataset.evaluate_sync(lambda _, output=output: output, progress=False).cases
        assert done.labels == {}
        assert "not a text" in done.evaluator_failures[0].error_message
