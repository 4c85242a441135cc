"""docs/leaderboard.md matches the code: its commands run, and its entry has the current fields."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from factscope.benchmarks.leaderboard import read_entry
from factscope.cli import app
from tests.benchmarks.leaderboard.example_results import entry

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "leaderboard.md").read_text(encoding="utf-8")


@pytest.mark.medium
def test_the_commands_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (block,) = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("FACTSCOPE_STORE", str(tmp_path / "runs.db"))
    monkeypatch.setenv("FACTSCOPE_CACHE", str(tmp_path / "cache"))
    for line in block.splitlines():
        _, _, *words = shlex.split(line.replace("build/", f"{tmp_path}/"))
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0, f"{line}\n{done.output}"
    index = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    for part in ("gpt-4o-mini", "llama-3.1-8b", "hallucination", "Checkers on the data set “labelled”", "predictions"):
        assert part in index
    first = (tmp_path / "site" / "factual-precision" / "gpt-4o-mini" / "1.html").read_text(encoding="utf-8")
    assert "lighthouse" in first
    assert "right, but flagged" in (tmp_path / "site" / "meta" / "predictions.html").read_text(encoding="utf-8")
    hidden = ["leaderboard", "build", "last", "-o", str(tmp_path / "hidden"), "--totals-only", "last"]
    assert CliRunner().invoke(app, hidden).exit_code == 0
    pages = [path.read_text(encoding="utf-8") for path in (tmp_path / "hidden").rglob("*.html")]
    assert not any("light-1" in page or "lighthouse" in page for page in pages)


def test_the_entry_on_the_page_has_all_fields(tmp_path: Path) -> None:
    (block,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    shown = tomllib.loads(block)
    path = entry(tmp_path, notes="Once.")
    assert set(shown) == set(tomllib.loads(path.read_text(encoding="utf-8")))
    assert read_entry(path).notes == "Once."
