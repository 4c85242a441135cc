"""Labelled pairs and a verifier's predictions → its calibration, and its quality on held-out pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from math import exp, log
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from factscope.benchmarks.datasets.labelled_rows import Notes
from factscope.benchmarks.meta_eval.tasks import given_units, tasks
from factscope.core import InputError, Label, Record, Sample, made_at, many
from factscope.judging.verifiers.calibration import EDGE, Calibration, CoveragePoint, Kind, calibrated
from factscope.judging.verifiers.protocol import ClaimPair, LabelProbabilities, Prediction
from factscope.scoring.confidence_calibration import Bin, auroc, brier, ece, reliability
from factscope.scoring.detection import Confusion, read

Array = NDArray[np.float64]

FOLDS = 5  # of the cross-validation, by passage
FEWEST = 30
"""Fewest pairs for a fit."""
_FEWEST_STEPS = 200
"""Fewest pairs for trying steps, which overfit small data (Niculescu-Mizil and Caruana 2005)."""
_STANDINGS = 51  # points of the curve of accuracy and coverage: every second percentile
_TEMPERATURES = (0.1, 10.0)  # the range that is searched
_GOLDEN = (5**0.5 - 1) / 2  # ratio of the golden-section search
WITHOUT_EVIDENCE = "left out: labelled units without evidence"
UNLABELLED = "left out: units labelled neither right nor wrong"
NO_TEXT = "left out: samples without a text to check"
NO_UNITS = "left out: samples without a labelled claim or segment"
SAME_EVIDENCE = "the claims held out rest on the same evidence as the others: on other evidence it may do worse"
Fit = Literal["best", "temperature", "isotonic"]


class LabelledClaim(NamedTuple):
    """A claim with its evidence and its human label."""

    pair: ClaimPair
    supported: bool
    label: Label | None
    """For data sets with more than right and wrong."""


class CalibrationQuality(Record):
    """Quality of a verifier's probabilities of support."""

    ece: float | None
    """Expected calibration error, ten bins."""
    brier: float | None
    auroc: float | None
    """For the verifier's own probabilities; `None` for calibrated ones, since one calibration keeps the order and
    several can't be compared."""
    balanced_accuracy: float | None
    """Supported against the rest, at a probability of one half."""
    reliability: tuple[Bin, ...]
    """Stated against observed probability that the claim is not supported."""


class FittedCalibration(Record):
    """A calibration, with the quality of the fit."""

    type: Literal["calibration"] = "calibration"
    calibration: Calibration
    dataset: str
    n: int = Field(ge=0)
    """Pairs with a label and probabilities."""
    n_supported: int = Field(ge=0)
    n_without: int = Field(ge=0)
    """Labelled pairs that the verifier could not read, which are in none of the figures."""
    before: CalibrationQuality
    after: CalibrationQuality
    """On pairs left out of the fit, by cross-validation."""
    tried: dict[Kind, CalibrationQuality]
    """The same for each kind that was tried."""
    notes: tuple[str, ...] = ()
    """Rows and units that were left out, and other irregularities of the data set: one line for each kind."""


def labelled(samples: Sequence[Sample]) -> tuple[list[LabelledClaim], Notes]:
    """Return every labelled claim that has evidence, joined into one text, and notes on the units left out."""
    rows_found, notes = [], Notes()
    for sample in samples:
        units = given_units(sample)
        if not (sample.response or "").strip():
            notes.add(NO_TEXT, sample.id)
        elif not units:
            notes.add(NO_UNITS, sample.id)
        else:
            for gold in units:
                if gold.factual is None:
                    notes.add(UNLABELLED, sample.id)
    for task in tasks(samples, "given"):
        if task.gold is None or task.gold.factual is None:
            continue
        passage = "\n\n".join(document.text or "" for document in task.documents)
        if passage.strip():
            rows_found.append(LabelledClaim(ClaimPair(task.response.text, passage), task.gold.factual, task.gold.label))
        else:
            notes.add(WITHOUT_EVIDENCE, task.sample.id)
    return rows_found, notes


