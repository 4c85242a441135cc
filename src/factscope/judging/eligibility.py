"""The eligibility of a response, that is, whether it answers its request (FACTS Grounding, section 4.2, phase B).

A judge compares the response with its own answer to the same request. That answer depends only on judge and request, so
it is asked for once, however many responses to the request are judged.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

from factscope.core.records import Eligibility, Response
from factscope.judging.cases import LONGEST_RATIONALE, judge_name
from factscope.judging.grounding_parsers import ISSUES, read_issues
from factscope.judging.long_documents import shortened, within
from factscope.judging.user_request import answer_call, read_answer, whole_request
from factscope.llm.session import CheckContext, StepQuestion, gather_all
from factscope.methods import Eligible, Rubric


async def eligible(job: CheckContext, spec: Eligible, done: Container[str]) -> None:
    """Emit an `Eligibility` of each judge without a record in `done`; failures are recorded for the response."""
    about = (job.response.id,)
    numbered = [(f"{job.response.id}.e{number}", rubric) for number, rubric in enumerate(spec.judges, 1)]
    await gather_all(
        job.guard(about, "judging", _judged, job, rubric, name) for name, rubric in numbered if name not in done
    )


async def _judged(job: CheckContext, rubric: Rubric, name: str) -> None:
    request = whole_request(_within(job.response, rubric))
    models = job.session.models
    rubric = within(rubric)
    call = replace(answer_call(models, rubric.role, request), max_tokens=rubric.max_tokens)
    individual = await models.ask(call, read_answer, job.session.ledger)
    variables = {
        "response": job.response.text,
        "prompt": job.response.prompt or "",
        "request": request,
        "baseline": individual.value,
    }
    answer = await job.session.ask(StepQuestion(rubric, variables), read_issues)
    job.emit(
        Eligibility(
            id=name,
            judge=judge_name(models, rubric.role),
            eligible=answer.value != ISSUES[-1],
            raw_label=answer.value,
            rationale=answer.reply.text.strip()[:LONGEST_RATIONALE] or None,
        )
    )


def _within(response: Response, rubric: Rubric) -> Response:
    """Return the response with only those parts of its documents that match the request and fit the judge's window.

    Half of the window is for the response, the judge's own answer, and its reply. All responses to one request keep the
    same parts, so that the judge's own answer is still asked for once.
    """
    texts = [document.text or "" for document in response.context]
    if not rubric.window or not texts:
        return response
    shortened_texts = shortened(texts, response.prompt or "", rubric.window // 2)
    return response.model_copy(
        update={
            "context": tuple(
                document.model_copy(update={"text": text})
                for document, text in zip(response.context, shortened_texts, strict=True)
            )
        }
    )
