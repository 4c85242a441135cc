"""The command that docs/facts-grounding.md shows runs against the laboratory's model, and its figures match."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from factscope.benchmarks.facts_grounding import ranks
from factscope.cli import app
from factscope.methods.library import TEMPLATES
from tests import lab

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "facts-grounding.md").read_text(encoding="utf-8")


def test_the_command_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (block,) = re.findall(r"```console\n\$ (.*?)\n```", PAGE, re.DOTALL)
    monkeypatch.chdir(ROOT)
    with lab.model_server() as server:
        environment = {
            "FACTSCOPE_CACHE": str(tmp_path / "cache"),
            "FACTSCOPE_STORE": str(tmp_path / "runs.db"),
            "OPENAI_BASE_URL": server.base_url,
            "OPENAI_API_KEY": "sk-lab",
        }
        done = CliRunner().invoke(app, shlex.split(block.replace("build/", f"{tmp_path}/"))[1:], env=environment)
    assert done.exit_code == 0, done.stderr
    found = json.loads((tmp_path / "table.json").read_text(encoding="utf-8"))
    ranks = [one["rank"] for one in found["summary"]["final"]["standings"]]
    assert dict(zip(found["summary"]["models"], ranks, strict=True)) == {"careful": 1, "brisk": 2}


def test_every_template_is_explained() -> None:
    assert re.findall(r"^\| `([a-z_]+)` \|", PAGE, re.MULTILINE) == list(TEMPLATES)


def test_the_ranking_of_pieces_matches_the_page() -> None:
    told = re.search(
        r"first for (\d+) of 36 planted and (\d+) of 36 reworded sentences, and among the first eight for (\d+) and"
        r" (\d+)",
        PAGE.replace("\n", " "),
    )
    assert told
    planted, reworded = ranks(8_000, "planted"), ranks(8_000, "reworded")
    assert [int(n) for n in told.groups()] == [
        planted.first,
        reworded.first,
        planted.among_eight,
        reworded.among_eight,
    ]


def test_the_reason_why_nothing_could_be_judged_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (block,) = re.findall(r"```console\n\$ (.*?)\n```", PAGE, re.DOTALL)
    monkeypatch.chdir(ROOT)
    with lab.model_server() as server:
        environment = {
            "FACTSCOPE_CACHE": str(tmp_path / "cache"),
            "FACTSCOPE_STORE": str(tmp_path / "runs.db"),
            "OPENAI_BASE_URL": server.base_url,
            "OPENAI_API_KEY": "sk-lab",
        }
        words = [*shlex.split(block.replace("build/", f"{tmp_path}/"))[1:], "--window", "12"]
        done = CliRunner().invoke(app, words, env=environment)
    assert done.exit_code == 1
    assert "6 with failures: The judge's window of 12 tokens has no room" in done.stderr
    assert done.stderr.count("has no room") == 1
