"""The page on guarding an answer in CI: its test, its commands and its run, as a person would type them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests import lab
from tests.cli.test_cli import clean_environment
from tests.docs.blocks import blocks
from tests.lab import warm

BLOCKS = [block for block in blocks() if block.page == "rag"]
TEST, RUN = (block.code for block in BLOCKS if block.language == "python")
PYTEST, MODEL, REVIEW = (block.code.replace("$ ", "") for block in BLOCKS if block.language == "console")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "test_answers.py").write_text(TEST)
    return tmp_path


def shell(line: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = clean_environment(folder) | {"PATH": warm.path()} | variables
    return subprocess.run(["bash", "-ec", line], capture_output=True, text=True, cwd=folder, env=environment)


@pytest.mark.medium
def test_a_right_answer_passes_and_a_wrong_one_is_shown_with_its_quote(folder: Path) -> None:
    assert shell(PYTEST, folder).returncode == 0
    (folder / "test_answers.py").write_text(TEST.replace('fitted in 1858.",', 'fitted in 1901.",'))
    failed = shell(PYTEST, folder)
    assert failed.returncode == 1
    assert "In 1858 a first-order Fresnel lens was fitted." in failed.stdout


@pytest.mark.medium
def test_recorded_model_replies_are_replayed_without_the_model(folder: Path) -> None:
    record, replay = MODEL.splitlines()
    with lab.model_server() as model:
        asked = shell(record, folder, OPENAI_BASE_URL=model.base_url, OPENAI_API_KEY="sk-lab")
    replayed = shell(replay, folder)
    assert (asked.returncode, replayed.returncode) == (0, 0), asked.stdout + replayed.stdout
    assert (folder / "calls.jsonl").stat().st_size


def test_the_run_prints_a_line_for_each_answer(folder: Path) -> None:
    done = subprocess.run([warm.python(), "-c", RUN], capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["1.0 1.0 []", "0.0 1.0 ['Electric light came in 1945.']"]


def test_changed_texts_are_reviewed(folder: Path) -> None:
    for name, text in (
        ("docs/a.md", "The lens was fitted in 1858.\n"),
        ("sources/b.md", "The lens was fitted in 1858.\n"),
    ):
        (folder / name).parent.mkdir()
        (folder / name).write_text(text)
    git = "git init -q . && git add . && git -c user.name=A -c user.email=a@b.c commit -qm a"
    assert shell(f"{git} && git update-ref refs/remotes/origin/main HEAD", folder).returncode == 0
    done = shell(REVIEW, folder)
    assert done.returncode == 0, done.stderr
    assert "1858" in (folder / "summary.md").read_text() or (folder / "found.sarif").stat().st_size
