"""`factscope bench feedback`: the wrong units of a kept run, with evidence, corrections and weights."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from factscope.benchmarks.factbench.feedback import corrections, training_pairs
from factscope.benchmarks.factbench.feedback import feedback as feedback_of
from factscope.benchmarks.factbench.feedback_page import document, to_html
from factscope.cli.call_options import CallOptions, with_groups
from factscope.cli.calling import WAITING, finish, load, tell_pending
from factscope.cli.options import Output, StoredRunName
from factscope.cli.output import log, put_text, refuse_to_overwrite_inputs
from factscope.cli.result_options import put_result
from factscope.cli.stored import open_run
from factscope.core import UsageError, by_ending, many
from factscope.core.records import Correction, Report
from factscope.engine.open_tools import open_tools
from factscope.methods.method_catalogue import method_named
from factscope.report.document import Result
from factscope.report.markdown_text import blocks_to_markdown

_FORMATS = ("md", "html", "json")


class FeedbackOptions(CallOptions):
    """The run, and what is written about it."""

    run: StoredRunName = "last"
    correct: Annotated[str | None, typer.Option(metavar="PROVIDER/MODEL")] = None
    """Ask this model for the corrections that the run lacks."""
    pairs: Annotated[Path | None, typer.Option(metavar="FILE")] = None
    """Also write pairs for training: JSON lines of prompt, rejected, chosen."""
    format: Annotated[Literal["md", "html", "json"] | None, typer.Option("--format", "-f")] = None
    """Output format. Default: by OUT, else md."""
    output: Output = None


@with_groups
def feedback(options: FeedbackOptions) -> None:
    """Show the errors in the responses of a run: units, evidence, corrections, kinds, and what matters most.

    Example: factscope bench feedback last --correct openai/gpt-4.1-mini -o feedback.html --pairs pairs.jsonl
    """
    output_format = by_ending(options.format, options.output, _FORMATS)
    for output in (options.output, options.pairs):
        refuse_to_overwrite_inputs(output)
    waits = False
    with open_run(options.run, options.store) as stored:
        if not stored:
            raise UsageError(f"Run {stored.run.id} has no finished response.", "Run the same command again.")
        more: Mapping[str, tuple[Correction, ...]] = {}
        if options.correct:
            more, waits = _corrected(stored, options.settings(model=[f"correct={options.correct}"]))
        feedback_found = feedback_of(stored.run.id, stored.values(), more)
    result = Result(
        "Feedback",
        lambda: feedback_found.model_dump(mode="json"),
        lambda: document(feedback_found),
        texts={
            "md": lambda: blocks_to_markdown(document(feedback_found), headings=True),
            "html": lambda: to_html(feedback_found),
        },
        indent=1,
    )
    put_result(result, output_format, options.output, quiet=options.quiet)
    if options.pairs:
        lines = [json.dumps(pair, ensure_ascii=False) for pair in training_pairs(feedback_found)]
        put_text("".join(f"{line}\n" for line in lines), options.pairs)
        log(f"Wrote {options.pairs}: {many(len(lines), 'pair')}.")
        if not lines and feedback_found.responses and not options.correct:
            log("A pair takes a correction, and the run has none: --correct provider/model asks for them.", "yellow")
    if waits:
        raise typer.Exit(WAITING)


def _corrected(
    reports: Mapping[str, Report], flags: dict[str, Any]
) -> tuple[Mapping[str, tuple[Correction, ...]], bool]:
    """Return corrections that the run lacks, and whether calls for some wait in a batch folder."""
    settings = load(flags)
    tools = open_tools((), settings=settings)
    spec, models = method_named("standard").correct, tools.models
    if spec is None or models is None:
        raise UsageError("No model is configured for corrections.", "Name one: --correct provider/model.")
    models.examine(models.of(spec.role))
    corrections_found = finish(tools, lambda: corrections(reports.values(), spec, models))
    return corrections_found, tell_pending(settings, tools)
