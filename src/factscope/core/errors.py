"""The error policy, then the few exceptions that carry it.

1. **A failure inside a check is a value.** A stage that cannot finish a unit raises `BoundaryError`; `check`
   converts it, in one place, to a `Failure` record that names the stage, the boundary and the unit. The other units
   continue, and the failure is counted. Nothing turns a failure into a label.
2. **A failure before or around a check is an exception** below `FactscopeError`: wrong usage, unusable input, a store
   that can't be written. The command line prints its message and hint on one line each, without a traceback, and
   exits with `exit_code`.
3. **Bad input never loses good work.** One bad row, file or page is reported by name; the rest is used.
4. A message says what failed and for which thing; the hint says how to fix it. Neither ever holds a secret.

    FactscopeError            exit 1
    ├── UsageError            exit 2   the call is wrong: unknown method, bad option, missing path
    ├── InputError            exit 1   the call is right, its content can't be used: empty, binary, broken
    ├── StoreError            exit 1   a file of ours can't be read or written: read-only, full, newer version
    │   └── BusyError         exit 1   another process holds it
    └── BoundaryError         a value  an outside thing failed for one unit; becomes a `Failure` record
"""

from __future__ import annotations

from typing import Literal

Boundary = Literal["model", "search", "fetch", "read", "parse", "timeout", "budget", "internal"]


class FactscopeError(Exception):
    """An error that a person can fix: `message` says what failed, `hint` says how to fix it."""

    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class UsageError(FactscopeError):
    """The call itself is wrong."""

    exit_code = 2


class InputError(FactscopeError):
    """The input was found but can't be used."""


class StoreError(FactscopeError):
    """A file that Factscope keeps can't be read or written."""


class BusyError(StoreError):
    """Another process is using the file."""


class BoundaryError(FactscopeError):
    """A service or file outside Factscope failed for one unit. Never leaves `check`: it becomes a `Failure` record."""

    def __init__(self, boundary: Boundary, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.args = (boundary, message, hint)  # the arguments from which another process rebuilds it (pickle)
        self.boundary: Boundary = boundary


def system_reason(error: Exception) -> str:
    """Describe why the operating system refused a file or a database, worded to fit inside a message."""
    return (error.strerror or str(error)).lower() if isinstance(error, OSError) else str(error)
