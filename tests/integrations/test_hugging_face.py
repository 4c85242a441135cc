"""Hugging Face: a folder with a card that the Hub's own library reads, and a Space that starts."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
import yaml
from huggingface_hub import DatasetCard

from tests.integrations.runner import CONTEXTS, GREETING, QUESTION, REPLAY, RIGHT, WRONG, command
from tests.lab import warm

SPACE = Path(__file__).parents[2] / "examples" / "space"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("run")
    rows = [
        {"id": n, "question": QUESTION, "answer": one, "contexts": CONTEXTS}
        for n, one in enumerate((RIGHT, WRONG, GREETING))
    ]
    (place / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    done = command("run", "rows.jsonl", "-q", folder=place)
    assert done.returncode == 0, done.stderr
    done = command("export", "last", "--to", "huggingface", "-o", "out", folder=place)
    assert (done.returncode, "Wrote 3 responses" in done.stderr) == (0, True), done.stderr
    return place


def test_a_run_is_exported_as_a_folder_with_a_card(folder: Path) -> None:
    card = DatasetCard.load(folder / "out" / "README.md")
    assert [one["config_name"] for one in card.data.to_dict()["configs"]] == ["responses", "claims"]
    assert "3 responses checked by Factscope" in card.text
    assert "| contradicted | 1 |" in card.text
    claims = [json.loads(line) for line in (folder / "out" / "claims.jsonl").read_text(encoding="utf-8").splitlines()]
    wrong = [claim for claim in claims if claim["verdict"] == "contradicted"]
    assert [(one["response"], one["quote"]) for one in wrong] == [
        ("1", "In 1858 a first-order Fresnel lens was fitted.")
    ]
    done = command("export", "last", "--to", "huggingface", "-o", "out", folder=folder)
    assert (done.returncode, "not an empty folder" in done.stderr) == (2, True)


def test_a_failed_check_has_no_score_in_the_folder(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text(json.dumps({"answer": RIGHT, "contexts": CONTEXTS}), encoding="utf-8")
    words = ("--method", "verify", "--model", "openai/by-hand", "--replay", str(REPLAY), "-q")
    assert command("run", "rows.jsonl", *words, folder=tmp_path).returncode == 1
    assert command("export", "last", "--to", "huggingface", "-o", "out", folder=tmp_path).returncode == 0
    (row,) = map(json.loads, (tmp_path / "out" / "responses.jsonl").read_text(encoding="utf-8").splitlines())
    assert (row["score"], row["coverage"], row["failed"]) == (None, 0.0, 2)


def test_left_out_rows_are_named_in_the_published_run(tmp_path: Path) -> None:
    rows = [
        {"id": "a", "answer": RIGHT, "contexts": CONTEXTS},
        {"id": "<b>", "answer": RIGHT},
        {"answer": "", "contexts": CONTEXTS},
    ]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert command("run", "rows.jsonl", "-q", folder=tmp_path).returncode == 1
    done = command("export", "last", "--to", "huggingface", "-o", "out", folder=tmp_path)
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert (done.returncode, "Row 3: " in done.stderr) == (0, True), done.stderr
    assert "1 response checked by Factscope" in card
    assert "2 rows of the data could not be checked" in card
    assert "Row 3: " in card
    assert "<b>" not in card


def test_an_unfinished_run_is_published_as_such(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text(json.dumps({"answer": RIGHT, "contexts": CONTEXTS}), encoding="utf-8")
    words = ("--method", "verify", "--model", "openai/by-hand", "--replay", str(REPLAY), "-q")
    assert command("run", "rows.jsonl", *words, folder=tmp_path).returncode == 1
    done = command("export", "last", "--to", "huggingface", "-o", "out", folder=tmp_path)
    assert "is not finished" in done.stderr
    assert "The run is not finished" in (tmp_path / "out" / "README.md").read_text(encoding="utf-8")


def test_the_exported_folder_can_be_checked_again(folder: Path) -> None:
    (folder / "keeper.txt").write_text(CONTEXTS[0], encoding="utf-8")
    done = command("run", "out/responses.jsonl", "-e", "keeper.txt", "-q", folder=folder)
    assert done.returncode == 0, done.stderr
    assert "3 responses" in done.stdout + done.stderr


def test_the_datasets_library_reads_the_folder(folder: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", exc_type=ImportError)
    found = datasets.load_dataset(str(folder / "out"), "claims", split="train", cache_dir=str(tmp_path))
    assert list(found["verdict"]).count("supported") == 3
    responses = datasets.load_dataset(str(folder / "out"), split="train", cache_dir=str(tmp_path))
    assert list(responses["score"]) == [1.0, 0.5, None]


def test_the_space_names_its_port_and_its_command_serves_the_page(tmp_path: Path) -> None:
    head = yaml.safe_load((SPACE / "README.md").read_text(encoding="utf-8").split("---")[1])
    assert (head["sdk"], head["app_port"]) == ("docker", 7860)
    assert len(head["short_description"]) <= 60
    written = (SPACE / "Dockerfile").read_text(encoding="utf-8")
    command = json.loads(re.search(r"^CMD (.*)$", written, re.MULTILINE)[1])
    assert f"--port {head['app_port']}" in command[-1]
    command[-1] = command[-1].replace("--port 7860", "--port 0 --format json")
    places = {
        "FACTSCOPE_CACHE": str(tmp_path),
        "FACTSCOPE_STORE": str(tmp_path / "runs.db"),
        "SPACE_HOST": "a-b.hf.space",
    }
    environment = {**os.environ, **places, "FACTSCOPE_TOKEN": "t" * 32}
    environment["PATH"] = warm.path()
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as process:
        try:
            port = re.search(r":(\d+)", json.loads(process.stdout.readline())["address"])[1]
            request = Request(f"http://127.0.0.1:{port}/", headers={"Authorization": f"Bearer {'t' * 32}"})
            with urlopen(request) as reply:
                assert b"<title>" in reply.read()
        finally:
            process.terminate()
    assert shlex.split(command[-1])[0] == "exec"
