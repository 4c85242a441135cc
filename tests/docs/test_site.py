"""The documentation site: its blocks run, every page with blocks has a test, and its figure matches the code."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.lab import warm

ROOT = Path(__file__).parents[2]
OWN = ("index.md", "concepts.md", "report.md", "trust.md", "troubleshooting.md")
"""Pages whose blocks run here; each other page has its own test."""
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```", re.DOTALL | re.MULTILINE)
BLOCKS = [(name, *match) for name in OWN for match in BLOCK.findall((ROOT / "docs" / name).read_text(encoding="utf-8"))]


@pytest.mark.medium
@pytest.mark.parametrize(("page", "language", "code"), BLOCKS)
def test_a_block_runs(page: str, language: str, code: str, tmp_path: Path) -> None:
    """Run in a separate folder with the examples, so that the page's output doesn't land in the repository."""
    folder = tmp_path / "clone"
    (folder / "build").mkdir(parents=True)
    (folder / "examples").symlink_to(ROOT / "examples")
    environment = dict(os.environ) | {
        "FACTSCOPE_CACHE": str(tmp_path / "cache"),
        "FACTSCOPE_STORE": str(tmp_path / "runs.db"),
        "PATH": warm.path(),
    }
    commands = (
        [[warm.python(), "-W", "error", "-c", code]]
        if language == "python"
        else [shlex.split(line[2:]) for line in code.splitlines()]
    )
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)
        assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
        written = folder / command[command.index("-o") + 1] if "-o" in command else None
        assert written.stat().st_size if written else done.stdout.strip()


def test_every_page_with_blocks_has_a_test_that_names_it() -> None:
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    for page in (ROOT / "docs").glob("*.md"):
        if page.name not in OWN and BLOCK.search(page.read_text(encoding="utf-8")):
            assert re.search(rf'["/]{page.stem}(\.md)?"', tests), page.name


def test_every_file_named_on_a_page_exists() -> None:
    named = re.compile(r"`((?:scripts|perf|training|tests|src|docs|examples|packages|frontend)/[\w./-]+)`")
    pages = [*(ROOT / "docs").glob("*.md"), *ROOT.glob("*.md"), ROOT / "perf" / "README.md"]
    for page in pages:
        for name in named.findall(page.read_text(encoding="utf-8")):
            assert (ROOT / name).exists(), f"{page.name} names {name}"
    inside = re.compile(r"`((?:cli|core|engine|evidence|claims|web|llm|scoring|judging)/[\w./-]+)`")
    pages = [ROOT / "docs" / "first-issues.md", ROOT / "docs" / "architecture.md"]
    for name in inside.findall("".join(page.read_text(encoding="utf-8") for page in pages)):
        assert (ROOT / "src" / "factscope" / name).exists(), name


def test_every_page_is_in_the_menu() -> None:
    def names(menu: object) -> set[str]:
        if isinstance(menu, str):
            return {menu}
        values = menu.values() if isinstance(menu, dict) else menu if isinstance(menu, list) else ()
        return {name for value in values for name in names(value)}

    listed = names(tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]["nav"])
    assert {page.name for page in (ROOT / "docs").glob("*.md")} <= listed


@pytest.mark.medium
def test_the_report_that_is_explained_is_the_one_that_is_printed(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    (command,), (shown,) = re.findall(r"```console\n\$ (.*)\n", page), re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    environment = dict(os.environ) | {"FACTSCOPE_CACHE": str(tmp_path), "FACTSCOPE_STORE": str(tmp_path / "runs.db")}
    environment |= {"PATH": warm.path(), "COLUMNS": "80"}
    done = subprocess.run(shlex.split(command), capture_output=True, text=True, cwd=ROOT, env=environment)
    assert not {line for line in shown.splitlines() if line != "…"} - set(done.stdout.splitlines()), done.stdout


def made_by_the_site(code: str) -> str:
    """Return what the scripts of the site print, which are not a package."""
    path = os.pathsep.join([str(ROOT / "scripts"), *sys.path])
    done = subprocess.run(
        [warm.python(), "-c", code], capture_output=True, text=True, cwd=ROOT, env={**os.environ, "PYTHONPATH": path}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.medium
def test_the_reference_has_every_command_field_and_request() -> None:
    made = made_by_the_site("from docs import *; print(command_line(), records(), settings(), http())")
    for heading in ("factscope check", "factscope curate build", "factscope store repair", "POST /api/v1/checks"):
        assert f"\n## {heading}\n" in made
    assert "--min-coverage" in made  # an option of one command
    assert "'html_anchor'" in made  # far into a long type
    assert "| `max_cost` |  | Limit on the cost in US dollars" in made
    assert "- `documents` (body): Documents to search" in made


@pytest.mark.medium
def test_the_figure_shows_every_top_level_module_of_the_code() -> None:
    code = "from rooms import figure; from pathlib import Path; print(figure(Path('src/factscope').absolute()))"
    rooms = {path.stem for path in (ROOT / "src" / "factscope").iterdir() if path.suffix == ".py" or path.is_dir()}
    drawn = set(re.findall(r"<text[^>]*>([^<]+)</text>", made_by_the_site(code)))
    assert rooms - {"__init__", "__pycache__", "py", "_laboratory"} <= drawn | {"py"}
