"""Settings for extracting claims from a text, and for correcting wrong ones."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from factscope.core import ClaimKind
from factscope.methods.base import Ask, Role


class Extract(Ask):
    """Extraction of claims from segments by a model."""

    role: Role = "extract"
    form: Literal["typed_lines", "claim_lines", "segment_blocks", "json"]
    """Format of the reply: `- unit: type` lines (VERIFY), `Claim_1: text` lines (Facts&Evidence), claims below lines
    `Segment s1:` (FELM), or JSON with spans."""
    segments_per_call: int = Field(default=1, ge=0, le=200)
    """Segments per call; 0 puts the whole response into one call."""
    before: int = Field(default=0, ge=0)
    """Number of segments before these that the model sees too, in the variable `context` of its prompt."""
    after: int = Field(default=0, ge=0)
    """Number of segments after these that it sees too."""
    keep: tuple[ClaimKind, ...] = ("fact", "claim")
    """Unit types that are checked; claims of the others are skipped with a reason."""
    rewrite: Rewrite | None = None
    """A call per claim that rewrites it to stand alone (VERIFY, SAFE)."""
    relevant: Relevance | None = None
    """A call per claim that asks whether it is relevant to the request (SAFE)."""


class Rewrite(Ask):
    """Rewriting of a claim so that it stands alone."""

    role: Role = "rewrite"
    if_unreadable: Literal["keep", "fail"] = "fail"
    """Treatment of a claim whose rewritten form can't be read. VERIFY keeps the original."""


class Relevance(Ask):
    """Check whether a claim is relevant to the request that the response answers (SAFE, section 3)."""

    role: Role = "relevance"
    if_unreadable: Literal["keep", "fail"] = "fail"
    """Treatment of a claim when the reply can't be read. SAFE keeps the claim as relevant."""


class Correct(Ask):
    """Question about contradicted claims: the error in each, and the correct wording."""

    role: Role = "correct"
    claims_per_call: int = Field(default=8, ge=1, le=50)
    """Contradicted claims per call."""
