"""The bundled samples are what Factscope makes of them today."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.lab import warm


def test_they_would_be_recorded_the_same(tmp_path: Path) -> None:
    script = Path(__file__).parents[2] / "scripts" / "samples.py"
    done = subprocess.run([warm.python(), script, "--check"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
