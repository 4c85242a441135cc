"""`factscope bench factbench`: how much of what models state is supported, prompt by prompt and tier by tier."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from factscope.benchmarks.datasets.labelled_rows import UNUSABLE
from factscope.benchmarks.examples import BenchmarkPlan
from factscope.benchmarks.factbench.factbench_dataset import read_alpha_labels, read_answers, read_prompts
from factscope.benchmarks.factbench.factbench_document import document, figure_lines
from factscope.benchmarks.factbench.factbench_run import FactBenchOutcome, as_json, run_factbench
from factscope.benchmarks.factbench.labellers import ARBITER, role, with_labellers
from factscope.benchmarks.factbench.refusals import ROLE as REFUSAL_ROLE
from factscope.benchmarks.factbench.refusals import STEP as REFUSAL_STEP
from factscope.benchmarks.factbench.refusals import RefusalTypes, type_by_model, type_by_rule
from factscope.benchmarks.factbench.tiers import FactBenchSettings as Figures
from factscope.benchmarks.factbench.tiers import Labels, leaderboard
from factscope.benchmarks.figure_lines import result_of
from factscope.benchmarks.generate import ANSWER, Answers, due_answers
from factscope.cli.bench_options import (
    BenchOptions,
    CandidateOptions,
    Fresh,
    SampledOptions,
    answers_of,
    counting,
    exit_code,
    put_answers_forecast,
    tell_missing,
)
from factscope.cli.call_options import LookupOptions, with_groups
from factscope.cli.calling import exit_while_waiting, load, log_usage, run_stored
from factscope.cli.forecast import at_hand
from factscope.cli.options import MethodName
from factscope.cli.output import refuse_to_overwrite_inputs, warn
from factscope.cli.progress import ProgressDisplay, RunProgressDisplay
from factscope.core import UsageError, plurals
from factscope.engine import Tools, provenance
from factscope.engine.estimate import REFERENCE, CountRange, StepEstimate
from factscope.engine.find_method import find_method
from factscope.engine.open_tools import open_tools
from factscope.engine.run import Runner
from factscope.engine.settings import Settings
from factscope.llm.cost import estimate_tokens
from factscope.llm.prompts import NOTICE
from factscope.llm.session import ModelSession, read_prompt
from factscope.methods import Method

METHOD = "verify"
_TYPED_TOKENS = (30, 80)
"""Length of a reply on whether a response refuses."""


class FactBenchOptions(LookupOptions, BenchOptions):
    """Options of a benchmark whose answers are checked by a method."""

    data: Annotated[list[str] | None, typer.Option(metavar="[TIER=]FILE|RELEASE|DATASET")] = None
    """The prompts: JSONL, CSV or Parquet with prompt, tier, id; the folder of a release; or a data set of the hub, such
    as launch/FactBench. Repeat for more."""
    judge: Annotated[list[str] | None, typer.Option(metavar="[ROLE=]PROVIDER/MODEL")] = None
    """A model of the method, for all its roles or for one: extract=…, judge=…; refusal=… classifies refusals."""
    method: MethodName = METHOD
    labeller: Annotated[list[str] | None, typer.Option(metavar="PROVIDER/MODEL")] = None
    """A model that labels units in place of the method's judge: at least two."""
    arbiter: Annotated[str | None, typer.Option(metavar="PROVIDER/MODEL")] = None
    """A model that is asked where labellers disagree."""
    alpha: Annotated[float, typer.Option(min=0, max=1)] = 0.5
    """Weight of an undecided unit relative to a contradicted one."""
    alpha_labels: Annotated[Path | None, typer.Option(metavar="FILE")] = None
    """Undecided units that people labelled: rows of model, tier or id, factual (true, false)."""
    overall: bool = False
    """Add a table of all tiers together; the paper has none."""
    fresh: Fresh = False


@with_groups
def factbench(options: FactBenchOptions) -> None:
    """FactBench: how much of what models state is supported by evidence, in tiers of prompts.

    Example: factscope bench factbench --data launch/FactBench --model openai/gpt-4.1-mini --model ollama/qwen3 --judge
    openai/gpt-4.1 --search serper -o factbench.json. The same command resumes after any stop.
    """
    labellers = [f"{role(number)}={model}" for number, model in enumerate(options.labeller or [], 1)]
    arbiters = [f"{ARBITER}={options.arbiter}"] if options.arbiter else []
    settings = load(options.settings(method=None, model=[*(options.judge or []), *labellers, *arbiters]))
    refuse_to_overwrite_inputs(options.output, settings=settings)
    checked_method = _method(options.method or METHOD, len(labellers), options.arbiter)
    plan = _plan(options.data or [], options, settings)
    labels, n_unusable = _labels(options.alpha_labels, plan) if options.alpha_labels else ((), 0)
    settings = _with_answers(plan, settings)
    if options.dry_run:
        tools = open_tools(settings=settings)
        typing = partial(_typing_step, plan, tools)
        put_answers_forecast(plan, ANSWER, checked_method, tools, settings, options, typing)
        return
    least = checked_method.least_coverage
    figures = Figures(alpha=options.alpha, overall=options.overall, least_coverage=least, **options.sampling)
    outcome = _run(plan, checked_method, settings, fresh=options.fresh, quiet=options.quiet)
    _put_result(outcome, figures, labels, options)
    n_missing = sum(entry.state == "missing" for entry in outcome.entries)
    code = exit_code(outcome.many, n_missing + outcome.n_untyped, plan, settings)
    raise typer.Exit(code or (1 if n_unusable else 0))


