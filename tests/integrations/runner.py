"""Helpers for tests of integrations: a right and a wrong answer, and libraries run as users run them."""

from __future__ import annotations

import os
import subprocess
from contextlib import chdir
from pathlib import Path

from typer.testing import CliRunner

import factscope as fs
from factscope.cli import app
from tests.lab import warm

QUESTION = "When was the lens fitted, and when did electric light come?"
CONTEXTS = [
    "In 1858 a first-order Fresnel lens was fitted. Electric light came to the lighthouse in 1937.",
    "The harbour has two quays.",
]
RIGHT = "The Fresnel lens was fitted in 1858. Electric light came in 1937."
WRONG = "The Fresnel lens was fitted in 1901. Electric light came in 1937."
GREETING = "Hello!"
HALF = "The Fresnel lens was fitted in 1858.\n\nDie Brücke von Marlow wurde im Jahr 1931 für den Verkehr geöffnet."
"""An answer with two claims, of which the default judge can read only one, which is right."""


def command(*words: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a folder within this process, so that all tests share the loaded modules."""
    places = {"FACTSCOPE_CACHE": str(folder / "cache"), "FACTSCOPE_STORE": str(folder / "runs.db")}
    with chdir(folder):
        done = CliRunner().invoke(app, words, env={**places, **variables})
    return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)


def python(*words: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run this Python in a folder, without the machine's own settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("FACTSCOPE_", "PYTEST_"))}
    places = {"FACTSCOPE_CACHE": str(folder / "cache"), "FACTSCOPE_STORE": str(folder / "runs.db")}
    return subprocess.run(
        [warm.python(), *words], cwd=folder, env={**kept, **places, **variables}, capture_output=True, text=True
    )


REPLAY = Path(__file__).parents[2] / "examples" / "verify-examples" / "recording.jsonl"


def failing_checker() -> fs.Checker:
    """Return a checker whose every model call fails, because its recording is of something else."""
    return fs.Checker(method="verify", model="openai/by-hand", settings={"replay": str(REPLAY)})


def failing_cut(folder: Path) -> Path:
    """Write a method that asks a model where to cut; `REPLAY` lacks that call, so the whole check fails."""
    method = folder / "cut.toml"
    method.write_text(
        'name = "cut"\nbased_on = "standard"\n[cut]\nprompt = "felm/segment_items"\nrole = "cut"\n', encoding="utf-8"
    )
    return method
