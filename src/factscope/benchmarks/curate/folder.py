"""The folder of a release, or of a build on the way to one: its manifest and its tables.

manifest.json                 settings and result of each stage
01-read.parquet, 02-…         rows that each stage kept
drops/01-read.parquet, …      rows that it dropped: id, reason, detail
side/responses.parquet, …     side tables: data about the prompts that not every stage needs
unfinished/                   an incomplete build, with the same layout
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from factscope.benchmarks.curate.manifest import NAME, ReleaseManifest, read_manifest
from factscope.core.errors import InputError, StoreError, UsageError

UNFINISHED = "unfinished"


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
        return self._read(stage_file(self._number(stage), stage))

    def drops(self, stage: str) -> pl.DataFrame:
        """Read the rows that a stage dropped: id, reason, detail. Raises the errors of `table`."""
        return self._read(drops_file(self._number(stage), stage))

    def side(self, name: str) -> pl.DataFrame:
        """Return a side table.

        Raises InputError when there is none of this name, StoreError when its file is damaged.
        """
        if name not in self.sides:
            raise InputError(f"{self.path} has no table {name!r}.", f"Choose from: {', '.join(self.sides) or 'none'}.")
        return self._read(side_file(name))

    def _number(self, stage: str) -> int:
        names = [step.name for step in self.manifest.steps]
        if stage not in names:
            raise InputError(
                f"{self.path} has not reached the stage {stage!r}; its last is {names[-1]}.",
                "Carry on with: factscope curate build",
            )
        return names.index(stage) + 1

    def _read(self, name: str) -> pl.DataFrame:
        return read_table(self.path / name)


def open_folder(path: Path) -> Folder:
    """Return the release in a folder.

    Raises UsageError when there is none, and StoreError for another version.
    """
    manifest = read_manifest(path / NAME)
    if manifest is None:
        begun = (path / UNFINISHED).exists()
        problem = "only the beginning of a release" if begun else "no release" if path.is_dir() else "no such folder"
        raise UsageError(f"{path}: there is {problem}.", "Make one: factscope curate build --logs FILE… --out FOLDER")
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
    return digest(path)


_GROUP = 100_000  # rows of a Parquet group: some megabytes in memory


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


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
