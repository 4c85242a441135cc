"""Locations of stores: a file, or the address of a database, which may hold a password."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

Location = str | Path
"""A file, or an address `postgresql://…`."""


def is_address(location: Location) -> bool:
    """Return whether this is the address of a database, not a path."""
    return "://" in str(location)


def printable(location: Location) -> str:
    """Return a location without user and password."""
    if not is_address(location):
        return str(location)
    scheme = str(location).partition("://")[0]
    try:
        parts = urlsplit(str(location))
        path = "" if "@" in parts.path else parts.path  # the end of a password that contains a slash
        return f"{scheme}://{parts.hostname or ''}{path}"
    except ValueError:
        return f"{scheme}://"
