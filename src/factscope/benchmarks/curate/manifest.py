"""Manifest of a build: the origin of the prompts, and the settings and result of each stage.

It makes releases comparable, and lets a build resume where it stopped.
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
"""Version of the manifest and the tables beside it."""
NAME = "manifest.json"


class LogFile(Record):
    """A file that prompts were read from."""

    name: str
    """Its name, without the folder."""
    bytes: int
    """Its size."""
    sha256: str
    """Hash of its content."""


class ManifestStep(Record):
    """Result of one stage."""

    name: str
    """Of the stage."""
    about: str
    """Its purpose, in one sentence."""
    key: str
    """Hash of everything that its result depends on; if it is equal, the stage need not be repeated."""
    rows_in: int
    """Rows that it received; for the first stage, those of the logs."""
    rows_out: int
    """Rows that it kept."""
    dropped: dict[str, int]
    """Number of dropped rows, by reason, the most frequent first."""
    unanswered: Mapping[str, int] = {}
    """Unanswered questions about something other than a row, such as a topic: the number that failed, and that wait."""
    seconds: float
    """Seconds that it took."""
    parameters: dict[str, Any]
    """The parameters that it used, including seeds."""
    models: dict[str, str]
    """The models it may have asked, by role; `baseline` where it had none."""
    usage: tuple[Usage, ...]
    """Its usage."""
    facts: dict[str, Any]
    """Other facts about it."""
    libraries: dict[str, str]
    """Versions of the libraries that it may have used."""
    files: dict[str, str]
    """SHA-256 of each of its files, by name: its table, the drops, the side tables."""
    sides: tuple[str, ...] = ()
    """Names of its side tables."""

    @property
    def by_rule(self) -> bool:
        """Return whether a rule replaced a model."""
        return BASELINE in _first_words(self.facts)

    @property
    def undone(self) -> int:
        """Return the number of rows that could not be processed, which the next build tries again."""
        return self.dropped.get(FAILED, 0) + self.dropped.get(WAITING, 0)

    @property
    def waiting(self) -> bool:
        """Return whether something waits in a batch folder, so that the build stops here."""
        return WAITING in self.dropped or WAITING in self.unanswered

    @property
    def again(self) -> bool:
        """Return whether the next build repeats it, because something failed or waits."""
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
    """All parameters, including those that no stage used."""
    logs: tuple[LogFile, ...]
    """The log files that were read."""
    steps: tuple[ManifestStep, ...] = Field(min_length=1)
    """The stages, in their order."""

    def step(self, name: str) -> ManifestStep | None:
        """Return the step of this name; `None` when it has not been done."""
        return next((step for step in self.steps if step.name == name), None)

    def facts(self, name: str) -> Mapping[str, Any]:
        """Return what the step of this name says of itself; nothing when it has not been done."""
        step = self.step(name)
        return step.facts if step else {}


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
