"""Forms for checking a changed text again."""

from __future__ import annotations

from pydantic import Field

from factscope.web.forms import Estimate, Form, Name


class EditedClaim(Form):
    """A claim in a person's own words."""

    id: Name
    """The claim."""
    text: str = Field(min_length=1, max_length=10_000)
    """The standalone wording."""


class RecheckRequest(Form):
    """A changed text to check; unchanged sentences are not checked again."""

    text: str
    """The whole text as it is now."""
    claims: tuple[EditedClaim, ...] = Field(default=(), max_length=100)
    """Claims that are to be checked in these words."""


class RecheckPlan(Form):
    """Plan of a recheck."""

    changed: tuple[str, ...]
    """Sentences of the new text that are new or changed."""
    depending: tuple[str, ...]
    """Sentences that did not change but are checked again."""
    because: tuple[str, ...]
    """Reason for each of these."""
    kept: int = Field(ge=0)
    """Claims that keep their verdicts."""
    estimate: Estimate | None = None
    """Upper limit of the expected usage."""
