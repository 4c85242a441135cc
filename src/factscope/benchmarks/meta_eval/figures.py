"""A checker's answers against human labels: all figures of one level, with intervals over responses.

Units of one response depend on each other, so responses are resampled, not units (FELM's limits, requirement of
intervals). All figures use the same resamples, so those of a domain are comparable with the total.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from factscope.core import Interval, Record, group_by, many
from factscope.methods import LEAST_COVERAGE
from factscope.scoring import confidence_calibration, pearson, pearson_interval, ranks, spearman
from factscope.scoring.detection import DETECTION_MEASURES, Confusion, read, why_undefined
from factscope.scoring.intervals import FEWEST, RESAMPLES, draws, percentiles

Array = NDArray[np.float64]

_UNSURE = "no answer says how sure it is"


class MatchedAnswer(NamedTuple):
    """One labelled unit, and a checker's answer to it."""

    sample: str
    """The response that contains it."""
    wrong: bool
    """Whether it is labelled wrong."""
    flagged: bool | None
    """Whether the checker does; `None` when it gave no answer."""
    p_wrong: float | None = None
    """The checker's probability of its being wrong, 0 to 1; `None` when it states none."""
    domain: str | None = None
    """Kind of text it is from."""
    error_type: str | None = None
    """Kind of error that people found."""
    position: float | None = None
    """Position in its response, 0 to 1; `None` when it is the only unit."""
    tendency: float | None = None
    """Score for ranking units by how wrong they are; `None` when `p_wrong` gives the order."""

    @property
    def order(self) -> float | None:
        """Return the key that units are ordered by, higher when more probably wrong; `None` when unknown."""
        return self.p_wrong if self.tendency is None else self.tendency


class Figures(Record):
    """Agreement of some answers with the labels."""

    n: int = Field(ge=0)
    """Units with a label."""
    n_answered: int = Field(ge=0)
    """Of these, units with an answer: the figures count only these."""
    n_samples: int = Field(ge=0)
    """Responses that contain these."""
    n_confident: int = Field(default=0, ge=0)
    """Answers with a probability: `ece` and `brier` count only these."""
    n_ordered: int = Field(default=0, ge=0)
    """Answers that can be ranked: `auroc` counts only these."""
    tp: int = Field(ge=0)
    fp: int = Field(ge=0)
    fn: int = Field(ge=0)
    tn: int = Field(ge=0)
    values: dict[str, float | None]
    """Each measure by name; `None` where it is undefined."""
    intervals: dict[str, Interval] = Field(default={})
    """Bootstrap intervals over responses, where there are enough of them."""
    remarks: dict[str, str] = Field(default={})
    """Reason why a measure has no value, or a misleading one."""

    @property
    def coverage(self) -> float | None:
        """Answered / labelled; `None` without labels."""
        return self.n_answered / self.n if self.n else None

    @property
    def confusion(self) -> Confusion:
        """The counts."""
        return Confusion(self.tp, self.fp, self.fn, self.tn)

    def counted(self, measure: str) -> int:
        """Return the number of answers that a measure counts."""
        confident = {"auroc": self.n_ordered, "ece": self.n_confident, "brier": self.n_confident}
        return confident.get(measure, self.n_answered)


class LevelFigures(Record):
    """All figures of one checker at one level."""

    overall: Figures
    """Pooled over all units, as FELM's "All" (section 4); not a mean over domains."""
    by_domain: dict[str, Figures] = Field(default={})
    by_error_type: dict[str, Figures] = Field(default={})
    """For errors of one type only, so that only recall is meaningful."""
    by_position: dict[str, Figures] = Field(default={})
    """By thirds of the response."""
    reliability: tuple[confidence_calibration.Bin, ...] = ()
    """Stated against observed; empty without probabilities."""
    share_pearson: float | None = None
    """Pearson's correlation over responses of the share flagged and the share wrong (FactBench, human agreement)."""
    share_spearman: float | None = None
    """Spearman's."""
    share_intervals: dict[str, Interval] = Field(default={})
    """Bootstrap intervals of these two; that of Spearman's keeps the ranks of all responses."""
    n_shares: int = 0
    """Responses that these two count."""


THIRDS = ("first third", "middle third", "last third")
_DETECTION = tuple(DETECTION_MEASURES)
_CONFIDENT = ("auroc", "ece", "brier")
_PARTS: Mapping[str, tuple[Callable[[MatchedAnswer], str | None], tuple[str, ...], tuple[str, ...]]] = {
    "domain": (lambda answer: answer.domain, _DETECTION, _CONFIDENT),
    "type": (lambda answer: answer.error_type if answer.wrong else None, ("recall",), ()),
    "place": (
        lambda answer: None if answer.position is None else THIRDS[min(int(3 * answer.position), 2)],
        _DETECTION,
        (),
    ),
}
"""Each way to part the answers, with the measures of a part that count labels, and those that need probabilities."""


