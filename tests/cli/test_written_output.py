"""Output of commands: complete files or none, aligned figures, and messages without control characters."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from factscope.cli import (
    FactscopeCommand,
    add_text,
    app,
    choose_format,
    log,
    must_confirm,
    put_chunks,
    put_forecast,
    put_json,
    put_text,
    refuse_to_overwrite_inputs,
    table,
    tell_error,
    tell_written,
)
from factscope.core import FactscopeError, StoreError, UsageError
from tests.lab.many_cases import each, try_all


class Pipe(io.TextIOWrapper):
    """Standard input that is not a terminal."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(b"y\n"))


def test_a_file_is_written_completely_or_left_unchanged(tmp_path: Path) -> None:
    def broken() -> Iterator[str]:
        yield "new"
        raise ValueError("in the middle")

    target = tmp_path / "out.txt"
    target.write_text("old", encoding="utf-8")
    with pytest.raises(ValueError, match="in the middle"):
        put_chunks(broken(), target)
    assert target.read_text(encoding="utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out.txt"]
    put_chunks(["a", b"\xff", "é\n"], target)
    assert target.read_bytes() == b"a\xff" + "é\n".encode()


def test_a_lone_surrogate_is_written_as_a_replacement_character(tmp_path: Path) -> None:
    put_text("a\ud83db", tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text(encoding="utf-8") == "a?b"
    put_json({"灯塔": tmp_path}, tmp_path / "out.json")
    assert "灯塔" in (tmp_path / "out.json").read_text(encoding="utf-8")


def test_a_summary_is_appended_to_an_existing_file(tmp_path: Path) -> None:
    for text in ("# One\n", "# Two\n"):
        add_text(text, tmp_path / "summary.md")
    assert (tmp_path / "summary.md").read_text(encoding="utf-8") == "# One\n# Two\n"
    with pytest.raises(StoreError, match="can't be written: is a directory"):
        add_text("x", tmp_path)


def test_an_output_is_not_written_over_or_into_an_input(tmp_path: Path) -> None:
    (tmp_path / "docs" / "sub").mkdir(parents=True)
    (tmp_path / "text.md").write_text("x", encoding="utf-8")
    (tmp_path / "link.md").symlink_to(tmp_path / "text.md")
    read = [
        tmp_path / "docs",
        tmp_path / "text.md",
        tmp_path / "missing.md",
        "https://example.org",
        None,
        Path("x" * 300),
    ]
    for name in ("text.md", "link.md", "docs/new.html", "docs/sub/new.html", "docs/../text.md"):
        with pytest.raises(UsageError, match="would be written over or into"):
            refuse_to_overwrite_inputs(tmp_path / name, read)
    for output in (None, tmp_path / "new.html", tmp_path / "missing.md", Path("/dev/null")):
        refuse_to_overwrite_inputs(output, read)


def test_an_output_is_not_written_over_a_file_that_another_option_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text, judges = "The lens came in 1858.", ["--judge", "x/one", "--judge", "x/two"]
    for name in ("a.txt", "rows.jsonl", "calls.json", "new.json", "first.json", "other.json", "examples.csv"):
        (tmp_path / name).write_text("mine", encoding="utf-8")
    (tmp_path / "new.json").unlink()
    cases = [
        (["check", text, "-c", "a.txt", "-o", "./a.txt"], "a.txt"),
        (["check", text, "--cited", "--save-sources", "new.jsonl", "-o", "new.jsonl"], "new.jsonl"),
        (["run", "rows.jsonl", "-e", "a.txt", "--replay", "calls.json", "-o", "calls.json"], "calls.json"),
        (["run", "rows.jsonl", "-e", "a.txt", "--record", "new.json", "-o", "new.json"], "new.json"),
        (["compare", "first.json", "other.json", "-o", "first.json"], "first.json"),
        (["meta", "rows.jsonl", "--replay", "calls.json", "-o", "calls.json"], "calls.json"),
        (["bench", "facts-grounding", "--data", "open=examples.csv", *judges, "-o", "examples.csv"], "examples.csv"),
        (["bench", "short-answers", "simpleqa", "--data", "examples.csv", "-o", "examples.csv"], "examples.csv"),
        (["bench", "rounds", "first.json", "-o", "first.json"], "first.json"),
        (["calibrate", "rows.jsonl", "--data", "a.txt", "-o", "a.txt"], "a.txt"),
        (["verifiers", "behaviour", "--suite", "first.json", "-o", "first.json"], "first.json"),
    ]

    def try_command(words: list[str], output: str) -> None:
        done = CliRunner().invoke(app, words)
        assert (done.exit_code, "which this command reads" in done.output) == (2, True), done.output
        assert not (tmp_path / output).exists() or (tmp_path / output).read_text(encoding="utf-8") == "mine"

    each(("words", "output"), cases, try_command)
    monkeypatch.setenv("FACTSCOPE_REPLAY", "calls.json")
    try_command(["run", "rows.jsonl", "-e", "a.txt", "-o", "calls.json"], "calls.json")


def test_an_output_that_cannot_be_written_is_refused_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    judges = ["--judge", "ollama/one", "--judge", "ollama/two"]
    commands = [
        ["bench", "facts-probes", *judges],
        ["bench", "facts-grounding", "--data", "rows.csv", *judges],
        ["bench", "facts-table", "rows.json"],
        ["bench", "factbench-disjoint", "rows.json", "other.json"],
        ["bench", "recall", "last", "--units", "rows.jsonl"],
        ["bench", "rounds", "rows.jsonl"],
        ["bench", "feedback", "last"],
        ["papers"],
    ]

    def try_command(words: list[str]) -> None:
        for output, code, message in (
            ("out.jsonl", 2, "The file extension of out.jsonl is not a known format"),
            ("none/out.json", 1, "none/out.json can't be written"),
        ):
            done = CliRunner().invoke(app, [*words, "-o", output])
            assert (done.exit_code, message in done.output) == (code, True), done.output

    each("words", commands, try_command)


def test_an_unwritable_output_is_refused_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    cases = [(tmp_path, "it is a folder"), (tmp_path / "none" / "a.html", "is not there"),
             (tmp_path / "file" / "a.html", "is not there")]  # fmt: skip

    def try_output(output: Path, said: str) -> None:
        with pytest.raises(StoreError) as told:
            refuse_to_overwrite_inputs(output, [])
        assert said in told.value.message
        assert told.value.hint == "Name another file with -o."

    each(("output", "said"), cases, try_output)


@try_all(
    ("asked", "output", "expected"),
    [
        (None, None, "text"),
        ("json", None, "json"),
        ("json", "a.html", "json"),
        (None, "a.html", "html"),
        (None, "A.JSON", "json"),
        (None, "a.b.csv", "csv"),
        (None, "/dev/null", "text"),
    ],
)
def test_the_format_is_the_requested_one_or_that_of_the_file_name(
    asked: str | None, output: str | None, expected: str
) -> None:
    assert choose_format(asked, Path(output) if output else None) == expected


def test_a_name_without_a_known_format_is_refused_with_the_choice() -> None:
    for name in ("a.xyz", "a", "json"):
        with pytest.raises(UsageError, match="not a known format") as told:
            choose_format(None, Path(name))
        assert told.value.hint.startswith("Add --format text|")


def test_figures_are_right_aligned_and_names_left_aligned(capsys: pytest.CaptureFixture[str]) -> None:
    table([("a", "7", "x1"), ("bcd", "1,200", ""), ("e", "–", "x")], ("name", "n", "note"))
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines() if line.strip()]
    head = next(line for line in lines if "name" in line)
    end = head.index(" n ") + 2
    for text in ("7", "1,200"):
        (line,) = (line for line in lines if f" {text} " in f"{line} ")
        assert line.index(text) + len(text) == end, lines
    assert {line.index(text) for line in lines for text in ("x1",) if text in line} == {head.index("note")}


