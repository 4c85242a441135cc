"""Recorded results of FACTS Grounding → the same arrays, to summarise them again or compare them.

Files can be combined when the same judges judged answers to the same examples, so that a team can compare its own model
with the figures of others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from factscope.benchmarks.comparisons import ResultPart, by_first_file, must_be_comparable, read_result
from factscope.benchmarks.examples import BenchmarkPlan, Example, Examples, GivenAnswers
from factscope.benchmarks.facts_grounding.grounding_panel import GroundingPanel
from factscope.benchmarks.facts_grounding.grounding_run import GroundingOutcome, SentenceCounts
from factscope.benchmarks.facts_grounding.scores import VerdictArrays
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


class _Sentences(ResultPart):
    n: int = 0
    unaligned: int = 0
    quote_not_found: int = 0
    quote_missing: int = 0
    downgraded: int = 0
    in_pieces: int = 0
    sparse: int = 0


class _Counts(ResultPart):
    missing_answers: int = 0
    empty_answers: int = 0
    sentences: _Sentences = _Sentences()


class _GroundingFile(ResultPart):
    benchmark: Literal["facts-grounding"]
    made: str | None = None
    run: str = ""
    examples: _Examples
    judges: tuple[_Judge, ...]
    method: Method
    counts: _Counts = _Counts()
    verdicts: tuple[_Verdict, ...]
    tags: Mapping[str, Mapping[str, str]] = {}


def read_results(paths: Sequence[Path]) -> GroundingOutcome:
    """Read results of `bench facts-grounding` as one; of its examples only names, splits and notes are known.

    Raises UsageError for a file that is not there, and InputError for one that is not such a result, or whose judges,
    method or examples are not those of the first.
    """
    results = [(path, read_result(path, _GroundingFile, "this benchmark", _HOW_TO_MAKE)) for path in paths]
    _, first = results[0]
    facts = [
        (path, {"judges": result.judges, "examples": result.examples, "method": result.method})
        for path, result in results
    ]
    must_be_comparable(facts)
    models, notes = by_first_file(results, lambda result: (entry.model for entry in result.verdicts))
    entries = [entry for _, result in results for entry in result.verdicts if models[entry.model] is result]
    splits = dict(dict.fromkeys((entry.id, entry.split) for entry in entries))
    tags = {name: known for _, result in reversed(results) for name, known in result.tags.items()}
    rows = tuple(Example(name, split, Response(id=name, text=""), tags.get(name, {})) for name, split in splits)
    examples = Examples(rows, first.examples.splits, tuple(notes), first.examples.sha256)
    plan = BenchmarkPlan(examples, rows, GivenAnswers({}, tuple(models), ()))
    return _outcome(plan, entries, [result for _, result in results])


def _outcome(plan: BenchmarkPlan, entries: Sequence[_Verdict], results: Sequence[_GroundingFile]) -> GroundingOutcome:
    first, splits = results[0], plan.examples.splits
    names = tuple(judge.name for judge in first.judges)
    at = {row.id: index for index, row in enumerate(plan.rows)}
    column = {model: index for index, model in enumerate(plan.models)}
    shape = (len(at), len(column), len(names))
    accurate, ineligible = np.full(shape, np.nan), np.full(shape, np.nan)
    refused, empty = np.zeros(shape[:2], dtype=bool), np.zeros(shape[:2], dtype=bool)
    for entry in entries:
        cell = at[entry.id], column[entry.model]
        if entry.split not in splits:
            raise InputError(f"{entry.id} is of the split {entry.split!r}, which its file does not name.")
        if {len(names)} != {len(entry.accurate), len(entry.ineligible or names)}:
            raise InputError(f"The verdicts on {entry.id} of {entry.model} are not {len(names)}, one for each judge.")
        accurate[cell] = [np.nan if item is None else item for item in entry.accurate]
        ineligible[cell] = [np.nan if item is None else item for item in entry.ineligible or ()] or np.nan
        refused[cell], empty[cell] = entry.refused, entry.empty
    unfit = ineligible if any(entry.ineligible is not None for entry in entries) else None
    split = np.array([splits.index(row.split) for row in plan.rows], dtype=np.int64)
    least, counts = first.method.least_coverage, [result.counts for result in results]
    models, templates = zip(*((judge.model, judge.template) for judge in first.judges), strict=True)
    return GroundingOutcome(
        plan,
        GroundingPanel(models, templates, first.method),
        VerdictArrays(plan.models, names, splits, split, accurate, unfit, least, empty),
        refused,
        RunProgress("+".join(dict.fromkeys(result.run for result in results))),
        sum(count.missing_answers for count in counts),
        sum(count.empty_answers for count in counts),
        (),
        SentenceCounts(
            **{name: sum(getattr(count.sentences, name) for count in counts) for name in _Sentences.model_fields}
        ),
        created=max((result.made for result in results if result.made), default=None),
    )
