"""DeepEval: a metric for test cases with a `retrieval_context` (or `context`).

    from factscope.integrations.deepeval import FactscopeMetric

    assert_test(test_case, [FactscopeMetric(threshold=0.8)])

The shape is `deepeval.metrics.BaseMetric` of DeepEval 4: `measure`, `a_measure`, `score`, `reason`, `success`. A test
case without contexts raises `MissingTestCaseParamsError`, which DeepEval skips if so configured, and otherwise shows as
an error.
"""

from __future__ import annotations

from typing import Any

from factscope.integrations.assessment import MIN_COVERAGE, MIN_SCORE, Assessor, NotAssessedError, graded, needs
from factscope.integrations.python.checker import Checker
from factscope.integrations.python.report import Report

with needs("deepeval"):
    from deepeval.errors import MissingTestCaseParamsError
    from deepeval.metrics import BaseMetric
    from deepeval.test_case import LLMTestCase


class FactscopeMetric(BaseMetric):
    """The share of an answer's claims that its contexts support; succeeds from `threshold` and `min_coverage` on."""

    def __init__(
        self,
        threshold: float = MIN_SCORE,
        checker: Checker | Assessor | None = None,
        min_coverage: float = MIN_COVERAGE,
    ) -> None:
        """Take the least score and coverage that succeed, and a checker; by default one with the current settings."""
        self.threshold = threshold
        self.min_coverage = min_coverage
        self.checker = Assessor(checker)  # DeepEval copies a metric by the names of these arguments

    def measure(self, test_case: LLMTestCase, *args: Any, **kwargs: Any) -> float:
        """Check the answer of a test case. Raises MissingTestCaseParamsError, CheckFailedError."""
        try:
            return self._take(self.checker.assess(test_case.actual_output, _contexts(test_case), test_case.input))
        except NotAssessedError as error:
            raise MissingTestCaseParamsError(str(error)) from None

    async def a_measure(self, test_case: LLMTestCase, *args: Any, **kwargs: Any) -> float:
        """Check the answer of a test case. Raises the errors of `measure`."""
        try:
            return self._take(
                await self.checker.aassess(test_case.actual_output, _contexts(test_case), test_case.input)
            )
        except NotAssessedError as error:
            raise MissingTestCaseParamsError(str(error)) from None

    def is_successful(self) -> bool:
        """Return whether the last measured answer reached the threshold and the coverage."""
        return self.error is None and bool(self.success)

    @property
    def __name__(self) -> str:
        return "Factscope"

    def _take(self, report: Report) -> float:
        self.score, self.success, self.reason = graded(report, self.threshold, self.min_coverage)
        self.score_breakdown = {**report.counts, "coverage": report.coverage}
        self.error = None
        return self.score


def _contexts(test_case: LLMTestCase) -> list[str]:
    """Return the texts that the answer should rest on.

    Those that were retrieved, else those that are given as ideal.
    """
    return [getattr(text, "context", text) for text in test_case.retrieval_context or test_case.context or []]
