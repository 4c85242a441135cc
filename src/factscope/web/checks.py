"""Endpoints of checks: make, watch, stop, resume, change, compare, export, delete. Each user sees only their own."""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from itertools import islice
from math import ceil
from typing import Annotated, TypeVar

from fastapi import APIRouter, Header, Query, Response
from fastapi.responses import JSONResponse, StreamingResponse
from fastapi.sse import format_sse_event

from factscope.core import UsageError
from factscope.core.records import Exclusions, Report
from factscope.report import RENDERERS
from factscope.scoring.compare_runs import compare
from factscope.scoring.rescore import rescore, unmatched_names
from factscope.scoring.run_changes import RunComparison
from factscope.web.check_tables import NewCheck, StoredCheck
from factscope.web.forms import Check, CheckList, CheckRequest, CheckSummary, Choices, ChosenCheck, WholeCheck
from factscope.web.problems import ProblemError, damaged, not_found
from factscope.web.replay import is_finished, results_as_json
from factscope.web.request_method import method_name
from factscope.web.services import OwnCheck, Services, Serving, User
from factscope.web.tool_factory import contents, kept_request

F = TypeVar("F", bound=CheckSummary)
router = APIRouter(prefix="/api/v1", tags=["checks"])
_TITLE = 80  # characters of a check's title in lists
_MOST_TOLD = 20  # mistyped names that a reply tells of
_MOST_LISTED = 200  # checks in one reply
_MOST_SUMMARIES = 2_000  # some megabytes
_PAGE = 500
"""Events that are read from disk at a time."""
_KEEP_ALIVE = 15.0
"""Seconds of silence after which a watcher gets a keep-alive message."""
_TELL_EVERY = 1.0
"""Seconds after which a watcher is told what the check waits for, if that changed."""
_MOST_WATCHERS = 2_000  # open event streams of one server
_EVENT = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("id", "event", "data")},
    "required": ["event", "data"],
}
"""One server-sent event, for the description of the API."""


def title_of(text: str) -> str:
    """Return the beginning of a text on one line, cut between words where it has any."""
    line = " ".join(text[: 4 * _TITLE].replace("\x00", "").split())
    if len(line) <= _TITLE:
        return line
    head, space, _ = line[:_TITLE].rpartition(" ")
    return f"{head if space and len(head) > _TITLE // 2 else line[: _TITLE - 1]}…"


def new_id() -> str:
    """Return an id that nobody can guess: 128 random bits."""
    return secrets.token_urlsafe(16)


def form_of(check: StoredCheck, form: type[F]) -> F:
    """Convert a stored check to a reply of the API."""
    values = check._asdict()
    for name in ("request", "choices", "counts", "scores", "progress", "problem"):
        values[name] = json.loads(values[name] or "null")
    values["method"] = values["request"]["method"]
    return form.model_validate({name: values[name] for name in form.model_fields})


def as_found(check: StoredCheck, report: Report | None) -> StoredCheck:
    """Return a check in the state that its records show: one that is done and lacks some of them has failed."""
    if check.state == "done" and not is_finished(report):
        return check._replace(state="failed", problem=damaged().problem.model_dump_json())
    return check


async def ended_report(services: Services, check: StoredCheck) -> Report:
    """Return the report on a finished check. Raises ProblemError."""
    report = await services.repository.report(check)
    if not is_finished(report):
        if check.state == "done":
            raise damaged()
        raise ProblemError(409, f"The check is not finished; it is {check.state}.", "Wait for it, or resume it.")
    return report


async def summary(services: Services, check: StoredCheck) -> CheckSummary:
    """Return a check as its user sees it opened; once it is done, its records are read only after a change."""
    key = (check.id, check.revision, check.last_event)
    if (cached := services.summaries.get(key)) is not None:
        return cached
    summed_up = form_of(await _as_opened(services, check), CheckSummary)
    if summed_up.state == "done":
        if len(services.summaries) >= _MOST_SUMMARIES:
            services.summaries.clear()
        services.summaries[key] = summed_up
    return summed_up


