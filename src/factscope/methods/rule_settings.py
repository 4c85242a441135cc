"""Settings of the rules from labels to verdicts, and of the scores to compute."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, PlainSerializer

from factscope.methods.base import MethodPart

UnitRule = Literal["strongest", "share", "only"]
GroupRule = Literal["worst"]
PanelRule = Literal["majority", "consensus", "mean"]


LEAST_COVERAGE = 0.5
"""Our own choice: if less than half was judged, the rest could reverse any score."""


class RollUp(MethodPart):
    """Rules by which judgements become verdicts."""

    unit: UnitRule = "strongest"
    """Judgements → claim. `strongest`: the most confident label decides; `share`: supported when the share of
    supporting judgements reaches `threshold` (Facts&Evidence, section 4); `only`: there is one judgement, which
    decides."""
    threshold: float = Field(default=0.3, ge=0, le=1)
    """For `share`: the smallest share that counts as supported."""
    tie: Literal["undecided", "contradicted"] = "undecided"
    """Outcome of several samples of the same question when no label is more frequent than all others."""
    margin: float = Field(default=0.1, ge=0, le=1)
    """For `strongest`: support and contradiction closer than this in confidence are a conflict, hence undecided."""
    contradiction_floor: float = Field(default=0.0, ge=0, le=1)
    """A contradiction with less confidence than this leaves the claim undecided; one without a stated confidence
    counts."""
    panel: PanelRule = "majority"
    """Several judges → claim. `majority`: the label of more than half of them, otherwise undecided; `consensus`: the
    label of all, otherwise undecided; `mean`: the sign of the mean of their confidences, with `margin`."""
    segment: GroupRule = "worst"
    """Claims → segment. `worst`: contradicted if any is, otherwise failed, undecided or without evidence if any is."""
    response: GroupRule = "worst"
    """Segments → response."""


class Measure(MethodPart):
    """A score by name with its parameters. `Measure.parse(str(m)) == m`, for parameters of at most six digits."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    """Name in the registry of scores."""
    parameters: tuple[tuple[str, float], ...] = ()
    """Parameters in order of name."""

    def __str__(self) -> str:
        inside = ", ".join(f"{key}={value:g}" for key, value in self.parameters)
        return f"{self.name}({inside})" if inside else self.name

    @classmethod
    def parse(cls, text: str) -> Measure:
        """Read `name` or `name(key=number, …)`, each key once. Raises ValueError on anything else."""
        match = re.fullmatch(r"\s*([a-z][a-z0-9_]*)\s*(?:\(([^()]*)\))?\s*", text)
        if not match:
            raise ValueError(f"{text!r} is not a score; write it like hallucination(alpha=0.5)")
        parameters: dict[str, float] = {}
        for item in filter(None, (setting.strip() for setting in (match[2] or "").split(","))):
            key, _, number = map(str.strip, item.partition("="))
            if key in parameters:
                raise ValueError(f"{key!r} is given twice in {text!r}")
            try:
                parameters[key] = float(number if key else "")  # "=1" has no key
            except ValueError:
                raise ValueError(f"{item!r} in {text!r} is not a parameter like alpha=0.5") from None
        return cls(name=match[1], parameters=tuple(sorted(parameters.items())))


def _read_measure(value: Any) -> Any:
    return Measure.parse(value) if isinstance(value, str) else value


MeasureText = Annotated[Measure, BeforeValidator(_read_measure), PlainSerializer(str, return_type=str)]
