"""The page's types match those of the API."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.lab import warm


@pytest.mark.medium
def test_the_types_of_the_page_match_the_api() -> None:
    script = Path(__file__).parents[2] / "scripts" / "page_types.py"
    done = subprocess.run([warm.python(), script, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
