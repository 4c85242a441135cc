"""The outcome of FactBench → values for JSON, and files of such values → one outcome, to be summarised again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from factscope.benchmarks.comparisons import MergedResults, ResultPart
from factscope.benchmarks.factbench.factbench_run import FactBenchOutcome
from factscope.benchmarks.factbench.labellers import Backbones
from factscope.benchmarks.factbench.tiers import FactBenchSettings, Labels, ResponseEntry, TierTable, leaderboard
from factscope.core.model_family import family
from factscope.core.version import __version__, made_at

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
        "responses": [_entry(entry) for entry in outcome.entries],
    }


def _entry(entry: ResponseEntry) -> dict[str, Any]:
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
