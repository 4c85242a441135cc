"""`factscope bench facts-templates`: which template each judge of FACTS Grounding does best with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from enum import StrEnum
from functools import partial
from typing import Annotated, Any

import typer

from factscope.benchmarks.facts_grounding.grounding_dataset import read_answers, read_examples
from factscope.benchmarks.facts_grounding.scores import CRITERIA
from factscope.benchmarks.facts_grounding.template_runs import (
    LabelledAnswers,
    SelectionRule,
    TemplateSelection,
    confusions,
    select_eligibility,
    select_templates,
)
from factscope.cli.bench_command import ExampleFiles, Judges, Templates
from factscope.cli.bench_options import AnswerFiles, ResultOptions, SampledCallOptions, put_values
from factscope.cli.call_options import with_groups
from factscope.cli.calling import WAITING, load, log_usage, run_stored, tell_pending
from factscope.cli.output import log, refuse_to_overwrite_inputs
from factscope.cli.progress import RunProgressDisplay
from factscope.core.errors import UsageError
from factscope.engine.open_tools import open_tools
from factscope.engine.settings import Settings
from factscope.report.document import Block, Paragraph, table_of
from factscope.report.number_cells import percent_cell

EXAMPLE = (
    "Example: factscope bench facts-templates --data examples.csv --answers labelled.jsonl --judge openai/gpt-4.1"
    " -o errors.json. The file then serves as: factscope bench facts-grounding --judge-errors errors.json"
)
Criterion = Annotated[
    str, typer.Option(help="Criterion: macro_f1 (the paper's), accuracy, balanced_accuracy, f1_pos, f1_neg.")
]


class PhaseName(StrEnum):
    """Phase whose templates are tried."""

    GROUNDING = "grounding"
    ELIGIBILITY = "eligibility"


Phase = Annotated[
    PhaseName, typer.Option(help="Templates of phase A, by the column accurate; or of phase B, by eligible.")
]
TemplateNames = Annotated[list[str] | None, typer.Option(help="Only these. Repeat for more. Default: all.")]


@with_groups
def facts_templates(
    data: ExampleFiles = None,
    answers: AnswerFiles = None,
    judge: Judges = None,
    template: TemplateNames = None,
    prompts: Templates = None,
    phase: Phase = PhaseName.GROUNDING,
    criterion: Criterion = "macro_f1",
    *,
    options: SampledCallOptions,
) -> None:
    """Try templates on answers that people labelled (columns accurate, eligible), and choose one for each judge."""
    if not (data and answers and judge):
        raise UsageError("It takes examples, labelled answers and judges.", "Name them: --data, --answers, --judge.")
    if criterion not in CRITERIA:
        raise UsageError(f"Unknown criterion {criterion!r}.", f"Choose from: {', '.join(CRITERIA)}.")
    settings = load(options.settings())
    refuse_to_overwrite_inputs(options.output, answers)
    examples = read_examples(data, cache=settings.cache)
    given_answers = read_answers(answers, examples.rows)
    for note in (*examples.notes, *given_answers.notes):
        log(note, "yellow")
    labels = given_answers.accurate if phase is PhaseName.GROUNDING else given_answers.eligible
    rule = SelectionRule(criterion, **options.sampling)
    select: Callable[..., Awaitable[TemplateSelection]] = select_eligibility
    if phase is PhaseName.GROUNDING:
        select = partial(select_templates, templates=tuple(template)) if template else select_templates
    select = partial(select, labelled=LabelledAnswers(examples, given_answers, labels), rule=rule, prompts=prompts)
    selections: list[TemplateSelection] = []
    for model in dict.fromkeys(judge):
        selected, waits = _of_judge(model, select, len(labels), settings, quiet=options.quiet)
        if waits:
            raise typer.Exit(WAITING)
        selections.append(selected)
    _put_result(selections, phase, options)
    raise typer.Exit(1 if any(each.run.incomplete for each in selections) else 0)


def _of_judge(
    model: str, select: Callable[..., Awaitable[TemplateSelection]], n: int, settings: Settings, *, quiet: bool
) -> tuple[TemplateSelection, bool]:
    """Select a template for one judge, on `n` answers; return whether calls wait in a batch folder too."""
    own_settings = settings.model_copy(update={"model": {"*": model}})
    tools = open_tools((), settings=own_settings)
    with RunProgressDisplay(n, settings.batch, quiet=quiet) as progress:
        selected = run_stored(tools, own_settings, progress, lambda runner: select(model, runner=runner))
    log_usage(f"{model}: run {selected.run.run}", progress.usage(), own_settings, quiet=quiet)
    if selected.run.stopped:
        log(f"factscope: {selected.run.stopped}", "red")
    return selected, tell_pending(own_settings, tools)


def _put_result(selections: list[TemplateSelection], phase: PhaseName, result: ResultOptions) -> None:
    def json_values() -> dict[str, Any]:
        judges = [_values(each) for each in selections]
        result_values: dict[str, Any] = {"benchmark": "facts-templates", "phase": phase.value, "judges": judges}
        if phase is PhaseName.GROUNDING:
            result_values["judge_errors"] = {
                judge: counts._asdict() for judge, counts in confusions(selections).items()
            }
        return result_values

    put_values("Templates of judges", json_values, lambda: _document(selections, phase), result)


def _values(template_selection: TemplateSelection) -> dict[str, Any]:
    tried = [{**asdict(each), "counts": each.counts._asdict()} for each in template_selection.choice.tried]
    selected = {"template": template_selection.choice.template, "criterion": template_selection.choice.criterion}
    return {"judge": template_selection.judge, "run": template_selection.run.run, **selected, "tried": tried}


_COLUMNS = ("macro_f1", "accuracy", "fpr", "fnr", "f1_pos", "f1_neg", "balanced_accuracy")


def _document(selections: list[TemplateSelection], phase: PhaseName) -> tuple[Block, ...]:
    rows = []
    for result in selections:
        for tried in result.choice.tried:
            values = [getattr(tried.metrics, name) for name in _COLUMNS]
            cells = map(percent_cell, values)
            mark = "▸ " if tried.template == result.choice.template else "  "
            more = (f"{100 * tried.chosen_share:.0f} %", str(tried.n_missing))
            rows.append((result.judge, f"{mark}{tried.template}", *cells, *more))
    heads = ("judge", "template", *(name.replace("_", " ") for name in _COLUMNS), "chosen in", "missing")
    positive = "accurate" if phase is PhaseName.GROUNDING else "ineligible"
    caption = f"Positive class: {positive}. ▸ chosen; chosen in: share of resamples of the answers."
    return table_of(heads, rows, names=2), Paragraph(caption)
