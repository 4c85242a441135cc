"""The first problem of a file that is not of its form, for a message."""

from __future__ import annotations

from pydantic import ValidationError


def first_problem(error: ValidationError, whole: str = "the file") -> tuple[str, str]:
    """Return the first problem and its field, or `whole` if it belongs to no field."""
    first = error.errors(include_url=False)[0]
    return ".".join(map(str, first["loc"])) or whole, first["msg"]
