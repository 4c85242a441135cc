"""Results of FACTS Grounding that were written down → the same arrays, to add them up again or side by side.

Files go together when the same judges judged answers to the same examples: a team that measures its own model can
compare it with the figures of others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from factscope.benchmarks.comparisons import ResultPart, must_be_comparable, read_result
from factscope.benchmarks.examples import Example, Examples
from factscope.benchmarks.facts_grounding.grounding_run import GroundingJudges, GroundingOutcome, SentenceCounts
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


class MergedGrounding(NamedTuple):
    """Some results as one."""

    examples: Examples
    """Their names and splits, without what was asked."""
    judges: GroundingJudges
    method: Method
    outcome: GroundingOutcome
    notes: tuple[str, ...]
    """Notes on results that were left out."""
    created: str | None
    """When the latest of them was made; `None` when none says it."""


def read_results(paths: Sequence[Path]) -> MergedGrounding:
    """Results of `bench facts-grounding` as one.

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
    models: dict[str, Path] = {}
    notes = []
    entries: list[_Verdict] = []
    for path, result in results:
        own_words = dict.fromkeys(entry.model for entry in result.verdicts)
        notes += [
            f"{model} is in {models[model]} already: left out of {path}" for model in own_words if model in models
        ]
        fresh = {model for model in own_words if model not in models}
        models |= {model: path for model in own_words if model in fresh}
        entries += [entry for entry in result.verdicts if entry.model in fresh]
    names = tuple(judge.name for judge in first.judges)
    judges = GroundingJudges(
        tuple(judge.model for judge in first.judges), tuple(judge.template for judge in first.judges)
    )
    splits = dict(dict.fromkeys((entry.id, entry.split) for entry in entries))
    tags = {name: known for _, result in reversed(results) for name, known in result.tags.items()}
    rows = tuple(Example(name, split, Response(id=name, text=""), tags.get(name, {})) for name, split in splits)
    examples = Examples(rows, first.examples.splits, (), first.examples.sha256)
    created = max((result.made for _, result in results if result.made), default=None)
    outcome = _outcome(entries, examples, tuple(models), names, [result for _, result in results])
    return MergedGrounding(examples, judges, first.method, outcome, tuple(notes), created)


def _outcome(
    entries: Sequence[_Verdict],
    examples: Examples,
    models: tuple[str, ...],
    names: tuple[str, ...],
    results: Sequence[_GroundingFile],
) -> GroundingOutcome:
    at = {row.id: index for index, row in enumerate(examples.rows)}
    column = {model: index for index, model in enumerate(models)}
    shape = (len(at), len(models), len(names))
    accurate, ineligible = np.full(shape, np.nan), np.full(shape, np.nan)
    refused = np.zeros(shape[:2], dtype=bool)
    for entry in entries:
        cell = at[entry.id], column[entry.model]
        if entry.split not in examples.splits:
            raise InputError(f"{entry.id} is of the split {entry.split!r}, which its file does not name.")
        if {len(names)} != {len(entry.accurate), len(entry.ineligible or names)}:
            raise InputError(f"The verdicts on {entry.id} of {entry.model} are not {len(names)}, one for each judge.")
        accurate[cell] = [np.nan if item is None else item for item in entry.accurate]
        ineligible[cell] = [np.nan if item is None else item for item in entry.ineligible or ()] or np.nan
        refused[cell] = entry.refused
    phase_b = any(entry.ineligible is not None for entry in entries)
    split = np.array([examples.splits.index(row.split) for row in examples.rows], dtype=np.int64)
    counts = [result.counts for result in results]
    return GroundingOutcome(
        VerdictArrays(
            models,
            names,
            examples.splits,
            split,
            accurate,
            ineligible if phase_b else None,
            results[0].method.least_coverage,
        ),
        refused,
        RunProgress("+".join(dict.fromkeys(result.run for result in results))),
        sum(count.missing_answers for count in counts),
        sum(count.empty_answers for count in counts),
        (),
        SentenceCounts(
            **{name: sum(getattr(count.sentences, name) for count in counts) for name in _Sentences.model_fields}
        ),
    )
