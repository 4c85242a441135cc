"""The table of hosts and the rules for other hosts, as shipped beside this file, and the users' own tables."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from factscope.core.errors import UsageError
from factscope.core.labels import CATEGORIES, Category
from factscope.evidence.sources.hosts import plain_host, with_parents

_FARM = "*."
_HINT = 'A file holds lists of hosts by category: news = ["example.org"].'


class HostTable(NamedTuple):
    """Hosts with their categories. An entry also covers subdomains without their own entry."""

    hosts: Mapping[str, Category]
    farms: frozenset[str]
    """Hosts in `hosts` whose users choose the names of subdomains, so that a label there means nothing."""


class HostRules(NamedTuple):
    """`rules.toml`. Each rule maps a text to a category."""

    second_level: frozenset[str]
    suffix: Mapping[str, Category]
    part: Mapping[str, Category]
    weak_part: Mapping[str, Category]
    domain: tuple[tuple[re.Pattern[str], Category], ...]


@cache
def shipped_table() -> HostTable:
    """Return the table that comes with Factscope."""
    hosts: dict[str, Category] = {}
    farms = set()
    for category in CATEGORIES:
        text = files(__package__).joinpath("hosts", f"{category}.txt").read_text(encoding="utf-8")
        for word in (word for line in text.splitlines() if not line.startswith("#") for word in line.split()):
            host = word.removeprefix(_FARM)
            hosts[host] = category
            if word != host:
                farms.add(host)
    return HostTable(hosts, frozenset(farms))


@cache
def shipped_rules() -> HostRules:
    """Return the rules that come with Factscope."""
    stored = tomllib.loads(files(__package__).joinpath("rules.toml").read_text(encoding="utf-8"))
    return HostRules(
        second_level=frozenset(stored["second_level"]),
        suffix=_by_text(stored["suffix"]),
        part=_by_text(stored["part"]),
        weak_part=_by_text(stored["weak_part"]),
        domain=tuple(
            (re.compile(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")), category)
            for pattern, category in _by_text(stored["domain"]).items()
        ),
    )


def own_table(path: Path) -> Mapping[str, Category]:
    """Return a user's own hosts with their categories, from a TOML or JSON file of lists by category.

    Raises UsageError for a file that can't be read, an unknown category, an invalid host name, or a host in two
    categories.
    """
    categories: dict[str, Category] = {}
    for category, hosts in _read(path).items():
        if category not in CATEGORIES:
            raise UsageError(
                f"The file of sources {path} has the category {category!r}, which does not exist.",
                f"Choose from: {', '.join(CATEGORIES)}.",
            )
        if not isinstance(hosts, list) or not all(isinstance(host, str) for host in hosts):
            raise UsageError(f"The file of sources {path}: {category!r} is not a list of hosts.", _HINT)
        for host_name in hosts:
            host = plain_host(host_name)
            if host is None:
                raise UsageError(f"The file of sources {path}: {host_name!r} is not a host name.", _HINT)
            if categories.setdefault(host, category) != category:
                raise UsageError(
                    f"The file of sources {path} has {host_name!r} under {categories[host]!r} and {category!r}."
                )
    return categories


def nearest(host: str, names: Iterable[str] | Mapping[str, object]) -> str | None:
    """Return the host itself, or its closest parent, that is among `names`."""
    return next((name for name in with_parents(host) if name in names), None)


def _read(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8-sig")
        stored = json.loads(text) if path.suffix.lower() == ".json" else tomllib.loads(text)
    except (OSError, ValueError, RecursionError) as error:  # ValueError: not TOML or JSON, or not UTF-8
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"The file of sources {path} can't be read: {reason}.", _HINT) from None
    if not isinstance(stored, dict):
        raise UsageError(f"The file of sources {path} is not laid out as one.", _HINT)
    return stored


def _by_text(lists: Mapping[Category, list[str]]) -> dict[str, Category]:
    return {text: category for category, texts in lists.items() for text in texts}
