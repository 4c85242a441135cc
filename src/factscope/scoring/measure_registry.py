"""The measures by name, and the scores of a report."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite

from pydantic import JsonValue

from factscope.core import UsageError, did_you_mean
from factscope.core.records import Report, Score
from factscope.methods import LEAST_COVERAGE, Measure
from factscope.scoring.counts import ReportCounts, count_units
from factscope.scoring.measure_definition import MEASURES, MeasureDefinition, MeasureResult

_BROKEN = "The score "
"""Beginning of a note on a score that could not be computed."""


def find(measure: Measure | str) -> tuple[MeasureDefinition, Measure]:
    """Return the definition of a measure, and the measure with every parameter filled in.

    Raises UsageError for text that is not a measure, for an unknown name or parameter (naming similar ones) and for a
    value out of range.
    """
    if isinstance(measure, str):
        try:
            measure = Measure.parse(measure)
        except ValueError as error:
            raise UsageError(f"{error}.", _must_be_known("Scores", MEASURES.names())) from None
    if measure.name not in MEASURES:
        raise UsageError(f"Unknown score {measure.name!r}.", _suggestion(measure.name, "Scores", MEASURES.names()))
    definition = MEASURES.get(measure.name)
    ranges = {parameter.name: parameter for parameter in definition.parameters}
    settings = {name: parameter.default for name, parameter in ranges.items()}
    for name, value in measure.parameters:
        if name not in ranges:
            hint = _suggestion(name, "Its parameters", list(ranges))
            raise UsageError(f"Score {definition.name} has no parameter {name!r}.", hint)
        low, high = ranges[name].low, ranges[name].high
        if not low <= value <= high:  # true of nan too
            hint = f"It may be {low:g} to {high:,.15g}: {ranges[name].meaning}."
            raise UsageError(f"{name}={value:g} is out of range for score {definition.name}.", hint)
        settings[name] = value
    return definition, Measure(name=definition.name, parameters=tuple(sorted(settings.items())))


def _must_be_known(kind: str, names: Iterable[str]) -> str:
    return f"{kind}: {', '.join(sorted(names)) or 'none'}."


def _suggestion(wrong: str, kind: str, names: Sequence[str]) -> str:
    near = did_you_mean(wrong, names, n=3, cutoff=0.5, otherwise="")
    return f"{near} {_must_be_known(kind, names)}".strip()


def measure(report: Report, measures: Iterable[Measure | str]) -> tuple[Score, ...]:
    """Return the scores of one report, in the requested order. Raises the errors of `find` before any is computed.

    A score with nothing to count is `None`, and so is one of less than the method's `least_coverage`, or one that can't
    be computed. A failed unit lowers the coverage and nothing else.
    """
    return scored(report, measures).scores


def scored(report: Report, measures: Iterable[Measure | str]) -> Report:
    """Return the report with the scores of `measure`, and a note for each that could not be computed."""
    results = [find(item) for item in measures]
    counted, least = count_units(report), least_coverage(report.method)
    rests_on = basis([report])
    scores = []
    earlier = broken_scores(report)
    notes = [text for text in report.warnings if text not in earlier]
    for definition, full in results:
        reading = withheld_below(least, definition, full, counted)
        if reading.failure:
            notes.append(f"{_BROKEN}{full} could not be computed: {reading.failure}.")
        scores.append(
            Score(
                name=str(full),
                value=reading.value,
                n=reading.n,
                over=definition.over,
                n_failed=reading.n_failed,
                coverage=counted.coverage,
                interval=reading.interval,
                signature=signature(full, definition.over, rests_on),
            )
        )
    return report.model_copy(update={"scores": tuple(scores), "warnings": tuple(notes)})


def broken_scores(report: Report) -> list[str]:
    """Return the notes of a report on scores that could not be computed."""
    return [text for text in report.warnings if text.startswith(_BROKEN)]


def least_coverage(method: Mapping[str, JsonValue]) -> float:
    """Return the share of judged units below which the scores of a recorded method are withheld."""
    text = method.get("least_coverage", LEAST_COVERAGE)
    return float(text) if isinstance(text, int | float) else LEAST_COVERAGE


def withheld_below(least: float, definition: MeasureDefinition, full: Measure, counted: ReportCounts) -> MeasureResult:
    """Return the result of a measure, without its value if less than `least` of the units to judge was judged."""
    reading = _reading(definition, full, counted)
    too_little = counted.coverage is not None and counted.coverage < least
    return reading._replace(value=None, interval=None) if too_little and definition.name != "coverage" else reading


def _reading(definition: MeasureDefinition, full: Measure, counted: ReportCounts) -> MeasureResult:
    """Return the result of a measure; one that breaks, as another package's may, costs its own value alone."""
    try:
        reading = definition.read(counted, dict(full.parameters))
        if not isinstance(reading, MeasureResult):
            raise TypeError(f"it returned {reading!r:.40}, not a MeasureResult")
        if reading.value is not None and not isfinite(reading.value):
            raise ValueError(f"its value is {reading.value}")
    except Exception as error:  # noqa: BLE001 - whatever it is, the report must not be lost for it
        return MeasureResult(None, 0, counted.to_judge, failure=f"{type(error).__name__}: {error}".rstrip(": ."))
    return reading


Basis = dict[str, set[str]]
"""Settings that numbers over some reports depend on, by part."""


def basis(reports: Iterable[Report]) -> Basis:
    """Describe everything that numbers over `reports` depend on, besides the measure itself."""
    pieces: Basis = {name: set() for name in _SIGNATURE_PARTS}
    for report in reports:
        for name, read in _SIGNATURE_PARTS.items():
            pieces[name].update(read(report))
    return pieces


_SIGNATURE_PARTS: dict[str, Callable[[Report], Iterable[str]]] = {
    "method": lambda report: [f"{report.method.get('name', '?')}#{_short(report.method)}"],
    "models": lambda report: [_short(report.models)] if report.models else [],
    "prompts": lambda report: [_short(report.prompts)] if report.prompts else [],
    "judge": lambda report: {judgement.judge for judgement in report.judgements},
    "evidence": lambda report: [report.searched.id] if report.searched else [],
    "excluded": lambda report: [_short(out)] if (out := _excluded(report)) else [],
    "factscope": lambda report: [report.factscope],
}


def signature(measure: Measure, over: str, basis: Basis, **more: object) -> str:
    """Return everything that a number depends on, as `key:value` parts: numbers with equal signatures are comparable.

    The idea is sacreBLEU's (Post 2018). `method` carries a hash of all its settings; `evidence` and `excluded` are
    shown as short hashes; several values of one part are joined by `+`, or hashed together when there are many.
    """
    names_given: dict[str, Iterable[str]] = {
        "score": [str(measure)],
        "over": [over],
        **{name: values for name, values in basis.items() if name != "factscope"},
        **{key: [str(value)] for key, value in more.items()},
        "factscope": basis["factscope"],
    }
    return "|".join(f"{key}:{_joined(values)}" for key, values in names_given.items() if values)


def _excluded(report: Report) -> dict[str, object]:
    return {
        name: sorted(set(values)) if isinstance(values, tuple) else values for name, values in report.excluded if values
    }


def _joined(values: Iterable[str]) -> str:
    distinct = sorted(set(values))
    return "+".join(distinct) if len(distinct) <= 3 else f"{len(distinct)}#{_short(distinct)}"


def _short(value: object) -> str:
    plain = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(plain.encode()).hexdigest()[:8]
