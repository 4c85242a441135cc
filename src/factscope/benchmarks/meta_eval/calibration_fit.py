"""Labelled pairs and what a verifier says of them → its calibration, and what it is worth on pairs kept out of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from math import exp, log
from typing import TYPE_CHECKING, Literal, NamedTuple

from pydantic import Field

from factscope.benchmarks.meta_eval.tasks import tasks
from factscope.core.errors import InputError
from factscope.core.labels import Label
from factscope.core.records import Record, Sample
from factscope.core.version import made_at
from factscope.judging.verifiers.calibration import EDGE, Calibration, CoveragePoint, Kind, calibrated
from factscope.judging.verifiers.protocol import ClaimPair, LabelProbabilities, Prediction
from factscope.scoring.confidence_calibration import Bin, auroc, brier, ece, reliability

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

FOLDS = 5
FEWEST = 30
"""Pairs below which nothing is fitted."""
_FEWEST_STEPS = 200
"""Pairs below which steps are not tried: they follow every chance of few pairs (Niculescu-Mizil and Caruana 2005)."""
_STANDINGS = 51
_TEMPERATURES = (0.1, 10.0)
_GOLDEN = (5**0.5 - 1) / 2
Fit = Literal["best", "temperature", "isotonic"]


class LabelledClaim(NamedTuple):
    """A claim with its evidence, and what people say of it."""

    pair: ClaimPair
    supported: bool
    label: Label | None
    """In sets that tell more than right from wrong."""


class CalibrationQuality(Record):
    """Quality of a verifier's probabilities of support."""

    ece: float | None
    """Expected calibration error, ten bins."""
    brier: float | None
    auroc: float | None
    """Of what the verifier states; `None` after, as one calibration keeps the order and several can't be compared."""
    balanced_accuracy: float | None
    """Supported against the rest, at a chance of one half."""
    reliability: tuple[Bin, ...]
    """Stated against seen, of the chance that the claim is not supported."""


class FittedCalibration(Record):
    """A calibration, and how it was found."""

    type: Literal["calibration"] = "calibration"
    calibration: Calibration
    dataset: str
    n: int = Field(ge=0)
    """Pairs with a label and chances."""
    n_supported: int = Field(ge=0)
    n_without: int = Field(ge=0)
    """Labelled pairs of which the verifier could read nothing: in none of the figures."""
    before: CalibrationQuality
    after: CalibrationQuality
    """On pairs that were kept out of the fit, part by part."""
    tried: dict[Kind, CalibrationQuality]
    """The same of each kind that was tried."""


def labelled(samples: Sequence[Sample]) -> tuple[list[LabelledClaim], int]:
    """Every labelled claim that comes with evidence, all of that in one text; and how many come without."""
    found, bare = [], 0
    for task in tasks(samples, "given"):
        if task.gold is None or task.gold.factual is None:
            continue
        passage = "\n\n".join(document.text or "" for document in task.documents)
        if passage.strip():
            found.append(LabelledClaim(ClaimPair(task.response.text, passage), task.gold.factual, task.gold.label))
        else:
            bare += 1
    return found, bare


def fit(
    verifier: str,
    rows: Sequence[LabelledClaim],
    predictions: Sequence[Prediction],
    wanted: Fit,
    dataset: str,
    digest: str,
) -> FittedCalibration:
    """The calibration of a verifier from its opinions on the rows; of several kinds the one with the best Brier score.

    `digest` is the SHA-256 of the labelled file. Raises InputError when there are too few pairs, or only one class.
    """
    known = [(row, said) for row, said in zip(rows, predictions, strict=True) if said.chances is not None]
    rows, chances = [row for row, _ in known], [said.chances for _, said in known if said.chances is not None]
    stated = [one.supported for one in chances]
    n_supported = sum(row.supported for row in rows)
    if len(rows) < FEWEST or not 0 < n_supported < len(rows):
        raise InputError(
            f"{verifier} could read {len(rows)} of the {len(predictions)} labelled claims with evidence in {dataset},"
            f" {n_supported} of them supported: too few.",
            f"Label {FEWEST} or more, of both kinds; a few hundred are better.",
        )
    kinds: list[Kind] = ["temperature", "isotonic"] if wanted == "best" else [wanted]
    if wanted == "best" and len(rows) < _FEWEST_STEPS:
        kinds = ["temperature"]
    held = {kind: _held_out(kind, rows, stated) for kind in kinds}
    tried = {kind: calibration_quality(held[kind], rows).model_copy(update={"auroc": None}) for kind in kinds}
    best = min(kinds, key=lambda kind: tried[kind].brier or 0.0)
    calibration = _fitted(verifier, best, rows, stated).model_copy(
        update={"against": _against(rows, chances), "labels": digest, "made": made_at()}
    )
    folds = [_as_if(said, p) for (_, said), p in zip(known, held[best], strict=True)]
    calibration = calibration.model_copy(update={"standings": standings(folds, rows)})
    return FittedCalibration(
        calibration=calibration,
        dataset=dataset,
        n=len(rows),
        n_supported=n_supported,
        n_without=len(predictions) - len(rows),
        before=calibration_quality(stated, rows),
        after=tried[best],
        tried=tried,
    )


