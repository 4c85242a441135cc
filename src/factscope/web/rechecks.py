"""A changed text checked again: only changed sentences, and those that depend on them."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Response

from factscope.core import LogEntry
from factscope.core.records import Exclusions
from factscope.engine import as_response
from factscope.engine.recheck import carried, passages_now, plan
from factscope.web.check_tables import NewCheck, StoredCheck
from factscope.web.checks import ended_report, keep, new_id, title_of
from factscope.web.estimates import command, estimate
from factscope.web.forms import Check, CheckRequest, Choices, RecheckPlan, RecheckRequest, StoredRequest
from factscope.web.problems import ProblemError
from factscope.web.services import OwnCheck, Serving

router = APIRouter(prefix="/api/v1", tags=["checks"])


@router.post("/checks/{check_id}/recheck", status_code=201, response_model=Check)
async def recheck(check: OwnCheck, body: RecheckRequest, services: Serving) -> Response:
    """Check a changed text: sentences that did not change, and depend on no changed one, keep their results."""
    report = await ended_report(services, check)
    as_response(body.text)
    edited = {claim.id: claim.text for claim in body.claims}
    request = _repeatable(check).model_copy(update={"text": body.text})
    events = await asyncio.to_thread(carried, report, body.text, edited)
    choices = Choices.model_validate_json(check.choices)
    passages = await asyncio.to_thread(passages_now, report, body.text, events, choices.exclude.passages)
    new = NewCheck(
        id=new_id(),
        owner=check.owner,
        title=title_of(body.text),
        request=request,
        documents=await services.repository.documents(check.id),
        previous=check.id,
        choices=_lasting(choices, passages).model_dump_json(),
        events=[LogEntry.of(event) for event in events],
    )
    return await keep(services, new)


@router.post("/checks/{check_id}/recheck/plan")
async def plan_recheck(check: OwnCheck, body: RecheckRequest, services: Serving) -> RecheckPlan:
    """Plan the recheck of a changed text; nothing is called."""
    report = await services.repository.report(check) or await ended_report(services, check)
    as_response(body.text)
    result = await asyncio.to_thread(plan, report, body.text)
    texts = {segment.id: segment.text for segment in result.segments}
    changed = [texts[name] for name in result.changed]
    depending = [texts[name] for name in result.depending]
    stand = set(result.reused.values())
    request = _repeatable(check)
    edited = {claim.id: claim.text for claim in body.claims}
    await asyncio.to_thread(carried, report, body.text, edited)  # says so when a claim can't be edited
    again = "\n\n".join([*changed, *depending, *edited.values()])
    values = request.model_dump(exclude={"documents", "text"})
    expected = estimate(CheckRequest(text=again, **values), services.settings) if again else None
    if expected:  # the command line can't reuse a server's results
        line = command(request.model_copy(update={"text": body.text}))
        expected = expected.model_copy(update={"command": line})
    return RecheckPlan(
        changed=tuple(changed),
        depending=tuple(depending),
        because=tuple(result.depending.values()),
        kept=sum(claim.segment_id in stand and claim.id not in edited for claim in report.claims),
        estimate=expected,
    )


def _lasting(choices: Choices, passages: tuple[str, ...]) -> Choices:
    """Return the choices that hold for a changed text as well: evidence left out, and thresholds.

    `passages` are those left out that it still has. Verdicts and corrections are about words that may have changed.
    """
    exclude = choices.exclude.model_copy(update={"passages": passages})
    return Choices(exclude=exclude, bands=choices.bands, reason=choices.reason if exclude != Exclusions() else None)


def _repeatable(stored: StoredCheck) -> StoredRequest:
    """Return the request of a check whose verdicts can be reused.

    Raises ProblemError for a check of a text's own citations.
    """
    request = StoredRequest.model_validate_json(stored.request)
    if request.cited:
        raise ProblemError(
            409,
            "Citations are not checked again in part: the sources, or what cites them, may have changed.",
            "Make a new check of the whole text.",
        )
    return request
