"""`factscope benchmarks list`."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from factscope.cli import app


def test_the_data_sets_are_listed_with_their_licences() -> None:
    said = CliRunner().invoke(app, ["benchmarks", "list"])
    assert said.exit_code == 0
    assert "felm  CC BY-NC-SA 4.0" in said.stdout


def test_the_list_as_json() -> None:
    said = CliRunner().invoke(app, ["benchmarks", "list", "--format", "json"])
    values = json.loads(said.stdout)
    assert {"felm", "favabench", "factcheck-bench", "factscore", "halueval", "wice", "fm2", "scifact"} == {
        one["id"] for one in values
    }
    assert next(one for one in values if one["id"] == "felm")["hub"] == "hkust-nlp/felm:all.jsonl"


def test_the_help_has_an_example() -> None:
    said = CliRunner().invoke(app, ["benchmarks", "list", "--help"])
    assert "factscope benchmarks list --format json" in said.stdout
