"""Base classes of a method's settings, and of a question to a language model, which most of them are."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from factscope.core.documented import Documented


class MethodPart(Documented):
    """Base of a method and its parts: immutable, closed, documented field by field."""

    model_config = ConfigDict(frozen=True, extra="forbid")


ROLES = ("cut", "extract", "rewrite", "relevance", "query", "judge", "correct", "source", "answer", "refusal")
"""Roles of the shipped methods and benchmarks. A method file may name others, for the judges of a panel."""


class Ask(MethodPart):
    """A question to a language model."""

    prompt: str
    """A shipped prompt such as `verify/extract`, or the path of a file (see `factscope.llm.prompts`)."""
    role: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    """Role of the configured model that is called, and under which its usage is counted."""
    temperature: float | None = Field(default=0.0, ge=0, le=2)
    """Sent as it is, 0 too. For models that take none, leave it out with the setting `temperature`."""
    max_tokens: int = Field(default=2048, ge=1, le=200_000)
    """Longest reply."""
    if_cut_off: Literal["fail", "read", "whole"] = "fail"
    """Treatment of a longer one: it fails; what came of it is read, as in FELM's published code; or it counts as whole,
    for replies of which only the first word matters."""