def compute_figures(
    answers: Sequence[MatchedAnswer],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    least_coverage: float = LEAST_COVERAGE,
) -> LevelFigures:
    """Return all figures; none if less than `least_coverage` of the units have an answer.

    With 0 `resamples` there are no intervals. Raises ValueError for a probability outside [0, 1].
    """
    groups = {("overall", ""): AnswerGroup(answers, _DETECTION, _CONFIDENT)}
    for kind, (part_of, measures, confident) in _PARTS.items():
        by_name = group_by(answers, part_of)
        for name in sorted(name for name in by_name if name is not None):
            groups[kind, name] = AnswerGroup(by_name[name], measures, confident)
    intervals = _intervals(answers, groups, resamples, seed)
    parts: dict[str, dict[str, Figures]] = {kind: {} for kind in ("overall", *_PARTS)}
    for (kind, name), group in groups.items():
        parts[kind][name] = _covered(group.figures(intervals.get((kind, name), {})), least_coverage)
    overall = parts["overall"][""]
    displayed = answers if overall.coverage is None or overall.coverage >= least_coverage else ()
    stated = [(answer.p_wrong, answer.wrong) for answer in displayed if answer.flagged is not None]
    sure = [(p, wrong) for p, wrong in stated if p is not None]
    bins = confidence_calibration.reliability([p for p, _ in sure], [wrong for _, wrong in sure])
    flagged, wrong = _shares(displayed)
    return LevelFigures(
        overall=overall,
        by_domain=parts["domain"],
        by_error_type=parts["type"],
        by_position={name: parts["place"][name] for name in THIRDS if name in parts["place"]},
        reliability=bins if overall.values["ece"] is not None else (),
        share_pearson=pearson(flagged, wrong),
        share_spearman=spearman(flagged, wrong),
        share_intervals=_share_intervals(flagged, wrong, resamples, seed),
        n_shares=len(flagged),
    )


def baselines(answers: Sequence[MatchedAnswer]) -> dict[str, Figures]:
    """Return the figures, without intervals, of a checker that flags every unit and of one that flags none."""
    results = {}
    for name, flag in (("flag everything", True), ("flag nothing", False)):
        flagged = [MatchedAnswer(answer.sample, answer.wrong, flag) for answer in answers]
        results[name] = AnswerGroup(flagged, _DETECTION, ()).figures({})
    return results


def _covered(figures: Figures, least: float) -> Figures:
    """Withhold the measures that count too few of the units, and remark on those that count only some answers."""
    units, answered = many(figures.n, "unit has", "units have"), many(figures.n_answered, "answer")
    values, intervals, remarks = dict(figures.values), dict(figures.intervals), dict(figures.remarks)
    for name in figures.values:
        n = figures.counted(name)
        if figures.n_answered < least * figures.n:
            values[name], remarks[name] = None, f"withheld: only {figures.n_answered:,} of {units} an answer"
        elif values[name] is not None and n < least * figures.n:
            values[name], remarks[name] = None, f"withheld: only {n:,} of {units} an answer that says how sure it is"
        elif values[name] is not None and n < figures.n_answered:
            remarks[name] = f"only the {n:,} of {answered} that say how sure they are"
        if values[name] is None:
            intervals.pop(name, None)
    return figures.model_copy(update={"values": values, "intervals": intervals, "remarks": remarks})


