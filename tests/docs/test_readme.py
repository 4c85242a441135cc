"""The README matches the code: its Python, its commands, its method file, and its list of commands and scores."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from factscope.cli import COMMANDS
from factscope.methods import method_from_values
from factscope.scoring import MEASURES
from tests.lab import warm

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return dict(os.environ) | {
        "FACTSCOPE_CACHE": str(tmp_path / "cache"),
        "FACTSCOPE_STORE": str(tmp_path / "runs.db"),
        "PATH": warm.path(),
        "PYTHONUTF8": "1",
    }


def test_the_first_python_example_prints_what_it_says(environment: dict[str, str]) -> None:
    code, (printed,) = blocks("python")[0], blocks("text")
    done = subprocess.run([warm.python(), "-c", code], capture_output=True, text=True, cwd=ROOT, env=environment)
    assert done.stderr == ""
    assert done.stdout == printed


@pytest.mark.medium
def test_the_common_tasks_run_exactly_as_written(tmp_path: Path, environment: dict[str, str]) -> None:
    shutil.copytree(ROOT / "examples" / "harbour", tmp_path / "examples" / "harbour")
    shutil.copy(ROOT / "examples" / "answers.jsonl", tmp_path / "examples")
    code = f"{blocks('python')[1]}\ntest_the_answer_is_grounded()\n"
    done = subprocess.run([warm.python(), "-c", code], capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert "contradicted | Electric light came in 1957. | Electric light came in 1937. | Handbook" in done.stdout
    assert {line.split()[0] for line in done.stdout.splitlines()} >= {"gpt-4o-mini", "llama-3.1-8b"}
    assert (tmp_path / "answers.csv").stat().st_size > 100


LENS = "In 1858 a Fresnel lens was fitted."
RAG_ROW = '{"question": "When?", "answer": "A Fresnel lens was fitted in 1858.", "contexts": ["' + LENS + '"]}'
FILES = {
    "answer.md": LENS, "answer.txt": LENS, "a.txt": LENS, "b.txt": "It cost £5.", "rag.jsonl": RAG_ROW,
    "documents/log.md": LENS,
}  # fmt: skip


def test_the_command_line_equivalents_run(tmp_path: Path, environment: dict[str, str]) -> None:
    """The other two lines, a web search and the page, run in tests/cli/test_web.py and tests/web."""
    (tmp_path / "documents").mkdir()
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    listed = README.partition("The same on the command line:")[2].partition("```\n\n")[0]
    lines = [line[2:] for line in listed.splitlines() if line.startswith("$ ")]
    assert [line for line in lines if "wikipedia" in line or "serve" in line] == lines[2::2]
    for line in (lines[0], lines[1], lines[3]):
        done = subprocess.run(shlex.split(line), capture_output=True, text=True, cwd=tmp_path, env=environment)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "report.html").stat().st_size > 1000
    assert (tmp_path / "out.csv").stat().st_size > 100


@pytest.mark.medium
def test_the_commands_on_bundled_texts_run(environment: dict[str, str]) -> None:
    lines = [line[2:] for block in blocks("console") for line in block.splitlines() if line.startswith("$ factscope")]
    runnable = [line for line in lines if "examples/" in line]
    assert runnable
    for line in runnable:
        done = subprocess.run(shlex.split(line), capture_output=True, text=True, cwd=ROOT, env=environment)
        assert done.returncode == 0, done.stderr


def test_the_example_method_file_is_a_valid_method() -> None:
    (content,) = blocks("toml")
    assert method_from_values(tomllib.loads(content), "README").name == "careful"


def test_every_picture_in_the_readme_exists() -> None:
    pictures = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", README)
    assert pictures
    for picture in pictures:
        assert (ROOT / picture).stat().st_size > 10_000


def test_every_command_and_score_is_named() -> None:
    for command in COMMANDS:
        assert re.search(rf"`(factscope )?{command}\b", README.partition("## What it does")[2]), command
    for name in MEASURES.names():
        assert f"`{name}" in README


def test_the_two_commands_are_targets_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in ("demo", "test"):
        assert f"$ make {target}" in README
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_links_to_files_point_to_existing_files() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "examples" / "README.md", ROOT / "perf" / "README.md"]
    for page in pages:
        for target in re.findall(r"(?<!!)\[[^\]]*\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
