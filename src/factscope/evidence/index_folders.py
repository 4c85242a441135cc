"""The folders of kept indexes: how many stay, and which go."""

from __future__ import annotations

import shutil
import time
from contextlib import suppress
from pathlib import Path

KEPT_INDEXES = 8
"""Indexes left on disk; the ones unused for longest go when a new one is made."""
_DRAFT_SECONDS = 86_400.0  # a draft older than a day was left by a killed process


def make_room(cache: Path) -> None:
    """Remove the indexes that were not used for longest, and drafts that a killed process left."""
    with suppress(OSError):
        ages = sorted((path.stat().st_mtime, path) for path in cache.glob("index-*"))
        complete = [path for _, path in ages if path.suffix != ".draft"]
        stale = [path for age, path in ages if path.suffix == ".draft" and age < time.time() - _DRAFT_SECONDS]
        for path in [*complete[: 1 - KEPT_INDEXES], *stale]:
            shutil.rmtree(path, ignore_errors=True)
