"""FactBench end to end: models answer, their answers are checked, and each becomes counts of units in a result file.

Answers, replies and records are kept in the cache and the store. The same call therefore resumes after any stop, and a
model added later costs only its own calls. Refusals are classified separately and do not affect the check. Files of
results are read as one outcome, to be summarised again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from factscope.benchmarks import BenchmarkPlan, Example, MergedResults, ResultPart
from factscope.benchmarks.factbench.labellers import Backbones, Ballots
from factscope.benchmarks.factbench.refusals import RefusalType, RefusalTypes
from factscope.benchmarks.factbench.tiers import FactBenchSettings, Labels, ResponseEntry, TierTable, leaderboard
from factscope.benchmarks.factbench.units import UnitCounts, distinct_units
from factscope.benchmarks.generate import Answers, given_responses, response_id
from factscope.core import Usage, __version__, family, made_at, related
from factscope.engine import Provenance, ReadReport, Runner, RunProgress, provenance, run_many
from factscope.llm.cost import Ledger
from factscope.methods import Method, Panel

TITLE = "factbench"
"""Beginning of the names of its runs in the store."""


class FactBenchOutcome(NamedTuple):
    """All results, and the plan that they belong to."""

    plan: BenchmarkPlan
    provenance: Provenance
    """The method that checked the answers, with its models and evidence."""
    entries: tuple[ResponseEntry, ...]
    """One for each prompt and model."""
    many: RunProgress
    """Progress of the run."""
    typed_by: str
    """The classifier of refusals: a model, or `rule`."""
    n_untyped: int
    """Responses that could not be classified as refusals or not, because the model's call failed."""
    usage: tuple[Usage, ...] = ()
    same_family: Mapping[str, tuple[str, ...]] = {}
    """By model: the models of the method that are the same or of its family, and so may favour it."""
    ballots: Ballots | None = None
    """Labels of each labeller, if there are several."""

    @property
    def tiers(self) -> tuple[str, ...]:
        """The tiers that have entries, in the order of the plan."""
        present = {entry.tier for entry in self.entries}
        return tuple(tier for tier in self.plan.examples.splits if tier in present)


async def run_factbench(
    plan: BenchmarkPlan, answers: Answers, typing: RefusalTypes, method: Method, runner: Runner
) -> FactBenchOutcome:
    """Have the answers to the plan's rows checked. Raises the errors of `run_many`.

    The run in the store covers all examples of the plan with this method, for any model that answers.
    """
    counts_by_id: dict[str, UnitCounts] = {}
    ballots = Ballots(method) if isinstance(method.judge, Panel) else None
    used = Ledger()

    def take_report(read: ReadReport, many: RunProgress) -> None:
        report = read()
        counts_by_id[report.response.id] = distinct_units(report)
        used.include(*report.usage)
        if ballots:
            ballots.take(report)

    many = await run_many(
        given_responses(plan, answers), method, runner, f"{TITLE} {plan.examples.sha256}", take_report
    )
    entries = tuple(
        _entry(row, model, answers, counts_by_id.get(response_id(row, model)), typing.values.get((model, row.id)))
        for row in plan.rows
        for model in plan.models
    )
    origin = provenance(method, runner.tools)
    checkers = dict.fromkeys(checker.partition(" ")[0] for checker in origin.models.values())
    same_family = {
        model: own
        for model in plan.models
        if (own := tuple(checker for checker in checkers if related(model, checker)))
    }
    return FactBenchOutcome(
        plan, origin, entries, many, typing.by, len(typing.missing), used.usage(), same_family, ballots
    )


def _entry(
    row: Example, model: str, answers: Answers, units: UnitCounts | None, typed: RefusalType | None
) -> ResponseEntry:
    about: dict[str, Any] = {"id": row.id, "tier": row.split, "model": model}
    text = answers.texts.get((model, row.id))
    if text == "":
        withheld = (model, row.id) in answers.refused
        return ResponseEntry(**about, state="withheld" if withheld else "no_answer")
    if text is None or units is None:
        return ResponseEntry(**about, state="missing")
    about |= units.fields() | (typed._asdict() if typed else {})
    return ResponseEntry(**about, state="checked", words=len(text.split()))


