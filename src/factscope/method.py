"""A method is a frozen value that names its settings; a paper is one such value, a user's TOML file another.

    segment → claims → evidence → judge → roll_up → scores

The engine reads a `Method` and nothing else about a paper. A file validates into the same type: values only, no code.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, ValidationError

from factscope.errors import UsageError

Segmenting = Literal["whole", "sentences", "paragraphs"]
UnitRule = Literal["strongest", "share", "only"]
GroupRule = Literal["worst"]


class Part(BaseModel):
    """Base of a method and its parts: immutable, closed, documented field by field."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Passages(Part):
    """How documents become the passages that a judge reads (Facts&Evidence, section 3.3)."""

    ranker: Literal["bm25"] = "bm25"
    """What orders them."""
    top_k: int = Field(default=5, ge=1, le=100)
    """Passages per claim."""
    window: int = Field(default=1, ge=0, le=50)
    """Sentences of context kept on each side of the best sentence."""
    per_document: int = Field(default=2, ge=1, le=100)
    """Most passages from one document."""


class Collection(Part):
    """Evidence from documents at hand."""

    name: str = "local"
    """Which collection of the tools is searched."""
    passages: Passages = Passages()
    """How passages are cut and ranked."""


class Verifier(Part):
    """A judge that is no language model: it labels one claim against one passage."""

    name: str = "builtin"
    """Which verifier of the tools judges."""


class RollUp(Part):
    """Rules by which judgements become verdicts."""

    unit: UnitRule = "strongest"
    """Judgements → claim. `strongest`: the surest label decides; `share`: supported when the share of supporting
    judgements reaches `threshold` (Facts&Evidence, section 4); `only`: the one judgement decides."""
    threshold: float = Field(default=0.3, ge=0, le=1)
    """For `share`: the smallest share that counts as supported."""
    margin: float = Field(default=0.1, ge=0, le=1)
    """For `strongest`: support and contradiction closer than this in confidence are a conflict, hence undecided."""
    segment: GroupRule = "worst"
    """Claims → segment. `worst`: contradicted if any is, else failed, undecided or without evidence if any is."""
    response: GroupRule = "worst"
    """Segments → response."""


class Measure(Part):
    """A score by name with its parameters. `Measure.parse(str(m)) == m`."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    """Name in the registry of scores."""
    parameters: tuple[tuple[str, float], ...] = ()
    """Parameters in order of name."""

    def __str__(self) -> str:
        inside = ", ".join(f"{key}={value:g}" for key, value in self.parameters)
        return f"{self.name}({inside})" if inside else self.name

    @classmethod
    def parse(cls, text: str) -> Measure:
        """Read `name` or `name(key=number, …)`. Raises ValueError on anything else."""
        match = re.fullmatch(r"\s*([a-z][a-z0-9_]*)\s*(?:\(([^()]*)\))?\s*", text)
        if not match:
            raise ValueError(f"{text!r} is not a score; write it like hallucination(alpha=0.5)")
        parameters = {}
        for item in filter(None, (part.strip() for part in (match[2] or "").split(","))):
            key, _, value = item.partition("=")
            try:
                parameters[key.strip()] = float(value)
            except ValueError:
                raise ValueError(f"{item!r} in {text!r} is not a parameter like alpha=0.5") from None
        return cls(name=match[1], parameters=tuple(sorted(parameters.items())))


def _read_measure(value: Any) -> Any:
    return Measure.parse(value) if isinstance(value, str) else value


MeasureText = Annotated[Measure, BeforeValidator(_read_measure), PlainSerializer(str, return_type=str)]


class Method(Part):
    """All settings of one way to check a text."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_/\-]*$")
    """Short name, as given to `--method`."""
    title: str
    """One line for a person."""
    cites: str | None = None
    """The paper, if it is one's method."""
    segment: Segmenting = "sentences"
    """What the text is cut into. Each checkable segment is one claim."""
    evidence: Collection = Collection()
    """Where evidence comes from."""
    judge: Verifier = Verifier()
    """Who labels."""
    roll_up: RollUp = RollUp()
    """How labels become verdicts."""
    scores: tuple[MeasureText, ...] = ()
    """What is computed at the end."""


def method_from_toml(path: Path) -> Method:
    """Read a method file. Raises UsageError with the field and what it may be."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"Method file {path} can't be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"Method file {path} is not TOML: {error}.") from None
    return method_from_values(values, str(path))


def method_from_values(values: Mapping[str, Any], where: str) -> Method:
    """Validate plain values into a method. Raises UsageError that names the first wrong field."""
    try:
        return Method.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "the file"
        known = ", ".join(Method.model_fields)
        raise UsageError(f"{where}: {field}: {first['msg']}.", f"Fields of a method: {known}.") from None
