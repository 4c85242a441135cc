"""The page on Python: its blocks run, and every public name of the package stands on it or in the README."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import factscope

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
def test_a_block_runs(code: str, tmp_path: Path) -> None:
    places = {"FACTSCOPE_CACHE": str(tmp_path / "cache"), "FACTSCOPE_STORE": str(tmp_path / "runs.db")}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True, text=True, cwd=tmp_path, env=dict(os.environ) | places,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_each_function_is_explained() -> None:
    for name in factscope.__all__:
        if name[0].islower():
            assert f"fs.{name}(" in PAGE
