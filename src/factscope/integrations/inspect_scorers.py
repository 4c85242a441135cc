"""Inspect: scorers for any task.

    inspect eval my_task.py --scorer factscope/grounded

    Task(dataset=…, solver=generate(), scorer=grounded(context="sources"))

`grounded` takes the contexts from the metadata of a sample, `factual` has evidence of its own. A sample that cannot be
assessed, or whose check failed, is unscored (`Score.unscored`) with a reason, and in no metric; coverage, counts and
problems are metadata. Written for `inspect_ai` 0.3.285.
"""

from __future__ import annotations

from typing import Any

import anyio

from factscope.integrations.assessment import Assessor, CheckFailedError, NotAssessedError, explain, needs, score_of
from factscope.integrations.python.checker import Checker
from factscope.integrations.python.report import Report

with needs("inspect-ai"):
    from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
    from inspect_ai.solver import TaskState


@scorer(metrics=[mean(), stderr()])
def grounded(
    context: str = "context", method: str | None = None, model: str | None = None, verifier: str | None = None
) -> Scorer:
    """Score the share of an answer's claims that its own contexts support.

    Args:
        context: Key of the contexts in the metadata of a sample: a text, or a list of them.
        method: Method by name, or a TOML file.
        model: Language model as `provider/model`, called by Factscope.
        verifier: Who judges in the place of the method's judge.
    """
    assessor = Assessor(Checker(method=method, model=model, verifier=verifier))

    async def score(state: TaskState, target: Target) -> Score:
        return await _scored(assessor, state, (state.metadata or {}).get(context))

    return score


@scorer(metrics=[mean(), stderr()])
def factual(
    evidence: str | list[str],
    method: str | None = None,
    model: str | None = None,
    search: str | None = None,
    verifier: str | None = None,
) -> Scorer:
    """Score the share of an answer's claims that this evidence supports: files, folders or addresses."""
    assessor = Assessor(Checker(evidence=evidence, method=method, model=model, search=search, verifier=verifier))

    async def score(state: TaskState, target: Target) -> Score:
        return await _scored(assessor, state, None)

    return score


async def _scored(assessor: Assessor, state: TaskState, contexts: Any) -> Score:
    answer = state.output.completion
    try:  # in a thread: Inspect runs on asyncio or on trio
        report = await anyio.to_thread.run_sync(assessor.assess, answer, contexts, state.input_text)
    except NotAssessedError as error:
        reason = "no_response" if not answer.strip() else "not_assessed"
        return Score.unscored(reason=reason, answer=answer, explanation=str(error))
    except CheckFailedError as error:
        return Score.unscored(reason="scoring_failed", answer=answer, explanation=str(error))
    return Score(value=score_of(report), answer=answer, explanation=explain(report), metadata=_about(report))


def _about(report: Report) -> dict[str, Any]:
    displayed = ("id", "text", "verdict", "quote", "source")
    problems = [{name: getattr(claim, name) for name in displayed} for claim in report.problems]
    return {"coverage": report.coverage, "counts": report.counts, "problems": problems}
