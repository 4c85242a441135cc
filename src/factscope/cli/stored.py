"""Reports that were made before: a JSON file, or a kept check by the beginning of its id."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from factscope.cli.options import Format
from factscope.cli.output import log, put_chunks, put_console, put_text, warn
from factscope.core import InputError, Location, UsageError, first_problem, many, user_bytes

if TYPE_CHECKING:
    from factscope.core.records import Report, Score
    from factscope.engine.run_store import RunRow, StoredRun


_NO_PLACE = {"csv": "A CSV table", "parquet": "A Parquet table", "claimreview": "ClaimReview markup"}
"""Formats without a place for rows that were left out: each row of theirs is a claim."""
_NO_SCORES = {*_NO_PLACE, "jsonl", "junit", "sarif"}
"""Formats without a place for scores over all reports."""
_SHOWN_LEFT_OUT = 20  # rows that are listed
_STANDARD_INPUT = Path("/dev/stdin")


def load_report(source: str, store: Location | None) -> Report:
    """Load the report from a file, the id of a stored check, or `last`.

    Raises UsageError when there is none, InputError when the file holds no report, and StoreError when the store can't
    be read.
    """
    path = report_file(source)
    if path is None:
        with open_run(source, store) as stored:
            _must_be_single(len(stored), f"Run {stored.run.id}", stored.run.id)
            return _stored_reports(stored)[0]
    reports, _ = _from_file(path)
    _must_be_single(len(reports), source, source)
    return reports[0]


def load_reports(source: str, store: Location | None) -> tuple[Sequence[Report], Sequence[str]]:
    """Load the reports of a file, such as the JSONL of a run, or those of a stored check or run, or of the `last` one.

    With them come the rows that the run left out, which are in no score, and which standard error names. Raises
    UsageError when there is none, InputError when the file holds no report, StoreError when the store can't be read.
    """
    if path := report_file(source):
        return _from_file(path)
    with open_run(source, store) as stored:
        return _stored_reports(stored), stored.left_out


def report_file(source: str) -> Path | None:
    """Return the path of a report file, of standard input for `-`; `None` for anything else, such as an id."""
    path = _STANDARD_INPUT if source == "-" else Path(source)
    return path if path.exists() and not path.is_dir() else None


def must_read_input_once(*sources: str) -> None:
    """Raise UsageError if standard input is named more than once: a second reading would be empty."""
    if sources.count("-") > 1:
        raise UsageError(
            "Standard input is named twice, but can be read only once.", "Name files, or ids of stored runs."
        )


def _must_be_single(n: int, subject: str, source: str) -> None:
    if n > 1:
        raise UsageError(
            f"{subject} holds {many(n, 'report')}, and one is needed here.",
            f"Score them all with: factscope score {source}",
        )


def _from_file(path: Path) -> tuple[Sequence[Report], Sequence[str]]:
    """Load the reports of a file and the rows that their run left out, as `load_reports`."""
    from pydantic import ValidationError

    from factscope.core.records import Report
    from factscope.report.json_export import left_out_from_jsonl, reports_from_jsonl

    name = "Standard input" if path == _STANDARD_INPUT else str(path)
    try:
        content = user_bytes(path, name)
        first_line = content.lstrip().partition(b"\n")[0].strip()  # a single brace where one object is indented
        if first_line not in (b"", b"{") and (path.suffix == ".jsonl" or _has_objects_on_lines(content)):
            lines = content.decode("utf-8")
            try:
                reports, left_out = reports_from_jsonl(lines), left_out_from_jsonl(lines)
            except InputError as error:
                raise InputError(f"{name}: {error.message}", error.hint) from None
            tell_left_out(left_out)
            return reports, left_out
        return (Report.model_validate_json(content),), ()
    except UnicodeDecodeError:
        raise InputError(f"{name} contains no report of Factscope: it is not UTF-8.") from None
    except ValidationError as error:
        if run := _summarised_run(content):
            raise InputError(
                f"{name} is the summary of a run: it holds scores, and none of the reports behind them.",
                f"Write the lines that can be scored with: factscope export {run} -o run.jsonl",
            ) from None
        where, problem = first_problem(error, "")
        raise InputError(
            f"{name} contains no report of Factscope{f' ({where})' if where else ''}: {problem}.",
            "Make one with: factscope check … --format json -o report.json",
        ) from None


def _has_objects_on_lines(content: bytes) -> bool:
    """Return whether the first line is an object and more lines follow, as in JSON Lines whatever the file's name."""
    first, _, rest = content.partition(b"\n")
    return first.lstrip().startswith(b"{") and first.rstrip().endswith(b"}") and bool(rest.strip())


