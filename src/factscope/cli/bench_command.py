"""`factscope bench`: language models measured by a benchmark."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from factscope.cli.bench_options import (
    CandidateOptions,
    Fresh,
    SampledOptions,
    answers_of,
    exit_code,
    put_answers_forecast,
    put_values,
)
from factscope.cli.call_options import CallOptions, with_groups
from factscope.cli.calling import WAITING, load, log_usage, run_stored, tell_pending
from factscope.cli.output import log, refuse_to_overwrite_inputs
from factscope.cli.progress import ProgressDisplay, RunProgressDisplay
from factscope.core.errors import UsageError

if TYPE_CHECKING:
    from factscope.benchmarks.examples import BenchmarkPlan
    from factscope.benchmarks.facts_grounding import GroundingJudges, GroundingOutcome
    from factscope.benchmarks.facts_grounding.changed_template import ChangedTemplate
    from factscope.benchmarks.facts_grounding.scores import GroundingSummary
    from factscope.engine.run import Runner
    from factscope.engine.settings import Settings
    from factscope.methods import Method
    from factscope.scoring.detection import Confusion

EXAMPLE = (
    "Example: factscope bench facts-grounding --data examples.csv --model openai/gpt-4.1-mini --model ollama/qwen3"
    " --judge openai/gpt-4.1 --judge anthropic/claude-sonnet-4-5 --judge gemini/gemini-2.5-pro -o table.json. "
    "The same command carries on after any stop."
)


class EligibilityChoice(StrEnum):
    """Choice of the input of phase B."""

    WITHOUT_CONTEXT = "without_context"
    WITH_CONTEXT = "with_context"
    NONE = "none"


ExampleFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--data", metavar="[SPLIT=]FILE|DATASET", help="The examples: CSV, JSONL or a data set. Repeat for more."
    ),
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
PhaseB = Annotated[EligibilityChoice, typer.Option(help="Whether phase B sees the documents, or is left out.")]
JudgeErrors = Annotated[
    Path | None,
    typer.Option(metavar="JSON", help='Judges on labelled responses: {"provider/model": {"tp": …, "fp": …, …}}.'),
]
PanelName = Annotated[
    str | None, typer.Option("--panel", metavar="NAME", help="Published judges in place of --judge: v1 or v2.")
]
Windows = Annotated[
    list[str] | None,
    typer.Option(
        "--window",
        metavar="[MODEL=]TOKENS",
        help="Maximum tokens in a call, for all judges or one of them: longer documents are judged in pieces.",
    ),
]


@with_groups
def facts_grounding(
    data: ExampleFiles = None,
    judge: Judges = None,
    panel: PanelName = None,
    prompts: Templates = None,
    eligibility: PhaseB = EligibilityChoice.WITHOUT_CONTEXT,
    judge_errors: JudgeErrors = None,
    window: Windows = None,
    fresh: Fresh = False,
    *,
    candidates: CandidateOptions,
    result: SampledOptions,
    calls: CallOptions,
) -> None:
    """FACTS Grounding: how well answers stay with a given document, by several judges in two phases."""
    from factscope.engine.open_tools import open_tools
    from factscope.methods.library.facts_grounding import judge_role, with_judges

    judges = seats_of(_named_judges(judge or [], panel))
    phase_b = None if eligibility is EligibilityChoice.NONE else eligibility.value
    method = with_judges(
        judges.templates, prompts=prompts, eligibility=phase_b, windows=windows_of(window or [], judges)
    )
    settings = load(calls.settings(model=roles_of(judges), dry_run=candidates.dry_run))
    refuse_to_overwrite_inputs(result.output, [*(candidates.answers or []), *([prompts] if prompts else [])])
    errors = read_errors(judge_errors) if judge_errors else {}
    plan = _plan(data or [], candidates, settings)
    if candidates.dry_run:
        put_answers_forecast(plan, judge_role(1), method, open_tools((), settings=settings), settings, result)
        return
    outcome, waits = _run(plan, judges, method, settings, fresh=fresh, quiet=calls.quiet)
    if waits:
        raise typer.Exit(WAITING)
    put_result(plan, judges, method, outcome, summed(outcome, judges, errors, result.sampling), result)
    raise typer.Exit(exit_code(outcome.many, outcome.n_missing_answers, settings))


def _plan(data: list[str], candidates: CandidateOptions, settings: Settings) -> BenchmarkPlan:
    """Read the examples and answers, and say what was odd about them. Raises UsageError, InputError."""
    from factscope.benchmarks.facts_grounding.grounding_dataset import read_answers, read_examples

    if not data:
        raise UsageError("No examples are named.", "Name them: --data examples.csv, or google/FACTS-grounding-public.")
    plan = candidates.plan(read_examples(data, cache=settings.cache), read_answers)
    for other in (model for model in plan.models if model not in plan.asked):
        if n_missing := sum((other, row.id) not in plan.answers.texts for row in plan.rows):
            log(
                f"{n_missing:,} answers of {other} are missing: it is not asked for them without --model {other}",
                "yellow",
            )
    return plan


def summed(
    outcome: GroundingOutcome, judges: GroundingJudges, errors: dict[str, Confusion], sampling: dict[str, int]
) -> GroundingSummary:
    """The summary, with scores corrected for the judges whose `errors` are known, by their models."""
    from factscope.benchmarks.facts_grounding import summary_of

    errors_by_judge = zip(outcome.verdicts.judges, (errors.get(name) for name in judges.models), strict=True)
    return summary_of(outcome, judges, {name: entry for name, entry in errors_by_judge if entry}, **sampling)


def put_result(
    plan: BenchmarkPlan,
    judges: GroundingJudges,
    method: Method,
    outcome: GroundingOutcome,
    summary: GroundingSummary,
    result: SampledOptions,
    created: str | None = None,
    changed: Sequence[ChangedTemplate] = (),
) -> None:
    """Write the result, created now or at `created`; with JSON in a file, the table is shown too.

    `changed` are the same table with another template of a judge.
    """
    from factscope.benchmarks.facts_grounding import as_json, document

    put_values(
        "FACTS Grounding",
        lambda: as_json(summary, outcome, plan, judges, method, **result.sampling, created=created, changed=changed),
        lambda: document(summary, outcome, judges, changed),
        result,
    )


def _named_judges(judges: list[str], panel: str | None) -> list[str]:
    """The judges of --judge, or of a published panel. Raises UsageError for both, or a panel that there is not."""
    from factscope.methods.library.facts_grounding import PANELS

    if panel is None:
        return judges
    if panel not in PANELS:
        raise UsageError(f"Unknown panel {panel!r}.", f"Choose from: {', '.join(PANELS)}; or name judges with --judge.")
    if judges:
        raise UsageError("--panel names the judges, and so does --judge.", "Give one of the two.")
    return list(PANELS[panel])


def seats_of(judges: list[str]) -> GroundingJudges:
    """Assign a template to each judge: the one named, else the published one of the judge's family."""
    from factscope.benchmarks.facts_grounding import GroundingJudges
    from factscope.methods.library.facts_grounding import TEMPLATES, default_template

    pairs = [judge.partition("=") if judge.partition("=")[0] in TEMPLATES else ("", "", judge) for judge in judges]
    return GroundingJudges(
        tuple(model.strip() for _, _, model in pairs),
        tuple(template or default_template(model) for template, _, model in pairs),
    )


