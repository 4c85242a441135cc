"""openevals and LangSmith: an evaluator function of (inputs, outputs, context).

    from factscope.integrations.openevals import create_factscope_evaluator

    evaluator = create_factscope_evaluator()
    result = evaluator(inputs=question, outputs=answer, context=texts)

The shape is `openevals.types.EvaluatorResult` of openevals 0.2: `key`, `score`, `comment`, `metadata`. An answer
without contexts has the score `None`. No library is needed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from factscope.core import UsageError
from factscope.integrations.assessment import Assessor, NotAssessedError, explain
from factscope.integrations.python.checker import Checker
from factscope.integrations.python.report import Report

Result = dict[str, Any]
_TEXT_KEYS = ("answer", "output", "response", "content", "text")


def create_factscope_evaluator(
    checker: Checker | Assessor | None = None, *, feedback_key: str = "factscope"
) -> Callable[..., Result]:
    """Make an evaluator. It raises CheckFailedError when something failed, UsageError for outputs without a text."""
    assessor = Assessor(checker)

    def factscope_evaluator(*, outputs: Any, inputs: Any = None, context: Any = None, **kwargs: Any) -> Result:
        """Score one answer by its contexts, in the form of openevals."""
        try:
            return _result(feedback_key, assessor.assess(_text(outputs), _contexts(context), _question(inputs)))
        except NotAssessedError as error:
            return _unscored(feedback_key, error)

    return factscope_evaluator


def create_async_factscope_evaluator(
    checker: Checker | Assessor | None = None, *, feedback_key: str = "factscope"
) -> Callable[..., Awaitable[Result]]:
    """Make the same evaluator as an async function."""
    assessor = Assessor(checker)

    async def factscope_evaluator(*, outputs: Any, inputs: Any = None, context: Any = None, **kwargs: Any) -> Result:
        """Score one answer by its contexts, in the form of openevals."""
        try:
            return _result(feedback_key, await assessor.aassess(_text(outputs), _contexts(context), _question(inputs)))
        except NotAssessedError as error:
            return _unscored(feedback_key, error)

    return factscope_evaluator


def _result(key: str, report: Report) -> Result:
    figures = {"coverage": report.coverage, "counts": report.counts}
    return {"key": key, "score": report.score, "comment": explain(report), "metadata": figures, "source_run_id": None}


def _unscored(key: str, reason: NotAssessedError) -> Result:
    return {"key": key, "score": None, "comment": str(reason), "metadata": None, "source_run_id": None}


def _text(outputs: Any) -> str:
    """Return the answer: a string, or the one that a mapping or the last of several messages holds.

    Raises UsageError.
    """
    if isinstance(outputs, Sequence) and not isinstance(outputs, str) and outputs:
        return _text(outputs[-1])
    if isinstance(outputs, Mapping):
        outputs = next((outputs[key] for key in _TEXT_KEYS if isinstance(outputs.get(key), str)), outputs)
    text = getattr(outputs, "content", outputs)
    if not isinstance(text, str):
        raise UsageError("outputs contains no text.", f"Give a string, or a dict with one of: {', '.join(_TEXT_KEYS)}.")
    return text


def _contexts(context: Any) -> Any:
    """Return the contexts: a text or several, or below `documents` in a mapping."""
    return context["documents"] if isinstance(context, Mapping) and "documents" in context else context


def _question(inputs: Any) -> str | None:
    if isinstance(inputs, Mapping):
        inputs = next((inputs[key] for key in ("question", "query", "input") if key in inputs), None)
    return inputs if isinstance(inputs, str) else None
