"""One number over many responses."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

from factscope.errors import UsageError
from factscope.method import Measure
from factscope.records import Interval, Report, Score
from factscope.scores.intervals import RESAMPLES, clustered_bootstrap
from factscope.scores.registry import find, signature
from factscope.scores.tally import tally


def summarise(reports: Sequence[Report], measure: Measure | str, seed: int = 0) -> Score:
    """Mean of a measure over responses, each weighing the same, with a bootstrap interval over responses.

    The mean of the scores, not the score of the pooled counts, as FactBench averages: the other way round is up to
    two points off. Responses for which the measure is undefined (nothing to check in them) are left out: `n` counts
    those in the mean, `n_failed` those left out because what there was to judge failed, and `responses` in the
    signature counts all. `coverage` is pooled over all units. The order of `reports` makes no difference.

    Raises UsageError when the reports were made with different methods, and what `find` raises.
    """
    formula, full = find(measure)
    methods = {str(report.method.get("name", "?")) for report in reports}
    if any(report.method != reports[0].method for report in reports):
        names = ", ".join(sorted(methods))
        raise UsageError(f"Reports of different methods have no common mean: {names}.", "Summarise each by itself.")
    tallies = [tally(report) for report in reports]
    readings = [formula.read(counted, dict(full.parameters)) for counted in tallies]
    values = sorted(reading.value for reading in readings if reading.value is not None)
    judged, failed = sum(t.judged for t in tallies), sum(t.failed for t in tallies)
    return Score(
        name=str(full),
        value=fsum(values) / len(values) if values else None,
        n=len(values),
        over="responses",
        n_failed=sum(reading.value is None and reading.n_failed > 0 for reading in readings),
        coverage=judged / (judged + failed) if judged + failed else None,
        interval=_interval(values, seed),
        signature=signature(
            full, "responses", reports, responses=len(reports), mean="macro", bootstrap=RESAMPLES, seed=seed
        ),
    )


def _interval(values: Sequence[float], seed: int) -> Interval | None:
    import numpy as np

    rows = np.column_stack([values, np.ones(len(values))])
    return clustered_bootstrap(rows, lambda sums: sums[:, 0] / sums[:, 1], seed=seed)
