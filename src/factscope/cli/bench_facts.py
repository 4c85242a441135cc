"""`factscope bench facts-grounding`, and `facts-table`: its results added up again or side by side."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from factscope.benchmarks.answer_files import read_answers
from factscope.benchmarks.examples import BenchmarkPlan
from factscope.benchmarks.facts_grounding.grounding_dataset import read_examples
from factscope.benchmarks.facts_grounding.grounding_document import document, figure_lines
from factscope.benchmarks.facts_grounding.grounding_result import as_json, read_results, summary_of
from factscope.benchmarks.facts_grounding.grounding_run import GroundingOutcome, GroundingPanel, panel_of, run_grounding
from factscope.benchmarks.facts_grounding.panel_study import ChangedTemplate, changed_templates
from factscope.benchmarks.figure_lines import result_of
from factscope.cli.bench_options import (
    BenchOptions,
    Fresh,
    SampledOptions,
    answers_of,
    exit_code,
    put_answers_forecast,
)
from factscope.cli.call_options import OptionGroup, with_groups
from factscope.cli.calling import exit_while_waiting, load, log_usage, run_stored
from factscope.cli.output import refuse_to_overwrite_inputs, warn
from factscope.cli.progress import RunProgressDisplay
from factscope.core import UsageError, json_object, plurals, user_bytes
from factscope.engine import provenance
from factscope.engine.open_tools import open_tools
from factscope.engine.run import Runner
from factscope.engine.settings import Settings
from factscope.methods.library.facts_grounding import PANELS, judge_role
from factscope.scoring.detection import Confusion

_MOST_LABELLED = 1_000_000_000
"""Largest number of labelled responses in a file of error counts: far more than anybody labels."""


class JudgeOptions(OptionGroup):
    """Judges of FACTS Grounding, and their templates."""

    judge: Annotated[list[str] | None, typer.Option(metavar="[TEMPLATE=]PROVIDER/MODEL")] = None
    """A model that judges. Repeat for more: a benchmark takes two to nine. Templates: response, span, implicit, json,
    json_alt, json_double_check, simpleqa."""
    prompts: Annotated[Path | None, typer.Option(metavar="CSV")] = None
    """The published evaluation_prompts.csv, in place of our templates."""


class ExampleOptions(JudgeOptions):
    """Examples of FACTS Grounding, and their judges."""

    data: Annotated[list[str] | None, typer.Option(metavar="[SPLIT=]FILE|DATASET")] = None
    """The examples: CSV, JSONL or a data set. Repeat for more."""


class PanelOptions(JudgeOptions):
    """A panel of judges."""

    window: Annotated[list[str] | None, typer.Option(metavar="[MODEL=]TOKENS")] = None
    """Maximum tokens in a call, for all judges or one of them: longer documents are judged in pieces."""

    def panel_from(self, judges: Sequence[str] | None, eligibility: str | None) -> GroundingPanel:
        """Return the panel of these judges. Raises UsageError."""
        return panel_of(judges or (), prompts=self.prompts, eligibility=eligibility, windows=self.window or ())


class JudgeErrorOptions(SampledOptions):
    """Errors of judges, and where a result that takes them into account is written."""

    judge_errors: Annotated[Path | None, typer.Option(metavar="JSON")] = None
    """Judges on labelled responses: {"provider/model": {"tp": …, "fp": …, …}}."""


class GroundingOptions(ExampleOptions, PanelOptions, BenchOptions, JudgeErrorOptions):
    """Options of FACTS Grounding."""

    panel: Annotated[str | None, typer.Option(metavar="NAME")] = None
    """Published judges in place of --judge: v1 or v2."""
    eligibility: Literal["without_context", "with_context", "none"] = "without_context"
    """Whether phase B sees the documents, or is left out."""
    fresh: Fresh = False


@with_groups
def facts_grounding(options: GroundingOptions) -> None:
    """FACTS Grounding: how well answers stay with a given document, by several judges in two phases.

    Example: factscope bench facts-grounding --data examples.csv --model openai/gpt-4.1-mini --model ollama/qwen3
    --judge openai/gpt-4.1 --judge anthropic/claude-sonnet-4-5 --judge gemini/gemini-2.5-pro -o table.json. The same
    command resumes after any stop.
    """
    phase_b = None if options.eligibility == "none" else options.eligibility
    grounding_panel = options.panel_from(_published_judges(options) or options.judge, phase_b)
    settings = load(options.settings(model=grounding_panel.roles))
    refuse_to_overwrite_inputs(options.output, settings=settings)
    errors = _read_errors(options.judge_errors)
    plan = _plan(options, settings)
    if options.dry_run:
        put_answers_forecast(
            plan, judge_role(1), grounding_panel.method, open_tools((), settings=settings), settings, options
        )
        return
    outcome = _run(plan, grounding_panel, settings, fresh=options.fresh, quiet=options.quiet)
    _put_result(outcome, errors, options)
    raise typer.Exit(exit_code(outcome.many, outcome.n_missing_answers, plan, settings))


def _plan(options: GroundingOptions, settings: Settings) -> BenchmarkPlan:
    """Read the examples and answers, and report oddities. Raises UsageError, InputError."""
    if not options.data:
        raise UsageError("No examples are named.", "Name them: --data examples.csv, or google/FACTS-grounding-public.")
    return options.plan(read_examples(options.data, cache=settings.cache), read_answers)


class TableOptions(JudgeErrorOptions):
    """The recorded verdicts, and where their table is written."""

    results: Annotated[list[Path], typer.Argument(metavar="RESULT…")]
    """Files that `bench facts-grounding -o FILE.json` wrote."""
    changed: Annotated[list[Path] | None, typer.Option(metavar="RESULT")] = None
    """The same with another template of a judge, to see how ranks change. Repeat for more."""


@with_groups
def facts_table(options: TableOptions) -> None:
    """Make the table of FACTS Grounding from recorded verdicts, of one run or of several by the same judges.

    Example: factscope bench facts-table published.json mine.json
    """
    errors = _read_errors(options.judge_errors)
    merged = read_results(options.results)
    templates = changed_templates(merged, [read_results([path]) for path in options.changed or []])
    warn(merged.plan.examples.notes)
    _put_result(merged, errors, options, templates)


def _put_result(
    outcome: GroundingOutcome,
    errors: dict[str, Confusion],
    result: SampledOptions,
    changed: Sequence[ChangedTemplate] = (),
) -> None:
    """Write the result; with JSON in a file, the table is shown too.

    `errors` are those of judges on labelled responses, by model. `changed` are results with another template of a
    judge.
    """
    others = sorted(errors.keys() - set(outcome.panel.models))
    warn(f"--judge-errors has {judge}, which is not one of the judges: it corrects nothing." for judge in others)
    summary = summary_of(outcome, errors, **result.sampling)
    values = partial(as_json, outcome=outcome, changed=changed, resamples=result.resamples, seed=result.seed)
    shown = partial(document, outcome=outcome, changed=changed)
    result.put(result_of("FACTS Grounding", summary, shown, figure_lines, values))


def _published_judges(options: GroundingOptions) -> Sequence[str]:
    """Return the judges of a published panel, if one is named.

    Raises UsageError for an unknown panel, and when --judge is given too.
    """
    if options.panel is None:
        return ()
    if options.panel not in PANELS:
        choices = f"Choose from: {', '.join(PANELS)}; or name judges with --judge."
        raise UsageError(f"Unknown panel {options.panel!r}.", choices)
    if options.judge:
        raise UsageError("--panel names the judges, and so does --judge.", "Give one of the two.")
    return PANELS[options.panel]


def _read_errors(path: Path | None) -> dict[str, Confusion]:
    """Read the confusion matrix of each judge on labelled responses, by model; none without a file.

    Raises UsageError for a file without these.
    """
    if path is None:
        return {}
    try:
        values = json_object(user_bytes(path))
        values = values.get("judge_errors", values)  # a file of `bench facts-templates` holds them too
        return {name: Confusion(*(_count(counts[key]) for key in Confusion._fields)) for name, counts in values.items()}
    except (ArithmeticError, ValueError, TypeError, KeyError, AttributeError):
        raise UsageError(
            f"{path} has no error counts of judges.",
            'It is JSON: {"provider/model": {"tp": 305, "fp": 28, "fn": 39, "tn": 34}}, accurate responses positive.',
        ) from None


def _count(number: Any) -> int:
    """Return a number of responses. Raises ValueError, TypeError and OverflowError for anything else."""
    count = float(number)
    if not (count.is_integer() and 0 <= count <= _MOST_LABELLED):
        raise ValueError(f"{number} is not a number of responses")
    return int(count)


def _run(
    plan: BenchmarkPlan, panel: GroundingPanel, settings: Settings, *, fresh: bool, quiet: bool
) -> GroundingOutcome:
    """Have the models answer and the judges judge."""
    tools = open_tools((), settings=settings)
    provenance(panel.method, tools)  # errors in a judge's settings are reported before any candidate has answered

    async def answer_and_judge(runner: Runner) -> GroundingOutcome:
        answers = await answers_of(plan, tools, judge_role(1), progress)
        progress.begin()
        outcome = await run_grounding(plan, answers, panel, runner)
        return outcome._replace(usage=(*answers.usage, *progress.usage()))

    with RunProgressDisplay(len(plan.rows) * len(plan.models), settings.batch, quiet=quiet) as progress:
        outcome = run_stored(tools, settings, progress, answer_and_judge, fresh=fresh)
    done = f"Run {outcome.many.run}: {plurals.many(outcome.many.done, 'answer')} judged"
    log_usage(done, outcome.usage, settings, quiet=quiet)
    exit_while_waiting(settings, tools)
    return outcome
