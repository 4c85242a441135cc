"""The commands that docs/calibration.md and docs/cascade.md show run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from factscope.cli import app
from tests import lab

pytestmark = pytest.mark.usefixtures("forked_workers")

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def server() -> Iterator[lab.Server]:
    with lab.model_server() as made:
        yield made


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kept")


@pytest.mark.medium
@pytest.mark.parametrize("page", ["calibration", "cascade"])
def test_the_commands_run(
    page: str, kept: Path, server: lab.Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    monkeypatch.chdir(ROOT)
    environment = {"FACTSCOPE_CACHE": str(kept / "cache"), "FACTSCOPE_STORE": str(kept / "runs.db"), "COLUMNS": "100"}
    environment |= {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "sk-lab"}
    lines = [line for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]
    assert len(lines) >= 3
    for line in lines:
        _, _, *words = shlex.split(line.replace("build/", f"{tmp_path}/"))
        done = CliRunner().invoke(app, words, env=environment)
        assert done.exit_code == 0, f"{line}\n{done.output}"
