"""Changes between two runs over the same responses, as values, which `compare` computes and a page shows."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from factscope.core import Outcome
from factscope.core.records import Record
from factscope.scoring.paired_tests import Finding, PairedDifference


class RunSide(Record):
    """One of the two runs."""

    name: str
    """The user's name for it."""
    n_responses: int = Field(ge=0)
    """Responses in it."""
    n_alone: int = Field(ge=0)
    """Those that the other run does not have."""
    n_units_alone: int = Field(ge=0)
    """Units of compared responses that the other run does not have."""
    coverage: float | None = Field(ge=0, le=1)
    """Units with a verdict / units to judge in the compared responses; `None` when there is nothing to judge."""
    n_left_out: int = Field(default=0, ge=0)
    """Rows of its data that could not be checked, and that no number here counts."""
    left_out_by_model: dict[str, int] = Field(default={})
    """Those of them whose model is known, by model."""


class SettingChange(Record):
    """One difference in the settings of the two runs: part of the method, judge, evidence, model or version."""

    name: str
    """Such as `method.roll_up.margin` or `judge`."""
    first: str
    """Value in the first run; several values joined by ` + `, and `none` for none."""
    second: str
    """Value in the second."""


class ScoreChange(PairedDifference):
    """One measure in both runs."""

    name: str
    """The measure with its parameters."""
    sentence: str
    """Meaning of the number."""
    p_adjusted: float | None
    """`p` corrected for there being several measures, after Holm."""
    finding: Finding
    """Result of the test by `p_adjusted`."""


class SupportChange(Record):
    """Whether more units are supported, among those that both runs judged."""

    n: int = Field(ge=0)
    """Units with a verdict on their truth in both runs."""
    n_responses: int = Field(ge=0)
    """Responses that contain these."""
    first: int = Field(ge=0)
    """Supported in the first run."""
    second: int = Field(ge=0)
    """Supported in the second."""
    gained: int = Field(ge=0)
    """Supported only in the second."""
    lost: int = Field(ge=0)
    """Supported only in the first."""
    p_mcnemar: float
    """McNemar's exact p, which treats units as independent, although units of one response rarely are."""
    p: float
    """p of `sign_flip` on gained minus lost units in each response, valid however the units of a response depend on
    each other."""
    finding: Finding
    """Result of the test by `p`."""


class VerdictChange(Record):
    """One unit whose outcome changed: a claim, or a segment without claims."""

    response_id: str
    """The response that contains it."""
    text: str
    """Text of the unit in the first run."""
    second_text: str | None = None
    """Text in the second run, if it differs."""
    first_id: str
    """Its id in the first run."""
    first: Outcome
    """Outcome in the first run."""
    first_reason: str | None
    """Reason, where the verdict gives one."""
    second_id: str
    """Its id in the second run."""
    second: Outcome
    """Outcome in the second run."""
    second_reason: str | None
    """Reason, where the verdict gives one."""


class RunComparison(Record):
    """Two runs side by side. Differences are the second minus the first."""

    type: Literal["comparison"] = "comparison"
    first: RunSide
    second: RunSide
    n_compared: int = Field(ge=0)
    """Responses that both runs have, with the same text."""
    n_other_text: int = Field(ge=0)
    """Responses that both have under the same id with different texts; never compared."""
    n_unreadable: int = Field(ge=0)
    """Responses of which a report could not be read; never compared."""
    settings: tuple[SettingChange, ...]
    """Differences in the settings, by name."""
    scores: tuple[ScoreChange, ...]
    """The measures, in the order asked for."""
    support: SupportChange
    """The units that both runs judged."""
    n_units: int = Field(ge=0)
    """Units of compared responses that both runs have."""
    transitions: dict[Outcome, dict[Outcome, int]]
    """Their number by outcome in the first run, then in the second; every outcome is present."""
    n_changed: int = Field(ge=0)
    """Number of these units whose outcome changed."""
    changes: tuple[VerdictChange, ...]
    """The changed verdicts, in order of response and position; only the first ones if there are more than requested."""
    notes: tuple[str, ...]
    """Notes to read before relying on it."""
    seed: int
    """Seed of the tests and intervals."""
    factscope: str
    """Version of Factscope that compared."""