def windows_of(named_windows: list[str], judges: GroundingJudges) -> tuple[int, ...]:
    """Return each judge's context window in tokens, 0 where none is stated. Raises UsageError."""
    sizes: dict[str, int] = {}
    for setting in named_windows:
        model, _, size = setting.rpartition("=")
        if not size.isdecimal() or int(size) < 1 or (model and model not in judges.models):
            raise UsageError(
                f"--window {setting!r} is not a number of tokens, or not of a judge.",
                "Such as 32000 for all judges, or openai/gpt-4.1=128000 for one.",
            )
        sizes[model] = int(size)
    return tuple(sizes.get(model, sizes.get("", 0)) for model in judges.models)


def roles_of(judges: GroundingJudges) -> list[str]:
    """The setting `model` for them: a role for each."""
    from factscope.methods.library.facts_grounding import judge_role

    return [f"{judge_role(number)}={model}" for number, model in enumerate(judges.models, 1)]


def read_errors(path: Path) -> dict[str, Confusion]:
    """Read the confusion matrix of each judge on labelled responses, by model.

    Raises UsageError for a file that does not say that.
    """
    from factscope.scoring.detection import Confusion

    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        values = values.get("judge_errors", values)  # a file of `bench facts-templates` holds them too
        return {
            str(name): Confusion(*(int(counts[key]) for key in Confusion._fields)) for name, counts in values.items()
        }
    except OSError as error:
        raise UsageError(f"{path} can't be read: {(error.strerror or str(error)).lower()}.") from None
    except (ValueError, TypeError, KeyError, AttributeError):
        raise UsageError(
            f"{path} has no error counts of judges.",
            'It is JSON: {"provider/model": {"tp": 305, "fp": 28, "fn": 39, "tn": 34}}, accurate responses positive.',
        ) from None


def _run(
    plan: BenchmarkPlan, judges: GroundingJudges, method: Method, settings: Settings, *, fresh: bool, quiet: bool
) -> tuple[GroundingOutcome, bool]:
    """Have the models answer and the judges judge; whether calls wait in a batch folder."""
    from factscope.benchmarks.facts_grounding import run_grounding
    from factscope.engine import provenance
    from factscope.engine.open_tools import open_tools
    from factscope.methods.library.facts_grounding import judge_role

    tools = open_tools((), settings=settings)
    provenance(method, tools)  # what is wrong with a judge comes out before any candidate has answered
    progress = RunProgressDisplay(len(plan.rows) * len(plan.models), settings.batch, quiet=quiet)

    async def work(runner: Runner) -> GroundingOutcome:
        with ProgressDisplay(quiet=quiet) as display:
            answers = await answers_of(plan, tools, judge_role(1), display)
        with progress:
            outcome = await run_grounding(plan, answers, judges, method, runner)
        return outcome._replace(usage=(*answers.usage, *progress.usage()))

    outcome = run_stored(tools, settings, progress, work, fresh=fresh)
    log_usage(f"Run {outcome.many.run}: {outcome.many.done:,} answers judged", outcome.usage, settings, quiet=quiet)
    return outcome, tell_pending(settings, tools)