_HOW_TO_MAKE = "Make one: factscope bench factbench … -o FILE.json"


class _Prompts(ResultPart):
    sha256: str
    tiers: tuple[str, ...]


class _FactBenchFile(ResultPart):
    benchmark: Literal["factbench"]
    factscope: str = "unknown"
    made: str | None = None
    run: str = ""
    prompts: _Prompts
    method: dict[str, Any]
    models: dict[str, str]
    evidence: str | None = None
    answers_from_file: tuple[str, ...] = ()
    refusals_by: str
    settings: FactBenchSettings = FactBenchSettings()
    alpha_labels: tuple[Labels, ...] = ()
    responses: tuple[ResponseEntry, ...]


class MergedFactBench(MergedResults[_FactBenchFile, ResponseEntry]):
    """Several results as one."""

    def summary(self) -> TierTable:
        """Summarise the entries, with the settings of the first result."""
        first, of_model = self.first, self.by_model
        labels = [row for each in self.results for row in each.alpha_labels if of_model.get(row.model) is each]
        return leaderboard(self.entries, tuple(of_model), first.prompts.tiers, first.settings, labels)


def as_json(
    summary: TierTable,
    outcome: FactBenchOutcome,
    settings: FactBenchSettings,
    labels: Sequence[Labels] = (),
    backbones: Backbones | None = None,
) -> dict[str, Any]:
    """Return the summary with its settings and provenance, and the counts of every response, to recompute it from."""
    plan, provenance, prompts = outcome.plan, outcome.provenance, outcome.plan.examples
    return {
        "benchmark": "factbench",
        "factscope": __version__,
        "made": made_at(),
        "run": outcome.many.run,
        "prompts": {
            "sha256": prompts.sha256,
            "n": len({entry.id for entry in outcome.entries}),
            "tiers": list(prompts.splits),
            "composition": {tier.name: tier.n_prompts for tier in summary.tiers if tier.name in prompts.splits},
        },
        "families": {model: family(model) for model in plan.models},
        "same_family": {model: list(related) for model, related in outcome.same_family.items()},
        "method": provenance.method.model_dump(mode="json"),
        "models": dict(provenance.models),
        "evidence": provenance.searched.id if provenance.searched else None,
        "answers_from_file": list(plan.answers.models),
        "refusals_by": outcome.typed_by,
        "length": "words with white space between them",
        "settings": settings.model_dump(mode="json"),
        "counts": {
            "responses_with_failures": outcome.many.with_failures,
            "untyped_refusals": outcome.n_untyped,
            "stopped": outcome.many.stopped,
        },
        "alpha_labels": [label.model_dump(mode="json") for label in labels],
        "summary": summary.model_dump(mode="json"),
        "labellers": backbones and backbones.model_dump(mode="json"),
        "responses": [_entry_values(entry) for entry in outcome.entries],
    }


def _entry_values(entry: ResponseEntry) -> dict[str, Any]:
    """Return the values of a response, its counts of units also where they are 0."""
    counts = {name: getattr(entry, name) for name in ("supported", "contradicted", "undecided", "failed", "words")}
    return {**entry.model_dump(mode="json", exclude_defaults=True), **counts}


def read_results(paths: Sequence[Path]) -> MergedFactBench:
    """Return results of `bench factbench` as one.

    Raises UsageError for a file that is not there, and InputError for one that is not such a result, or whose prompts,
    method, models or evidence are not those of the first: precision is not comparable between checkers.
    """
    return MergedFactBench.read(
        paths, _FactBenchFile, "FactBench", _HOW_TO_MAKE, _settings_of, lambda result: result.responses
    )


def _settings_of(result: _FactBenchFile) -> dict[str, object]:
    return {
        "prompts": result.prompts.sha256,
        "method": result.method,
        "models of the method": result.models,
        "evidence": result.evidence,
    }
