"""Names that the system refuses, such as a text in place of a file: one line that names them, no traceback."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from factscope.cli import app
from tests.lab.many_cases import each

LONG = "The bridge was opened in 1931. " * 20


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FACTSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("FACTSCOPE_STORE", str(tmp_path / "runs.db"))
    (tmp_path / "a.txt").write_text("The bridge was opened in 1931.", encoding="utf-8")
    return CliRunner()


def test_a_name_that_is_too_long_is_reported_in_one_line(run: CliRunner) -> None:
    def try_words(words: list[str]) -> None:
        done = run.invoke(app, words)
        assert isinstance(done.exception, SystemExit), done.exception
        assert done.exit_code in (1, 2)
        (line,) = (line for line in done.stderr.splitlines() if line.startswith("factscope: "))
        assert "The bridge was opened" in line

    commands = [["score"], ["run"], ["meta"], ["leaderboard", "build", "-o", "site"], ["leaderboard", "check"],
                ["store", "check", "--store"], ["verifiers", "behaviour", "--suite"],
                ["check", "The bridge is old.", "--context"]]  # fmt: skip
    each("words", [[*words, LONG] for words in commands], try_words)


def test_an_output_name_that_is_too_long_is_reported_before_any_check(run: CliRunner) -> None:
    done = run.invoke(app, ["check", "The bridge is old.", "-e", "a.txt", "-o", f"{LONG}.json"])
    assert done.exit_code == 1
    assert "file name too long" in done.stderr
    assert not Path("runs.db").exists()
