"""The folder of a release, or of a build on the way to one: its manifest and its tables.

manifest.json                 settings and result of each stage
01-read.parquet, 02-…         rows that each stage kept
drops/01-read.parquet, …      rows that it dropped: id, reason, detail
side/responses.parquet, …     side tables: data about the prompts that not every stage needs
unfinished/                   an incomplete build, with the same layout

One process locks it, and moves a build into place when that is complete. The manifest makes releases comparable, and
lets a build resume where it stopped.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import polars as pl
from pydantic import Field, ValidationError

from factscope.benchmarks.curate.parameters import STORED, CurationParameters
from factscope.benchmarks.curate.stage import BASELINE, FAILED, WAITING
from factscope.core import BusyError, InputError, Record, StoreError, Usage, UsageError, first_problem, sha256_of

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
    elif isinstance(facts, Mapping | list | tuple):
        for value in facts.values() if isinstance(facts, Mapping) else facts:
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
        return ReleaseManifest.model_validate_json(text, context=STORED)
    except ValidationError as error:
        field, problem = first_problem(error)
        raise StoreError(
            f"{path} was made by another version of Factscope, or is damaged: {field}: {problem}.",
            f"This version reads format {FORMAT}. Nothing was changed; make the release again in an empty folder.",
        ) from None


UNFINISHED = "unfinished"
_SHARED = "factscope.json"
"""The manifest of a release to share (`release`)."""
_COMPLETE = "complete.json"
"""The manifest of a complete build, while its tables are moved into place."""
_GROUP = 100_000  # rows of a Parquet group: some megabytes in memory


@dataclass(frozen=True)
class Folder:
    """A release, or as much of one as has been built."""

    path: Path
    manifest: ReleaseManifest

    def has(self, stage: str) -> bool:
        """Return whether a stage has been done."""
        return self.manifest.step(stage) is not None

    @property
    def sides(self) -> dict[str, Path]:
        """Files of all side tables, by name."""
        return {name: self.path / side_file(name) for step in self.manifest.steps for name in step.sides}

    def table(self, stage: str) -> pl.DataFrame:
        """Read the table that a stage wrote.

        Raises InputError when it has not been done, StoreError when its file is damaged.
        """
        return read_table(self.path / stage_file(self._number(stage), stage))

    def drops(self, stage: str) -> pl.DataFrame:
        """Read the rows that a stage dropped: id, reason, detail. Raises the errors of `table`."""
        return read_table(self.path / drops_file(self._number(stage), stage))

    def side(self, name: str) -> pl.DataFrame:
        """Return a side table.

        Raises InputError when there is none of this name, StoreError when its file is damaged.
        """
        if name not in self.sides:
            raise InputError(f"{self.path} has no table {name!r}.", f"Choose from: {', '.join(self.sides) or 'none'}.")
        return read_table(self.sides[name])

    def _number(self, stage: str) -> int:
        names = [step.name for step in self.manifest.steps]
        if stage not in names:
            raise InputError(
                f"{self.path} has not reached the stage {stage!r}; its last is {names[-1]}.",
                "Carry on with: factscope curate build",
            )
        return names.index(stage) + 1


def open_folder(path: Path) -> Folder:
    """Return the release in a folder.

    Raises UsageError when there is none, and StoreError for another version.
    """
    manifest = read_manifest(path / NAME)
    if manifest is None and (path / _SHARED).exists():
        raise UsageError(
            f"{path} is a release to share, without the tables of its build.", "Name the folder of the build."
        )
    if manifest is None:
        begun = (path / UNFINISHED).exists()
        problem = "only the beginning of a release" if begun else "no release" if path.is_dir() else "no such folder"
        hint = (
            "The command that began it carries on."
            if begun
            else "Make one: factscope curate build --logs FILE… --out FOLDER"
        )
        raise UsageError(f"{path}: there is {problem}.", hint)
    return Folder(path, manifest)


def stage_file(number: int, stage: str) -> str:
    """Return the name of a stage's table; stages count from 1."""
    return f"{number:02}-{stage}.parquet"


