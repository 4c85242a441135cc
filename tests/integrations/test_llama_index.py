"""The evaluator for LlamaIndex, alone and in LlamaIndex's own batch runner."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("llama_index.core", exc_type=ImportError)

from llama_index.core.base.response.schema import Response
from llama_index.core.evaluation import BatchEvalRunner
from llama_index.core.schema import NodeWithScore, TextNode

from factscope.core import FactscopeError
from factscope.integrations import FactscopeEvaluator
from tests.integrations.runner import CONTEXTS, HALF, QUESTION, RIGHT, WRONG, failing_checker


def test_a_batch_can_mix_right_and_wrong_answers_and_answers_without_contexts() -> None:
    runner = BatchEvalRunner({"factscope": FactscopeEvaluator()}, workers=2)
    done = asyncio.run(
        runner.aevaluate_response_strs(
            queries=[QUESTION] * 3, response_strs=[RIGHT, WRONG, RIGHT], contexts_list=[CONTEXTS, CONTEXTS, []]
        )
    )
    right, wrong, bare = done["factscope"]
    assert (right.passing, right.score) == (True, 1.0)
    assert (wrong.passing, wrong.score) == (False, 0.5)
    assert "In 1858 a first-order Fresnel lens was fitted." in wrong.feedback
    assert (bare.passing, bare.score, bare.invalid_result) == (None, None, True)
    assert "without contexts" in bare.invalid_reason


def test_a_response_object_supplies_its_nodes_as_contexts() -> None:
    nodes = [NodeWithScore(node=TextNode(text=text)) for text in CONTEXTS]
    done = FactscopeEvaluator().evaluate_response(query=QUESTION, response=Response(response=WRONG, source_nodes=nodes))
    assert done.score == 0.5


def test_a_partly_judged_answer_passes_only_with_a_lower_required_coverage() -> None:
    half = FactscopeEvaluator().evaluate(query=QUESTION, response=HALF, contexts=CONTEXTS)
    assert (half.passing, half.score) == (False, 1.0)
    assert half.feedback.startswith("coverage 0.50 is below 1.00")
    assert FactscopeEvaluator(min_coverage=0.5).evaluate(query=QUESTION, response=HALF, contexts=CONTEXTS).passing


def test_a_failed_check_is_an_error() -> None:
    with pytest.raises(FactscopeError, match="could not be checked"):
        FactscopeEvaluator(checker=failing_checker()).evaluate(query=QUESTION, response=RIGHT, contexts=CONTEXTS)
