"""LlamaIndex: an evaluator of responses with their contexts.

    from factscope.integrations.llama_index import FactscopeEvaluator

    result = FactscopeEvaluator().evaluate(query=query, response=answer, contexts=texts)

The shape is `llama_index.core.evaluation.BaseEvaluator` of LlamaIndex 0.14. A response without contexts is an
`invalid_result` with its reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from factscope.integrations.assessment import MIN_COVERAGE, MIN_SCORE, Assessor, NotAssessedError, graded, needs
from factscope.integrations.python.checker import Checker

with needs("llama-index-core"):
    from llama_index.core.evaluation import BaseEvaluator, EvaluationResult


class FactscopeEvaluator(BaseEvaluator):
    """Scores the share of a response's claims that its contexts support; passes from two bounds on."""

    def __init__(
        self,
        threshold: float = MIN_SCORE,
        checker: Checker | Assessor | None = None,
        min_coverage: float = MIN_COVERAGE,
    ) -> None:
        """Take the least score and coverage that pass, and a checker; by default one with the current settings."""
        self._bounds, self._assessor = (threshold, min_coverage), Assessor(checker)

    async def aevaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> EvaluationResult:
        """Check a response. Raises CheckFailedError when something failed."""
        request = {"query": query, "response": response, "contexts": contexts}
        try:
            report = await self._assessor.aassess(response, contexts, query)
        except NotAssessedError as error:
            return EvaluationResult(**request, invalid_result=True, invalid_reason=str(error))
        score, passing, feedback = graded(report, *self._bounds)
        return EvaluationResult(**request, score=score, passing=passing, feedback=feedback)

    def _get_prompts(self) -> dict[str, Any]:
        return {}

    def _update_prompts(self, prompts_dict: dict[str, Any]) -> None:
        """Change nothing: prompts belong to the checker's method."""
