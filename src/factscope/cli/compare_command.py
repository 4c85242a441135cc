"""`factscope compare`: the changes between two runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Literal, NamedTuple, get_args

import typer

from factscope.cli.call_options import OptionGroup, with_groups
from factscope.cli.options import Output, StoreLocation
from factscope.cli.output import choose_format, put_console, put_text, refuse_to_overwrite_inputs, tell_written
from factscope.cli.stored import load_reports, must_read_input_once, open_run, report_file
from factscope.core import InputError, Location, UsageError
from factscope.core.records import Report
from factscope.engine.data_rows import left_out_by_model
from factscope.report.run_diff import MOST_CHANGES, diff_document, to_json
from factscope.scoring.compare_runs import LeftOutCounts
from factscope.scoring.compare_runs import compare as compare_runs

ComparisonFormat = Literal["text", "json", "md"]


class CompareOptions(OptionGroup):
    """The two runs, and how the comparison is written."""

    first: Annotated[str, typer.Argument(metavar="RUN")]
    """A stored run: the beginning of its id, or last; or its report file (JSON or JSONL)."""
    second: Annotated[str, typer.Argument(metavar="RUN")]
    """The run to compare it with."""
    measure: list[str] | None = None
    """Measure. Repeat for more. Default: those that both methods name."""
    format: Annotated[ComparisonFormat | None, typer.Option("--format", "-f")] = None
    """Output format. Default: by the extension of OUT, else text."""
    output: Output = None
    store: StoreLocation = None


@with_groups
def compare(options: CompareOptions) -> None:
    """List the verdicts that changed between two runs, and whether their scores differ by more than chance.

    Example: factscope compare 3fa2 9c01 --measure factual_precision. Runs: see the ids that `run` prints. To check an
    edited text against its earlier report: factscope check edited.md --previous report.json.
    """
    output_format = choose_format(options.format, options.output)
    if output_format not in (known := get_args(ComparisonFormat)):
        raise UsageError(f"A comparison can't be written as {output_format}.", f"Choose from: {', '.join(known)}.")
    must_read_input_once(options.first, options.second)
    refuse_to_overwrite_inputs(options.output)
    with _open_side(options.first, options.store) as first, _open_side(options.second, options.store) as second:
        if first.id == second.id:
            raise UsageError(
                f"{options.first} and {options.second} are the same run, {second.id}: there is nothing to compare.",
                "Name two runs. Other columns, methods, models or evidence make another; `--fresh` does not.",
            )
        comparison = compare_runs(
            first.reports,
            second.reports,
            options.measure,
            names=(first.name, second.name),
            left_out=(first.left_out, second.left_out),
        )
    if output_format == "text":
        from factscope.report.console import print_document

        put_console(lambda console: print_document(diff_document(comparison, MOST_CHANGES), console), options.output)
    elif output_format == "md":
        from factscope.report.markdown_text import blocks_to_markdown

        put_text(blocks_to_markdown(diff_document(comparison), headings=True), options.output)
    else:
        put_text(to_json(comparison), options.output)
    tell_written(options.output)


class _Side(NamedTuple):
    """One of the two runs."""

    id: str
    name: str
    reports: Mapping[str, Report]
    """Its reports by the id of their response."""
    left_out: LeftOutCounts


@contextmanager
def _open_side(source: str, store: Location | None) -> Iterator[_Side]:
    """Open a stored run, or the reports of a file. Raises as `open_run` and `load_reports`, and InputError."""
    path = report_file(source)
    if path is None:
        with open_run(source, store) as stored:
            yield _Side(stored.run.id, stored.run.id[:8], stored, left_out_by_model(stored.left_out_rows))
        return
    reports, left_out = load_reports(source, store)
    by_id = {report.response.id: report for report in reports}
    if len(by_id) < len(reports):
        twice = Counter(report.response.id for report in reports).most_common(1)[0][0]
        raise InputError(f"{source} has more than one report of the response {twice!r}.", "Name the file of one run.")
    yield _Side(str(path.resolve()), source, by_id, {None: len(left_out)})