def _method(name: str, n_labellers: int, arbiter: str | None) -> Method:
    """Return the method, with labellers in place of its judge. Raises UsageError."""
    found_method = find_method(name)
    if arbiter and not n_labellers:
        raise UsageError("An arbiter needs labellers that may disagree.", "Name two at least with --labeller.")
    return with_labellers(found_method, n_labellers, arbiter=arbiter is not None) if n_labellers else found_method


def _typing_step(plan: BenchmarkPlan, tools: Tools, answers: Answers) -> tuple[StepEstimate, ...]:
    """Return the calls that classify refusals; none where a rule does."""
    models = tools.models
    if models is None or not models.has(REFUSAL_ROLE):
        return ()
    n_due = len(list(due_answers(plan, answers.texts)))
    typing = at_hand(tools, lambda: type_by_model(plan.rows, answers.texts, ModelSession(models)))
    if not (n := len(typing.missing) + n_due):
        return ()
    fixed = estimate_tokens(read_prompt(REFUSAL_STEP.prompt).body) + estimate_tokens(NOTICE)
    sent = sum(fixed + estimate_tokens(answers.texts[key]) for key in typing.missing)
    sent += n_due * (fixed + REFERENCE.tokens)
    low, high = _TYPED_TOKENS
    received = CountRange(n * low, n * high)
    return (StepEstimate("refusal", REFUSAL_ROLE, CountRange(n, n), CountRange(sent, sent), received),)


def _plan(data: list[str], candidates: CandidateOptions, settings: Settings) -> BenchmarkPlan:
    """Read the prompts and answers, and report oddities. Raises UsageError, InputError."""
    if not data:
        raise UsageError("No prompts are named.", "Name them: --data prompts.jsonl, or launch/FactBench.")
    if not candidates.model and not candidates.answers:
        raise UsageError("There is nothing to measure.", "Name models with --model, or give their --answers.")
    return candidates.plan(read_prompts(data, cache=settings.cache), read_answers)


def _labels(path: Path, plan: BenchmarkPlan) -> tuple[tuple[Labels, ...], int]:
    """Read undecided units that people labelled, and report oddities; return them, and the number of unusable rows.

    Raises UsageError, InputError.
    """
    labels, odd = read_alpha_labels(path, plan.examples.rows)
    warn(odd.lines())
    return labels, odd.count(UNUSABLE)


def _with_answers(plan: BenchmarkPlan, settings: Settings) -> Settings:
    """Return the settings with a candidate as the model, so that models are opened even if no other is named."""
    if not plan.asked or ANSWER in settings.model:
        return settings
    return settings.model_copy(update={"model": {**settings.model, ANSWER: plan.asked[0]}})


def _run(plan: BenchmarkPlan, method: Method, settings: Settings, *, fresh: bool, quiet: bool) -> FactBenchOutcome:
    """Have the models answer, type refusals, and check the answers."""
    with RunProgressDisplay(len(plan.rows) * len(plan.models), settings.batch, quiet=quiet) as progress:
        tools = open_tools(settings=settings, on_progress=progress.reading)
        try:  # errors in the method's models are reported before anybody has answered
            provenance(method, tools)
        except UsageError as error:  # here --model names the candidates
            raise UsageError(error.message, error.hint.replace("--model ", "--judge ")) from None

        async def answer_and_check(runner: Runner) -> FactBenchOutcome:
            answers = await answers_of(plan, tools, ANSWER, progress)
            typing = await _typing(plan, answers, tools, progress)
            progress.begin()
            outcome = await run_factbench(plan, answers, typing, method, runner)
            return outcome._replace(usage=(*answers.usage, *typing.usage, *progress.usage()))

        outcome = run_stored(tools, settings, progress, answer_and_check, fresh=fresh)
    done = f"Run {outcome.many.run}: {plurals.many(outcome.many.done, 'answer')} checked"
    log_usage(done, outcome.usage, settings, quiet=quiet)
    exit_while_waiting(settings, tools)
    return outcome


async def _typing(plan: BenchmarkPlan, answers: Answers, tools: Tools, display: ProgressDisplay) -> RefusalTypes:
    if tools.models is None or not tools.models.has(REFUSAL_ROLE):
        return type_by_rule(answers.texts)
    show = counting(display, "Typing refusals", "responses looked at for refusals")
    types = await type_by_model(plan.rows, answers.texts, ModelSession(tools.models), show)
    tell_missing(types.missing, "response could not be classified", "responses could not be classified")
    return types


def _put_result(
    outcome: FactBenchOutcome, figures: Figures, labels: tuple[Labels, ...], result: SampledOptions
) -> None:
    """Write the result; with JSON in a file, the tables are shown too."""
    entries, models, tiers = outcome.entries, outcome.plan.models, outcome.tiers
    summary = leaderboard(entries, models, tiers, figures, labels)
    backbones = outcome.ballots.summary(entries, models, tiers, figures) if outcome.ballots else None
    values = partial(as_json, outcome=outcome, settings=figures, labels=labels, backbones=backbones)
    shown = partial(document, outcome=outcome, backbones=backbones)
    result.put(result_of("FactBench", summary, shown, figure_lines, values))
