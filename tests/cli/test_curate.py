"""`factscope curate build`: its output, its results, and the cost of a kill."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from factscope.benchmarks.curate import UNFINISHED, open_folder
from factscope.cli import app
from tests import lab

ROOT = Path(__file__).parent.parent.parent
SAMPLE = ROOT / "examples" / "conversations.jsonl"
Call = Callable[..., Result]


@pytest.fixture
def call(tmp_path: Path) -> Call:
    def invoke(*words: object, **more: str) -> Result:
        environment = {"FACTSCOPE_CACHE": str(tmp_path / "cache"), "FACTSCOPE_STORE": str(tmp_path / "runs.db")}
        return CliRunner().invoke(app, ["curate", "build", *map(str, words)], env=environment | more)

    return invoke


def rows(tmp_path: Path, *prompts: str, model: str = "gpt-4") -> Path:
    path = tmp_path / "log.jsonl"
    lines = [json.dumps({"prompt": prompt, "response": "So it is.", "model": model}) for prompt in prompts]
    path.write_text("\n".join(lines))
    return path


@pytest.mark.medium
def test_everything_planted_in_the_sample_is_found(call: Call, tmp_path: Path) -> None:
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        from curate_sample import PLACES, make  # type: ignore[import-not-found]
    finally:
        sys.path.pop(0)
    for part, path in PLACES.items():
        done = call("--logs", path, "--out", tmp_path / str(part), "--no-models", "--until", "near", "-f", "json", "-q")
        assert done.exit_code == 0, done.stderr
        stages = {stage["name"]: stage for stage in json.loads(done.stdout)["stages"]}
        planted = dict(make(part).counts)
        assert stages["near"]["rows_out"] == planted.pop("fine")
        assert sum(stages["read"]["dropped"].values()) == planted.pop("unusable")
        assert {reason: n for stage in list(stages.values())[1:] for reason, n in stage["dropped"].items()} == planted


def test_the_funnel_and_the_progress_are_printed(call: Call, tmp_path: Path) -> None:
    log = rows(tmp_path, "What is tin?", "what is  tin?", "Was ist Zinn, und woher kommt es?")
    words = ("--logs", log, log, "--out", tmp_path / "out", "--no-models", "--until", "exact")
    done = call(*words)
    assert done.exit_code == 0
    assert [line.split()[:3] for line in done.stdout.splitlines() if line.startswith(" exact")] == [["exact", "4", "1"]]
    ends = {len(match[0]) for match in re.finditer(r"^ (stage|read|exact) +\S+ +\S+", done.stdout, re.MULTILINE)}
    assert len(ends) == 1, "figures end where their heading ends"
    assert "1 of 4, read: Reads the first prompt" in done.stderr
    assert "4 of 4, exact: 1 of 4 rows go on" in done.stderr
    again = call(*words)
    assert "4 of 4, exact: 1 of 4 rows go on (done before)" in again.stderr
    assert call(*words, "--quiet").stderr == ""
    assert open_folder(tmp_path / "out").table("exact")["times"].to_list() == [4]


@pytest.mark.medium
@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        ((), 2, "It takes logs"),
        (("--logs", "gone.jsonl", "--out", "OUT", "--no-models"), 2, "gone.jsonl: no such file"),
        (("--logs", "LOG", "--out", "OUT"), 2, "The stage names asks a language model (role curate)"),
        (("--logs", "LOG", "--out", "OUT", "--no-models", "--model", "openai/lab"), 2, "no model is called"),
        (("--logs", "LOG", "--out", "OUT", "--no-models", "--until", "nearer"), 2, "Unknown stage 'nearer'"),
        (("--logs", "LOG", "--out", "LOG", "--no-models"), 2, "is not a folder"),
        (("--logs", "LOG", "--out", "OUT", "--no-models", "--parameters", "gone.toml"), 2, "can't be read"),
        (("--logs", "LOG", "--out", "OUT", "--no-models"), 1, "prompts; 1 left"),
    ],
)
def test_wrong_calls_get_one_clear_message(
    call: Call, tmp_path: Path, words: tuple[str, ...], code: int, told: str
) -> None:
    places = {"LOG": str(rows(tmp_path, "What is the metal tin made of?")), "OUT": str(tmp_path / "out")}
    done = call(*(places.get(word, word) for word in words), "--quiet")
    assert (done.exit_code, told in done.stderr) == (code, True), done.stderr
    assert "Traceback" not in done.stderr


def test_thresholds_that_keep_nothing_leave_the_release_unchanged(call: Call, tmp_path: Path) -> None:
    log = rows(tmp_path, "What is the metal tin made of?", "Where does the metal zinc come from?")
    strict = tmp_path / "strict.toml"
    strict.write_text('[language]\nkeep = ["xx"]\n')
    words = ("--logs", log, "--out", tmp_path / "out", "--no-models", "--until", "near")
    assert call(*words).exit_code == 0
    before = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    done = call(*words, "--parameters", strict)
    assert done.exit_code == 1
    assert "The stage language keeps none of 2 rows: 2 other language." in done.stderr
    assert "Loosen [language]" in done.stderr
    assert {path: path.read_bytes() for path in before} == before


def test_a_build_without_checks_needs_no_store(call: Call, tmp_path: Path) -> None:
    log = rows(tmp_path, "What is the metal tin made of?")
    words = ("--logs", log, "--out", tmp_path / "out", "--no-models", "--until", "exact")
    done = call(*words, FACTSCOPE_STORE=str(log / "runs.db"))
    assert done.exit_code == 0, done.stderr


def test_a_build_that_has_only_begun_is_to_be_carried_on(call: Call, tmp_path: Path) -> None:
    log = rows(tmp_path, "What is the metal tin made of?")
    assert call("--logs", log, "--out", tmp_path / "out", "--no-models", "--quiet").exit_code == 1
    done = CliRunner().invoke(app, ["curate", "explore", str(tmp_path / "out")])
    assert done.exit_code == 2
    assert "only the beginning of a release" in done.stderr
    assert "carries on" in done.stderr


def test_a_truncated_log_is_reported_on_every_run_until_it_is_complete(call: Call, tmp_path: Path) -> None:
    plain = rows(tmp_path, *(f"What is tin, asked for the time {n}?" for n in range(50)))
    whole, log = gzip.compress(plain.read_bytes()), tmp_path / "log.jsonl.gz"
    log.write_bytes(whole[:-9])
    words = ("--logs", log, "--out", tmp_path / "out", "--no-models", "--until", "read", "--quiet")
    for _ in range(2):
        done = call(*words)
        assert done.exit_code == 0
        assert re.search(r"log\.jsonl\.gz, row \d+: from here on the file can't be read: .*again", done.stderr)
        assert "1 damaged file" in done.stdout
    log.write_bytes(whole)
    done = call(*words)
    assert (done.exit_code, done.stderr) == (0, "")
    assert open_folder(tmp_path / "out").table("read").height == 50


def test_evaluation_without_evidence_is_reported_before_any_call(call: Call, tmp_path: Path) -> None:
    log = rows(tmp_path, "What is the metal tin made of?")
    with lab.model_server() as server:
        environment = {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "x"}
        done = call("--logs", log, "--out", tmp_path / "out", "--model", "openai/lab", **environment)
        assert server.count() == 0
    assert done.exit_code == 2
    assert "evidence" in done.stderr
    assert not (tmp_path / "out").exists()


def test_help_shows_an_example(call: Call) -> None:
    done = call("--help")
    assert done.exit_code == 0
    assert "Example: factscope curate build --logs" in done.stdout


@pytest.mark.medium
def test_a_build_killed_at_any_moment_ends_with_the_same_tables(call: Call, tmp_path: Path) -> None:
    words = ["--logs", str(SAMPLE), "--no-models", "--until", "near", "--quiet", "--out"]
    assert call(*words, tmp_path / "whole").exit_code == 0
    whole = tables(tmp_path / "whole")
    command = [sys.executable, "-m", "factscope", "curate", "build", *words, str(tmp_path / "cut")]
    environment = dict(os.environ) | {"FACTSCOPE_STORE": str(tmp_path / "runs.db")}
    for name in ("01-read.parquet", "drops/02-language.parquet", "05-near.parquet"):
        process = subprocess.Popen(command, env=environment)
        wait_for(tmp_path / "cut" / UNFINISHED / name, process)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert call(*words, tmp_path / "cut").exit_code == 0
    assert tables(tmp_path / "cut") == whole


def tables(folder: Path) -> dict[str, Any]:
    return {str(path.relative_to(folder)): pl.read_parquet(path).rows() for path in folder.rglob("*.parquet")}


def wait_for(path: Path, process: subprocess.Popen[bytes]) -> None:
    while not path.exists() and process.poll() is None:
        time.sleep(0.002)
