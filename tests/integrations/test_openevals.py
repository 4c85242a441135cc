"""The evaluator for openevals: results in openevals' shape, accepted by LangSmith's local runner."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import get_type_hints

import pydantic
import pytest

import factscope as fs
from factscope.core import FactscopeError, UsageError
from factscope.integrations import create_async_factscope_evaluator, create_factscope_evaluator
from tests.integrations.runner import CONTEXTS, QUESTION, REPLAY, RIGHT, WRONG, failing_checker, failing_cut
from tests.lab.many_cases import try_all


def test_right_and_wrong_answers_and_answers_without_contexts_are_evaluated() -> None:
    evaluator = create_factscope_evaluator()
    right = evaluator(inputs=QUESTION, outputs=RIGHT, context=CONTEXTS)
    assert (right["key"], right["score"], right["metadata"]["coverage"]) == ("factscope", 1.0, 1.0)
    documents = {"documents": [SimpleNamespace(page_content=text) for text in CONTEXTS]}
    wrong = evaluator(inputs={"question": QUESTION}, outputs={"answer": WRONG}, context=documents)
    assert wrong["score"] == 0.5
    assert "In 1858 a first-order Fresnel lens was fitted." in wrong["comment"]
    single = pydantic.create_model("Chunk", text=(str, " ".join(CONTEXTS)))()
    assert evaluator(outputs=RIGHT, context=single)["score"] == 1.0, "a document that is iterable"
    bare = evaluator(outputs=[{"role": "assistant", "content": RIGHT}])
    assert bare["score"] is None
    assert "without contexts" in bare["comment"]


@try_all(
    "outputs",
    [
        {"answer": WRONG, "documents": CONTEXTS},  # as a program that LangSmith evaluates returns it
        {"answer": SimpleNamespace(content=WRONG), "source_documents": [SimpleNamespace(page_content=CONTEXTS[0])]},
        {"messages": [{"content": RIGHT}, SimpleNamespace(content=WRONG)], "context": CONTEXTS[0]},
        {
            "messages": [{"content": [{"type": "text", "text": part} for part in (WRONG, "Thank you!")]}],
            "contexts": CONTEXTS,
        },
    ],
)
def test_the_answer_and_its_contexts_are_read_from_the_outputs_of_a_program(outputs: dict) -> None:
    assert create_factscope_evaluator()(inputs={"question": QUESTION}, outputs=outputs)["score"] == 0.5


def test_the_async_evaluator_scores_answers_and_errors_are_raised() -> None:
    evaluator = create_async_factscope_evaluator()
    assert asyncio.run(evaluator(outputs=WRONG, context=CONTEXTS[0]))["score"] == 0.5
    with pytest.raises(UsageError, match="outputs contains no text"):
        asyncio.run(evaluator(outputs={"x": 1}, context=CONTEXTS))
    with pytest.raises(FactscopeError, match="could not be checked"):
        create_factscope_evaluator(failing_checker())(outputs=RIGHT, context=CONTEXTS)


def test_an_answer_that_could_not_be_split_is_a_failed_check(tmp_path: Path) -> None:
    checker = fs.Checker(method=failing_cut(tmp_path), model="openai/by-hand", settings={"replay": str(REPLAY)})
    with pytest.raises(FactscopeError, match="The answer could not be checked: segment failed"):
        create_factscope_evaluator(checker)(outputs=RIGHT, context=CONTEXTS)


def test_the_result_has_the_shape_defined_by_the_library() -> None:
    types = pytest.importorskip("openevals.types", exc_type=ImportError)
    found = create_factscope_evaluator()(outputs=RIGHT, context=CONTEXTS)
    known = set(get_type_hints(types.EvaluatorResult))
    assert known <= set(found) <= {*known, "source_run_id"}  # openevals 0.1 has no run id yet


def test_the_evaluator_runs_in_the_langsmith_runner() -> None:
    langsmith = pytest.importorskip("langsmith", exc_type=ImportError)
    from uuid import uuid4

    evaluator = create_factscope_evaluator()
    rows = [
        langsmith.schemas.Example(id=uuid4(), inputs={"question": QUESTION, "answer": answer}, dataset_id=uuid4())
        for answer in (RIGHT, WRONG)
    ]

    def grade(inputs: dict, outputs: dict) -> dict:
        return evaluator(inputs=inputs, outputs=outputs, context=CONTEXTS)

    client = langsmith.Client(api_url="http://127.0.0.1:9", api_key="none", auto_batch_tracing=False)
    for each in (grade, evaluator):
        done = client.evaluate(
            lambda inputs: {"answer": inputs["answer"], "documents": CONTEXTS},
            data=rows,
            evaluators=[each],
            upload_results=False,
        )
        scores = sorted(row["evaluation_results"]["results"][0].score for row in done)
        assert scores == [0.5, 1.0], each
