"""The weighted sum of an encoder's log-odds that the built-in verifier's probabilities come from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from factscope.judging.verifiers.rules.accusations import is_about
from factscope.judging.verifiers.wording.features import NAMES, ClaimComparison
from factscope.judging.verifiers.wording.rival_dates import is_date
from factscope.judging.verifiers.wording.text_items import AnalysedText

MIXTURE_FILE = "hybrid.json"
LARGE_SHARE = 0.6
"""Weight of the large network beside the small one. The labels of our own 777 pairs, where no rule decides, have a mean
log-likelihood of -.425 with it, -.420 with 0.75, -.435 with equal weights, -.435 by the large one alone and -.578 by
the small one. With equal weights, three more of 103 errors in fifteen texts stay open."""


@dataclass(frozen=True)
class Mixture:
    """Weights of one sum per label over the encoder's log-odds; their softmax is the probability."""

    name: str
    """Name and version."""
    supported: Mapping[str, float]
    contradicted: Mapping[str, float]
    not_enough: Mapping[str, float]
    figures: Mapping[str, Any]
    """Measured figures."""


def read_mixture(package: str = str(__package__)) -> Mixture:
    """Read the mixture in a package. Raises ModuleNotFoundError."""
    return Mixture(**json.loads(files(package).joinpath(MIXTURE_FILE).read_text(encoding="utf-8")))


def mixture_inputs(
    sentence: AnalysedText, comparison: ClaimComparison, scores: NDArray[np.float64]
) -> dict[str, float]:
    """Return the inputs of the sums by name, for a sentence of a claim.

    `scores` are the encoder's, of the chunks, then the closest sentence. A weekday is not a name here: a passage on
    another day may be about the claim. Of 269 labelled pairs with no other name, this contradicts 35 rightly and
    three wrongly, and supports four wrongly; all of the wrong ones have a confidence below the floor of
    `--strictness normal`.
    """
    inputs = {
        "chunk_support": float(supports(scores[:-1]).max()),
        "chunk_contradiction": float(contradicts(scores[:-1]).max()),
        "sentence_support": float(supports(scores[-1]).max()),
        "sentence_contradiction": float(contradicts(scores[-1]).max()),
        **dict(zip(NAMES, comparison.values, strict=True)),
    }
    if all(is_date(item) for item in sentence.items if item.kind == "name"):
        inputs["name_any"] = 0.0
    return inputs


def supports(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the log-odds of supported against the other labels, from logits, chunks × 3."""
    scores = scores.reshape(-1, 3)
    return np.asarray(scores[:, 0] - np.logaddexp(scores[:, 1], scores[:, 2]))


def contradicts(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the log-odds of contradicted against not enough, from logits, chunks × 3."""
    scores = scores.reshape(-1, 3)
    return np.asarray(scores[:, 1] - scores[:, 2])


def mix(mixture: Mixture, inputs: Mapping[str, float]) -> NDArray[np.float64]:
    """Return the probabilities of supported, contradicted and not enough.

    A passage can contradict only a claim that it is about.
    """
    sums = np.array([_sum(of, inputs) for of in (mixture.supported, mixture.contradicted, mixture.not_enough)])
    probabilities = np.exp(sums - np.logaddexp.reduce(sums))
    return np.asarray(probabilities) if is_about(inputs) else without_contradiction(probabilities)


def without_contradiction(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities with that of a contradiction added to not enough."""
    return np.array([probabilities[0], 0.0, probabilities[1] + probabilities[2]])


def pooled(large: NDArray[np.float64], small: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the normalised weighted geometric mean of two networks' probabilities.

    It is the logarithmic opinion pool (Genest and Zidek 1986); the large one has the weight `LARGE_SHARE`.
    """
    with np.errstate(divide="ignore"):  # a label that one of them rules out stays ruled out
        means = LARGE_SHARE * np.log(large) + (1 - LARGE_SHARE) * np.log(small)
    return np.asarray(np.exp(means - np.logaddexp.reduce(means)))


def _sum(weights: Mapping[str, float], inputs: Mapping[str, float]) -> float:
    return weights["bias"] + sum(weight * inputs[name] for name, weight in weights.items() if name != "bias")
