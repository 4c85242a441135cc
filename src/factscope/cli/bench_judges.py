"""`factscope bench facts-templates` and `facts-probes`: the judges of FACTS Grounding themselves.

The first finds which template each judge does best with, the second tries cases that mislead judges.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import typer

from factscope.benchmarks.answer_files import read_answers
from factscope.benchmarks.facts_grounding.grounding_dataset import read_examples
from factscope.benchmarks.facts_grounding.grounding_run import GroundingPanel
from factscope.benchmarks.facts_grounding.probes import (
    Probe,
    ProbeAccuracy,
    own_probes,
    planted,
    probe_result,
    ranks,
    run_probes,
)
from factscope.benchmarks.facts_grounding.template_choice import Phase, select_template, template_result
from factscope.benchmarks.facts_grounding.template_metrics import CRITERIA
from factscope.cli.bench_facts import ExampleOptions, PanelOptions
from factscope.cli.bench_options import AnswerFiles, SampledCallOptions
from factscope.cli.call_options import CallOptions, with_groups
from factscope.cli.calling import exit_while_waiting, load, log_usage, run_stored
from factscope.cli.output import log, refuse_to_overwrite_inputs, warn
from factscope.cli.progress import RunProgressDisplay
from factscope.cli.result_options import ResultOptions
from factscope.core import UsageError
from factscope.engine.open_tools import open_tools
from factscope.engine.run import Runner, RunProgress
from factscope.engine.settings import Settings
from factscope.methods.library.facts_grounding import TEMPLATES


class TemplateOptions(ExampleOptions, SampledCallOptions):
    """The labelled answers, and the templates that judges try on them."""

    answers: AnswerFiles = None
    template: list[str] | None = None
    """Only these. Repeat for more. Default: all."""
    phase: Phase = "grounding"
    """Templates of phase A, by the column accurate; or of phase B, by eligible."""
    criterion: str = "macro_f1"
    """Criterion: macro_f1 (the paper's), accuracy, balanced_accuracy, f1_pos, f1_neg."""


@with_groups
def facts_templates(options: TemplateOptions) -> None:
    """Try templates on answers that people labelled (columns accurate, eligible), and choose one for each judge.

    Example: factscope bench facts-templates --data examples.csv --answers labelled.jsonl --judge openai/gpt-4.1 -o
    errors.json. The file then serves as: factscope bench facts-grounding --judge-errors errors.json
    """
    if not (options.data and options.answers and options.judge):
        raise UsageError("It takes examples, labelled answers and judges.", "Name them: --data, --answers, --judge.")
    if options.criterion not in CRITERIA:
        raise UsageError(f"Unknown criterion {options.criterion!r}.", f"Choose from: {', '.join(CRITERIA)}.")
    settings = load(options.settings())
    refuse_to_overwrite_inputs(options.output, settings=settings)
    examples = read_examples(options.data, cache=settings.cache)
    given = read_answers(options.answers, examples.rows)
    warn((*examples.notes, *given.notes))
    labels = given.accurate if options.phase == "grounding" else given.eligible
    choosing = partial(
        select_template,
        criterion=options.criterion,
        sampling=options.sampling,
        templates=tuple(options.template or TEMPLATES),
        prompts=options.prompts,
    )
    selections = []
    for model in dict.fromkeys(options.judge):
        own_settings = settings.model_copy(update={"model": {"*": model}})
        tools = open_tools((), settings=own_settings)
        with RunProgressDisplay(len(labels), settings.batch, quiet=options.quiet) as progress:
            selected = run_stored(
                tools, own_settings, progress, partial(choosing, model, options.phase, examples, given)
            )
        log_usage(f"{model}: run {selected.run.run}", progress.usage(), own_settings, quiet=options.quiet)
        if selected.run.stopped:
            log(f"factscope: {selected.run.stopped}", "red")
        exit_while_waiting(own_settings, tools)
        selections.append(selected)
    options.put(template_result(selections, options.phase))
    n_unusable = examples.n_unusable + given.n_unusable
    raise typer.Exit(1 if n_unusable or any(each.run.incomplete for each in selections) else 0)


class ProbeOptions(PanelOptions, ResultOptions, CallOptions):
    """The judges, how they are called, and where the result goes."""


@with_groups
def facts_probes(options: ProbeOptions) -> None:
    """Judges on cases with known answers: documents against the world, evasive answers, orders in documents.

    With --window, also facts planted in documents three times as long, judged in pieces.

    Example: factscope bench facts-probes --judge openai/gpt-4.1 --judge implicit=openai/gpt-4.1
    """
    panel = options.panel_from(options.judge, "without_context")
    sets, widest = [(own_probes(), panel)], max(panel.windows)
    if widest:
        sets.append((planted(widest), options.panel_from(options.judge, None)))
    accuracies, runs = _run(sets, load(options.settings(model=panel.roles)), quiet=options.quiet)
    ranked = {kind: ranks(widest, kind) for kind in ("planted", "reworded")} if widest else {}
    options.put(probe_result(accuracies, ranked))
    raise typer.Exit(1 if any(many.incomplete for many in runs) else 0)


def _run(
    sets: Sequence[tuple[Sequence[Probe], GroundingPanel]], settings: Settings, *, quiet: bool
) -> tuple[list[ProbeAccuracy], list[RunProgress]]:
    """Have each set of cases judged by its panel."""
    tools = open_tools((), settings=settings)

    async def run_all_probes(runner: Runner) -> list[tuple[tuple[ProbeAccuracy, ...], RunProgress]]:
        return [await run_probes(cases, panel, runner) for cases, panel in sets]

    with RunProgressDisplay(sum(len(cases) for cases, _ in sets), settings.batch, quiet=quiet) as progress:
        done = run_stored(tools, settings, progress, run_all_probes)
    runs = [many for _, many in done]
    log_usage(f"Run {' and '.join(many.run for many in runs)}", progress.usage(), settings, quiet=quiet)
    for many in runs:
        if many.stopped:
            log(f"factscope: {many.stopped}", "red")
    exit_while_waiting(settings, tools)
    return [entry for group, _ in done for entry in group], runs
