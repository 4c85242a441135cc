"""Benchmarks of language models: models answer, judges judge, and a table shows scores with intervals."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from factscope.benchmarks.answer_files import read_answers
from factscope.benchmarks.examples import BenchmarkPlan, Example, Examples, GivenAnswers, plan_of
from factscope.benchmarks.factbench import factbench_dataset, factbench_document, factbench_run
from factscope.benchmarks.factbench.factbench_run import FactBenchOutcome, run_factbench
from factscope.benchmarks.factbench.refusals import type_by_rule
from factscope.benchmarks.factbench.tiers import FactBenchSettings, leaderboard
from factscope.benchmarks.facts_grounding import grounding_dataset, grounding_document, grounding_result
from factscope.benchmarks.facts_grounding.grounding_run import GroundingOutcome, panel_of, run_grounding
from factscope.benchmarks.figure_lines import FigureLine, to_csv
from factscope.benchmarks.generate import ANSWER, Answers, complete_answers
from factscope.core import UsageError, plurals
from factscope.engine import Tools, provenance
from factscope.engine.find_method import find_method
from factscope.engine.open_tools import open_sources, open_tools
from factscope.engine.run import ReadReport, Runner, RunProgress
from factscope.engine.run_store import Store
from factscope.engine.settings import Settings, load_settings
from factscope.evidence.text_documents import kind_word
from factscope.integrations.python.arguments import (
    Evidence,
    must_be,
    must_be_draws,
    must_be_outside_a_loop,
    must_be_rows,
    read_evidence,
)
from factscope.integrations.python.report import SavedResult
from factscope.integrations.python.runs import open_store
from factscope.methods import Method
from factscope.methods.library.facts_grounding import judge_role
from factscope.report.document import Block, Result, notes

Name = Literal["facts-grounding", "factbench"]
Outcome = TypeVar("Outcome", bound=GroundingOutcome | FactBenchOutcome)
_DATA: dict[str, str] = {"facts-grounding": "google/FACTS-grounding-public", "factbench": "launch/FactBench"}
"""Address of each benchmark's examples, where its owners keep them."""
_FEWEST_JUDGES, _MOST_JUDGES = 2, 9  # one judge does not make a panel; `methods.Panel` takes nine at most
_EXAMPLES = {"models": "provider/model", "judges": "provider/model", "answers": "answers.jsonl"}
_JUDGED_BY = "verify"
"""The method of FactBench's own paper."""


@dataclass(frozen=True)
class BenchmarkResult(SavedResult):
    """Result of a benchmark."""

    name: str
    """Of the benchmark."""
    values: dict[str, Any] = field(repr=False)
    """Scores with intervals, settings, and the outcome of each example, as `factscope bench` writes them in JSON."""
    blocks: tuple[Block, ...] = field(repr=False)
    """Its tables and notes."""
    figures: tuple[FigureLine, ...] = field(default=(), repr=False)
    """Its figures, one a line, for CSV."""
    problems: tuple[str, ...] = ()
    """Reasons for what is missing in it: a limit that ended it, failed calls, the most frequent first."""

    def to_dict(self) -> dict[str, Any]:
        """Give the whole result as plain values."""
        return dict(self.values)

    def _result(self) -> Result:
        texts = {"csv": lambda: to_csv(self.figures)}
        return Result(self.name, self.to_dict, lambda: (*self.blocks, *notes(self.problems)), texts, indent=1)


