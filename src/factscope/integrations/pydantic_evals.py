"""pydantic-evals: an evaluator of cases whose metadata, inputs or output hold the contexts.

    from factscope.integrations.pydantic_evals import Factual

    dataset = Dataset(cases=[Case(inputs=question, metadata={"contexts": texts})], evaluators=[Factual()])

The shape is `pydantic_evals.evaluators.Evaluator` of pydantic-evals 2: a score `factscope`, an assertion `factual`,
both with a reason. A case without contexts has neither, but the label `factscope_status`. An exception becomes an
`EvaluatorFailure` of the report.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from factscope.integrations.assessment import MIN_COVERAGE, MIN_SCORE, Assessor, NotAssessedError, graded, needs
from factscope.integrations.python.checker import Checker

with needs("pydantic-evals"):
    from pydantic_evals.evaluators import EvaluationReason, Evaluator, EvaluatorContext


@dataclass(repr=False)
class Factual(Evaluator):
    """Scores the share of an output's claims that the contexts of its case support."""

    contexts: str = "contexts"
    """The key of the contexts in the metadata, else the output, else the inputs of a case."""
    min_score: float = MIN_SCORE
    """From which score on the assertion holds."""
    checker: Checker | Assessor | None = None
    """The checker; by default a checker with the current settings."""
    min_coverage: float = MIN_COVERAGE
    """From which coverage on it holds."""

    def __post_init__(self) -> None:
        self._assessor = Assessor(self.checker)

    async def evaluate(self, ctx: EvaluatorContext) -> dict[str, EvaluationReason]:
        """Check the output of a case. Raises CheckFailedError when something failed."""
        holders = (ctx.metadata, ctx.output, ctx.inputs)
        contexts = next((texts for holder in holders if (texts := _get(holder, self.contexts)) is not None), None)
        question = ctx.inputs if isinstance(ctx.inputs, str) else _get(ctx.inputs, "question")
        # An output without an answer is passed on as it is: an error, and not an empty answer.
        answer = ctx.output if isinstance(ctx.output, str) else _get(ctx.output, "answer", ctx.output)
        try:
            report = await self._assessor.aassess(answer, contexts, question)
        except NotAssessedError as error:
            return {"factscope_status": EvaluationReason("not assessed", str(error))}
        score, holds, reason = graded(report, self.min_score, self.min_coverage)
        return {
            "factscope": EvaluationReason(score, reason),
            "factual": EvaluationReason(holds, reason),
        }


def _get(holder: object, name: str, default: Any = None) -> Any:
    return holder.get(name, default) if isinstance(holder, Mapping) else getattr(holder, name, default)