def fit(
    verifier: str,
    rows: Sequence[LabelledClaim],
    predictions: Sequence[Prediction],
    kind: Fit,
    dataset: str,
    digest: str,
    notes: tuple[str, ...] = (),
) -> FittedCalibration:
    """Fit a calibration to a verifier's predictions, of the kind that gives the best Brier score.

    `digest` is the SHA-256 of the labelled file, `notes` names what was left out of it.

    Raises InputError when there are too few pairs, or only one class.
    """
    judged = [
        (row, prediction, prediction.probabilities)
        for row, prediction in zip(rows, predictions, strict=True)
        if prediction.probabilities is not None
    ]
    rows, estimates = [row for row, _, _ in judged], [estimate for _, _, estimate in judged]
    confidences = [estimate.supported for estimate in estimates]
    n_supported = sum(row.supported for row in rows)
    if len(rows) < FEWEST or not 0 < n_supported < len(rows):
        raise InputError(
            f"{verifier} could read {len(rows)} of the {many(len(predictions), 'labelled claim')} with"
            f" evidence in {dataset}, {n_supported} of them supported: too few.",
            f"Label {FEWEST} or more, of both kinds; a few hundred are better.",
        )
    kinds: list[Kind] = ["temperature", "isotonic"] if kind == "best" else [kind]
    if kind == "best" and len(rows) < _FEWEST_STEPS:
        kinds = ["temperature"]
    folds = _folds([row.pair.passage for row in rows])
    if len(set(folds)) == 1:  # nothing would be held out
        folds, notes = _folds([row.pair.claim for row in rows]), (*notes, SAME_EVIDENCE)
    held = {kind: _held_out(kind, rows, confidences, folds) for kind in kinds}
    tried = {kind: calibration_quality(held[kind], rows).model_copy(update={"auroc": None}) for kind in kinds}
    best = min(kinds, key=lambda kind: tried[kind].brier or 0.0)
    calibration = _fitted(verifier, best, rows, confidences).model_copy(
        update={"against": _against(rows, estimates), "labels": digest, "made": made_at()}
    )
    as_held_out = [_as_if(prediction, p) for (_, prediction, _), p in zip(judged, held[best], strict=True)]
    calibration = calibration.model_copy(update={"standings": standings(as_held_out, rows)})
    return FittedCalibration(
        calibration=calibration,
        dataset=dataset,
        n=len(rows),
        n_supported=n_supported,
        n_without=len(predictions) - len(rows),
        before=calibration_quality(confidences, rows),
        after=tried[best],
        tried=tried,
        notes=notes,
    )


def calibration_quality(supported: Sequence[float], rows: Sequence[LabelledClaim]) -> CalibrationQuality:
    """Measure the quality of these probabilities of support."""
    p, wrong = [1 - p for p in supported], [not row.supported for row in rows]
    counts = confusion_of((row.supported, p < 0.5) for p, row in zip(supported, rows, strict=True))
    return CalibrationQuality(
        ece=ece(p, wrong),
        brier=brier(p, wrong),
        auroc=auroc(p, wrong),
        balanced_accuracy=read("balanced_accuracy", counts),
        reliability=reliability(p, wrong),
    )


def confusion_of(judged: Iterable[tuple[bool, bool]]) -> Confusion:
    """Count claims by whether they are supported and whether they were flagged."""
    cells = Counter(judged)
    return Confusion(cells[False, True], cells[True, True], cells[False, False], cells[True, False])


def standings(predictions: Sequence[Prediction], rows: Sequence[LabelledClaim]) -> tuple[CoveragePoint, ...]:
    """Compute accuracy and coverage above each of some fifty confidence thresholds."""
    sure = [0.0 if prediction.label == "contradicted" else prediction.confidence or 0.0 for prediction in predictions]
    agrees = [
        (prediction.label == "supported") == row.supported for prediction, row in zip(predictions, rows, strict=True)
    ]
    ordered = sorted(zip(sure, agrees, strict=True))
    points = []
    for index in sorted({round(at * (len(ordered) - 1) / (_STANDINGS - 1)) for at in range(_STANDINGS)}):
        level = ordered[index][0]
        right_above = [right for confidence, right in ordered if confidence >= level and confidence > 0]
        agreement = sum(right_above) / len(right_above) if right_above else None
        points.append(CoveragePoint(level, 1 - len(right_above) / len(ordered), agreement))
    return tuple(dict.fromkeys(points))


