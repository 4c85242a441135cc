"""Names of data sets, by which a run is resumed: the same rows have the same, whatever folder they are read from."""

from __future__ import annotations

import sys
import tempfile
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, cast

from factscope.core import InputError, system_reason
from factscope.evidence.file_list import printable_path

_CHUNK = 1 << 20  # bytes read at once
_HASH = 16  # characters of a hash in a name


@dataclass(frozen=True, eq=False)
class StandardInput:
    """A copy of standard input, which can be read more than once; it is closed when nothing refers to it any more."""

    file: BinaryIO
    hash: str
    """Hash of its content, since a pipe has no name."""


def copy_standard_input() -> StandardInput:
    """Copy standard input to its end into a temporary file. Raises InputError when it can't be read or held."""
    digest = sha256()
    try:
        file = cast("BinaryIO", tempfile.TemporaryFile(prefix="factscope-"))  # noqa: SIM115 - open while rows are read
        while chunk := sys.stdin.buffer.read(_CHUNK):
            digest.update(chunk)
            file.write(chunk)
        file.seek(0)
    except OSError as error:
        raise InputError(f"Standard input can't be read: {system_reason(error)}.") from None
    piped = StandardInput(file, digest.hexdigest()[:_HASH])
    weakref.finalize(piped, file.close)
    return piped


def source_name(source: str, columns: Mapping[str, str], piped: StandardInput | None = None) -> str:
    """Return the name of the rows of a file, of a data set of a hub, or of standard input."""
    path = Path(source)
    if piped is not None:
        return with_columns(f"standard input {piped.hash}", columns)
    return with_columns(printable_path(path.resolve() if path.exists() else source), columns)


def with_columns(name: str, columns: Mapping[str, str]) -> str:
    """Return the name of rows with the columns that were chosen, if any: other columns hold other texts."""
    chosen_columns = ", ".join(f"{field}={column}" for field, column in sorted(columns.items()))
    return f"{name} ({chosen_columns})" if chosen_columns else name
