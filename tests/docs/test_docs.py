"""The pages under docs/ match the code: their commands run against the laboratory's model."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import lab
from tests.lab import warm

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
COMMANDS = [line[2:] for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()]


@pytest.fixture(scope="module")
def server() -> Iterator[lab.Server]:
    with lab.model_server() as made:
        yield made


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory, server: lab.Server) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("docs")
    return dict(os.environ) | {
        "FACTSCOPE_CACHE": str(folder / "cache"),
        "FACTSCOPE_STORE": str(folder / "runs.db"),
        "OPENAI_BASE_URL": server.base_url,
        "LLAMA_CPP_BASE_URL": server.base_url,
        "OPENAI_API_KEY": "sk-lab",
        "MISTRAL_API_KEY": "sk-lab",
        "PATH": warm.path(),
        "PYTHONUTF8": "1",
    }


@pytest.mark.medium
def test_the_commands_run(environment: dict[str, str], tmp_path: Path) -> None:
    """Commands run in the order of the page, like a reader's."""
    assert len(COMMANDS) >= 8
    for command in COMMANDS:
        words = [word.replace("build/", f"{tmp_path}/") for word in shlex.split(command)]
        words = [
            word.replace("mistral/mistral-large-latest", "openai/mistral-large") for word in words
        ]  # no network here
        done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, env=environment)
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        assert "Traceback" not in done.stderr


def test_the_python_code_on_the_page_runs(environment: dict[str, str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    done = subprocess.run(
        [warm.python(), "-W", "error", "-c", code], capture_output=True, text=True, cwd=ROOT, env=environment
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.split()) == 2  # an outcome and a score; their values need a real model


def test_the_method_file_on_the_page_is_the_shipped_one() -> None:
    (shown,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert shown == (ROOT / "examples" / "two-judges.toml").read_text(encoding="utf-8")


def test_the_calls_in_the_table_match_the_estimates() -> None:
    from factscope.engine import REFERENCE, calls, expected, find_method

    rows = re.findall(r"^\| `([a-z-]+)` \| ([0-9–]+) \|", PAGE, re.MULTILINE)
    assert len(rows) == 8
    for name, shown in rows:
        low, high = (round(n) for n in calls(expected(find_method(name), REFERENCE)))
        assert shown == (str(low) if low == high else f"{low}–{high}")
