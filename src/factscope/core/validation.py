"""The first error that pydantic found in a file, for a message."""

from __future__ import annotations

from pydantic import ValidationError


def first_problem(error: ValidationError, whole: str = "the file") -> tuple[str, str]:
    """Return the name of the first wrong field and its problem; the name is `whole` if it belongs to no field."""
    first = error.errors(include_url=False)[0]
    return ".".join(map(str, first["loc"])) or whole, first["msg"]
