"""The page on citations: its command and block run offline, and every planted fault is found in its place."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.lab import warm

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "cited.md").read_text(encoding="utf-8")
COMMANDS = [line[2:] for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()]
ROWS = re.findall(r"^\| (.+?) \| (\d+:\d+) \| (.+?) \|$", PAGE, re.MULTILINE)


def ran(words: list[str], folder: Path) -> str:
    places = {"FACTSCOPE_CACHE": str(folder / "cache"), "FACTSCOPE_STORE": str(folder / "runs.db")}
    path = warm.path()
    environment = dict(os.environ) | places | {"PATH": path, "PYTHONUTF8": "1"}
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.medium
def test_the_command_finds_every_planted_fault(tmp_path: Path) -> None:
    command = COMMANDS[0]
    shown = ran([*command.split(), "--full"], tmp_path)
    assert len(ROWS) == 14
    for planted, place, found in ROWS:
        lines = [line for line in shown.splitlines() if line.strip().startswith(place + " ")]
        kind = found.partition(",")[0].partition(" (")[0]
        assert any(kind in line for line in lines), f"{planted}: {place} {kind}"


@pytest.mark.medium
def test_the_labelled_samples_are_measured(tmp_path: Path) -> None:
    assert len(COMMANDS) == 3
    for command in COMMANDS[1:]:
        assert "builtin" in ran(command.split(), tmp_path)


@pytest.mark.medium
def test_the_python_block_runs_and_finds_the_same_faults(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    printed = ran([warm.python(), "-c", code], tmp_path)
    for _, place, _ in ROWS:
        assert f"{place} " in printed
    assert "Statistics Lannow" in printed
