"""The outcome of FACTS Grounding → values for JSON, and files of such values → one outcome, to be summarised again.

Files can be combined when the same judges judged answers to the same examples, so that a team can compare its own model
with the figures of others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any, Literal

from pydantic import Field
from pydantic_core import to_jsonable_python

from factscope.benchmarks import BenchmarkPlan, Example, Examples, GivenAnswers, MergedResults, ResultPart
from factscope.benchmarks.facts_grounding.breakdowns import by_parts, tags_of
from factscope.benchmarks.facts_grounding.grounding_run import (
    AnswerVerdicts,
    GroundingOutcome,
    GroundingPanel,
    SentenceCounts,
    arrays_of,
)
from factscope.benchmarks.facts_grounding.panel_study import ChangedTemplate, adaptive, without_judges
from factscope.benchmarks.facts_grounding.run_scores import GroundingSummary, summarise
from factscope.core import InputError, Response, __version__, family, made_at
from factscope.engine.run import RunProgress
from factscope.methods import Method
from factscope.scoring import RESAMPLES, Confusion


def summary_of(
    outcome: GroundingOutcome,
    errors: Mapping[str, Confusion] | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> GroundingSummary:
    """Summarise the verdicts, with scores corrected for the judges whose `errors` are known, by their models.

    Families are recognised by the names of models.
    """
    verdicts, judges = outcome.verdicts, outcome.panel.models
    known = errors or {}
    return summarise(
        verdicts,
        judge_models=judges,
        families={name: family(name) for name in (*verdicts.models, *judges)},
        refused=outcome.refused,
        errors={name: known[model] for name, model in zip(verdicts.judges, judges, strict=True) if model in known},
        resamples=resamples,
        seed=seed,
    )


def as_json(
    summary: GroundingSummary,
    outcome: GroundingOutcome,
    changed: Sequence[ChangedTemplate] = (),
    *,
    resamples: int,
    seed: int,
) -> dict[str, Any]:
    """Return the summary with its settings and provenance, and every verdict, so that others can recompute it.

    `changed` are the same table with another template of a judge.
    """
    plan, panel = outcome.plan, outcome.panel
    tags = tags_of(plan.rows, outcome.evidence_at)
    ids = [row.id for row in plan.rows]
    values: dict[str, Any] = {
        "benchmark": "facts-grounding",
        "factscope": __version__,
        "made": outcome.created or made_at(),
        "run": outcome.many.run,
        "examples": {"sha256": plan.examples.sha256, "n": len(plan.rows), "splits": plan.examples.splits},
        "judges": [
            {"name": name, "model": model, "template": template, "family": family(model)}
            for name, (model, template) in zip(summary.judges, panel.judges, strict=True)
        ],
        "families": {model: family(model) for model in summary.models},
        "method": panel.method,
        "settings": {"resamples": resamples, "seed": seed},
        "counts": {
            "missing_answers": outcome.n_missing_answers,
            "empty_answers": outcome.n_empty,
            "responses_with_failures": outcome.many.with_failures,
            "stopped": outcome.many.stopped,
            "sentences": outcome.sentences,
        },
        "summary": summary,
        "panel": {
            "without": without_judges(outcome.verdicts),
            "adaptive": adaptive(outcome.verdicts, resamples=resamples, seed=seed),
            "templates": changed,
        },
        "tags": tags,
        "by": by_parts(outcome.verdicts, ids, tags, resamples=resamples, seed=seed),
        "verdicts": outcome.entries,
    }
    plain: dict[str, Any] = to_jsonable_python(values)
    return plain


_HOW_TO_MAKE = "Make one: factscope bench facts-grounding … -o FILE.json"


class _Judge(ResultPart):
    name: str
    model: str
    template: str


class _Examples(ResultPart):
    sha256: str
    splits: tuple[str, ...]


class _Counts(ResultPart):
    missing_answers: int = 0
    sentences: SentenceCounts = SentenceCounts()


class GroundingFile(ResultPart):
    """A result file of `bench facts-grounding`."""

    benchmark: Literal["facts-grounding"]
    factscope: str = "unknown"
    made: str | None = None
    run: str = ""
    examples: _Examples
    judges: tuple[_Judge, ...]
    method: Method
    counts: _Counts = _Counts()
    verdicts: tuple[AnswerVerdicts, ...] = Field(min_length=1)
    tags: Mapping[str, Mapping[str, str]] = {}


def read_results(paths: Sequence[Path]) -> GroundingOutcome:
    """Read results of `bench facts-grounding` as one; raises the errors of `read_with_files`."""
    return read_with_files(paths)[0]


def read_with_files(paths: Sequence[Path]) -> tuple[GroundingOutcome, dict[str, GroundingFile]]:
    """Read results as one, of whose examples only names, splits and notes are known, and the file of each model.

    Raises UsageError for a file that is not there, and InputError for one that is not such a result, or whose judges,
    method or examples are not those of the first.
    """
    merged = MergedResults.read(
        paths,
        GroundingFile,
        "this benchmark",
        _HOW_TO_MAKE,
        lambda result: {"judges": result.judges, "examples": result.examples, "method": result.method},
        lambda result: result.verdicts,
    )
    first = merged.first
    for kind, names in (("judge", [judge.name for judge in first.judges]), ("split", first.examples.splits)):
        if not names or len(set(names)) < len(names):
            raise InputError(f"{paths[0]} names no {kind}, or one twice.", _HOW_TO_MAKE)
    splits = dict.fromkeys((entry.id, entry.split) for entry in merged.entries)
    tags = {name: known for result in reversed(merged.results) for name, known in result.tags.items()}
    rows = tuple(Example(name, split, Response(id=name, text=""), tags.get(name, {})) for name, split in splits)
    used = [
        (path, result, [entry for entry in result.verdicts if merged.by_model[entry.model] is result])
        for path, result in zip(paths, merged.results, strict=True)
    ]
    in_part = (
        f"the counts of sentences in {path} are of all its models, also those left out"
        for path, result, entries in used
        if 0 < len(entries) < len(result.verdicts) and result.counts.sentences != SentenceCounts()
    )
    examples = Examples(rows, first.examples.splits, (*merged.notes, *in_part), first.examples.sha256)
    plan = BenchmarkPlan(examples, rows, GivenAnswers({}, tuple(merged.by_model), ()))
    return _outcome(plan, [(result, entries) for _, result, entries in used if entries]), merged.by_model


def _outcome(plan: BenchmarkPlan, used: Sequence[tuple[GroundingFile, Sequence[AnswerVerdicts]]]) -> GroundingOutcome:
    results = [result for result, _ in used]
    first = results[0]
    models, templates = zip(*((judge.model, judge.template) for judge in first.judges), strict=True)
    panel = GroundingPanel(models, templates, first.method)
    entries = _on_each_answer(plan, [entry for _, entries in used for entry in entries], len(models))
    sentences = {
        field.name: sum(getattr(result.counts.sentences, field.name) for result in results)
        for field in fields(SentenceCounts)
    }
    return GroundingOutcome(
        plan,
        panel,
        entries,
        arrays_of(plan, panel, entries, tuple(judge.name for judge in first.judges)),
        RunProgress("+".join(dict.fromkeys(result.run for result in results))),
        sum(_missing_answers(result, entries) for result, entries in used),
        (),
        SentenceCounts(**sentences),
        created=max((result.made for result in results if result.made), default=None),
    )


def _missing_answers(result: GroundingFile, used: Sequence[AnswerVerdicts]) -> int:
    """Count the missing answers among the entries used of a file.

    An older file states only its total. Where that covers models that are left out, an entry without any verdict counts
    as a missing answer, though all its calls may have failed.
    """
    if len(used) == len(result.verdicts) and any(entry.unanswered is None for entry in used):
        return result.counts.missing_answers
    return sum(_no_verdict(entry) if entry.unanswered is None else entry.unanswered for entry in used)


def _no_verdict(entry: AnswerVerdicts) -> bool:
    verdicts = (*entry.accurate, *(entry.ineligible or ()))
    return not entry.empty and all(verdict is None for verdict in verdicts)


def _on_each_answer(
    plan: BenchmarkPlan, entries: Sequence[AnswerVerdicts], n_judges: int
) -> tuple[AnswerVerdicts, ...]:
    """Return the verdicts on each answer of a plan, all missing where no file has them.

    Raises InputError for an unknown split or a missing judge.
    """
    none = (None,) * n_judges
    without_b = all(entry.ineligible is None for entry in entries)
    by_answer: dict[tuple[str, str, str], AnswerVerdicts] = {}
    for entry in entries:
        if entry.split not in plan.examples.splits:
            raise InputError(f"{entry.id} is of the split {entry.split!r}, which its file does not name.")
        unfit = entry.ineligible or none
        if len(entry.accurate) != n_judges or len(unfit) != n_judges:
            raise InputError(f"The verdicts on {entry.id} of {entry.model} are not {n_judges}, one for each judge.")
        complete = entry.model_copy(update={"ineligible": None if without_b else unfit})
        by_answer[entry.id, entry.split, entry.model] = complete
    missing = partial(AnswerVerdicts, accurate=none, ineligible=None if without_b else none)
    return tuple(
        by_answer.get((row.id, row.split, model)) or missing(id=row.id, split=row.split, model=model)
        for row in plan.rows
        for model in plan.models
    )