def _as_if(prediction: Prediction, supported: float) -> Prediction:
    """Return the prediction with `supported` as its probability of support."""
    flat = Calibration(verifier="", kind="isotonic", steps=((0.0, supported),), n=0, labels="")
    return calibrated(prediction, flat)


def _held_out(
    kind: Kind, rows: Sequence[LabelledClaim], confidences: Sequence[float], folds: Sequence[int]
) -> list[float]:
    """Return each row's probability of support by a calibration fitted on the other folds."""
    held_out = [0.0] * len(rows)
    for fold in set(folds):
        others = [at for at, row_fold in enumerate(folds) if row_fold != fold] or list(range(len(rows)))
        calibration = _fitted("", kind, [rows[at] for at in others], [confidences[at] for at in others])
        for at, row_fold in enumerate(folds):
            if row_fold == fold:
                held_out[at] = calibration.true(confidences[at])
    return held_out


def _folds(texts: Sequence[str]) -> list[int]:
    """Return the fold of each row by a text of it, so that rows with the same text are in the same fold."""
    return [int(sha256(text.encode("utf-8", "replace")).hexdigest()[:8], 16) % FOLDS for text in texts]


def _fitted(verifier: str, kind: Kind, rows: Sequence[LabelledClaim], confidences: Sequence[float]) -> Calibration:
    right = [row.supported for row in rows]
    fitted = Calibration(verifier=verifier, kind=kind, n=len(rows), labels="")
    if kind == "temperature":
        return fitted.model_copy(update={"temperature": _temperature(confidences, right)})
    return fitted.model_copy(update={"steps": isotonic(confidences, right)})


def _against(rows: Sequence[LabelledClaim], probabilities: Sequence[LabelProbabilities]) -> float:
    """Return the temperature of contradiction against silence, by the rows whose labels distinguish them; else 1."""
    shares, right = [], []
    for row, estimate in zip(rows, probabilities, strict=True):
        if row.label in ("contradicted", "not_enough_evidence") and estimate.contradicted is not None:
            remainder = estimate.contradicted + (estimate.not_enough or 0.0)
            shares.append(estimate.contradicted / remainder if remainder else 0.0)
            right.append(row.label == "contradicted")
    return _temperature(shares, right) if min(sum(right), len(right) - sum(right)) >= FEWEST // 2 else 1.0


def _temperature(confidences: Sequence[float], right: Sequence[bool]) -> float:
    """Return the temperature with the least negative log-likelihood, by golden-section search over its logarithm."""
    p = np.clip(np.array(confidences, dtype=np.float64), EDGE, 1 - EDGE)
    margins = np.log(p / (1 - p)) * np.where(np.array(right, dtype=bool), 1.0, -1.0)

    def loss(at: float) -> float:
        return float(np.logaddexp(0.0, -margins / exp(at)).sum())

    return round(exp(_least(loss, log(_TEMPERATURES[0]), log(_TEMPERATURES[1]))), 4)


def _least(loss: Callable[[float], float], low: float, high: float) -> float:
    for _ in range(60):
        width = _GOLDEN * (high - low)
        if loss(high - width) <= loss(low + width):
            high = low + width
        else:
            low = high - width
    return (low + high) / 2


def isotonic(confidences: Sequence[float], right: Sequence[bool]) -> tuple[tuple[float, float], ...]:
    """Fit a non-decreasing step function by pooling adjacent violators (Ayer et al. 1955).

    Return its corners. A step's height is its share of right ones, with half a right and half a wrong one added, so
    that it is never 0 or 1.
    """
    blocks = {p: [p, p, 0.0, 0.0] for p in sorted(set(confidences))}  # first and last chance, right ones, all
    for p, is_right in zip(confidences, right, strict=True):
        blocks[p][2] += is_right
        blocks[p][3] += 1
    pooled: list[list[float]] = []
    for block in blocks.values():
        pooled.append(block)
        while len(pooled) > 1 and pooled[-2][2] * pooled[-1][3] >= pooled[-1][2] * pooled[-2][3]:
            _, last, hits, n = pooled.pop()
            pooled[-1][1:] = [last, pooled[-1][2] + hits, pooled[-1][3] + n]
    corners: dict[float, float] = {}
    height = 0.0
    for first, last, hits, n in pooled:
        height = max(height, (hits + 0.5) / (n + 1))
        corners[first] = corners[last] = round(height, 6)
    return tuple(corners.items())