def _summarised_run(content: bytes) -> str | None:
    """Return the id of the run whose summary this is, as `StoredRun.to_json` writes it; `None` for anything else."""
    try:
        values = json.loads(content)
    except (ValueError, RecursionError):
        return None
    is_summary = isinstance(values, dict) and {"run", "responses", "left_out"} <= values.keys()
    return str(values["run"]) if is_summary else None


@contextmanager
def open_run(source: str, store: Location | None, ids: Collection[str] | None = None) -> Iterator[StoredRun]:
    """Open the stored run with this id, or the `last` one; with `ids`, these responses of it.

    Raises UsageError when there is none, StoreError.
    """
    from factscope.engine.run_store import Store, StoredRun
    from factscope.engine.settings import load_settings

    settings, _ = load_settings({"store": store}, dot_env=True)
    if isinstance(settings.store, Path) and not settings.store.exists():
        raise UsageError(
            f"No report file is named {source!r}, and no checks are stored yet.", "Run one with: factscope check …"
        )

    with Store(settings.store, read_only=True) as run_store:
        try:
            yield StoredRun(run_store, _find(source, run_store.runs(), run_store.database.name), ids)
        finally:
            warn(f"A damaged record is skipped: {record}" for record in run_store.damaged)


def _stored_reports(stored: StoredRun) -> Sequence[Report]:
    """Return the reports of a check or a run; on standard error name the rows that it left out, or lacks so far."""
    run = stored.run
    tell_left_out(stored.left_out)
    if stored:
        tell_unfinished(run)
        return tuple(stored.values())
    if stored.left_out:
        raise InputError(
            f"Run {run.id} holds no report: all of its rows were left out.", "Mend the rows, and run it again."
        )
    raise InputError(
        f"Check {run.id} was stopped before it finished.", "Run the same check again: it carries on where it stopped."
    )


def tell_unfinished(run: RunRow) -> None:
    """Say on standard error that a run lacks results, where it does."""
    if run.finished is None:
        log(f"Run {run.id} is not finished, or something in it failed: the same command carries on.", "yellow")


def put_reports(
    stored_run: StoredRun, output_format: Format, output: Path | None, left_out: Sequence[str], *, scored: bool
) -> tuple[Score, ...]:
    """Write all reports of a run, with the scores over them and the rows that were left out; return these scores.

    Scores take a reading of all reports: a format without a place for them gets none, unless `scored`. Says so if the
    format has no place for those rows. Raises StoreError when the file can't be written.
    """
    from factscope.report import render_many
    from factscope.scoring import summarise_all

    scores = summarise_all(stored_run.values()) if stored_run and (scored or output_format not in _NO_SCORES) else ()
    tell_unfinished(stored_run.run)
    if left_out and output_format in _NO_PLACE:
        log(
            f"{_NO_PLACE[output_format]} does not name rows that were left out ({len(left_out):,}): JSON and JSON"
            " Lines name them all.",
            "yellow",
        )
    if output_format == "json":
        put_text(stored_run.to_json(scores, left_out), output)
    elif output_format == "text":
        from factscope.report.terminal import print_reports  # with rich, which no other format needs

        put_console(lambda console: print_reports(stored_run.values, scores, console, left_out), output)
    else:
        put_chunks(render_many(stored_run.values, scores, output_format, left_out), output)
    return scores


def tell_left_out(left_out: Sequence[str]) -> None:
    """Name the first rows that were left out on standard error."""
    warn(left_out[:_SHOWN_LEFT_OUT])
    if len(left_out) > _SHOWN_LEFT_OUT:
        log(f"And {many(len(left_out) - _SHOWN_LEFT_OUT, 'more row')}.", "yellow")


def _find(source: str, runs: list[RunRow], store: str) -> RunRow:
    matches = runs[:1] if source == "last" else [run for run in runs if run.id.startswith(source)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise UsageError(f"{len(matches)} stored checks begin with {source!r}.", "Give more of the id.")
    listing = "\n  ".join(f"{run.id}  {run.used[:16].replace('T', ' ')}  {run.title}" for run in runs[:10]) or "none"
    if Path(source).is_file():
        problem = f"{source!r} is a file; a stored check is needed here, by the beginning of its id or as last."
    else:
        problem = f"{source!r} is neither a report file nor the id of a check stored in {store}."
    raise UsageError(problem, f"Stored checks, with their last use (UTC):\n  {listing}")
