"""The ways to check a changed text again: at once, or through a store."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import aclosing

from factscope.core.errors import UsageError
from factscope.core.records import Report
from factscope.engine import OnEvents, Provenance, Tools, as_response, batches, fold, judges, provenance
from factscope.engine.recheck.planning import method_of
from factscope.engine.recheck.reuse import carried
from factscope.engine.run import run_id
from factscope.engine.run_store import Store, begin_run
from factscope.methods import Method

_TITLE = 80  # characters of a run's title in lists


async def recheck(
    report: Report,
    new_text: str,
    method: Method,
    tools: Tools,
    on_events: OnEvents = lambda events: None,
    *,
    edited_claims: Mapping[str, str] | None = None,
) -> Report:
    """Check `new_text`, reusing the results of `report`. `on_events` is called with the reused records first.

    Raises the errors of `must_match`, `carried` and `engine.check`.
    """
    origin = provenance(method, tools)
    must_match(report, origin)
    response = report.response.model_copy(update={"text": new_text})
    events = list(carried(report, new_text, edited_claims))
    on_events(tuple(events))
    async with aclosing(batches(response, method, tools, events)) as groups:
        async for group in groups:
            on_events(group)
            events.extend(group)
    return fold(events, origin)


def must_match(report: Report, provenance: Provenance) -> None:
    """Raise UsageError when a check would use other settings than `report`: old and new verdicts must not be mixed."""
    before = method_of(report)
    if before.name != provenance.method.name:
        differing = [f"method {before.name}, not {provenance.method.name}"]
    else:
        differing = [
            *(f"method.{name}" for name, value in before if getattr(provenance.method, name) != value),
            *(f"model of {role}" for role in _differing(report.models, provenance.models)),
            *(f"prompt {name}" for name in _differing(report.prompts, provenance.prompts)),
        ]
    if (report.searched and report.searched.id) != (provenance.searched and provenance.searched.id):
        differing.append("evidence")
    if differing:
        raise UsageError(
            f"The earlier check used other settings ({', '.join(differing)}): none of its results can be reused.",
            "Give the method, models and evidence that it had, or check the whole text without it.",
        )


def seed(store: Store, report: Report, new_text: str, method: Method, tools: Tools, *, fresh: bool = False) -> None:
    """Store the results of `report` that apply to `new_text`, for a later `engine.run.check_stored` to resume from.

    Records of an earlier attempt at that text stay, unless `fresh`. Raises BusyError, StoreError, and the errors of
    `must_match` and `carried`.
    """
    origin = provenance(method, tools)
    must_match(report, origin)
    response = as_response(report.response.model_copy(update={"text": new_text}))
    events = carried(report, new_text)
    run = run_id(response.model_dump_json(), origin, judges(method, tools))
    with store.owned(run):
        begin_run(store, run, origin, " ".join(new_text[: 2 * _TITLE].split())[:_TITLE])
        if fresh or not store.events(run, response.id):
            store.reopen(run, response.id, fresh=True)
            store.append(run, response.id, (response, *events))


def _differing(first: Mapping[str, str], other: Mapping[str, str]) -> list[str]:
    return [name for name in sorted({*first, *other}) if first.get(name) != other.get(name)]
