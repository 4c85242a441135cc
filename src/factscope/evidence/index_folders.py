"""The folders of stored indexes, and which of them are removed."""

from __future__ import annotations

import shutil
import time
from contextlib import suppress
from pathlib import Path

KEPT_INDEXES = 8
"""Indexes left on disk; those unused for longest are removed when a new one is made."""
_DRAFT_SECONDS = 86_400.0  # an unfinished index older than a day was left by a killed process


def make_room(cache: Path) -> None:
    """Remove the indexes unused for longest, and unfinished ones that a killed process left."""
    with suppress(OSError):
        ages = sorted((path.stat().st_mtime, path) for path in cache.glob("index-*"))
        complete = [path for _, path in ages if path.suffix != ".draft"]
        stale = [path for age, path in ages if path.suffix == ".draft" and age < time.time() - _DRAFT_SECONDS]
        for path in [*complete[: 1 - KEPT_INDEXES], *stale]:
            shutil.rmtree(path, ignore_errors=True)