async def _as_opened(services: Services, check: StoredCheck) -> StoredCheck:
    """Return a check in the state that its records show, without the evidence that its user left out."""
    if check.state != "done":
        return check
    report = await services.repository.report(check)
    exclude = Choices.model_validate_json(check.choices).exclude
    if not is_finished(report) or exclude == Exclusions():
        return as_found(check, report)
    with suppress(UsageError):  # a method that can't be read any more: one check must not hide the list
        counts, scores = results_as_json(await asyncio.to_thread(rescore, report, exclude=exclude))
        return check._replace(counts=counts, scores=scores)
    return check


def unknown_names(exclude: Exclusions, report: Report) -> tuple[str, ...]:
    """Return what is wrong with the first excluded names that are in no evidence of a report."""
    return tuple(map(str, islice(unmatched_names(exclude, [report]), _MOST_TOLD)))


async def selected_report(services: Services, check: StoredCheck, *, original: bool) -> Report:
    """Return the report on a finished check without the evidence that its user left out, unless the `original`.

    Raises ProblemError.
    """
    report = await ended_report(services, check)
    exclude = Choices.model_validate_json(check.choices).exclude
    return report if original or exclude == Exclusions() else await asyncio.to_thread(rescore, report, exclude=exclude)


def revision_in(if_match: str, item: str) -> int:
    """Return the revision that a header `If-Match` names. Raises ProblemError (422)."""
    number = if_match.strip().removeprefix("W/").strip('"')
    if not (number.isascii() and number.isdigit() and int(number) < 2**31):
        raise ProblemError(422, f"If-Match is not the revision of {item}: {if_match[:40]}.", 'Such as If-Match: "3".')
    return int(number)


def located(check: StoredCheck, status: int) -> JSONResponse:
    """Return a check as a response that says where it is."""
    where = {"Location": f"/api/v1/checks/{check.id}", "ETag": f'"{check.revision}"'}
    return JSONResponse(form_of(check, Check).model_dump(mode="json"), status, where)


@router.post("/checks", status_code=201, response_model=Check, responses={200: {"model": Check}})
async def create_check(
    body: CheckRequest,
    services: Serving,
    user: User,
    idempotency_key: Annotated[str | None, Header(min_length=1, max_length=200)] = None,
) -> Response:
    """Make a check. It waits for its turn, and runs on whether anybody watches it or not.

    With an `Idempotency-Key` the same request sent again gives the same check (200), and no second one is made.
    """
    documents = await asyncio.to_thread(contents, body.documents)
    method = await asyncio.to_thread(method_name, body, services.settings)
    request = body.model_copy(update={"method": method})
    await asyncio.to_thread(services.tool_factory.examine, request, documents)
    new = NewCheck(
        id=new_id(),
        owner=user,
        title=title_of(body.text),
        request=kept_request(request, documents),
        documents=documents,
        key=f"key {idempotency_key}" if idempotency_key else None,
        hash=hashlib.sha256(body.model_dump_json().encode()).hexdigest(),
    )
    return await keep(services, new)


async def keep(services: Services, new: NewCheck) -> JSONResponse:
    """Store a new check, and start it."""
    stored, fresh = await services.repository.add(new, services.jobs.room)
    services.jobs.wake()
    return located(stored, 201 if fresh else 200)


@router.get("/checks")
async def list_checks(
    services: Serving,
    user: User,
    limit: Annotated[int, Query(ge=1, le=_MOST_LISTED)] = 20,
    after: Annotated[str | None, Query(max_length=64)] = None,
) -> CheckList:
    """Return your checks, newest first. Pass `next` as `after` for the following ones."""
    result = await services.repository.of_owner(user, limit + 1, after)
    following = result[limit - 1].id if len(result) > limit else None
    checks = [await summary(services, check) for check in result[:limit]]
    return CheckList(checks=tuple(checks), next=following)


