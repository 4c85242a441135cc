"""`factscope run`: many responses from a data set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from factscope.cli.call_options import CheckOptions, MachineOptions, with_groups
from factscope.cli.calling import WAITING, load, log_usage, on_engine, run_stored, tell_pending, traced
from factscope.cli.output import choose_format, log, refuse_to_overwrite_inputs, tell_written
from factscope.cli.progress import RunProgressDisplay
from factscope.cli.stored import open_run, put_reports, tell_left_out
from factscope.core import UsageError, plurals

if TYPE_CHECKING:
    from collections.abc import Iterable

    from factscope.core.records import Score
    from factscope.engine.run import RunProgress
    from factscope.engine.settings import Settings
    from factscope.integrations.python.tables import DatasetRows
    from factscope.methods import Method


class RunOptions(CheckOptions, MachineOptions):
    """Options of a run over many responses."""

    data: Annotated[str, typer.Argument(metavar="FILE|DATASET|-")]
    """JSONL, CSV or Parquet; a Hugging Face data set as org/name; or -."""
    column: Annotated[list[str] | None, typer.Option(metavar="FIELD=COLUMN")] = None
    """Column of a field, such as text=answer or contexts=sources. Repeat for more."""
    limit: Annotated[int | None, typer.Option(min=1)] = None
    """Maximum number of rows."""
    fresh: bool = False
    """Check again, even if results are stored."""
    share_calls: bool | None = None
    """Judge the claims of several short responses in one call: fewer calls; default: no."""


@with_groups
def run(options: RunOptions) -> None:
    """Check many responses, keep every record, and report scores over all of them.

    Example: factscope run answers.jsonl --evidence documents/ --model openai/gpt-4.1-mini --max-cost 5 -o out.csv. The
    same command resumes after any stop, and retries what failed.
    """
    from factscope.cli.forecast import forecast, put_forecast
    from factscope.engine.find_method import chosen_method, must_ask_a_model, note_on_size
    from factscope.engine.open_tools import examine, open_tools
    from factscope.integrations.python.tables import DatasetRows
    from factscope.judging.shared_pairs import shares_calls

    output, output_format = options.output, choose_format(options.format, options.output)
    options.must_be_cited()
    settings = load(options.settings())
    rows = DatasetRows(options.data, _columns(options.column or []), settings, options.limit)
    checked_method = chosen_method(settings)
    must_ask_a_model([checked_method], options.model or [], search=settings.search)
    examine(checked_method, settings)
    if note := note_on_size(settings):
        log(note, "yellow")
    if settings.share_calls and not shares_calls(checked_method):
        log(f"The method {checked_method.name} has no calls that responses can share.", "yellow")
    if options.dry_run:
        tools = open_tools(settings=settings, contexts=True)
        put_forecast(forecast(rows, checked_method, tools, settings), output_format)
        return
    refuse_to_overwrite_inputs(output, settings=settings)
    many, code = _checked(rows, checked_method, settings, options)
    if code != WAITING:
        with open_run(many.run, settings.store, many.ids) as stored:
            telling = output is not None and not options.quiet
            scores = put_reports(stored, output_format, output, list(map(str, many.left_out)), scored=telling)
        if output and telling:
            _tell_scores(scores)
            tell_written(output)
    raise typer.Exit(code)


def _checked(rows: DatasetRows, method: Method, settings: Settings, options: RunOptions) -> tuple[RunProgress, int]:
    """Check all rows; return how far that went, and the exit code."""
    from factscope.engine import no_evidence_in_rows
    from factscope.engine.open_tools import load_readers, open_tools
    from factscope.engine.run import run_many

    load_readers(method, settings)
    with RunProgressDisplay(rows.count(), settings.batch, quiet=options.quiet, form=options.progress) as progress:
        next(iter(rows), None)  # rows that can't be read are refused before all of the evidence is read
        opened = open_tools(settings=settings, contexts=True, on_progress=progress.reading)
        tools = on_engine(traced(opened, settings) if options.otel else opened, settings)
        many = run_stored(
            tools,
            settings,
            progress,
            lambda runner: run_many(rows, method, runner, rows.name, reading=rows.reading),
            fresh=options.fresh,
        )
    if many.unassessed and not many.done and not many.refused:
        raise no_evidence_in_rows(method)
    code = _end(many, settings, progress, quiet=options.quiet)
    return many, WAITING if tell_pending(settings, tools) else code


def _tell_scores(scores: Iterable[Score]) -> None:
    """Write each score on a line to standard error."""
    from factscope.report.wording import score_words

    for score in scores:
        words = score_words(score)
        log(f"{words.title} {words.value} ({words.over}, {words.coverage})")


def _end(many: RunProgress, settings: Settings, progress: RunProgressDisplay, *, quiet: bool) -> int:
    """Print how the run ended, and return the exit code."""
    tell_left_out(list(map(str, many.left_out)))
    pieces = [f"Run {many.run}: {plurals.many(many.done, 'response')}"]
    pieces += [f"{many.reused:,} of them kept from before"] if many.reused else []
    # Calls that wait in a batch folder have not failed.
    failed = "with failures" if settings.batch is None else "not finished"
    pieces += [f"{many.with_failures:,} {failed}"] if many.with_failures else []
    not_assessed = f" ({len(many.unassessed):,} without contexts, not assessed)" if many.unassessed else ""
    pieces += [f"{plurals.many(len(many.left_out), 'row')} left out{not_assessed}"] if many.left_out else []
    log_usage(", ".join(pieces), progress.usage(), settings, quiet=quiet)
    if many.stopped:
        log(f"factscope: {many.stopped}", "red")
    elif many.to_try_again and settings.batch is None:
        log("Run the same command again to try what failed once more.", "yellow")
    return 1 if many.incomplete or many.reading.unread else 0


def _columns(pairs: list[str]) -> dict[str, str]:
    columns = {}
    for pair in pairs:
        field, equals, column = pair.partition("=")
        if not equals or not field:
            raise UsageError(f"--column {pair!r} is not of the form FIELD=COLUMN.", "Such as text=answer.")
        columns[field] = column
    return columns
