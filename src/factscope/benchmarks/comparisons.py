"""Result files and comparisons of models, shared by all benchmarks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, Self, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from factscope.core import InputError, Record, first_problem, json_object, user_bytes
from factscope.scoring import Finding, finding, holm, ranked, sign_flip

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class ResultPart(BaseModel):
    """Part of a result file; only these fields are read."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class ModelComparison(Record):
    """A paired test of two models."""

    first: str
    second: str
    p: float | None
    """Corrected for the number of pairs (Holm)."""
    finding: Finding
    """Whether they differ by more than chance."""


Pair = tuple[str, str]
"""The names of two models."""


def tested_pairs(gaps: Mapping[Pair, NDArray[np.float64]], *, resamples: int, seed: int) -> dict[Pair, dict[str, Any]]:
    """Test pairs of models by the signs of their differences, one for each item that both have.

    Return the fields of `ModelComparison` for each pair.
    """
    ps = [sign_flip(gap.tolist(), resamples=resamples, seed=seed) if len(gap) else None for gap in gaps.values()]
    tests = n_tests(ps)
    return {
        (first, second): {"first": first, "second": second, "p": p, "finding": finding(p, len(gap), tests)}
        for ((first, second), gap), p in zip(gaps.items(), holm(ps), strict=True)
    }


def n_tests(ps: Iterable[float | None]) -> int:
    """Return how many tests these are, 1 at least: a pair with nothing in common, whose p is `None`, is not tested."""
    return max(1, sum(p is not None for p in ps))


class ResultEntry(Protocol):
    """The part of a result file on one answer."""

    @property
    def id(self) -> str:
        """The name of the example."""

    @property
    def model(self) -> str:
        """The model that answered."""


M = TypeVar("M", bound=BaseModel)
E = TypeVar("E", bound=ResultEntry)
C = TypeVar("C", bound=ModelComparison)


class Standing(NamedTuple):
    """Rank of a model or a checker."""

    rank: int
    tied: bool
    """Whether another has the same rank."""
    best: int
    """Best possible rank, if all unconfirmed differences were in its favour."""
    worst: int
    """Worst possible rank, likewise."""


def standings(
    scores: Mapping[str, float | None], confirmed: Sequence[tuple[str, str]], ranks: Mapping[str, int] | None = None
) -> dict[str, Standing]:
    """Return ranks, by default by score with the highest first; ties share one.

    `confirmed` are pairs (better, worse) whose difference a test confirms; they limit the range of each rank. A pair
    counts once, and only if both have a rank.
    """
    ranks = ranks or ranked(scores)
    pairs = {(better, worse) for better, worse in confirmed if better in ranks and worse in ranks}
    shared = Counter(ranks.values())
    return {
        name: Standing(
            rank,
            shared[rank] > 1,
            1 + sum(worse == name for _, worse in pairs),
            len(ranks) - sum(better == name for better, _ in pairs),
        )
        for name, rank in ranks.items()
    }


def confirmed(comparisons: Iterable[C], lead: Callable[[C], float | None]) -> list[Pair]:
    """Return the pairs (better, worse) whose difference a test confirms.

    `lead` returns the first model's lead over the second.
    """
    return [
        (pair.first, pair.second) if (lead(pair) or 0) > 0 else (pair.second, pair.first)
        for pair in comparisons
        if pair.finding == "differs"
    ]


def tie_notes(ranking: Iterable[str], comparisons: Iterable[ModelComparison], subject: str) -> Iterator[str]:
    """Yield a note for neighbours of a ranking whose order may be due to chance; `subject` names the ranked things."""
    by_pair = {frozenset((comparison.first, comparison.second)): comparison for comparison in comparisons}
    for first, second in pairwise(ranking):
        comparison = by_pair[frozenset((first, second))]
        if comparison.finding == "no_difference" and comparison.p is not None:
            yield f"{first} and {second} are not told apart beyond chance (p = {comparison.p:.2f})."
        elif comparison.finding == "too_few":
            yield f"There are too few {subject} to tell {first} and {second} apart."


@dataclass(frozen=True)
class MergedResults(Generic[M, E]):
    """Several result files as one."""

    results: tuple[M, ...]
    by_model: dict[str, M]
    """The result that each model is taken from: the first that has it."""
    entries: tuple[E, ...]
    """Their entries on answers."""
    notes: tuple[str, ...]
    """Notes on ignored parts of other results."""

    @property
    def first(self) -> M:
        """The first result, for everything that all have in common."""
        return self.results[0]

    @classmethod
    def read(
        cls,
        paths: Sequence[Path],
        form: type[M],
        subject: str,
        hint: str,
        settings: Callable[[M], Mapping[str, object]],
        entries: Callable[[M], Sequence[E]],
    ) -> Self:
        """Read result files as one.

        Raises UsageError for a file that can't be read, and InputError for one that is not of `form`, has other
        `settings`, such as judges, than the first, or two entries on one answer, either of which would change the
        figures unseen.
        """
        results = [(path, read_result(path, form, subject, hint)) for path in paths]
        first_path, first = results[0]
        expected = settings(first)
        for path, result in results:
            for name, value in settings(result).items():
                if value != expected[name]:
                    raise InputError(
                        f"The {name} of {path} are others than those of {first_path}.", "Compare like with like."
                    )
        by_model: dict[str, tuple[Path, M]] = {}
        notes = []
        for path, result in results:
            answers = Counter((entry.id, entry.model) for entry in entries(result))
            if twice := next((answer for answer, times in answers.items() if times > 1), None):
                raise InputError(f"{path} has two entries on {twice[0]} of {twice[1]}. Keep one of them.")
            for model in dict.fromkeys(model for _, model in answers):
                taken_from, other = by_model.setdefault(model, (path, result))
                if other is not result:
                    notes.append(f"{model} is in {taken_from} already: left out of {path}")
        models = {model: result for model, (_, result) in by_model.items()}
        taken = tuple(entry for _, result in results for entry in entries(result) if models[entry.model] is result)
        return cls(tuple(result for _, result in results), models, taken, tuple(notes))


def read_result(path: Path, form: type[M], subject: str, hint: str) -> M:
    """Read a result file. Raises UsageError when it can't be read, and InputError when it is not of this form."""
    try:
        return form.model_validate(json_object(user_bytes(path)))
    except ValueError as error:  # pydantic's is one too
        reason = ": ".join(first_problem(error)) if isinstance(error, ValidationError) else f"it {error}"
        raise InputError(f"{path} is not a result of {subject}: {reason}.", hint) from None