@router.get("/checks/{check_id}", response_model=WholeCheck)
async def get_check(check: OwnCheck, services: Serving) -> Response:
    """Return a check with its report, or with the results so far while it runs."""
    report = await services.repository.report(check)
    head = form_of(as_found(check, report), Check).model_dump_json()
    body = "null" if report is None else await asyncio.to_thread(report.model_dump_json, warnings=False)
    # Not validated again: an unfinished report may lack verdicts, and validating a large one takes long.
    return Response(f'{head[:-1]},"report":{body}}}', 200, {"ETag": f'"{check.revision}"'}, "application/json")


@router.delete("/checks/{check_id}", status_code=204)
async def delete_check(check: OwnCheck, services: Serving) -> Response:
    """Delete a check with its text, documents and records. A running check is stopped."""
    await services.repository.delete(check.id)
    services.jobs.call_off(check.id, "lost")
    return Response(status_code=204)


@router.post("/checks/{check_id}/cancel")
async def cancel_check(check: OwnCheck, services: Serving) -> Check:
    """Stop a check; its results so far stay, and `retry` resumes it. A check that has ended stays as it is."""
    stored = await services.repository.stop(check.id)
    services.jobs.call_off(stored.id, "stop")
    return form_of(stored, Check)


@router.post("/checks/{check_id}/retry")
async def retry_check(check: OwnCheck, services: Serving) -> Check:
    """Resume a check: whatever failed or was not reached is tried again, the rest is kept and costs nothing."""
    stored = await services.repository.queue_again(check.id, services.jobs.room)
    services.jobs.wake()
    services.jobs.watchers.notify(stored.id)
    return form_of(stored, Check)


@router.put("/checks/{check_id}/choices")
async def put_choices(
    check: OwnCheck,
    body: Choices,
    services: Serving,
    response: Response,
    if_match: Annotated[str | None, Header(max_length=40)] = None,
) -> ChosenCheck:
    """Save what you left out, your thresholds and your own verdicts.

    With `If-Match: "revision"`, choices that another tab changed meanwhile are not overwritten (412). `unknown` names
    what is in no evidence of the report under `exclude`: it is stored, and leaves out nothing.
    """
    low, high = body.bands
    if low > high:  # not in the form: such choices may be stored already, and are still read
        raise ProblemError(422, f"bands: the lower threshold, {low:g}, is above the upper one, {high:g}.")
    revision = None if if_match is None or if_match.strip() == "*" else revision_in(if_match, "a check")
    stored = await services.repository.choose(check.id, revision, body)
    response.headers["ETag"] = f'"{stored.revision}"'
    report = None if body.exclude == Exclusions() else await services.repository.report(stored)
    unknown = await asyncio.to_thread(unknown_names, body.exclude, report) if is_finished(report) else ()
    return ChosenCheck(**dict(form_of(stored, Check)), unknown=unknown)


@router.get("/checks/{check_id}/compare/{other_id}")
async def compare_checks(check_id: str, other_id: str, services: Serving, user: User) -> RunComparison:
    """Compare two finished checks, unit by unit: the verdicts that changed, and the settings that differ."""
    first = await ended_report(services, await services.repository.get(check_id, user))
    second = await ended_report(services, await services.repository.get(other_id, user))
    # An edited text is compared with its earlier version.
    response = second.response.model_copy(update={"text": first.response.text, "prompt": first.response.prompt})
    names = (title_of(first.response.text) or "first", title_of(second.response.text) or "second")
    second = second.model_copy(update={"response": response})
    return await asyncio.to_thread(
        lambda: compare({"r1": first}, {"r1": second}, names=(f"{names[0]} (first)", f"{names[1]} (second)"))
    )


