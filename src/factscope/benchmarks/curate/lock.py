"""The folder of a release during a build: one process locks it, and moves the build into place when it is complete.

For its files and their names see `folder`.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from factscope.benchmarks.curate.folder import UNFINISHED, whole_file
from factscope.benchmarks.curate.manifest import NAME, ReleaseManifest, read_manifest
from factscope.core.errors import BusyError, StoreError, UsageError

_COMPLETE = "complete.json"
"""The manifest of a complete build, while its tables are moved into place."""


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
        _lock(handle, out)
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


def _lock(handle: int, out: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BusyError(f"Another build works on {out}.", "Wait for it, or name another folder.") from None