class AnswerGroup:
    """Answers behind some figures, as arrays: sums per response, and for the AUROC the answers themselves."""

    def __init__(self, answers: Sequence[MatchedAnswer], measures: Sequence[str], confident: Sequence[str]) -> None:
        self.answers, self.measures = answers, measures
        supplied = [answer for answer in answers if answer.flagged is not None]
        self.samples = list(dict.fromkeys(answer.sample for answer in supplied))
        index = {name: number for number, name in enumerate(self.samples)}
        self.owner = np.array([index[answer.sample] for answer in supplied], dtype=np.int64)
        self.wrong = np.array([answer.wrong for answer in supplied], dtype=bool)
        flagged = np.array([bool(answer.flagged) for answer in supplied], dtype=bool)
        self.p = np.array([answer.p_wrong for answer in supplied], dtype=np.float64)  # None becomes NaN
        self.order = np.array([answer.order for answer in supplied], dtype=np.float64)
        self.sure, self.ordered = ~np.isnan(self.p), ~np.isnan(self.order)
        present = {"auroc": self.ordered.any(), "ece": self.sure.any(), "brier": self.sure.any()}
        self.confident = tuple(name for name in confident if present[name])
        self.unknown = tuple(name for name in confident if not present[name])
        cell = ~self.wrong + 2 * ~flagged  # as in `Confusion`
        self.counts = self._summed(cell, 4, np.ones(len(supplied)))

    def _summed(self, cell: NDArray[np.int64], width: int, values: Array) -> Array:
        """Return sums of `values` per response and cell: (responses, width)."""
        positions = self.owner * width + cell
        summed = np.bincount(positions, weights=values, minlength=len(self.samples) * width)
        return np.asarray(summed, dtype=np.float64).reshape(-1, width)

    def figures(self, intervals: Mapping[str, Interval]) -> Figures:
        """Return the figures on the answers as they are."""
        tp, fp, fn, tn = (int(n) for n in self.counts.sum(axis=0))
        confusion = Confusion(tp, fp, fn, tn)
        values = {name: read(name, confusion) for name in self.measures}
        remarks = {name: reason for name in self.measures if (reason := why_undefined(name, confusion))}
        for name in self.confident:
            known_values, numbers = (self.ordered, self.order) if name == "auroc" else (self.sure, self.p)
            values[name] = _CALIBRATION[name](numbers[known_values].tolist(), self.wrong[known_values].tolist())
            if values[name] is None:
                remarks[name] = "one class is missing among the answers that can be ordered"
        for name in self.unknown:
            values[name], remarks[name] = None, _UNSURE
        return Figures(
            n=len(self.answers),
            n_answered=confusion.n,
            n_samples=len(self.samples),
            n_confident=int(self.sure.sum()),
            n_ordered=int(self.ordered.sum()),
            **confusion._asdict(),
            values=values,
            intervals=dict(intervals),
            remarks=remarks,
        )

    def resampler(self) -> Callable[[Array], dict[str, Array]]:
        """Return a function of weights (own responses, resamples) that gives every measure in each resample."""
        n_bins = confidence_calibration.BINS
        bins = np.minimum((np.nan_to_num(self.p) * n_bins).astype(np.int64), n_bins - 1)
        none = np.zeros_like(bins)
        gaps = self._summed(bins, n_bins, np.where(self.sure, self.p - self.wrong, 0))
        squares = self._summed(none, 1, np.where(self.sure, (self.p - self.wrong) ** 2, 0))
        sizes = self._summed(none, 1, self.sure.astype(np.float64))
        chunks = [self.counts, gaps, squares, sizes] if "ece" in self.confident else [self.counts]
        rows = np.ascontiguousarray(np.concatenate(chunks, axis=1).T)
        order, wrong, owner = self.order[self.ordered], self.wrong[self.ordered], self.owner[self.ordered]
        ranked = confidence_calibration.Ranked(order, wrong, owner)

        def measure_draws(weights: Array) -> dict[str, Array]:
            sums = np.einsum("kn,nr->rk", rows, weights)  # not `@`: its threads are slow where cores are busy
            results = {name: DETECTION_MEASURES[name](sums[:, :4]) for name in self.measures}
            if "ece" in self.confident:
                with np.errstate(invalid="ignore", divide="ignore"):
                    results["ece"] = np.abs(sums[:, 4:-2]).sum(axis=1) / sums[:, -1]
                    results["brier"] = sums[:, -2] / sums[:, -1]
            if "auroc" in self.confident:
                results["auroc"] = ranked.auroc(weights)
            return results

        return measure_draws


_CALIBRATION: Mapping[str, Callable[[Sequence[float], Sequence[bool]], float | None]] = {
    "auroc": confidence_calibration.auroc,
    "ece": confidence_calibration.ece,
    "brier": confidence_calibration.brier,
}


def _intervals(
    answers: Sequence[MatchedAnswer], groups: Mapping[tuple[str, str], AnswerGroup], resamples: int, seed: int
) -> dict[tuple[str, str], dict[str, Interval]]:
    samples = list(dict.fromkeys(answer.sample for answer in answers if answer.flagged is not None))
    index = {name: number for number, name in enumerate(samples)}
    if len(samples) < FEWEST or not resamples:
        return {}
    requested = {key: group for key, group in groups.items() if len(group.samples) >= FEWEST}
    rows = {key: [index[sample] for sample in group.samples] for key, group in requested.items()}
    measured = {key: group.resampler() for key, group in requested.items()}
    values: dict[tuple[str, str], dict[str, list[Array]]] = {key: {} for key in requested}
    for weights in draws(len(samples), resamples, seed):
        for key, positions in rows.items():
            selected = weights if len(positions) == len(samples) else weights[positions]
            for measure, block in measured[key](selected).items():
                values[key].setdefault(measure, []).append(block)
    return {
        key: {
            measure: interval
            for measure, blocks in by_measure.items()
            if (interval := percentiles(np.concatenate(blocks), len(rows[key])))
        }
        for key, by_measure in values.items()
    }


def _share_intervals(first: Sequence[float], second: Sequence[float], resamples: int, seed: int) -> dict[str, Interval]:
    """Return intervals of `pearson` and `spearman`."""
    sides = {"pearson": (first, second), "spearman": (ranks(first), ranks(second))}
    measured = {name: pearson_interval(a, b, resamples=resamples, seed=seed) for name, (a, b) in sides.items()}
    return {name: interval for name, interval in measured.items() if interval}


def _shares(answers: Sequence[MatchedAnswer]) -> tuple[list[float], list[float]]:
    """Return, for each response with an answer, the share flagged and the share wrong among the answered units.

    Empty if each response has one unit: a share of one unit is only its label.
    """
    given = (answer for answer in answers if answer.flagged is not None)
    rows = group_by(given, lambda answer: answer.sample).values()
    if all(len(row) == 1 for row in rows):
        return [], []
    flagged = [sum(bool(entry.flagged) for entry in row) / len(row) for row in rows]
    wrong = [sum(entry.wrong for entry in row) / len(row) for row in rows]
    return flagged, wrong
