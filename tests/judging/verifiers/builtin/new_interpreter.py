"""A new interpreter with another hash seed, for tests that verdicts do not depend on the process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def printed_by_new_interpreter(code: str) -> str:
    """Return the printed text, stripped. Raise CalledProcessError on failure."""
    ended = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[4],
        env={**os.environ, "PYTHONHASHSEED": "1"},
        capture_output=True,
        check=True,
        text=True,
    )
    return ended.stdout.strip()
