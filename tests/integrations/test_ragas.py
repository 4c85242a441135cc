"""The metric for Ragas in Ragas' own runner."""

from __future__ import annotations

import asyncio
import math

import pytest

ragas = pytest.importorskip("ragas", exc_type=ImportError)

from ragas import EvaluationDataset, evaluate  # noqa: E402

from factscope.integrations import FactscopeScore  # noqa: E402
from tests.integrations.runner import CONTEXTS, QUESTION, RIGHT, WRONG, failing_checker  # noqa: E402


def test_right_and_wrong_answers_and_answers_without_contexts_are_evaluated() -> None:
    rows = [
        {"user_input": QUESTION, "response": RIGHT, "retrieved_contexts": CONTEXTS},
        {"user_input": QUESTION, "response": WRONG, "retrieved_contexts": CONTEXTS},
        {"user_input": QUESTION, "response": RIGHT, "retrieved_contexts": []},
    ]
    done = evaluate(EvaluationDataset.from_list(rows), metrics=[FactscopeScore()], show_progress=False)
    right, wrong, bare = done["factscope"]
    assert (right, wrong) == (1.0, 0.5)
    assert math.isnan(bare)
    assert dict(done._repr_dict)["factscope"] == 0.75


def test_an_experiment_gets_the_reason_too() -> None:
    metric = FactscopeScore()
    wrong = asyncio.run(metric.ascore(user_input=QUESTION, response=WRONG, retrieved_contexts=CONTEXTS))
    assert (wrong.value, asyncio.run(metric.ascore(response=RIGHT, retrieved_contexts=CONTEXTS)).value) == (0.5, 1.0)
    assert "“In 1858 a first-order Fresnel lens was fitted.” (context-1)" in wrong.reason
    assert "without contexts" in asyncio.run(metric.ascore(response=RIGHT)).reason


def test_a_failed_check_is_an_error() -> None:
    rows = [{"user_input": QUESTION, "response": RIGHT, "retrieved_contexts": CONTEXTS}]
    metric = FactscopeScore(checker=failing_checker())
    with pytest.raises(Exception, match="could not be checked"):
        evaluate(EvaluationDataset.from_list(rows), metrics=[metric], show_progress=False, raise_exceptions=True)
