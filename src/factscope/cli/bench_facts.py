"""`factscope bench facts-grounding`, and `facts-table`: its results added up again or side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from factscope.benchmarks.examples import BenchmarkPlan
from factscope.benchmarks.facts_grounding.grounding_dataset import read_answers, read_examples
from factscope.benchmarks.facts_grounding.grounding_document import document, figure_lines
from factscope.benchmarks.facts_grounding.grounding_panel import GroundingPanel, panel_of
from factscope.benchmarks.facts_grounding.grounding_result import as_json, read_results, summary_of
from factscope.benchmarks.facts_grounding.grounding_run import GroundingOutcome, run_grounding
from factscope.benchmarks.facts_grounding.panel_study import ChangedTemplate, changed_templates
from factscope.benchmarks.figure_lines import result_of
from factscope.cli.bench_options import (
    BenchOptions,
    CandidateOptions,
    Fresh,
    SampledOptions,
    answers_of,
    exit_code,
    put_answers_forecast,
)
from factscope.cli.call_options import OptionGroup, with_groups
from factscope.cli.calling import exit_while_waiting, load, log_usage, run_stored
from factscope.cli.output import refuse_to_overwrite_inputs, warn
from factscope.cli.progress import ProgressDisplay, RunProgressDisplay
from factscope.core import plurals
from factscope.core.errors import UsageError
from factscope.core.json_object import json_object
from factscope.core.user_files import user_bytes
from factscope.engine import provenance
from factscope.engine.open_tools import open_tools
from factscope.engine.run import Runner
from factscope.engine.settings import Settings
from factscope.methods.library.facts_grounding import PANELS, judge_role
from factscope.scoring.detection import Confusion

EXAMPLE = (
    "Example: factscope bench facts-grounding --data examples.csv --model openai/gpt-4.1-mini --model ollama/qwen3"
    " --judge openai/gpt-4.1 --judge anthropic/claude-sonnet-4-5 --judge gemini/gemini-2.5-pro -o table.json. "
    "The same command resumes after any stop."
)
TABLE_EXAMPLE = "Example: factscope bench facts-table published.json mine.json"


ExampleFiles = Annotated[
    list[str] | None,
    typer.Option(metavar="[SPLIT=]FILE|DATASET", help="The examples: CSV, JSONL or a data set. Repeat for more."),
]
Judges = Annotated[
    list[str] | None,
    typer.Option(
        metavar="[TEMPLATE=]PROVIDER/MODEL",
        help="A model that judges, at least two; templates: response, span, implicit, json, json_alt,"
        " json_double_check, simpleqa.",
    ),
]
Templates = Annotated[
    Path | None, typer.Option(metavar="CSV", help="The published evaluation_prompts.csv, in place of our templates.")
]
JudgeErrors = Annotated[
    Path | None,
    typer.Option(metavar="JSON", help='Judges on labelled responses: {"provider/model": {"tp": …, "fp": …, …}}.'),
]


@dataclass(frozen=True)
class JudgeOptions(OptionGroup):
    """Judges of FACTS Grounding, and how they are asked."""

    judge: Judges = None
    prompts: Templates = None
    window: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[MODEL=]TOKENS",
            help="Maximum tokens in a call, for all judges or one of them: longer documents are judged in pieces.",
        ),
    ] = None

    def panel(self, eligibility: str | None, judges: Sequence[str] = ()) -> GroundingPanel:
        """Return the panel of `judges`, else of those that the options name. Raises UsageError."""
        names = judges or self.judge or ()
        return panel_of(names, prompts=self.prompts, eligibility=eligibility, windows=self.window or ())


@with_groups
def facts_grounding(
    data: ExampleFiles = None,
    panel: Annotated[
        str | None, typer.Option(metavar="NAME", help="Published judges in place of --judge: v1 or v2.")
    ] = None,
    eligibility: Annotated[
        Literal["without_context", "with_context", "none"],
        typer.Option(help="Whether phase B sees the documents, or is left out."),
    ] = "without_context",
    judge_errors: JudgeErrors = None,
    fresh: Fresh = False,
    *,
    judges: JudgeOptions,
    options: BenchOptions,
) -> None:
    """FACTS Grounding: how well answers stay with a given document, by several judges in two phases."""
    phase_b = None if eligibility == "none" else eligibility
    grounding_panel = judges.panel(phase_b, _published_judges(panel, judges.judge))
    settings = load(options.settings(model=grounding_panel.roles))
    refuse_to_overwrite_inputs(options.output, [*(options.answers or []), judges.prompts])
    errors = _read_errors(judge_errors) if judge_errors else {}
    plan = _plan(data or [], options, settings)
    if options.dry_run:
        put_answers_forecast(
            plan, judge_role(1), grounding_panel.method, open_tools((), settings=settings), settings, options
        )
        return
    outcome = _run(plan, grounding_panel, settings, fresh=fresh, quiet=options.quiet)
    _put_result(outcome, errors, options)
    raise typer.Exit(exit_code(outcome.many, outcome.n_missing_answers, plan, settings))


def _plan(data: list[str], candidates: CandidateOptions, settings: Settings) -> BenchmarkPlan:
    """Read the examples and answers, and report oddities. Raises UsageError, InputError."""
    if not data:
        raise UsageError("No examples are named.", "Name them: --data examples.csv, or google/FACTS-grounding-public.")
    return candidates.plan(read_examples(data, cache=settings.cache), read_answers)


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
    errors = _read_errors(judge_errors) if judge_errors else {}
    merged = read_results(results)
    templates = changed_templates(merged, [read_results([path]) for path in changed or []])
    warn(merged.plan.examples.notes)
    _put_result(merged, errors, result, templates)


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
    summary = summary_of(outcome, errors, **result.sampling)
    values = partial(as_json, outcome=outcome, changed=changed, resamples=result.resamples, seed=result.seed)
    shown = partial(document, outcome=outcome, changed=changed)
    result.put(result_of("FACTS Grounding", summary, shown, figure_lines, values))


def _published_judges(panel: str | None, judges: list[str] | None) -> Sequence[str]:
    """Return the judges of a published panel, if one is named.

    Raises UsageError for an unknown panel, and when --judge is given too.
    """
    if panel is None:
        return ()
    if panel not in PANELS:
        raise UsageError(f"Unknown panel {panel!r}.", f"Choose from: {', '.join(PANELS)}; or name judges with --judge.")
    if judges:
        raise UsageError("--panel names the judges, and so does --judge.", "Give one of the two.")
    return PANELS[panel]


def _read_errors(path: Path) -> dict[str, Confusion]:
    """Read the confusion matrix of each judge on labelled responses, by model.

    Raises UsageError for a file without these.
    """
    try:
        values = json_object(user_bytes(path))
        values = values.get("judge_errors", values)  # a file of `bench facts-templates` holds them too
        return {
            str(name): Confusion(*(int(counts[key]) for key in Confusion._fields)) for name, counts in values.items()
        }
    except (ValueError, TypeError, KeyError, AttributeError):
        raise UsageError(
            f"{path} has no error counts of judges.",
            'It is JSON: {"provider/model": {"tp": 305, "fp": 28, "fn": 39, "tn": 34}}, accurate responses positive.',
        ) from None


def _run(
    plan: BenchmarkPlan, panel: GroundingPanel, settings: Settings, *, fresh: bool, quiet: bool
) -> GroundingOutcome:
    """Have the models answer and the judges judge."""
    tools = open_tools((), settings=settings)
    provenance(panel.method, tools)  # errors in a judge's settings are reported before any candidate has answered
    progress = RunProgressDisplay(len(plan.rows) * len(plan.models), settings.batch, quiet=quiet)

    async def answer_and_judge(runner: Runner) -> GroundingOutcome:
        with ProgressDisplay(quiet=quiet) as display:
            answers = await answers_of(plan, tools, judge_role(1), display)
        with progress:
            outcome = await run_grounding(plan, answers, panel, runner)
        return outcome._replace(usage=(*answers.usage, *progress.usage()))

    outcome = run_stored(tools, settings, progress, answer_and_judge, fresh=fresh)
    done = f"Run {outcome.many.run}: {plurals.many(outcome.many.done, 'answer')} judged"
    log_usage(done, outcome.usage, settings, quiet=quiet)
    exit_while_waiting(settings, tools)
    return outcome
