"""Listing of a passage by `factscope evidence`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from factscope.cli import app

from .sourced import ORDER


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture
def listing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with two documents that say the same and give orders."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FACTSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("FACTSCOPE_STORE", str(tmp_path / "runs.db"))
    for name in ("a", "b"):
        words = f"The Holm lighthouse was painted white in 1931. {ORDER} It stands on a rock.\n\n\x1b[2JEnd of {name}."
        (tmp_path / f"{name}.txt").write_text(words, encoding="utf-8")
    return tmp_path


def test_retrieved_passages_are_listed_with_warnings(listing: Path) -> None:
    arguments = ["evidence", "The Holm lighthouse was painted white.", "-e", str(listing / "a.txt"), "-e"]
    done = CliRunner().invoke(app, [*arguments, str(listing / "b.txt")], catch_exceptions=False)
    text = flat(done.stdout)
    assert f"! contains instructions aimed at AI models: “{ORDER}”" in text
    assert "the same text as p1" in text
    assert "p1; copy: p2" in text
    assert "\x1b[2J" not in done.stdout
    assert not any(line != line.rstrip() for line in done.stdout.splitlines())
    done = CliRunner().invoke(app, [*arguments, str(listing / "b.txt"), "--format", "json"], catch_exceptions=False)
    first, second = [one for one in json.loads(done.stdout)["passages"] if "painted" in one["passage"]]
    (span,) = first["instructions"]
    assert ORDER in first["passage"][span["start"] : span["end"]]
    assert (first["copy_of"], second["copy_of"]) == (None, "p1")
