"""Every code block of the documentation is run by its page's test, or parsed by the command line."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.core import TyperGroup

from factscope.cli import app
from tests import lab
from tests.cli.test_cli import clean_environment
from tests.cli.test_web import Place
from tests.docs.blocks import ROOT, RUN_BY, blocks
from tests.lab import warm
from tests.lab.many_cases import try_all
from tests.web.annotating import Annotating, write

BLOCKS = blocks()
COMMANDS = [(block.page, command) for block in BLOCKS for command in block.commands()]


@try_all("page", sorted({block.page for block in BLOCKS if block.kind == "run"}))
def test_each_page_with_blocks_is_read_by_the_test_that_runs_them(page: str) -> None:
    source = (ROOT / RUN_BY[page]).read_text(encoding="utf-8")
    assert re.search(rf'"{page}(\.md)?"', source), f"{RUN_BY[page]} does not read {page}.md"


@cache
def whole() -> Any:
    """Return the whole command line."""
    return typer.main.get_command(app)


def leaf(words: list[str]) -> tuple[Any, typer.Context, list[str]]:
    """Return the command that the words name, its context, and the remaining words."""
    command: Any = whole()
    context = typer.Context(command, info_name="factscope")
    while isinstance(command, TyperGroup) and words and not words[0].startswith("-"):
        name, inner, words = command.resolve_command(context, words)
        assert inner is not None
        command, context = inner, typer.Context(inner, info_name=name, parent=context)
    return command, context, words


@try_all(("page", "words"), COMMANDS)
def test_every_command_and_option_that_is_shown_exists(page: str, words: list[str]) -> None:
    command, context, rest = leaf(words)
    assert not isinstance(command, TyperGroup) or {"--help", "--version", "list"} & {*rest, *command.table}
    command.make_parser(context).parse_args(list(rest))


def test_shown_data_can_be_read() -> None:
    for block in BLOCKS:
        if block.language == "toml":
            assert tomllib.loads(block.code.replace("…", "")), block
        elif block.language == "json" and "…" not in block.code:
            try:
                json.loads(block.code)
            except ValueError:
                assert [json.loads(line) for line in block.code.splitlines()], block
        elif block.language == "python":
            compile(block.code, block.page, "exec")


def commands_of(page: str) -> list[list[str]]:
    lines = [
        line
        for block in BLOCKS
        if block.page == page and block.language == "console"
        for line in block.code.splitlines()
    ]
    return [shlex.split(line.removeprefix("$ ")) for line in lines]


@pytest.mark.medium
def test_the_commands_of_the_web_page_run(tmp_path: Path) -> None:
    (tmp_path / "answer.md").write_text("Lighthouses is well known here.")
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "bridge.md").write_text("The Marlow bridge was opened in 1931.")
    with lab.model_server() as model, lab.web_server([{"do": {"pages_at": "http://pages.example"}}]) as web:
        place = Place(tmp_path, model, web)
        for _, *words in commands_of("web"):
            done = place(*words)
            assert done.returncode in ((0, 1) if words[0] in ("check", "doctor") else (0,)), done.stderr
            assert "Traceback" not in done.stderr
            assert done.stdout.strip()


@pytest.mark.medium
def test_the_blocks_of_the_facts_and_evidence_page_run(tmp_path: Path) -> None:
    (tmp_path / "answer.md").write_text("Lighthouses is well known here.")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "build").mkdir()
    with lab.model_server() as model, lab.web_server([{"do": {"pages_at": "http://pages.example"}}]) as web:
        place = Place(tmp_path, model, web)
        printed = [place(*words) for _, *words in commands_of("facts-and-evidence")]
    assert [done.returncode for done in printed] == [0, 0, 0, 0], [done.stderr for done in printed]
    assert "credibility" in printed[2].stdout
    (code,) = (block.code for block in BLOCKS if block.page == "facts-and-evidence" and block.language == "python")
    done = subprocess.run([warm.python(), "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout == "credibility 0.5\n", done.stderr


@pytest.mark.medium
def test_the_commands_of_the_labelling_page_run(tmp_path: Path) -> None:
    file = write(tmp_path).rename(tmp_path / "answers.jsonl")
    commands = commands_of("annotate")
    assert [words[1] for words in commands] == [*["annotate"] * 4, "-H", "meta"]
    other = tmp_path / "alone"
    other.mkdir()
    Annotating(write(other)).end()
    several = Annotating(file, *commands[1][3:])
    ada = several.person("Ada")
    for number in range(1, 4):
        ada.say(number, *(None for _ in ada.item(number)["answer"]["marks"]))
    ben = several.person("Ben")
    for number in range(1, 4):
        ben.say(number, *(None for _ in ben.item(number)["answer"]["marks"]))
    where, _, rest = several.addresses["Cy"].partition("/annotate/")
    queue, _, key = rest.partition("#")
    filled = {"KEY": key, "QUEUE": queue, "http://127.0.0.1:8642": where}
    curl = [re.sub("KEY|QUEUE|http://127.0.0.1:8642", lambda name: filled[name[0]], word) for word in commands[4]]
    done = subprocess.run([*curl, "-sSf"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    several.end()
    for words in (*commands[2:4], commands[5]):
        done = subprocess.run(
            [warm.python(), "-m", *words],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=clean_environment(tmp_path),
        )
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "hf.jsonl").read_text().count("\n") == 6