def drops_file(number: int, stage: str) -> str:
    """Return the name of the table of dropped rows."""
    return f"drops/{stage_file(number, stage)}"


def side_file(name: str) -> str:
    """Return the name of a side table's file."""
    return f"side/{name}.parquet"


def read_table(path: Path) -> pl.DataFrame:
    """Return a table from disk. Raises StoreError when it is missing or damaged."""
    try:
        return pl.read_parquet(path, glob=False)
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = str(error).partition("\n")[0][:200]
        raise StoreError(f"The table {path} can't be read: {reason}.", "Build it again; the rest is reused.") from None


def write_table(table: pl.DataFrame | pl.LazyFrame, path: Path) -> str:
    """Write a table, completely or not at all, and return the SHA-256 of the file. Raises StoreError.

    Equal tables give equal files, so that hashes identify them.
    """
    with whole_file(path) as target:
        if isinstance(table, pl.LazyFrame):
            table.sink_parquet(target, maintain_order=True, row_group_size=_GROUP)
        else:
            table.rechunk().write_parquet(target, row_group_size=_GROUP)
    return sha256_of(path)


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Provide a path to write a file to, which is renamed to `path` when it is complete and on disk.

    Raises StoreError.
    """
    target = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield target
        with target.open("rb") as file:
            os.fsync(file.fileno())
        target.replace(path)
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = getattr(error, "strerror", None) or str(error).partition("\n")[0][:200]
        raise StoreError(
            f"{path} can't be written: {reason}.", "Make room or make the folder writable; the same command carries on."
        ) from error
    finally:
        with suppress(OSError):
            target.unlink(missing_ok=True)


@contextmanager
def hold_folder(out: Path) -> Iterator[None]:
    """Hold the folder for this build, making it.

    Raises UsageError when it is for something else, BusyError when another build holds it, StoreError when it can't be
    made.
    """
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is not a folder.", "Name another for the release: --out FOLDER")
    if out.is_dir() and any(out.iterdir()) and not (out / NAME).exists() and not (out / UNFINISHED).exists():
        raise UsageError(f"{out} contains other files.", "Name an empty or new folder: --out FOLDER")
    try:
        (out / UNFINISHED).mkdir(parents=True, exist_ok=True)
        handle = os.open(out, os.O_RDONLY)
    except OSError as error:
        raise StoreError(f"{out} can't be made: {error.strerror}.", "Name another folder: --out FOLDER") from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BusyError(f"Another build works on {out}.", "Wait for it, or name another folder.") from None
        yield
    finally:
        os.close(handle)


def complete(manifest: ReleaseManifest, out: Path) -> None:
    """Replace the previous build by a complete one. Raises StoreError; `settle` then continues."""
    write_manifest(manifest, out / UNFINISHED / _COMPLETE)
    settle(out)


def settle(out: Path) -> None:
    """Move the tables of a complete build into place, also after an earlier process died while doing so.

    Raises StoreError.
    """
    work = out / UNFINISHED
    manifest = read_manifest(work / _COMPLETE)
    if manifest is None:
        return
    before = read_manifest(out / NAME)
    names = {name for step in manifest.steps for name in step.files}
    try:
        for name in sorted(names):
            if (work / name).exists():
                (out / name).parent.mkdir(exist_ok=True)
                (work / name).replace(out / name)
        (work / _COMPLETE).replace(out / NAME)  # takes no room on a disk that is full
        for name in {name for step in (before.steps if before else ()) for name in step.files} - names:
            (out / name).unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"{out} can't be written: {error.strerror}.", "The same command carries on.") from error
    shutil.rmtree(work, ignore_errors=True)


def write_manifest(manifest: ReleaseManifest, path: Path) -> None:
    """Write the manifest of a build, all or nothing. Raises StoreError."""
    with whole_file(path) as target:
        target.write_text(manifest.model_dump_json(indent=1) + "\n", encoding="utf-8")
