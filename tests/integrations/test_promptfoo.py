"""The assertion for promptfoo: what promptfoo's own Python wrapper gets from it."""

from __future__ import annotations

import json

import pytest

from factscope.core.errors import FactscopeError
from factscope.integrations.assessment import NotAssessedError
from factscope.integrations.promptfoo import get_assert
from tests.integrations.runner import CONTEXTS, GREETING, QUESTION, REPLAY, RIGHT, WRONG


def graded(answer: str, contexts: object = CONTEXTS, **config: object) -> dict:
    return get_assert(answer, {"vars": {"question": QUESTION, "context": contexts}, "config": config})


def test_a_right_and_a_wrong_answer_with_a_result_for_each_statement() -> None:
    right = graded(RIGHT)
    assert (right["pass"], right["score"]) == (True, 1.0)
    wrong = graded(f"{WRONG} {GREETING}")
    assert (wrong["pass"], wrong["score"], wrong["namedScores"]["coverage"]) == (False, 0.5, 1.0)
    assert [one["pass"] for one in wrong["componentResults"]] == [False, True]
    assert "In 1858 a first-order Fresnel lens was fitted.” (context-1)" in wrong["componentResults"][0]["reason"]
    assert json.loads(json.dumps(wrong)) == wrong
    assert graded(WRONG, min_score=0.5)["pass"]


def test_other_variables_hold_the_contexts() -> None:
    found = get_assert(RIGHT, {"vars": {"passages": "\n".join(CONTEXTS)}, "config": {"contexts": "passages"}})
    assert found["pass"]


def test_without_contexts_and_after_a_failure_it_raises() -> None:
    with pytest.raises(NotAssessedError, match="without contexts"):
        graded(RIGHT, None)
    with pytest.raises(FactscopeError, match="could not be checked"):
        graded(RIGHT, method="verify", model="openai/by-hand", settings={"replay": str(REPLAY)})
