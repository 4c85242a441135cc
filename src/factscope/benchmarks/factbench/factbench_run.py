"""FactBench end to end: models answer, their answers are checked, and each becomes counts of units.

Answers, replies and records are kept in the cache and the store. The same call therefore resumes after any stop, and a
model added later costs only its own calls. Refusals are classified separately and do not affect the check.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from factscope.benchmarks.examples import BenchmarkPlan, Example
from factscope.benchmarks.factbench.labellers import Ballots
from factscope.benchmarks.factbench.refusals import RefusalType, RefusalTypes
from factscope.benchmarks.factbench.tiers import ResponseEntry
from factscope.benchmarks.factbench.units import UnitCounts, distinct_units
from factscope.benchmarks.generate import Answers, given_responses, response_id
from factscope.core.model_family import related
from factscope.core.records import Usage
from factscope.engine import Provenance, provenance
from factscope.engine.run import ReadReport, Runner, RunProgress, run_many
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