def calibration_quality(supported: Sequence[float], rows: Sequence[LabelledClaim]) -> CalibrationQuality:
    """Measure the quality of these probabilities of support."""
    p, wrong = [1 - one for one in supported], [not row.supported for row in rows]
    hits = {side: [(one >= 0.5) == side for one, row in zip(supported, rows, strict=True) if row.supported == side]
            for side in (True, False)}  # fmt: skip
    both = all(hits.values())
    return CalibrationQuality(
        ece=ece(p, wrong),
        brier=brier(p, wrong),
        auroc=auroc(p, wrong),
        balanced_accuracy=sum(sum(hit) / len(hit) for hit in hits.values()) / 2 if both else None,
        reliability=reliability(p, wrong),
    )


def standings(predictions: Sequence[Prediction], rows: Sequence[LabelledClaim]) -> tuple[CoveragePoint, ...]:
    """Compute accuracy and coverage above each of some fifty confidence thresholds."""
    sure = [0.0 if one.label == "contradicted" else one.confidence or 0.0 for one in predictions]
    agrees = [(one.label == "supported") == row.supported for one, row in zip(predictions, rows, strict=True)]
    ordered = sorted(zip(sure, agrees, strict=True))
    found = []
    for place in sorted({round(at * (len(ordered) - 1) / (_STANDINGS - 1)) for at in range(_STANDINGS)}):
        level = ordered[place][0]
        kept = [right for confidence, right in ordered if confidence >= level and confidence > 0]
        agreement = sum(kept) / len(kept) if kept else None
        found.append(CoveragePoint(level, 1 - len(kept) / len(ordered), agreement))
    return tuple(dict.fromkeys(found))


def _as_if(prediction: Prediction, supported: float) -> Prediction:
    """The opinion as a calibration shows it that turns its chance of support into this one."""
    flat = Calibration(verifier="", kind="isotonic", steps=((0.0, supported),), n=0, labels="")
    return calibrated(prediction, flat)


def _held_out(kind: Kind, rows: Sequence[LabelledClaim], stated: Sequence[float]) -> list[float]:
    """For each row its true chance of support by a calibration fitted on the other parts of the rows.

    Claims on the same evidence are in one part.
    """
    parts = [int(sha256(row.pair.passage.encode("utf-8", "replace")).hexdigest()[:8], 16) % FOLDS for row in rows]
    found = [0.0] * len(rows)
    for part in set(parts):
        others = [at for at, own in enumerate(parts) if own != part] or list(range(len(rows)))
        made = _fitted("", kind, [rows[at] for at in others], [stated[at] for at in others])
        for at, own in enumerate(parts):
            if own == part:
                found[at] = made.true(stated[at])
    return found


def _fitted(verifier: str, kind: Kind, rows: Sequence[LabelledClaim], stated: Sequence[float]) -> Calibration:
    right = [row.supported for row in rows]
    if kind == "temperature":
        return Calibration(
            verifier=verifier, kind=kind, temperature=_temperature(stated, right), n=len(rows), labels=""
        )
    return Calibration(verifier=verifier, kind=kind, steps=isotonic(stated, right), n=len(rows), labels="")


def _against(rows: Sequence[LabelledClaim], probabilities: Sequence[LabelProbabilities]) -> float:
    """The temperature of contradiction against silence, from the rows whose labels tell them apart; 1 without."""
    shares, right = [], []
    for row, one in zip(rows, probabilities, strict=True):
        if row.label in ("contradicted", "not_enough_evidence") and one.contradicted is not None:
            rest = one.contradicted + (one.not_enough or 0.0)
            shares.append(one.contradicted / rest if rest else 0.0)
            right.append(row.label == "contradicted")
    return _temperature(shares, right) if min(sum(right), len(right) - sum(right)) >= FEWEST // 2 else 1.0


def _temperature(stated: Sequence[float], right: Sequence[bool]) -> float:
    """The temperature with the least negative log-likelihood, by golden-section search over its logarithm."""
    import numpy as np

    p = np.clip(np.array(stated, dtype=np.float64), EDGE, 1 - EDGE)
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


def isotonic(stated: Sequence[float], right: Sequence[bool]) -> tuple[tuple[float, float], ...]:
    """Steps that only rise, by pooling neighbours that fall (Ayer et al. 1955), as their corners.

    A step's height is its share of right ones as if half of one more were right, so that none is 0 or 1.
    """
    blocks = {p: [p, p, 0.0, 0.0] for p in sorted(set(stated))}  # first and last chance, right ones, all
    for p, one in zip(stated, right, strict=True):
        blocks[p][2] += one
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
