"""The commands that docs/factbench.md shows run without a model, and its table names the actual columns."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from factscope.benchmarks.factbench import CATEGORIES
from factscope.cli import app

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "factbench.md").read_text(encoding="utf-8")


@pytest.mark.medium
def test_the_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (block,) = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    monkeypatch.chdir(ROOT)
    environment = {
        "FACTSCOPE_CACHE": str(tmp_path / "cache"),
        "FACTSCOPE_STORE": str(tmp_path / "runs.db"),
        "COLUMNS": "160",
    }
    shown = []
    for line in block.splitlines():
        _, _, *words = shlex.split(line.replace("build/", f"{tmp_path}/"))
        done = CliRunner().invoke(app, words, env=environment)
        assert done.exit_code == 0, f"{line}\n{done.output}"
        shown.append(done.stdout)
    found = json.loads((tmp_path / "factbench.json").read_text(encoding="utf-8"))
    tiers = {tier["name"]: {row["model"]: row for row in tier["rows"]} for tier in found["summary"]["tiers"]}
    assert list(tiers) == ["Hard", "Moderate", "Easy"]
    assert tiers["Hard"]["careful"]["rank"] == 1
    assert tiers["Hard"]["brisk"]["n_repeated_units"] == 1
    assert tiers["Easy"]["careful"]["refusals"]["rate"]["k"] == 1
    assert tiers["Easy"]["brisk"]["n_no_answer"] == 1
    part = PAGE.partition("## Output")[2].partition("## Refusals")[0]
    assert set(found) - {"benchmark"} <= set(re.findall(r"`([a-z_]+)`", part.replace("summary.tiers", "summary")))
    columns = re.findall(r"^\| ([a-z 0]+) \| ", part, re.MULTILINE)[1:]
    assert len(columns) == 10
    for column in columns:
        for word in column.split():
            assert word[:5] in shown[0], column
    assert "FactBench: Moderate" in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert "brisk" in (tmp_path / "feedback.html").read_text(encoding="utf-8")
    assert "supported units" in shown[-1]


def test_the_page_lists_the_existing_categories_of_refusals() -> None:
    part = PAGE.partition("## Refusals")[2].partition("## Alpha")[0]
    for number, word in CATEGORIES.items():
        assert f"{number} {word.split(' and legal')[0].split('-')[0]}" in " ".join(part.split())


@pytest.mark.medium
@pytest.mark.parametrize("columns", [80, 120])
def test_no_figure_in_the_table_is_truncated(tmp_path: Path, columns: int) -> None:
    environment = {
        "FACTSCOPE_CACHE": str(tmp_path / "cache"),
        "FACTSCOPE_STORE": str(tmp_path / "runs.db"),
        "COLUMNS": str(columns),
    }
    words = ["--data", "factbench.jsonl", "--answers", "factbench-answers.jsonl", "--evidence", "harbour"]
    words = [str(ROOT / "examples" / word) if place % 2 else word for place, word in enumerate(words)]
    done = CliRunner().invoke(app, ["bench", "factbench", *words, "--method", "builtin"], env=environment)
    assert "…" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= columns
    for column in ("precision", "halluci", "words", "units", "undecidable", "unsupported", "refused", "as 0"):
        assert done.stdout.count(column) >= 3, column
    heads = [line for line in done.stdout.splitlines() if line.split()[:2] == ["rank", "model"]]
    assert len(heads) == (3 if columns > 80 else 6)  # in a narrow terminal each tier's table has two parts
    assert " careful " in done.stdout
