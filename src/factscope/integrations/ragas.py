"""Ragas: a metric for single-turn samples with `response` and `retrieved_contexts`.

    from factscope.integrations.ragas import FactscopeScore

    evaluate(dataset, metrics=[FactscopeScore()])

    result = await FactscopeScore().ascore(response=answer, retrieved_contexts=texts)  # in an experiment

The shapes are `ragas.metrics.base.SingleTurnMetric` of Ragas 0.4 for `evaluate`, where a score is one number, and
`ascore` with its `MetricResult` for experiments. A sample without contexts has the score `nan`, which Ragas leaves out
of its means.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from factscope.integrations.assessment import Assessor, NotAssessedError, explain, needs, score_of
from factscope.integrations.python.checker import Checker

with needs("ragas 'langchain-community<0.4.2'"):
    from ragas.dataset_schema import SingleTurnSample
    from ragas.metrics.base import MetricType, SingleTurnMetric
    from ragas.metrics.result import MetricResult
    from ragas.run_config import RunConfig

_COLUMNS = {"response", "retrieved_contexts:optional", "user_input:optional"}


@dataclass
class FactscopeScore(SingleTurnMetric):
    """The share of a response's claims that its retrieved contexts support."""

    name: str = "factscope"
    _required_columns: dict[MetricType, set[str]] = field(
        default_factory=lambda: {MetricType.SINGLE_TURN: set(_COLUMNS)}
    )
    checker: Checker | Assessor | None = None
    """The checker; by default a checker with the current settings."""

    def __post_init__(self) -> None:
        self.checker = Assessor(self.checker)
        super().__post_init__()

    def init(self, run_config: RunConfig) -> None:
        """Prepare nothing: the checker opens with the first sample."""

    async def ascore(
        self, response: str, retrieved_contexts: list[str] | None = None, user_input: str | None = None
    ) -> MetricResult:
        """Score a response, with its problems as the reason. Raises CheckFailedError when something failed."""
        try:
            report = await Assessor(self.checker).aassess(response, retrieved_contexts, user_input)
        except NotAssessedError as error:
            return MetricResult(math.nan, reason=str(error))
        return MetricResult(score_of(report), reason=explain(report))

    async def _single_turn_ascore(self, sample: SingleTurnSample, callbacks: Any) -> float:
        return float(await self.ascore(sample.response, sample.retrieved_contexts, sample.user_input))
