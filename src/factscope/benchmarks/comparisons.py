"""Result files and comparisons of models, shared by all benchmarks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from factscope.core.errors import InputError, UsageError, system_reason
from factscope.core.validation import first_problem
from factscope.scoring.paired_tests import Finding

M = TypeVar("M", bound=BaseModel)


class ResultPart(BaseModel):
    """Part of a result file; only these fields are read."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class ModelComparison(Protocol):
    """A paired test of two models."""

    @property
    def first(self) -> str:
        """The name of one."""

    @property
    def second(self) -> str:
        """The name of the other."""

    @property
    def p(self) -> float | None:
        """The p of their difference, corrected for the number of pairs."""

    @property
    def finding(self) -> Finding:
        """The result of the test."""


class ResultEntry(Protocol):
    """The part of a result file on one answer."""

    @property
    def id(self) -> str:
        """The name of the example."""

    @property
    def model(self) -> str:
        """The model that answered."""


def tie_notes(ranking: Iterable[str], comparisons: Iterable[ModelComparison], subject: str) -> Iterator[str]:
    """Yield a note for neighbours of a ranking whose order may be due to chance; `subject` names the ranked things."""
    by_pair = {frozenset((comparison.first, comparison.second)): comparison for comparison in comparisons}
    for first, second in pairwise(ranking):
        comparison = by_pair[frozenset((first, second))]
        if comparison.finding == "no_difference" and comparison.p is not None:
            yield f"{first} and {second} are not told apart beyond chance (p = {comparison.p:.2f})."
        elif comparison.finding == "too_few":
            yield f"There are too few {subject} to tell {first} and {second} apart."


def read_result(path: Path, form: type[M], subject: str, hint: str) -> M:
    """Read a result file. Raises UsageError when it can't be read, InputError when it is not of `form`."""
    try:
        return form.model_validate(json.loads(path.read_bytes()))
    except OSError as error:
        raise UsageError(f"{path} can't be read: {system_reason(error)}.") from None
    except (ValidationError, ValueError) as error:
        reason = ": ".join(first_problem(error)) if isinstance(error, ValidationError) else "it is not JSON"
        raise InputError(f"{path} is not a result of {subject}: {reason}.", hint) from None


def must_be_single(path: Path, entries: Iterable[ResultEntry]) -> None:
    """Raise InputError if a result file has two entries on one answer: either would change the figures unseen."""
    answers = Counter((entry.id, entry.model) for entry in entries)
    twice = next(((name, model) for (name, model), times in answers.items() if times > 1), None)
    if twice:
        raise InputError(f"{path} has two entries on {twice[0]} of {twice[1]}. Keep one of them.")


def by_first_file(
    results: Sequence[tuple[Path, M]], models_of: Callable[[M], Iterable[str]]
) -> tuple[dict[str, M], list[str]]:
    """Return, for each model, the first result that has it, with notes on ignored parts of other results."""
    by_model: dict[str, tuple[Path, M]] = {}
    notes = []
    for path, result in results:
        for model in dict.fromkeys(models_of(result)):
            first_path, first = by_model.setdefault(model, (path, result))
            if first is not result:
                notes.append(f"{model} is in {first_path} already: left out of {path}")
    return {model: result for model, (_, result) in by_model.items()}, notes


def must_be_comparable(facts: Sequence[tuple[Path, Mapping[str, object]]]) -> None:
    """Raise InputError when a file's settings, such as its judges, differ from those of the first file."""
    first_path, first = facts[0]
    for path, values in facts[1:]:
        for subject, value in values.items():
            if value != first[subject]:
                raise InputError(
                    f"The {subject} of {path} are others than those of {first_path}.", "Compare like with like."
                )
