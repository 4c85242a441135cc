"""Categories that models assigned to hosts, cached by host and prompt. Failures are never cached."""

from __future__ import annotations

import json

from factscope.core.labels import CATEGORIES
from factscope.core.sqlite_cache import CacheKind, SqliteCache
from factscope.evidence.sources.assign import AssignedCategory


def _decode(line: str) -> AssignedCategory:
    category, model = json.loads(line)
    if category not in CATEGORIES:
        raise ValueError(f"{category!r} is not a category")
    return AssignedCategory(category, model)


class CategoryCache(SqliteCache[str, AssignedCategory]):
    """An open cache of categories; a key is a host (as `plain_host` makes it) and the hash of the prompt."""

    kind = CacheKind(of="sources", saves="calls", encode=json.dumps, decode=_decode)
