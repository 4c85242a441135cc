"""Files → the texts in them: small harmless files are read here, all others in a limited, reusable child process."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from factscope.evidence.formats import OFFICE_KINDS, BadPart, Kind, TextRow, from_json, kind_of, parse
from factscope.evidence.sandbox import Reason, Sandbox, SandboxError, SandboxLimits

READER_VERSION = 22
"""Must be raised when the same file would give another text than before: parsed files are cached under it."""
MAX_FILE_BYTES = 256_000_000
"""Larger files are not read."""
IN_PLACE_BYTES = 100_000
"""Larger files are read in the child process whatever their kind; HTML and PDF always are."""
MAX_CHARACTERS = 20_000_000
"""Length of one text; the rest is cut off."""
BYTES_PER_SECOND = 10_000_000
"""The time limit grows by one second for this many bytes: a large file is not a hostile one."""
_PROBLEMS: dict[Reason, str] = {
    "content": "{detail}; save it as plain text",
    "memory": "needs too much memory to read; save it as plain text, or split it",
    "install": "can't be read: the installation of Factscope is incomplete ({detail}); install it again",
    "time": "took longer than {seconds:g} s to read; split it, or save it as plain text",
    "lost": "broke the process that reads it, or needs too much memory; split it, or save it as plain text",
}
_MEMORY_PER_BYTE = 4
"""Bytes of address space that each byte of a file adds to the limit, as it is decoded and copied once."""


class FileReader:
    """Reads files one after the other; a context manager, as it may hold a child process.

    The child is started by the first file that needs it, used for all others, and replaced when it was killed.
    """

    def __init__(self, limits: SandboxLimits | None = None) -> None:
        self.limits = limits or SandboxLimits()
        self.sandbox = Sandbox("file")

    def __enter__(self) -> FileReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.sandbox.close()

    def read(self, path: Path) -> Iterator[TextRow | BadPart]:
        """Yield the texts of a file, and its unusable parts. Raises OSError when the file can't be opened."""
        yield from self.parse(path.name, load(path))

    def parse(self, name: str, data: bytes | BadPart) -> Iterator[TextRow | BadPart]:
        """Yield the texts in the content of a file called `name`, and its unusable parts."""
        if isinstance(data, BadPart):
            yield data
            return
        kind = kind_of(name, data[:1024])
        if isinstance(kind, BadPart):
            yield kind
        elif not data.strip():
            yield BadPart("is empty")
        elif kind in OFFICE_KINDS and (missing := _missing_extra(kind)):
            yield missing
        elif kind in {"html", "pdf", *OFFICE_KINDS} or len(data) > IN_PLACE_BYTES:
            yield from self._in_child(data, kind)
        else:
            yield from parse(data, kind, self.limits.cpu_seconds, MAX_CHARACTERS)

    def _in_child(self, data: bytes, kind: Kind) -> Iterator[TextRow | BadPart]:
        limits = SandboxLimits(
            self.limits.cpu_seconds + len(data) // BYTES_PER_SECOND,
            self.limits.memory + _MEMORY_PER_BYTE * len(data),
        )
        try:
            yield from map(from_json, self.sandbox.parse({"kind": kind, "characters": MAX_CHARACTERS}, data, limits))
        except SandboxError as error:
            yield _bad(error, limits)


def _missing_extra(kind: Kind) -> BadPart | None:
    """Return a problem that names the missing extra for a kind of file; None when it can be read."""
    name, module = OFFICE_KINDS[kind]
    if module is None or find_spec(module):
        return None
    return BadPart(f"is {name}, which the extra `office` reads: pip install 'factscope[office]'", again=True)


def _bad(error: SandboxError, limits: SandboxLimits) -> BadPart:
    message = _PROBLEMS[error.reason].format(detail=error.detail, seconds=limits.cpu_seconds)
    return BadPart(message[:300], again=error.again)


def load(path: Path) -> bytes | BadPart:
    """Return the content of a regular file that is not too large. Raises OSError when it can't be opened."""
    # Non-blocking, so that a named pipe can't hang us.
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return BadPart("is not a regular file")
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        return BadPart(f"is larger than {MAX_FILE_BYTES // 1_000_000} MB; split it")
    return data
