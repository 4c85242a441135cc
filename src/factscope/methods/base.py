"""Base classes of a method's settings, and of the questions to a language model, which most of them are."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from factscope.core import Documented


class MethodPart(Documented):
    """Base of a method and its parts: immutable, no extra fields, each field described in the schema."""

    model_config = ConfigDict(frozen=True, extra="forbid")


ROLES = ("cut", "extract", "rewrite", "relevance", "query", "judge", "correct", "source", "answer", "refusal")
"""Roles of the shipped methods and benchmarks. A method file may name others, for the judges of a panel."""


Role = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
"""A role by its name, which users write before `=` and in names of variables."""


class Ask(MethodPart):
    """A question to a language model."""

    prompt: str
    """A shipped prompt such as `verify/extract`, or the path of a file (see `factscope.llm.prompts`)."""
    role: Role
    """Role of the configured model that is called, and under which its usage is counted."""
    temperature: float | None = Field(default=0.0, ge=0, le=2)
    """Sent as it is, even 0. For models that don't accept one, use the setting `temperature`."""
    max_tokens: int = Field(default=2048, ge=1, le=200_000)
    """Longest reply, in tokens."""
    if_cut_off: Literal["fail", "read", "whole"] = "fail"
    """Treatment of a reply that is cut off at `max_tokens`: it fails; the readable part is used, as in FELM's published
    code; or it counts as complete, for replies of which only the first word matters."""
