"""docs/felm.md matches the code: its commands run, its method files are read."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from factscope.cli import app
from factscope.engine import find_method
from factscope.methods import Judge, method_from_toml
from factscope.methods.library import felm
from tests import lab
from tests.benchmarks.datasets import example_records
from tests.conftest import DOCUMENTS
from tests.methods.test_felm_published import authors_folder

PAGE = (Path(__file__).parent.parent.parent / "docs" / "felm.md").read_text(encoding="utf-8")
COMMANDS = [line[2:] for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()]
FILES = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
NAMES = re.findall(r"`((?:felm|fava)/[a-z-]+)`", PAGE)


def test_the_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: lab.Server) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in {
        "FACTSCOPE_STORE": str(tmp_path / "runs.db"),
        "FACTSCOPE_CACHE": str(tmp_path / "cache"),
        "OPENAI_BASE_URL": server.base_url,
        "OPENAI_API_KEY": "sk-lab",
    }.items():
        monkeypatch.setenv(name, value)
    example_records.written(tmp_path, "all.jsonl", example_records.FELM)
    example_records.written(tmp_path, "annotations.json", example_records.FAVA)
    authors_folder(tmp_path / "eval" / "prompt")
    (tmp_path / "wikipedia").mkdir()
    (tmp_path / "wikipedia" / "page.md").write_text(DOCUMENTS["bridge.md"], encoding="utf-8")
    for command in COMMANDS:
        _, *words = shlex.split(command)
        more = ["--resamples", "50", "--quiet"] if words[0] == "meta" else []
        done = CliRunner().invoke(app, [*words, *more])
        assert done.exit_code == 0, f"{command}\n{done.output}\n{done.exception!r}"
    assert len(COMMANDS) == 5


def test_every_documented_method_exists_by_name() -> None:
    grid = {f"felm/{unit}-{mode}" for unit in felm.UNITS for mode in felm.MODES}
    assert set(NAMES) == {*grid, "felm/segment-cot-consistency", "fava/self-check", "fava/retrieved-self-check"}
    assert all(find_method(name).name == name for name in NAMES)


def test_the_method_files_are_read(tmp_path: Path) -> None:
    found = []
    for text in FILES:
        (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
        found.append(method_from_toml(tmp_path / "mine.toml").judge)
    (published,) = found
    assert isinstance(published, Judge)
    assert (published.if_cut_off, published.if_unreadable, published.max_tokens) == ("read", "published", 100)
