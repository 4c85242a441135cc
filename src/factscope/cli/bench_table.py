"""`factscope bench facts-table`: results that are written down, added up again or side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from factscope.benchmarks.facts_grounding.changed_template import changed_templates
from factscope.benchmarks.facts_grounding.recorded_results import read_results
from factscope.cli.bench_command import JudgeErrors, put_result, read_errors
from factscope.cli.bench_options import SampledOptions
from factscope.cli.call_options import with_groups
from factscope.cli.output import log, refuse_to_overwrite_inputs

EXAMPLE = "Example: factscope bench facts-table published.json mine.json"


@with_groups
def facts_table(
    results: Annotated[
        list[Path], typer.Argument(metavar="RESULT…", help="Files that `bench facts-grounding -o FILE.json` wrote.")
    ],
    changed: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="RESULT",
            help="The same with another template of a judge, to see how ranks change. Repeat for more.",
        ),
    ] = None,
    judge_errors: JudgeErrors = None,
    *,
    result: SampledOptions,
) -> None:
    """Make the table of FACTS Grounding from recorded verdicts, of one run or of several by the same judges."""
    refuse_to_overwrite_inputs(result.output, [*results, *(changed or [])])
    errors = read_errors(judge_errors) if judge_errors else {}
    merged = read_results(results)
    templates = changed_templates(merged, [read_results([path]) for path in changed or []])
    for note in merged.plan.examples.notes:
        log(note, "yellow")
    put_result(merged, errors, result, templates)
