"""openevals and LangSmith: an evaluator function of (inputs, outputs, context).

    from factscope.integrations.openevals import create_factscope_evaluator

    evaluator = create_factscope_evaluator()
    result = evaluator(inputs=question, outputs=answer, context=texts)

The shape is `openevals.types.EvaluatorResult` of openevals 0.2: `key`, `score`, `comment`, `metadata`. LangSmith calls
its evaluators without a context, so contexts may also be in the outputs, under `documents`, `contexts`, `context` or
`source_documents`. An answer without contexts has the score `None`. No library is needed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from factscope.benchmarks.datasets.io.row import message_text
from factscope.core import UsageError
from factscope.integrations.assessment import Assessor, NotAssessedError, explain
from factscope.integrations.python.checker import Checker
from factscope.integrations.python.report import Report

Result = dict[str, Any]
_TEXT_KEYS = ("answer", "output", "response", "content", "text", "messages")
_CONTEXT_KEYS = ("documents", "contexts", "context", "source_documents")


def create_factscope_evaluator(
    checker: Checker | Assessor | None = None, *, feedback_key: str = "factscope"
) -> Callable[..., Result]:
    """Make an evaluator. It raises CheckFailedError when something failed, UsageError for outputs without a text."""
    assessor = Assessor(checker)

    def factscope_evaluator(*, outputs: Any, inputs: Any = None, context: Any = None, **kwargs: Any) -> Result:
        """Score one answer by its contexts, in the form of openevals."""
        try:
            texts = _contexts(context, outputs)
            return _result(feedback_key, assessor.assess(_text(outputs), texts, _question(inputs)))
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
            texts = _contexts(context, outputs)
            return _result(feedback_key, await assessor.aassess(_text(outputs), texts, _question(inputs)))
        except NotAssessedError as error:
            return _unscored(feedback_key, error)

    return factscope_evaluator


def _result(key: str, report: Report) -> Result:
    figures = {"coverage": report.coverage, "counts": report.counts}
    return {"key": key, "score": report.score, "comment": explain(report), "metadata": figures, "source_run_id": None}


def _unscored(key: str, reason: NotAssessedError) -> Result:
    return {"key": key, "score": None, "comment": str(reason), "metadata": None, "source_run_id": None}


def _text(outputs: Any) -> str:
    """Return the answer. Raises UsageError."""
    text = _answer(outputs)
    if text is None:
        raise UsageError("outputs contains no text.", f"Give a string, or a dict with one of: {', '.join(_TEXT_KEYS)}.")
    return text


def _answer(outputs: Any) -> str | None:
    """Return a string, or the one that a message, the last of several messages, or a mapping holds."""
    if isinstance(outputs, Mapping):
        values = {**outputs, "content": message_text(outputs.get("content"))}
        return next((text for key in _TEXT_KEYS if (text := _answer(values.get(key))) is not None), None)
    if isinstance(outputs, Sequence) and not isinstance(outputs, str):
        return _answer(outputs[-1]) if outputs else None
    text = message_text(getattr(outputs, "content", outputs))
    return text if isinstance(text, str) else None


def _contexts(context: Any, outputs: Any) -> Any:
    """Return the contexts: a text or several, or those in a mapping; without any, those in the outputs."""
    holder = outputs if context is None else context
    texts = [holder[key] for key in _CONTEXT_KEYS if key in holder] if isinstance(holder, Mapping) else []
    return texts[0] if texts else context


def _question(inputs: Any) -> str | None:
    if isinstance(inputs, Mapping):
        inputs = next((inputs[key] for key in ("question", "query", "input") if key in inputs), None)
    return inputs if isinstance(inputs, str) else None