def test_a_message_cannot_move_the_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    log("a\x1b[2Jb\rc\u202ed\ne")
    said = capsys.readouterr().err
    assert not {"\x1b", "\r", "\u202e"} & set(said)
    assert len(said.splitlines()) == 2


@try_all(
    ("colour", "variable", "value", "styled"),
    [
        ("red", "TERM", "xterm", True),
        (None, "TERM", "xterm", False),
        ("red", "TERM", "dumb", False),
        ("red", "NO_COLOR", "1", False),
        ("red", "NO_COLOR", "", True),  # as rich has it, and no-color.org
    ],
)
def test_a_message_has_codes_only_where_it_has_a_colour(
    monkeypatch: pytest.MonkeyPatch, colour: str | None, variable: str, value: str, styled: bool
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv(variable, value)
    app = typer.Typer()
    app.command()(lambda: log("It failed.", colour))
    assert ("\x1b" in CliRunner().invoke(app, color=True).stderr) == styled


def test_an_error_has_its_message_on_one_line_and_each_hint_below(capsys: pytest.CaptureFixture[str]) -> None:
    tell_error(FactscopeError("It failed.", "Try this.\nOr that."))
    tell_error(UsageError("It failed."))
    assert capsys.readouterr().err == "factscope: It failed.\n  Try this.\n  Or that.\nfactscope: It failed.\n"
    tell_written(None)
    tell_written(Path("out.html"))
    assert capsys.readouterr().err == "Wrote out.html\n"


def test_confirmation_is_not_requested_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Pipe())
    with pytest.raises(UsageError, match="Nothing is deleted") as told:
        must_confirm("Delete?", "Nothing is deleted without confirmation.")
    assert told.value.hint == "Add --yes."