def benchmark(
    name: Name,
    *,
    models: Sequence[str] = (),
    judges: Sequence[str] = (),
    data: str | Path | Sequence[str | Path] | None = None,
    answers: Sequence[str | Path] = (),
    limit: int | None = None,
    evidence: Evidence | None = None,
    search: str | None = None,
    method: str = _JUDGED_BY,
    max_cost: float | None = None,
    max_calls: int | None = None,
    store: str | Path | None = None,
    resamples: int = 2_000,
    seed: int = 0,
) -> BenchmarkResult:
    """Measure language models by a published benchmark.

        judges = ["openai/gpt-4.1", "anthropic/claude-sonnet-4-5"]
        factscope.benchmark("facts-grounding", models=["ollama/qwen3"], judges=judges, limit=50)

    Args:
        name: `facts-grounding` (Jacovi et al. 2025) or `factbench` (Fatahi Bayat et al. 2024).
        models: Models that answer, as `provider/model`.
        judges: Models that judge: two to nine for FACTS Grounding; FactBench takes the first for all of its roles.
        data: The examples, as files or data sets of a hub. Default: the data set of the benchmark's owners.
        answers: Files of existing answers: rows of id, model and response.
        limit: Maximum number of examples of each split, from the start.
        evidence: For FactBench: files, folders, addresses or texts to search.
        search: For FactBench: a search engine of the web.
        method: For FactBench: the method that checks the answers.
        max_cost: Limit on the cost, in US dollars.
        max_calls: Limit on calls of language models.
        store: A file, or `postgresql://user@host/name`, for the results, to resume from. Default: nothing is stored.
        resamples: Bootstrap resamples for each interval, 2 or more.
        seed: Random seed, 0 or more.

    Raises:
        UsageError: a benchmark, model or judge is not known, nothing is to be measured, or an event loop is running.
        InputError: the examples can't be read.
    """
    must_be_outside_a_loop("benchmark", "await asyncio.to_thread(factscope.benchmark, …)")
    must_be_rows(limit)
    must_be_draws(resamples, seed, fewest=2)
    models, judges, answers = models or (), judges or (), answers or ()
    _must_be_whole(name, models, judges, answers)
    must_be(data, (str, Path, Sequence), "data", '"prompts.jsonl"')
    request = _BenchmarkRequest(
        data=list(map(str, [data] if isinstance(data, str | Path) else data or [_DATA[name]])),
        models=tuple(dict.fromkeys(models)),
        judges=tuple(judges),
        answers=list(map(Path, answers)),
        limit=limit,
        flags={"max_cost": max_cost, "max_calls": max_calls, "search": search},
        store=store,
        sampling={"resamples": resamples, "seed": seed},
    )
    return _facts_grounding(request) if name == "facts-grounding" else _factbench(request, method, evidence)


def _must_be_whole(name: str, models: Sequence[str], judges: Sequence[str], answers: Sequence[str | Path]) -> None:
    """Raise UsageError for a call that lacks an argument, before anything is read."""
    for argument, value in (("models", models), ("judges", judges), ("answers", answers)):
        if isinstance(value, str):
            raise UsageError(f"{argument} is one string.", f"Give a list: {argument}=[{value!r}].")
        example = f'["{_EXAMPLES[argument]}"]'
        must_be(value, Sequence, argument, example)
        for item in value:
            if not isinstance(item, (str, Path) if argument == "answers" else str):
                raise UsageError(f"{argument} names {kind_word(item)}.", f"Such as {argument}={example}.")
    if name not in _DATA:
        raise UsageError(f"Unknown benchmark {name!r}.", f"Choose from: {', '.join(_DATA)}.")
    if not models and not answers:
        raise UsageError(
            "There is nothing to measure.", "Name models=['provider/model'], or give their answers=[FILE]."
        )
    if name == "facts-grounding" and not _FEWEST_JUDGES <= len(judges) <= _MOST_JUDGES:
        raise UsageError(
            f"facts-grounding takes two to nine judges, not {len(judges)}.",
            "One judge's leniency would be the score: judges=['provider/model', 'other/model'].",
        )


