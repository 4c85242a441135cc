"""docs/meta.md matches the code: its commands run, and its file forms are read."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from factscope.benchmarks.datasets import load
from factscope.benchmarks.meta_eval import read_predictions
from factscope.cli import app

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "meta.md").read_text(encoding="utf-8")
COMMANDS = [line[2:] for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()]
FORMS = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.medium
def test_the_commands_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("FACTSCOPE_STORE", str(tmp_path / "runs.db"))
    monkeypatch.setenv("FACTSCOPE_CACHE", str(tmp_path / "cache"))
    assert len(COMMANDS) >= 8
    for command in COMMANDS:
        _, *words = shlex.split(command.replace("build/", f"{tmp_path}/"))
        quick = ["--resamples", "50", "--quiet"] if words[0] == "meta" else []
        done = CliRunner().invoke(app, [*words, *quick])
        assert done.exit_code == 0, f"{command}\n{done.output}\n{done.exception!r}"
    assert {path.name for path in tmp_path.glob("*.*") if path.suffix in (".html", ".json")} == {
        "builtin.html",
        "both.json",
        "sweep.html",
    }


def test_the_evaluator_example_of_the_page_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(code.replace('Path("build")', f"Path({str(tmp_path)!r})"), {})
    assert re.fullmatch(r"\{'precision': 0\.\d+, 'recall': 0\.\d+, 'f1': 0\.\d+\}\n", capsys.readouterr().out)


def test_the_file_formats_on_the_page_are_read(tmp_path: Path) -> None:
    predictions, labelled = FORMS
    path = tmp_path / "predictions.jsonl"
    path.write_text(predictions, encoding="utf-8")
    samples = load(str(ROOT / "examples" / "labelled.jsonl"), cache=tmp_path).samples
    found = read_predictions(path, samples, "unsupported")
    assert not any("that are" in note or "places" in note for note in found.notes), found.notes
    assert set(found.predictions) == {"ferry-1", "ferry-2", "ferry-3"}
    path.write_text(json.dumps(json.loads(labelled)), encoding="utf-8")
    (sample,) = load(str(path), cache=tmp_path).samples
    assert [gold.factual for gold in sample.of("segment")] == [True, False]


def test_the_documented_json_form_names_every_field(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("FACTSCOPE_CACHE", str(tmp_path / "cache"))
    words = ["meta", "examples/labelled.jsonl", "--predictions", "examples/predictions.jsonl", "--format", "json"]
    found = json.loads(CliRunner().invoke(app, [*words, "--resamples", "50"]).stdout)
    (block,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    named = set(re.findall(r"[a-z_0-9]+", block))
    assert set(found) - {"sha256", "licence"} <= named
    method = found["methods"][0]
    assert set(method) - {"usage"} <= named
    segment = method["levels"]["segment"]
    assert set(segment) - {"n_responses", "n_confident", "n_ordered"} <= named
