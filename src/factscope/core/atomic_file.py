"""Files and folders that are either whole or not there, whatever ends the process that writes them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path


def write_whole(path: Path, contents: Iterable[bytes]) -> None:
    """Write pieces one after the other in place of what `path` held; a link stays a link. Raises OSError."""
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
    """Put a folder in the place of another, which goes to `old`, or stays when that can't be done. Raises OSError."""
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
