"""The work of `factscope check`: settings and method, an estimate, and the check itself with its progress.

Separate, because the command says that it has started before all of this is imported.
"""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import NamedTuple

from factscope.cli.call_options import CheckOptions
from factscope.cli.calling import SHOWN_PROBLEMS, finish, load, log_problems, traced, usage_line
from factscope.cli.options import Format
from factscope.cli.output import log, tell_error
from factscope.cli.progress import ProgressDisplay
from factscope.core import BusyError, StoreError, many
from factscope.core.records import Report, Response
from factscope.engine import Tools, as_response, check, find_verifiers, provenance
from factscope.engine.find_method import chosen_method, must_ask_a_model, note_on_size, with_verifier
from factscope.engine.open_tools import examine, load_readers, open_tools
from factscope.engine.recheck import ReusePlan, method_of, must_match, plan, recheck, seed
from factscope.engine.run import check_stored
from factscope.engine.run_store import Store
from factscope.engine.settings import Settings
from factscope.judging.verifiers.unsupported_input import not_read
from factscope.methods import Method, VerifierJudge


def check_settings(options: CheckOptions, earlier: Report | None) -> Settings:
    """Return the settings of the check. Raises UsageError, also for a model that would not be asked."""
    settings = load(options.settings())
    if options.model:
        must_ask_a_model([_method(settings, earlier)], options.model, search=settings.search)
    return settings


def _method(settings: Settings, earlier: Report | None) -> Method:
    """Return the requested method; without one, that of the earlier check, with the strictness of the settings."""
    if settings.method or settings.verifier or not earlier:
        return chosen_method(settings)
    return with_verifier(method_of(earlier), settings)


def forecast_check(response: Response, settings: Settings, output_format: Format, earlier: Report | None) -> None:
    """Print the calls and cost of a check; of an earlier check, only what would be checked again counts."""
    from factscope.cli.forecast import forecast, put_forecast

    tools = open_tools(settings=settings, contexts=bool(response.context))
    responses = [as_response(response)]
    if earlier:
        _tell_plan(planned := plan(earlier, response.text))
        # Only the segments to check count; the rest of the text costs nothing.
        words = "\n\n".join(item.text for item in planned.segments_to_check)
        responses = [response.model_copy(update={"text": words})] if words else []
    put_forecast(forecast(responses, _method(settings, earlier), tools, settings), output_format)


class CheckOutcome(NamedTuple):
    """Outcome of a check."""

    report: Report
    stored: bool
    """Whether everything was stored that should be."""
    tools: Tools


def run_check(
    response: Response | str,
    settings: Settings,
    progress: ProgressDisplay,
    *,
    keep: bool = True,
    fresh: bool = False,
    earlier: Report | None = None,
    otel: bool = False,
) -> CheckOutcome:
    """Check a text with these settings and show progress, reusing the results of an `earlier` report.

    If the store can't be used, the check is made without it. Raises FactscopeError when the text can't be checked.
    """
    # A recording has the calls of one command, including those from the cache.
    fresh = fresh or settings.record is not None
    selected = _method(settings, earlier)
    response = as_response(response)
    load_readers(selected, settings)
    examine(selected, settings)
    _tell_language(response.text, selected, settings)
    if not earlier and (note := note_on_size(settings)):
        log(note, "yellow")
    tools = open_tools(settings=settings, contexts=bool(response.context), on_progress=progress.reading)
    tools = traced(tools, settings) if otel else tools
    log_problems(tools)
    if earlier:
        must_match(earlier, provenance(selected, tools))
        if not progress.quiet:
            _tell_plan(plan(earlier, response.text))
    job = partial(_run, response, selected, tools, progress, earlier, fresh=fresh)
    try:
        with Store(settings.store) if keep else nullcontext() as store:
            report = job(store)
        if not progress.quiet and (spent := usage_line(report.usage, settings)):
            called = tools.models and tools.models.n_calls
            log(spent if called else "Read back from an earlier check: no model was called.")
        return CheckOutcome(report, True, tools)
    except BusyError:
        raise
    except StoreError as error:
        tell_error(error)
        log("This check is not stored.", "yellow")
        return CheckOutcome(job(None), False, tools)


def _run(
    response: Response,
    method: Method,
    tools: Tools,
    progress: ProgressDisplay,
    earlier: Report | None,
    store: Store | None,
    *,
    fresh: bool,
) -> Report:
    """Run a prepared check; with a store, it is resumed from there and stored. Raises StoreError."""
    progress.begin()
    if store:
        if earlier:
            seed(store, earlier, response.text, method, tools, fresh=fresh)
        again = fresh and not earlier
        work = partial(check_stored, response, method, tools, store, progress.events, fresh=again)
    elif earlier:
        work = partial(recheck, earlier, response.text, method, tools, progress.events)
    else:
        work = partial(check, response, method, tools, progress.events)
    return finish(tools, work, progress.waiting, resumable=store is not None)


def _tell_plan(planned: ReusePlan) -> None:
    """Report the reused part of an earlier check, and why the rest is checked again."""
    n_reused, of = len(planned.reused), len(planned.segments)
    changed, removed = len(planned.changed), len(planned.removed)
    log(f"Kept: {n_reused:,} of {many(of, 'segment')}; {changed:,} changed or new, {removed:,} gone.")
    texts = {segment.id: segment.text for segment in planned.segments}
    for name, reason in list(planned.depending.items())[:SHOWN_PROBLEMS]:
        log(f"  {name} is checked again, {reason}: {' '.join(texts[name].split())[:60]}")
    if len(planned.depending) > SHOWN_PROBLEMS:
        log(f"  and {len(planned.depending) - SHOWN_PROBLEMS:,} more")


def _tell_language(text: str, method: Method, settings: Settings) -> None:
    """Warn in advance when the verifier does not read the language of the text."""
    if isinstance(method.judge, VerifierJudge):
        minimal = open_tools(settings=settings.model_copy(update={"evidence": (), "search": None, "model": {}}))
        not_readable = not_read(text, find_verifiers(method, minimal)[method.judge.name])
        if not_readable:
            log(not_readable, "yellow")


def save_fetched(tools: Tools, path: Path) -> None:
    """Write the fetched sources of a check as a recording. Raises StoreError."""
    from factscope.evidence.citations import Library, write_recording

    for source in tools.sources.values():
        if isinstance(source, Library):
            write_recording(path, [*source.held.recorded, *source.fetched.values()])
            log(f"Recorded {many(len(source.fetched), 'source')} in {path}")
