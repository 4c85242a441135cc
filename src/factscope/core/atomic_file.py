"""Writing of files and folders that are always either complete or absent, even when the writing process is killed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path


def write_whole(path: Path, contents: Iterable[bytes]) -> None:
    """Write the pieces to `path`, one after the other, replacing its contents at once. A link stays a link.

    Raises OSError.
    """
    if path.exists() and not path.is_file():  # /dev/null, a pipe: nothing may take its place
        with path.open("wb") as target:
            target.writelines(contents)
        return
    path = path.resolve()
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(contents)
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def put_folder(new: Path, target: Path, old: Path) -> None:
    """Move a folder to `target`; the folder that was there moves to `old`, and stays where it is if that fails.

    Raises OSError.
    """
    if target.exists():
        target.rename(old)
    try:
        new.rename(target)
    except OSError:
        if old.exists():
            old.rename(target)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
