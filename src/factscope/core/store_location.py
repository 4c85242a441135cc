"""Locations of stores: a file, or the address of a database, which may hold a password."""

from __future__ import annotations

import re
from pathlib import Path

Location = str | Path
"""A file, or an address `postgresql://…`."""
_HOST = r"(?:\[[^\[\]@/?]*\]|[^\[\]@/?:,]*)(?::\d*)?"
_PARTS = re.compile(
    rf"(?:[^@/?]*(?:\?[^@/=]*)?@)?(?P<hosts>{_HOST}(?:,{_HOST})*)(?:(?P<path>/[^@?]*)(?:\?.*)?|\?[^@]*)?", re.DOTALL
)
"""Address without its scheme; user and password end at the only `@` before the path, as for libpq."""
_PORT = re.compile(r":\d*(?=,|$)")


def is_address(location: Location) -> bool:
    """Return whether this is the address of a database, not a path."""
    return "://" in str(location)


def printable(location: Location) -> str:
    """Return a location without user and password: of an address that is not clear, only the scheme."""
    if not is_address(location):
        return str(location)
    match = _address_parts(location)
    scheme = str(location).partition("://")[0]
    return f"{scheme}://{_PORT.sub('', match['hosts'])}{match['path'] or ''}" if match else f"{scheme}://"


def is_clear(address: Location) -> bool:
    """Return whether an address can be read in only one way.

    Where a password contains `@` or `/`, some of it would be read, and shown in messages, as host, port or database.
    """
    return _address_parts(address) is not None


def _address_parts(address: Location) -> re.Match[str] | None:
    remainder = str(address).partition("://")[2]
    return _PARTS.fullmatch(remainder) if remainder.count("@") <= 1 else None
