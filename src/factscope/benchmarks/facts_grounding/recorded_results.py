"""Recorded results of FACTS Grounding → the same arrays, to summarise them again or compare them.

Files can be combined when the same judges judged answers to the same examples, so that a team can compare its own model
with the figures of others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from factscope.benchmarks.comparisons import ResultPart, merge_results
from factscope.benchmarks.examples import BenchmarkPlan, Example, Examples, GivenAnswers
from factscope.benchmarks.facts_grounding.grounding_panel import GroundingPanel
from factscope.benchmarks.facts_grounding.grounding_run import GroundingOutcome, SentenceCounts
from factscope.benchmarks.facts_grounding.verdict_arrays import Floats, VerdictArrays
from factscope.core.errors import InputError
from factscope.core.records import Response
from factscope.engine.run import RunProgress
from factscope.methods import Method

_HOW_TO_MAKE = "Make one: factscope bench facts-grounding … -o FILE.json"


class _Judge(ResultPart):
    name: str
    model: str
    template: str


class _Examples(ResultPart):
    sha256: str
    splits: tuple[str, ...]


class _Verdict(ResultPart):
    id: str
    split: str
    model: str
    accurate: tuple[bool | None, ...]
    ineligible: tuple[bool | None, ...] | None
    refused: bool = False
    empty: bool = False
    unanswered: bool | None = None
    """Whether the answer is missing; None in older files, which give only the total."""


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
    verdicts: tuple[_Verdict, ...] = Field(min_length=1)
    tags: Mapping[str, Mapping[str, str]] = {}


def read_results(paths: Sequence[Path]) -> GroundingOutcome:
    """Read results of `bench facts-grounding` as one; raises the errors of `read_with_files`."""
    return read_with_files(paths)[0]


def read_with_files(paths: Sequence[Path]) -> tuple[GroundingOutcome, dict[str, GroundingFile]]:
    """Read results as one, of whose examples only names, splits and notes are known, and the file of each model.

    Raises UsageError for a file that is not there, and InputError for one that is not such a result, or whose judges,
    method or examples are not those of the first.
    """
    merged = merge_results(
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


def _outcome(plan: BenchmarkPlan, used: Sequence[tuple[GroundingFile, Sequence[_Verdict]]]) -> GroundingOutcome:
    results = [result for result, _ in used]
    first = results[0]
    models, templates = zip(*((judge.model, judge.template) for judge in first.judges), strict=True)
    verdicts, refused, unanswered = _arrays(plan, [entry for _, entries in used for entry in entries], first)
    sentences = {
        field.name: sum(getattr(result.counts.sentences, field.name) for result in results)
        for field in fields(SentenceCounts)
    }
    return GroundingOutcome(
        plan,
        GroundingPanel(models, templates, first.method),
        verdicts,
        refused,
        RunProgress("+".join(dict.fromkeys(result.run for result in results))),
        unanswered,
        sum(_missing_answers(result, entries) for result, entries in used),
        0 if verdicts.empty is None else int(verdicts.empty.sum()),
        (),
        SentenceCounts(**sentences),
        created=max((result.made for result in results if result.made), default=None),
    )


def _missing_answers(result: GroundingFile, used: Sequence[_Verdict]) -> int:
    """Count the missing answers among the entries used of a file.

    An older file states only its total. Where that covers models that are left out, an entry without any verdict counts
    as a missing answer, though all its calls may have failed.
    """
    if len(used) == len(result.verdicts) and any(entry.unanswered is None for entry in used):
        return result.counts.missing_answers
    return sum(_no_verdict(entry) if entry.unanswered is None else entry.unanswered for entry in used)


def _no_verdict(entry: _Verdict) -> bool:
    verdicts = (*entry.accurate, *(entry.ineligible or ()))
    return not entry.empty and all(verdict is None for verdict in verdicts)


def _arrays(
    plan: BenchmarkPlan, entries: Sequence[_Verdict], first: GroundingFile
) -> tuple[VerdictArrays, NDArray[np.bool_], Floats]:
    """Put each verdict in its cell; return the verdicts, the refusals, and the missing answers.

    Raises InputError for an unknown split or a missing judge.
    """
    splits, n_judges = plan.examples.splits, len(first.judges)
    row_of = {row.id: index for index, row in enumerate(plan.rows)}
    column_of = {model: index for index, model in enumerate(plan.models)}
    shape = (len(row_of), len(column_of))
    accurate, ineligible = np.full((*shape, n_judges), np.nan), np.full((*shape, n_judges), np.nan)
    refused, empty = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
    unanswered = np.full(shape, np.nan)
    for entry in entries:
        if entry.split not in splits:
            raise InputError(f"{entry.id} is of the split {entry.split!r}, which its file does not name.")
        unfit = entry.ineligible or (None,) * n_judges
        if len(entry.accurate) != n_judges or len(unfit) != n_judges:
            raise InputError(f"The verdicts on {entry.id} of {entry.model} are not {n_judges}, one for each judge.")
        cell = row_of[entry.id], column_of[entry.model]
        accurate[cell] = np.array(entry.accurate, dtype=np.float64)  # None becomes NaN
        ineligible[cell] = np.array(unfit, dtype=np.float64)
        refused[cell], empty[cell] = entry.refused, entry.empty
        unanswered[cell] = np.nan if entry.unanswered is None else entry.unanswered
    verdicts = VerdictArrays(
        models=plan.models,
        judges=tuple(judge.name for judge in first.judges),
        splits=splits,
        split=np.array([splits.index(row.split) for row in plan.rows], dtype=np.int64),
        accurate=accurate,
        ineligible=ineligible if any(entry.ineligible is not None for entry in entries) else None,
        least_coverage=first.method.least_coverage,
        empty=empty,
    )
    return verdicts, refused, unanswered
