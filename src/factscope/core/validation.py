"""Checks of values from outside, with messages: the first error that pydantic found in a file, and keys."""

from __future__ import annotations

from pydantic import ValidationError

from factscope.core.errors import UsageError


def first_problem(error: ValidationError, whole: str = "the file") -> tuple[str, str]:
    """Return the name of the first wrong field and its problem; the name is `whole` if it belongs to no field."""
    first = error.errors(include_url=False)[0]
    return ".".join(map(str, first["loc"])) or whole, first["msg"].removeprefix("Value error, ").rstrip(".")


def must_fit_a_header(key: str, variable: str, kind: str = "key") -> None:
    """Raise UsageError for a key with white space or characters outside ASCII."""
    if any(not 33 <= ord(character) <= 126 for character in key):
        raise UsageError(f"{variable} contains characters that are not allowed in a {kind}.", f"Copy the {kind} again.")