@pytest.mark.parametrize(("said", "ends"), [(True, False), (False, True)])
def test_any_answer_but_yes_ends_a_command(monkeypatch: pytest.MonkeyPatch, said: bool, ends: bool) -> None:
    monkeypatch.setattr(Pipe, "isatty", lambda self: True)
    monkeypatch.setattr(sys, "stdin", Pipe())
    monkeypatch.setattr(typer, "confirm", lambda question, err: said)
    if ends:
        with pytest.raises(typer.Exit) as left:
            must_confirm("Delete?", "")
        assert left.value.exit_code == 1
    else:
        must_confirm("Delete?", "")


@try_all(
    ("words", "paths", "text"),
    [
        (["T", "-e", "a", "b", "c"], ["a", "b", "c"], "T"),
        (["-e", "a", "T", "-e", "b", "c"], ["a", "b", "c"], "T"),
        (["T", "-e", "a", "b", "-n", "5", "-e", "c"], ["a", "b", "c"], "T"),
        (["-n", "5", "T", "--evidence", "a", "-"], ["a", "-"], "T"),
        (["-q", "T", "-e", "a", "-q"], ["a"], "T"),
        (["-", "-e", "a", "b"], ["a", "b"], "-"),
        (["-e", "a", "--", "T"], ["a"], "T"),
        (["--evidence=a", "T"], ["a"], "T"),
    ],
)
def test_evidence_takes_all_paths_once_the_text_is_named(words: list[str], paths: list[str], text: str) -> None:
    seen: list[tuple[list[str], str]] = []
    app = typer.Typer()

    @app.command(cls=FactscopeCommand)
    def check(
        text: str,
        evidence: Annotated[list[str], typer.Option("--evidence", "-e")],
        n: Annotated[int, typer.Option("-n")] = 0,
        quiet: Annotated[bool, typer.Option("-q")] = False,
    ) -> None:
        seen.append((evidence, text))

    done = CliRunner().invoke(app, words)
    assert (done.exit_code, seen) == (0, [(paths, text)]), done.output


def test_evidence_takes_all_paths_without_a_text_and_one_with_several() -> None:
    seen: list[tuple[list[str], list[str]]] = []
    app = typer.Typer()

    @app.command(cls=FactscopeCommand)
    def serve(evidence: Annotated[list[str], typer.Option("--evidence", "-e")]) -> None:
        seen.append((evidence, []))

    @app.command(cls=FactscopeCommand)
    def review(files: list[str], evidence: Annotated[list[str], typer.Option("--evidence", "-e")]) -> None:
        seen.append((evidence, files))

    assert CliRunner().invoke(app, ["serve", "-e", "a", "b"]).exit_code == 0
    assert CliRunner().invoke(app, ["review", "T", "-e", "a", "b"]).exit_code == 0
    assert seen == [(["a", "b"], []), (["a"], ["T", "b"])]


def test_an_estimate_shows_ranges_and_what_is_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    values = {
        "method": "verify", "models": {"judge": "x/y", "answer": "x/z"}, "responses": 1200, "calls": [3.0, 2400.0],
        "cached_calls": 5, "tokens_in": [10.0, 10.0], "tokens_out": [1.0, 2.0], "cost": [0.5, 1.25],
        "seconds": [2.0, 9.0], "assumed": "1 s for a call",
    }  # fmt: skip
    put_forecast(values, "text")
    said = " ".join(capsys.readouterr().out.split())
    for shown in (
        "answer: x/z, judge: x/y",
        "responses 1,200",
        "3 to 2,400",
        "sent 10 ",
        "$0.50 to $1.25",
        "2 to 9 s (",
    ):
        assert shown in said
    assert "answers to write" not in said
    put_forecast(values | {"cost": [0.0, 0.0017]}, "text")
    assert "$0.00 to $0.0017" in " ".join(capsys.readouterr().out.split())
    put_forecast(values | {"cost": None, "seconds": None, "answers_to_write": 7, "models": {}}, "text")
    said = " ".join(capsys.readouterr().out.split())
    for shown in ("models none", "answers to write 7", "unknown: the price of a model is not known", "not estimated"):
        assert shown in said
