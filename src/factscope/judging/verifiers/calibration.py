"""Calibration of a verifier's probabilities: fitted on the user's labelled pairs, stored, and applied later.

The probability of support is corrected by a temperature (Guo et al. 2017, section 4.2; one number, here on the
log-odds) or by isotonic regression (Zadrozny and Elkan 2002: steps that never fall). The rest is divided between
contradiction and not enough evidence as before, by a temperature of its own. A temperature never changes a label; steps
may, where they move a probability of support across one half.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256
from math import exp, log
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import ConfigDict, Field, ValidationError

from factscope.core import Documented, InputError, Label, StoreError, system_reason, write_whole
from factscope.judging.verifiers.unsupported_input import languages_read

from .protocol import ClaimPair, LabelProbabilities, Prediction, Verifier

EDGE = 1e-4
"""Probabilities closer to 0 or 1 than this are replaced by it: verifiers give four digits."""
_HALF = 0.5  # probability that a label needs
_FITTED = ("kind", "temperature", "steps", "against")
"""Fields that predictions depend on."""
Kind = Literal["temperature", "isotonic"]


class CoveragePoint(NamedTuple):
    """A verifier's agreement with people from a confidence on, for claims that it did not call contradicted."""

    sure: float
    """The confidence."""
    passed_on: float
    """Share of all pairs with less confidence, or that it called contradicted."""
    agreement: float | None
    """Share of the other pairs on which it agrees with people; None when there are none."""


class Calibration(Documented):
    """Fitted calibration of one verifier."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    verifier: str
    """Its name with its revision: another revision needs its own calibration."""
    kind: Kind
    temperature: float = Field(default=1.0, gt=0)
    """Divides the log-odds of support."""
    steps: tuple[tuple[float, float], ...] = ()
    """For `isotonic`: stated and corrected probability of support, both rising, with straight lines between."""
    against: float = Field(default=1.0, gt=0)
    """Divides the log-odds of contradiction against not enough evidence."""
    standings: tuple[CoveragePoint, ...] = ()
    """By rising confidence, on pairs left out of the fit; a cascade uses them to find its threshold."""
    n: int = Field(ge=0)
    """Pairs that it was fitted on."""
    labels: str
    """SHA-256 of the labelled file."""
    made: str | None = None
    """When, in UTC."""

    @cached_property
    def digest(self) -> str:
        """8 hexadecimal digits that differ where predictions do; part of the judge's name."""
        fitted = json.dumps(self.model_dump(mode="json", include=set(_FITTED)), sort_keys=True)
        return sha256(fitted.encode()).hexdigest()[:8]

    def true(self, supported: float) -> float:
        """Return the corrected probability of support."""
        if self.kind == "temperature":
            return tempered(supported, self.temperature)
        index = bisect_right(self.steps, (supported, 1.0))
        if index == 0:
            return self.steps[0][1]
        if index == len(self.steps):
            return self.steps[-1][1]
        (low, before), (high, after) = self.steps[index - 1 : index + 1]
        return before + (after - before) * (supported - low) / (high - low)

    def of(self, probabilities: LabelProbabilities) -> LabelProbabilities:
        """Return all probabilities, corrected."""
        supported = self.true(probabilities.supported)
        if probabilities.contradicted is None or probabilities.not_enough is None:
            return LabelProbabilities(supported)
        remainder = probabilities.contradicted + probabilities.not_enough
        share = tempered(probabilities.contradicted / remainder if remainder else 0.0, self.against)
        return LabelProbabilities(supported, (1 - supported) * share, (1 - supported) * (1 - share))


class CalibratedVerifier:
    """A verifier with its calibration, which its name includes."""

    def __init__(self, verifier: Verifier, calibration: Calibration) -> None:
        self.verifier, self.calibration = verifier, calibration

    @property
    def name(self) -> str:
        """The verifier's name with the calibration's digest."""
        return f"{self.verifier.name}~{self.calibration.digest}"

    @property
    def languages(self) -> Sequence[str]:
        """The languages that the verifier reads; none for any."""
        return languages_read(self.verifier)

    def verify(self, pairs: Sequence[ClaimPair]) -> list[Prediction]:
        """Verify with calibrated probabilities; abstentions and unread pairs are unchanged."""
        return [calibrated(prediction, self.calibration) for prediction in self.verifier.verify(pairs)]


def calibrated(prediction: Prediction, calibration: Calibration) -> Prediction:
    """Return the prediction with calibrated probabilities.

    The label changes only if that of support crosses one half.
    """
    if prediction.probabilities is None or prediction.confidence is None:
        return prediction
    probabilities, label = calibration.of(prediction.probabilities), prediction.label
    if (probabilities.supported >= _HALF) != (prediction.probabilities.supported >= _HALF):
        label = "supported" if probabilities.supported >= _HALF else _silent(probabilities)
    return prediction._replace(
        label=label, confidence=round(_chance(probabilities, label), 4), probabilities=probabilities
    )


def _silent(probabilities: LabelProbabilities) -> Label:
    """Return the label of a pair that is no longer supported."""
    if probabilities.contradicted is None or probabilities.not_enough is None:
        return "not_supported"
    return "contradicted" if probabilities.contradicted > probabilities.not_enough else "not_enough_evidence"


def _chance(probabilities: LabelProbabilities, label: Label) -> float:
    by_label = {"supported": probabilities.supported, "contradicted": probabilities.contradicted, "not_supported": None}
    probability = by_label.get(label, probabilities.not_enough)
    return 1 - probabilities.supported if probability is None else probability


def tempered(chance: float, temperature: float) -> float:
    """Return the probability with its log-odds divided."""
    bounded = min(max(chance, EDGE), 1 - EDGE)
    return 1 / (1 + exp(-log(bounded / (1 - bounded)) / temperature))


def place_of(verifier: str, cache: Path) -> Path:
    """Return the file that holds the calibration of the verifier of this name and revision."""
    plain = re.sub(r"[^\w.-]+", "-", verifier, flags=re.ASCII)[:80]
    return cache / "calibrations" / f"{plain}-{sha256(verifier.encode()).hexdigest()[:8]}.json"


def store_calibration(calibration: Calibration, cache: Path) -> Path:
    """Store a calibration, replacing an earlier one; return the file. Raises StoreError when it can't be written."""
    path = place_of(calibration.verifier, cache)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, [f"{calibration.model_dump_json(indent=1)}\n".encode()])
    except OSError as error:
        raise StoreError(
            f"The calibration {path} can't be written: {system_reason(error)}.",
            "Make room, or name another folder: FACTSCOPE_CACHE.",
        ) from None
    return path


def stored_calibration(verifier: str, cache: Path) -> Calibration | None:
    """Return the calibration of a verifier; None when there is none. Raises InputError when the file can't be used."""
    path = place_of(verifier, cache)
    try:
        return Calibration.model_validate_json(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):  # a cache that is a file holds none
        return None
    except (OSError, ValidationError, UnicodeDecodeError):
        raise InputError(f"The calibration {path} can't be used.", "Delete it, or fit it again.") from None


def with_calibration(verifier: Verifier, cache: Path) -> Verifier:
    """Return the verifier, calibrated if a calibration of it is stored. Raises InputError when that can't be used."""
    calibration = stored_calibration(verifier.name, cache)
    return verifier if calibration is None else CalibratedVerifier(verifier, calibration)
