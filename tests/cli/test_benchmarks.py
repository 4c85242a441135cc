"""`factscope benchmarks list`."""

from __future__ import annotations

import json
import os
from pathlib import Path

from typer.testing import CliRunner, Result

from factscope.cli import app
from tests.benchmarks.datasets import example_records


def test_the_data_sets_are_listed_with_their_licences() -> None:
    said = CliRunner().invoke(app, ["benchmarks", "list"])
    assert said.exit_code == 0
    assert "felm  CC BY-NC-SA 4.0" in said.stdout


def test_the_data_sets_are_listed_as_json() -> None:
    said = CliRunner().invoke(app, ["benchmarks", "list", "--format", "json"])
    values = json.loads(said.stdout)
    assert {"felm", "favabench", "factcheck-bench", "factscore", "halueval", "wice", "fm2", "scifact"} == {
        one["id"] for one in values
    }
    assert next(one for one in values if one["id"] == "felm")["hub"] == "hkust-nlp/felm:all.jsonl"


def test_a_data_set_is_described(tmp_path: Path) -> None:
    example_records.written(tmp_path, "all.jsonl", example_records.FELM)
    command = ["benchmarks", "describe", "felm", "--data", str(tmp_path / "all.jsonl")]
    env = {"FACTSCOPE_CACHE": str(tmp_path / "cache")}
    said = CliRunner().invoke(app, [*command, "--format", "json"], env=env)
    whole, *parts = json.loads(said.stdout)["groups"]
    assert whole["name"] == "all"
    assert whole["samples"] == sum(part["samples"] for part in parts) == len(example_records.FELM)
    assert whole["units"]["segment"] == sum(len(row["labels"]) for row in example_records.FELM)
    assert whole["wrong"]["segment"] == sum(row["labels"].count(False) for row in example_records.FELM)
    assert sum(whole["error_types"].values()) == whole["wrong"]["segment"]
    assert "with something wrong" in CliRunner().invoke(app, command, env=env).stdout


def test_an_unknown_tag_an_unusable_row_and_a_pipe_are_reported(tmp_path: Path) -> None:
    rows = [{"response": "It is.", "label": "correct", "topic": "art"}, {"response": " "}]
    path = example_records.written(tmp_path, "own.jsonl", rows)
    os.mkfifo(tmp_path / "pipe.jsonl")
    env = {"FACTSCOPE_CACHE": str(tmp_path / "cache")}

    def describe(*words: str) -> Result:
        return CliRunner().invoke(app, ["benchmarks", "describe", *words], env=env)

    said = describe(str(path), "--by", "topic", "--format", "json")
    assert (said.exit_code, "rows that can't be used" in said.stderr) == (1, True)
    assert [group["name"] for group in json.loads(said.stdout)["groups"]] == ["all", "art"]
    wrong = describe(str(path), "--by", "topc")
    assert (wrong.exit_code, "Did you mean topic?" in wrong.stderr) == (2, True)
    assert "all" in describe(str(path)).stdout, "texts need no domain"
    assert "can be read only once" in describe(str(tmp_path / "pipe.jsonl")).stderr


def test_the_help_has_an_example() -> None:
    said = CliRunner().invoke(app, ["benchmarks", "list", "--help"])
    assert "factscope benchmarks list --format json" in said.stdout