@router.get(
    "/checks/{check_id}/export",
    response_class=Response,
    responses={200: {"content": {renderer.media_type.partition(";")[0]: {} for renderer in RENDERERS}}},
)
async def export_check(
    check: OwnCheck,
    services: Serving,
    format: Annotated[  # noqa: A002 - the parameter's name
        str, Query(json_schema_extra={"enum": [*RENDERERS.names()]})
    ] = "html",
    original: Annotated[bool, Query()] = False,
) -> Response:
    """Return a check as a file, without the evidence that you left out, unless the `original` is asked for."""
    renderer = RENDERERS.get(format)
    report = await selected_report(services, check, original=original)
    content = await asyncio.to_thread(renderer.one, report)
    headers = {"Content-Disposition": f'attachment; filename="factscope-{check.created[:10]}{renderer.endings[0]}"'}
    return Response(content, 200, headers, renderer.media_type)


@router.get(
    "/checks/{check_id}/events",
    response_class=Response,
    responses={
        200: {
            "description": "Server-sent events. `id` counts from 1, and skips numbers only where damaged records were"
            " made again. `event` is the type of a record, with the record as `data`, or `state` with the new state of"
            " the check. Two events have no id: `waiting`, sent at most once a second, with the pending model calls"
            " (`{}` for none), and `end`, the last event. Comments keep the connection alive.",
            "content": {"text/event-stream": {"itemSchema": _EVENT}},
        },
        204: {"description": "The check has ended, and nothing follows the event named: do not connect again."},
    },
)
async def watch_check(
    check: OwnCheck,
    services: Serving,
    after: Annotated[int | None, Query(ge=0, le=2**31 - 1)] = None,
    last_event_id: Annotated[str | None, Header(max_length=40)] = None,
) -> Response:
    """Watch a check: first all events after that of `Last-Event-ID` or `after`, then each event as it is made."""
    if len(services.jobs.watchers) >= _MOST_WATCHERS:
        raise ProblemError(429, "Too many are watching this server.", headers={"Retry-After": "10"})
    number = (last_event_id or "").strip()
    start = int(number) if number.isascii() and number.isdigit() and len(number) < 10 else after or 0
    if not check.live and check.last_event <= start and last_event_id is not None:
        return Response(status_code=204)
    headers = {"X-Accel-Buffering": "no"}  # a proxy must not buffer events
    return StreamingResponse(_events(services, check.id, start), 200, headers, "text/event-stream")


async def _events(services: Services, check: str, after: int) -> AsyncIterator[bytes]:
    pace = 0.5 if services.repository.shared else _KEEP_ALIVE
    silent = 0.0
    reported, report_at = None, time.monotonic() + _TELL_EVERY
    with services.jobs.watchers.watching(check) as news:
        while True:
            news.clear()
            rows = await services.repository.events(check, after, _PAGE)
            for row in rows:
                yield format_sse_event(data_str=row.body, event=row.type, id=str(row.n))
            if rows:
                after, silent = rows[-1].n, 0.0
                continue
            try:
                cached = await services.repository.get(check)
            except ProblemError:
                yield format_sse_event(data_str='{"state": "deleted"}', event="end")
                return
            if not cached.live and cached.last_event <= after:
                yield format_sse_event(data_str=form_of(cached, CheckSummary).model_dump_json(), event="end")
                return
            if services.jobs.watchers.closing:
                return
            step = min(pace, _TELL_EVERY)
            for _ in range(ceil(pace / step)):
                if time.monotonic() >= report_at and (now := services.jobs.awaited(check)) != reported:
                    reported, report_at, silent = now, time.monotonic() + _TELL_EVERY, 0.0
                    yield format_sse_event(data_str=json.dumps(now._asdict() if now else {}), event="waiting")
                with suppress(TimeoutError):
                    await asyncio.wait_for(news.wait(), step)
                    break
                silent += step
            if silent >= _KEEP_ALIVE:
                silent = 0.0
                yield b": still here\n\n"


@router.post("/samples/{sample_id}", status_code=201, response_model=Check, responses={200: {"model": Check}})
async def open_sample(sample_id: str, services: Serving, user: User) -> Response:
    """Open a bundled example with its recorded result, as a check of yours; opened again, it is the same check."""
    sample = services.samples.get(sample_id)
    if sample is None:
        raise not_found("sample")
    return await keep(services, await asyncio.to_thread(sample.check, new_id(), user))