@dataclass(frozen=True)
class _BenchmarkRequest:
    data: list[str]
    models: tuple[str, ...]
    judges: tuple[str, ...]
    answers: list[Path]
    limit: int | None
    flags: Mapping[str, object]
    store: str | Path | None
    sampling: Mapping[str, int]

    def tools(
        self, method: Method, roles: Mapping[str, str], evidence: Evidence | None = None
    ) -> tuple[Tools, Settings]:
        """Return the tools of a method whose roles have these models; an error in a model's name is raised now."""
        settings = load_settings({**self.flags, "model": dict(roles) or None})[0]
        pieces = read_evidence(evidence)
        with_evidence = settings.model_copy(update={"evidence": pieces.paths or settings.evidence})
        sources = open_sources(with_evidence, pieces.urls, pieces.documents)
        tools = open_tools(settings=settings.model_copy(update={"evidence": ()}))
        tools = replace(tools, sources={**sources, **tools.sources})
        provenance(method, tools)
        return tools, settings

    def plan(
        self, examples: Examples, read: Callable[[Sequence[Path], Sequence[Example]], GivenAnswers]
    ) -> BenchmarkPlan:
        """Return the plan of a benchmark with these examples."""
        return plan_of(examples, read(self.answers, examples.rows), self.models, self.limit)


def _facts_grounding(request: _BenchmarkRequest) -> BenchmarkResult:
    panel, sampling = panel_of(request.judges), request.sampling
    tools, settings = request.tools(panel.method, panel.roles)
    examples = grounding_dataset.read_examples(request.data, cache=settings.cache)
    plan = request.plan(examples, read_answers)
    outcome, problems = _measured(
        request.store, tools, plan, judge_role(1), lambda answers, runner: run_grounding(plan, answers, panel, runner)
    )
    summary = grounding_result.summary_of(outcome, {}, **sampling)
    values = grounding_result.as_json(summary, outcome, (), **sampling)
    blocks = tuple(grounding_document.document(summary, outcome))
    figures = tuple(grounding_document.figure_lines(summary))
    return BenchmarkResult("facts-grounding", values, blocks, figures, problems)


def _factbench(request: _BenchmarkRequest, method: str, evidence: Evidence | None) -> BenchmarkResult:
    if method == _JUDGED_BY and request.models and not request.judges:
        raise UsageError("No judge is named.", "Name the model that checks the answers: judges=['provider/model'].")
    checking_method = find_method(method)
    roles = {role: models[0] for role, models in (("*", request.judges), (ANSWER, request.models)) if models}
    tools, settings = request.tools(checking_method, roles, evidence)
    prompts = factbench_dataset.read_prompts(request.data, cache=settings.cache)
    plan = request.plan(prompts, factbench_dataset.read_answers)

    def check_answers(answers: Answers, runner: Runner) -> Awaitable[FactBenchOutcome]:
        return run_factbench(plan, answers, type_by_rule(answers.texts), checking_method, runner)

    outcome, problems = _measured(request.store, tools, plan, ANSWER, check_answers)
    scoring = FactBenchSettings(least_coverage=checking_method.least_coverage, **request.sampling)
    summary = leaderboard(outcome.entries, plan.models, outcome.tiers, scoring)
    values = factbench_run.as_json(summary, outcome, scoring)
    blocks = tuple(factbench_document.document(summary, outcome, None))
    return BenchmarkResult("factbench", values, blocks, tuple(factbench_document.figure_lines(summary)), problems)


def _measured(
    target: str | Path | None,
    tools: Tools,
    plan: BenchmarkPlan,
    default_role: str,
    judge: Callable[[Answers, Runner], Awaitable[Outcome]],
) -> tuple[Outcome, tuple[str, ...]]:
    """Let models answer and judges judge; return the outcome, and the reasons for missing answers and verdicts."""
    unanswered: Counter[str] = Counter()
    failed: Counter[str] = Counter()

    def count_failures(read: ReadReport, many: RunProgress) -> None:
        failed.update(read().failure_reasons())

    async def answer_and_judge(store: Store) -> Outcome:
        async with tools:
            answers = await complete_answers(plan, tools.models, default_role)
            unanswered.update(answers.missing.values())
            return await judge(answers, Runner(tools, store, count_failures))

    with open_store(target) as run_store:
        outcome = asyncio.run(answer_and_judge(run_store))
    missing = [f"{plurals.many(n, 'answer')} missing: {reason}" for reason, n in unanswered.most_common()]
    unchecked = [f"{plurals.many(n, 'response')} with failures: {reason}" for reason, n in failed.most_common()]
    stopped = [outcome.many.stopped] if outcome.many.stopped else []
    return outcome, (*stopped, *missing, *unchecked)
