"""A user-defined evaluator, as a function."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from factscope.benchmarks.datasets import LabelledData
from factscope.benchmarks.meta_eval import EvaluationOptions, ask, compare
from tests.benchmarks.meta_eval.example_samples import TEXT, sample

SAMPLES = (sample("a", [True, False]), sample("b", [False, True]), sample("c", [True]))


def test_the_answers_of_a_function_on_each_segment_are_evaluated() -> None:
    asked: list[list[str]] = []

    def evaluator(prompt: str | None, units: Sequence[str]) -> list[bool | float | None]:
        asked.append(list(units))
        return [0.25, 0.75] if len(units) == 2 else [None]

    side = ask("mine", evaluator, SAMPLES, "segment")
    assert [len(units) for units in asked] == [2, 2, 1]
    figures = (
        compare(LabelledData("d", SAMPLES), [side], EvaluationOptions(resamples=0))
        .checkers[0]
        .levels["segment"]
        .overall
    )
    assert (figures.tp, figures.fp, figures.fn, figures.tn, figures.n) == (1, 1, 1, 1, 5)
    assert figures.values["auroc"] == pytest.approx(0.5)
    assert figures.coverage == pytest.approx(4 / 5)


def test_a_response_is_one_unit() -> None:
    side = ask("mine", lambda prompt, units: [units == [TEXT]], SAMPLES, "response")
    figures = compare(
        LabelledData("d", SAMPLES), [side], EvaluationOptions(levels=("response",), resamples=0)
    ).checkers[0]
    assert figures.levels["response"].overall.values["recall"] == 1


@pytest.mark.parametrize("answer", [[], [True, True, True], [0.2, float("nan")], [2, 0], ["yes", "no"]])
def test_malformed_answers_are_counted_and_leave_units_unanswered(answer: list[object]) -> None:
    side = ask("mine", lambda prompt, units: answer, SAMPLES[:2], "segment")  # type: ignore[arg-type, return-value]
    assert side.predictions == {}
    assert side.notes == ("answers without a bool, None or a probability for each unit (2: a, b)",)


@pytest.mark.parametrize("make", [np.array, list, lambda values: np.array(values, dtype=np.float32)])
def test_arrays_and_their_values_are_answers(make: Callable[[list[object]], Any]) -> None:
    plain = ask("mine", lambda prompt, units: [True] + [False] * (len(units) - 1), SAMPLES, "segment")
    flags = ask("mine", lambda prompt, units: make([np.bool_(not k) for k, _ in enumerate(units)]), SAMPLES, "segment")
    flagged = {name: [one.flagged for one in some] for name, some in flags.predictions.items()}
    assert flags.notes == ()
    assert flagged == {name: [one.flagged for one in some] for name, some in plain.predictions.items()}


def test_a_sample_on_which_a_function_raises_is_unanswered_and_named() -> None:
    def evaluator(prompt: str | None, units: Sequence[str]) -> list[bool]:
        asked.append(len(units))
        if len(asked) > 1:
            raise TimeoutError("no reply\nin 30 s")
        return [True, False]

    asked: list[int] = []
    side = ask("mine", evaluator, SAMPLES, "segment")
    assert (len(asked), list(side.predictions)) == (3, ["a"])
    assert side.notes == ("calls that raised TimeoutError (2: b, c), the first: no reply in 30 s",)
    (figures,) = compare(LabelledData("d", SAMPLES), [side], EvaluationOptions(resamples=0)).checkers
    assert figures.levels["segment"].overall.coverage == pytest.approx(2 / 5)
    assert figures.notes == side.notes


def test_a_generator_that_stops_early_answers_nothing() -> None:
    def evaluator(prompt: str | None, units: Sequence[str]) -> Iterator[bool]:
        yield True
        if len(units) > 1:
            raise KeyError

    side = ask("mine", evaluator, SAMPLES, "segment")  # type: ignore[arg-type]
    assert list(side.predictions) == ["c"]
    assert side.notes == ("calls that raised KeyError (2: a, b)",)


@pytest.mark.parametrize("error", [NameError("units_"), KeyboardInterrupt()])
def test_a_function_that_always_raises_or_an_interrupt_ends_the_evaluation(error: BaseException) -> None:
    asked: list[int] = []

    def evaluator(prompt: str | None, units: Sequence[str]) -> list[bool]:
        asked.append(len(units))
        raise error

    with pytest.raises(type(error)):
        ask("mine", evaluator, SAMPLES, "segment")
    assert len(asked) == (1 if isinstance(error, KeyboardInterrupt) else 3)
