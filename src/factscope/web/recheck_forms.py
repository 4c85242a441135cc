"""Forms of a changed text that is checked again."""

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
    """A changed text to check: what did not change is not checked again."""

    text: str
    """The whole text as it is now."""
    claims: tuple[EditedClaim, ...] = Field(default=(), max_length=100)
    """Claims that are to be read in these words."""


class RecheckPlan(Form):
    """Plan of what a changed text would have checked again."""

    changed: tuple[str, ...]
    """Sentences of the new text that are new or changed."""
    depending: tuple[str, ...]
    """Sentences that did not change and are checked again all the same."""
    because: tuple[str, ...]
    """Reason for each of these."""
    kept: int = Field(ge=0)
    """Claims whose verdicts stand."""
    estimate: Estimate | None = None
    """Upper limit of their expected usage."""
