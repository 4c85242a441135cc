"""One setting of a method in several values, with everything else equal, to measure its effect."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from pydantic import ValidationError

from factscope.core import UsageError, first_problem
from factscope.methods import Cascade, Changes, Judge, Method, Queries, VerifierJudge, with_settings


class Variant(NamedTuple):
    """A method to measure: as it is, or with one setting changed."""

    name: str
    """In tables; such as `verify rounds=3`."""
    method: Method
    models: Mapping[str, str] = {}
    """Models for roles, where the sweep is over judges."""


ALPHA = "alpha"


def read_sweep(text: str) -> tuple[str, tuple[str, ...]]:
    """Read `passages=1,3,5` as its setting and values. Raises UsageError."""
    setting, equals, listed = text.partition("=")
    setting = setting.strip()
    values = tuple(dict.fromkeys(value.strip() for value in listed.split(",") if value.strip()))
    known_settings = (*SETTINGS, ALPHA)
    if not equals or setting not in known_settings:
        raise UsageError(
            f"--sweep {text!r} does not name a setting that can be swept.",
            f"Such as passages=1,3,5. Choose from: {', '.join(known_settings)}.",
        )
    if not values or (len(values) < 2 and setting != ALPHA):
        raise UsageError(f"--sweep {text!r} has fewer than two values.", "Use commas, as in passages=1,3,5.")
    return setting, values


def read_alphas(values: tuple[str, ...]) -> tuple[float, ...]:
    """Return values of alpha, 0 to 1. Raises UsageError."""
    try:
        alphas = tuple(float(value) for value in values)
    except ValueError:
        alphas = (-1.0,)
    if not all(0 <= value <= 1 for value in alphas):
        raise UsageError(
            f"--sweep alpha={','.join(values)}: alpha must be between 0 and 1.", "Such as alpha=0,0.25,0.5."
        )
    return alphas


def variants(method: Method, setting: str, values: tuple[str, ...]) -> list[Variant]:
    """Return the method with each value of a setting. Raises UsageError for an impossible value."""
    return [_variant(method, setting, value) for value in values]


def _variant(method: Method, setting: str, value: str) -> Variant:
    name = f"{method.name} {setting}={value}"
    if setting == "judge" and isinstance(method.judge, Judge):
        return Variant(name, method, {method.judge.role: value})
    try:
        return Variant(name, with_settings(method, SETTINGS[setting](method, value)))
    except ValidationError as error:
        raise UsageError(f"{name}: {first_problem(error)[1]}.") from None


def _rounds(method: Method, value: str) -> Changes:
    if not isinstance(method.evidence.queries, Queries):
        raise UsageError(f"{method.name} searches once for each claim, so it has no rounds to sweep over.")
    return {"evidence.queries.rounds": value}


def _passages(method: Method, value: str) -> Changes:
    most = max(method.evidence.most, int(value) if value.isdecimal() else 0)  # as many must also reach the judge
    return {"evidence.passages.top_k": value, "evidence.most": most}


def _ranker(method: Method, value: str) -> Changes:
    ranker, colon, model = value.partition(":")  # dense:MODEL, or a ranker without a model
    return {"evidence.passages.ranker": ranker, **({"evidence.passages.model": model} if colon else {})}


def _verifier(method: Method, value: str) -> Changes:
    if not isinstance(method.judge, VerifierJudge):
        raise UsageError(f"{method.name} has a panel; sweep over judges needs one judge.")
    return {"judge": VerifierJudge(name=value).model_dump()}


def _cascade(method: Method, value: str) -> Changes:
    if not isinstance(method.judge, Cascade):
        raise UsageError(f"{method.name} is not a cascade.", "Use --method cascade, or a method file with one.")
    by, _, at = value.rpartition(":")  # share:0.3, or the confidence alone
    return {"judge.by": by or "confidence", "judge.at": at}


SETTINGS: Mapping[str, Callable[[Method, str], Changes]] = {
    "rounds": _rounds,
    "results": lambda method, value: {"evidence.results": value},
    "passages": _passages,
    "window": lambda method, value: {"evidence.passages.window": value},
    "ranker": _ranker,
    "judge": _verifier,
    "cascade": _cascade,
    "threshold": lambda method, value: {"roll_up.threshold": value},
    "margin": lambda method, value: {"roll_up.margin": value},
}
"""Settings to sweep besides alpha, which changes no verdict: rounds of search, web results, passages for each claim,
sentences around each, the ranker, the judge's model, the threshold of a cascade, and the two numbers of the rules."""
