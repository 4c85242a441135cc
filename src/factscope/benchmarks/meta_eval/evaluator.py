"""Any evaluator given as a function that labels the units, without a method, a model or a run of Factscope."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from factscope.benchmarks.meta_eval.evaluate import CheckerSide
from factscope.benchmarks.meta_eval.predictions import CheckerPrediction
from factscope.core import Level, Sample, plurals
from factscope.report.wording import excerpt

Evaluator = Callable[[str | None, Sequence[str]], Sequence[bool | float | None]]
"""Takes a response's prompt and its units in order; returns for each whether it is wrong, or the probability of that, 0
to 1; None for no answer."""
_LONGEST = 200  # characters of an exception's message
_EVEN = 0.5  # from this probability on a unit is flagged


def ask(name: str, evaluator: Evaluator, samples: Sequence[Sample], level: Level) -> CheckerSide:
    """Evaluate a function on the units of a level, one call for each sample; for responses the only unit is the text.

    If the function raises an exception, or the answer has another length than the units, or other values, the sample's
    units stay unanswered, which a note names. Raises the function's exception if it raises one for every sample.
    """
    predictions_by_id: dict[str, list[CheckerPrediction]] = {}
    odd: list[str] = []
    raised: dict[str, tuple[Exception, list[str]]] = {}
    for sample in samples:
        text = sample.response or ""
        golds = sample.of(level)
        if not text.strip() or not (golds or level == "response"):
            continue
        units = [gold.text or (gold.span.of(text) if gold.span else text) for gold in golds] or [text]
        try:
            returned: object = evaluator(sample.prompt, units)
            answers = list(map(_plain, returned)) if isinstance(returned, Iterable) else []
        except Exception as error:  # noqa: BLE001 - a time-out of one call must not lose the answers of all others
            raised.setdefault(type(error).__name__, (error, []))[1].append(sample.id)
            continue
        if len(answers) != len(units) or not all(_fits(answer) for answer in answers):
            odd.append(sample.id)
            continue
        predictions_by_id[sample.id] = [
            _prediction(answer, gold.id if gold else None)
            for answer, gold in zip(answers, golds or (None,), strict=True)
        ]
    if raised and not predictions_by_id and not odd:
        raise next(iter(raised.values()))[0]  # a mistake in the function itself
    notes = [plurals.with_samples("answers without a bool, None or a probability for each unit", odd)] if odd else []
    notes += [_failure_note(kind, *failed) for kind, failed in raised.items()]
    return CheckerSide(name=name, predictions=predictions_by_id, title="a function", notes=tuple(notes))


def _failure_note(kind: str, first: Exception, samples: Sequence[str]) -> str:
    """Return text such as `calls that raised TimeoutError (2: a, c), the first: no reply in 30 s`."""
    note = plurals.with_samples(f"calls that raised {kind}", samples)
    message = excerpt(str(first), _LONGEST)
    return f"{note}{', the first' if len(samples) > 1 else ''}: {message}" if message else note


def _plain(answer: Any) -> Any:
    """Convert a value of an array or a tensor to a Python value."""
    return answer.item() if hasattr(answer, "item") else answer


def _fits(answer: object) -> bool:
    return answer is None or (isinstance(answer, bool | int | float) and 0 <= answer <= 1)  # nor is NaN


def _prediction(answer: bool | float | None, gold: str | None) -> CheckerPrediction:
    if answer is None or isinstance(answer, bool):
        return CheckerPrediction(answer, gold=gold)
    return CheckerPrediction(answer >= _EVEN, p_wrong=float(answer), tendency=float(answer), gold=gold)
