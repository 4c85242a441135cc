"""Manifest of a build: where prompts came from, and which settings and results each stage had.

It makes two releases comparable, and lets a build resume where it stopped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from factscope.benchmarks.curate.baselines import BASELINE
from factscope.benchmarks.curate.parameters import CurationParameters
from factscope.benchmarks.curate.stage import FAILED, WAITING
from factscope.core.errors import StoreError
from factscope.core.records import Record, Usage
from factscope.core.validation import first_problem

FORMAT: Literal[1] = 1
"""Of the manifest and the tables beside it."""
NAME = "manifest.json"


class LogFile(Record):
    """A file that prompts were read from."""

    name: str
    """Its name, without the folder."""
    bytes: int
    """Its size."""
    sha256: str
    """Of its content."""


class ManifestStep(Record):
    """Result of one stage."""

    name: str
    """Of the stage."""
    about: str
    """Its purpose, in one sentence."""
    key: str
    """Hash of all that its result depends on; an equal one need not be done again."""
    rows_in: int
    """Rows that it took in; of the first stage those of the logs."""
    rows_out: int
    """Rows that went on."""
    dropped: dict[str, int]
    """The others, by reason, the commonest first."""
    unanswered: Mapping[str, int] = {}
    """Its questions about something other than a row, such as a topic, that have no answer: how many failed and how
    many wait."""
    seconds: float
    """That it took."""
    parameters: dict[str, Any]
    """The parts of the parameters that it used, seeds among them."""
    models: dict[str, str]
    """The models it may have asked, by role; `baseline` where it had none."""
    usage: tuple[Usage, ...]
    """Its usage."""
    facts: dict[str, Any]
    """Other facts about it."""
    libraries: dict[str, str]
    """Versions of what it may have used."""
    files: dict[str, str]
    """SHA-256 of each of its files, by name: its table, the drops, the side tables."""
    sides: tuple[str, ...] = ()
    """Names of its side tables."""

    @property
    def by_rule(self) -> bool:
        """Whether a rule stood in for a model."""
        return BASELINE in _first_words(self.facts)

    @property
    def undone(self) -> int:
        """Rows that could not be worked on: the next build tries them again."""
        return self.dropped.get(FAILED, 0) + self.dropped.get(WAITING, 0)

    @property
    def waiting(self) -> bool:
        """Whether something waits in a batch folder: the build does not go beyond it."""
        return WAITING in self.dropped or WAITING in self.unanswered

    @property
    def again(self) -> bool:
        """Whether the next build does it again, as something failed or waits."""
        return bool(self.undone or self.unanswered)


def _first_words(facts: Any) -> Iterator[str]:
    """Yield the first word of every text in a stage's report on itself."""
    if isinstance(facts, str):
        yield facts.partition(":")[0]
    elif isinstance(facts, Mapping):
        for value in facts.values():
            yield from _first_words(value)
    elif isinstance(facts, list | tuple):
        for value in facts:
            yield from _first_words(value)


class ReleaseManifest(Record):
    """Result of a build, stage by stage."""

    format: Literal[1] = FORMAT
    """Of this file and the tables beside it."""
    factscope: str
    """Version that made it."""
    made: str
    """When, ISO 8601 in UTC."""
    parameters: CurationParameters
    """All of them, with those that no stage used."""
    logs: tuple[LogFile, ...]
    """The log files that were read."""
    steps: tuple[ManifestStep, ...] = Field(min_length=1)
    """The stages, in their order."""

    def step(self, name: str) -> ManifestStep | None:
        """Return the step of this name; `None` when it has not been done."""
        return next((step for step in self.steps if step.name == name), None)


def read_manifest(path: Path) -> ReleaseManifest | None:
    """Read a manifest, `None` if the file does not exist. Raises StoreError if this version can't read it."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"{path} can't be read: {getattr(error, 'strerror', None) or error}.") from None
    try:
        return ReleaseManifest.model_validate_json(text)
    except ValidationError as error:
        field, problem = first_problem(error)
        raise StoreError(
            f"{path} was made by another version of Factscope, or is damaged: {field}: {problem}.",
            f"This version reads format {FORMAT}. Nothing was changed; make the release again in an empty folder.",
        ) from None
