"""Confidence that a contradiction needs: how finding errors is traded against false accusations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from factscope.methods.method import Method

Strictness = Literal["low", "normal", "high"]

FLOORS: Mapping[Strictness, float] = {"low": 0.85, "normal": 0.67, "high": 0.0}
"""Least confidence of a contradiction. Chosen on texts of our own: docs/verifier-figures.md, "Strictness"."""


def with_strictness(method: Method, strictness: Strictness) -> Method:
    """Return the method with the confidence threshold of this strictness.

    A judge that states no confidence is not affected.
    """
    rules = method.roll_up.model_copy(update={"contradiction_floor": FLOORS[strictness]})
    return method.model_copy(update={"roll_up": rules})
