"""One number over many responses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import cast

from pydantic import JsonValue

from factscope.core import UsageError
from factscope.core.records import Report, Score
from factscope.methods import Measure
from factscope.scoring.counts import ReportCounts, count_response
from factscope.scoring.intervals import RESAMPLES, bounded_mean
from factscope.scoring.measure_registry import Basis, basis, find, least_coverage, signature, withheld_below


def summarise(reports: Iterable[Report], measure: Measure | str, seed: int = 0) -> Score:
    """Return the mean of a measure over responses of equal weight, with an interval (`bounded_mean`).

    The mean of the scores, not the score of the pooled counts, as FactBench averages: the other way round is up to two
    points off. Responses for which the measure is undefined (nothing to check in them) are left out: `n` counts those
    in the mean, `n_failed` those left out because most of their units failed or they could not be cut, and `responses`
    in the signature counts all. `coverage` is pooled over all units. The order of `reports` makes no difference.

    Raises UsageError when the reports were made with different methods, and the errors of `find`.
    """
    (score,) = summarise_all(reports, [measure], seed)
    return score


def summarise_all(
    reports: Iterable[Report], measures: Sequence[Measure | str] | None = None, seed: int = 0
) -> tuple[Score, ...]:
    """Run `summarise` for several measures in one pass that holds no report; by default those of the method."""
    method: dict[str, JsonValue] | None = None
    rests_on: Basis = {}
    tallies: list[ReportCounts] = []
    for report in reports:
        if method is None:
            method = report.method
        elif report.method != method:
            raise UsageError(
                f"Reports of different methods have no common mean: {differing(method, report.method)}.",
                "Score each alone.",
            )
        for name, values in basis([report]).items():
            rests_on.setdefault(name, set()).update(values)
        tallies.append(count_response(report))
    if measures is None:
        measures = [str(name) for name in cast("list[str]", (method or {}).get("scores", []))]
    least = least_coverage(method or {})
    return tuple(_mean(tallies, measure, rests_on or basis([]), least, seed) for measure in measures)


def differing(method: Mapping[str, JsonValue], other: Mapping[str, JsonValue]) -> str:
    """Name two methods that are not the same: `builtin and verify`."""
    names = sorted({str(settings.get("name", "?")) for settings in (method, other)})
    return " and ".join(names) if len(names) > 1 else f"both called {names[0]}, with other settings"


def _mean(tallies: Sequence[ReportCounts], measure: Measure | str, rests_on: Basis, least: float, seed: int) -> Score:
    definition, full = find(measure)
    readings = [withheld_below(least, definition, full, counts) for counts in tallies]
    values = sorted(reading.value for reading in readings if reading.value is not None)
    judged, to_judge = sum(t.judged for t in tallies), sum(t.to_judge for t in tallies)
    more = {"responses": len(tallies), "mean": "macro", "bootstrap": RESAMPLES, "seed": seed}
    return Score(
        name=str(full),
        value=fsum(values) / len(values) if values else None,
        n=len(values),
        over="responses",
        n_failed=sum(reading.value is None and reading.n_failed > 0 for reading in readings),
        coverage=judged / to_judge if to_judge else None,
        interval=bounded_mean(values, max([0.0, *map(definition.most, tallies)]), seed=seed),
        signature=signature(full, "responses", rests_on, **more),
    )
