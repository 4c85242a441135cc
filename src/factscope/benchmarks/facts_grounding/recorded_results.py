"""Recorded results of FACTS Grounding → the same arrays, to summarise them again or compare them.

Files can be combined when the same judges judged answers to the same examples, so that a team can compare its own model
with the figures of others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from factscope.benchmarks.comparisons import ResultPart, by_first_file, must_be_comparable, must_be_single, read_result
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
    sentences: _Sentences = _Sentences()


class _GroundingFile(ResultPart):
    benchmark: Literal["facts-grounding"]
    made: str | None = None
    run: str = ""
    examples: _Examples
    judges: tuple[_Judge, ...]
    method: Method
    counts: _Counts = _Counts()
    verdicts: tuple[_Verdict, ...] = Field(min_length=1)
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
    for kind, names in (("judge", [judge.name for judge in first.judges]), ("split", first.examples.splits)):
        if not names or len(set(names)) < len(names):
            raise InputError(f"{paths[0]} names no {kind}, or one twice.", _HOW_TO_MAKE)
    for path, result in results:
        must_be_single(path, result.verdicts)
    models, notes = by_first_file(results, lambda result: (entry.model for entry in result.verdicts))
    entries = [entry for _, result in results for entry in result.verdicts if models[entry.model] is result]
    splits = dict(dict.fromkeys((entry.id, entry.split) for entry in entries))
    tags = {name: known for _, result in reversed(results) for name, known in result.tags.items()}
    rows = tuple(Example(name, split, Response(id=name, text=""), tags.get(name, {})) for name, split in splits)
    examples = Examples(rows, first.examples.splits, tuple(notes), first.examples.sha256)
    plan = BenchmarkPlan(examples, rows, GivenAnswers({}, tuple(models), ()))
    used = [result for _, result in results if any(result is first for first in models.values())]
    return _outcome(plan, entries, used)


def _outcome(plan: BenchmarkPlan, entries: Sequence[_Verdict], results: Sequence[_GroundingFile]) -> GroundingOutcome:
    first, counts = results[0], [result.counts for result in results]
    judges = tuple(judge.name for judge in first.judges)
    models, templates = zip(*((judge.model, judge.template) for judge in first.judges), strict=True)
    splits = plan.examples.splits
    cells = _cells(plan, entries, len(judges))
    has_eligibility = any(entry.ineligible is not None for entry in entries)
    verdicts = VerdictArrays(
        models=plan.models,
        judges=judges,
        splits=splits,
        split=np.array([splits.index(row.split) for row in plan.rows], dtype=np.int64),
        accurate=cells.accurate,
        ineligible=cells.ineligible if has_eligibility else None,
        least_coverage=first.method.least_coverage,
        empty=cells.empty,
    )
    sentences = {name: sum(getattr(count.sentences, name) for count in counts) for name in _Sentences.model_fields}
    return GroundingOutcome(
        plan,
        GroundingPanel(models, templates, first.method),
        verdicts,
        cells.refused,
        RunProgress("+".join(dict.fromkeys(result.run for result in results))),
        sum(count.missing_answers for count in counts),
        int(cells.empty.sum()),
        (),
        SentenceCounts(**sentences),
        created=max((result.made for result in results if result.made), default=None),
    )


class _Cells(NamedTuple):
    """Recorded verdicts by example and model, and the first two also by judge; NaN where there is none."""

    accurate: Floats
    ineligible: Floats
    refused: NDArray[np.bool_]
    empty: NDArray[np.bool_]


def _cells(plan: BenchmarkPlan, entries: Sequence[_Verdict], n_judges: int) -> _Cells:
    """Put each verdict in its cell. Raises InputError for an unknown split or a missing judge."""
    row_of = {row.id: index for index, row in enumerate(plan.rows)}
    column_of = {model: index for index, model in enumerate(plan.models)}
    shape = (len(row_of), len(column_of))
    cells = _Cells(
        accurate=np.full((*shape, n_judges), np.nan),
        ineligible=np.full((*shape, n_judges), np.nan),
        refused=np.zeros(shape, dtype=bool),
        empty=np.zeros(shape, dtype=bool),
    )
    for entry in entries:
        if entry.split not in plan.examples.splits:
            raise InputError(f"{entry.id} is of the split {entry.split!r}, which its file does not name.")
        ineligible = entry.ineligible or (None,) * n_judges
        if len(entry.accurate) != n_judges or len(ineligible) != n_judges:
            raise InputError(f"The verdicts on {entry.id} of {entry.model} are not {n_judges}, one for each judge.")
        cell = row_of[entry.id], column_of[entry.model]
        cells.accurate[cell] = [np.nan if item is None else item for item in entry.accurate]
        cells.ineligible[cell] = [np.nan if item is None else item for item in ineligible]
        cells.refused[cell], cells.empty[cell] = entry.refused, entry.empty
    return cells
