"""Settings for turning a text into claims, and for correcting a wrong one."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from factscope.core.labels import ClaimKind
from factscope.methods.base import Ask


class Extract(Ask):
    """Extraction of claims from segments by a model."""

    role: str = "extract"
    form: Literal["typed_lines", "claim_lines", "segment_blocks", "json"]
    """The reply: `- unit: type` lines (VERIFY), `Claim_1: text` lines (Facts&Evidence), claims below lines
    `Segment s1:` (FELM), or JSON with spans."""
    segments_per_call: int = Field(default=1, ge=0, le=200)
    """Segments cut in one call; 0 puts the whole response into one."""
    before: int = Field(default=0, ge=0)
    """Segments before these that the model sees too, as place `context` of its prompt."""
    after: int = Field(default=0, ge=0)
    """Segments after these that it sees."""
    keep: tuple[ClaimKind, ...] = ("fact", "claim")
    """Unit types that are checked; the others are skipped, and say so."""
    rewrite: Rewrite | None = None
    """A call per claim that makes it stand alone (VERIFY, SAFE)."""
    relevant: Relevance | None = None
    """A call per claim that asks whether it bears on the request (SAFE)."""


class Rewrite(Ask):
    """Rewriting of a claim so that it stands alone."""

    role: str = "rewrite"
    if_unreadable: Literal["keep", "fail"] = "fail"
    """Treatment of a claim whose rewriting can't be read. VERIFY keeps it as it was."""


class Relevance(Ask):
    """Whether a claim bears on the request that the response answers (SAFE, section 3)."""

    role: str = "relevance"
    if_unreadable: Literal["keep", "fail"] = "fail"
    """Treatment of a claim when the reply can't be read. SAFE keeps it as relevant."""


class Correct(Ask):
    """Asks, for a contradicted claim, what is wrong with it and what the text should say."""

    role: str = "correct"
    claims_per_call: int = Field(default=8, ge=1, le=50)
    """Contradicted claims that one call is about."""
