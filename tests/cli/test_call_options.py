"""Groups of options: a command takes each as a separate option, and receives them as one value."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from factscope.cli import CallOptions, LimitOptions, with_groups
from factscope.cli import app as factscope

app = typer.Typer()
seen: list[tuple[str, int, CallOptions]] = []


@app.command()
@with_groups
def work(name: str, times: int = 1, *, calls: CallOptions) -> None:
    """Work."""
    seen.append((name, times, calls))


def test_options_of_a_group_are_read_with_their_defaults() -> None:
    asked = ["bridge", "--max-cost", "2.5", "--store", "runs.db", "-q", "--times", "3"]
    assert CliRunner().invoke(app, asked).exit_code == 0
    name, times, calls = seen.pop()
    assert (name, times, calls.max_cost, calls.store, calls.quiet) == ("bridge", 3, 2.5, "runs.db", True)
    assert calls.settings(model=["m"]) == {
        "max_cost": 2.5,
        "max_calls": None,
        "max_tokens": None,
        "in_flight": None,
        "timeout": None,
        "batch": None,
        "record": None,
        "replay": None,
        "store": "runs.db",
        "model": ["m"],
    }


def test_a_flag_sets_its_setting_only_when_it_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.jsonl").write_text('{"response": "The lens came in 1858."}\n', encoding="utf-8")
    (tmp_path / "lens.txt").write_text("The lens came in 1858.", encoding="utf-8")
    (tmp_path / "factscope.toml").write_text("share_calls = true\n", encoding="utf-8")
    asked = ["run", "rows.jsonl", "-e", "lens.txt", "--dry-run", "-m", "builtin"]
    told = "no calls that responses can share"
    for words, shares in (([], True), (["--no-share-calls"], False), (["--share-calls"], True)):
        done = CliRunner().invoke(factscope, [*asked, *words])
        assert (done.exit_code, told in done.output) == (0, shares), (words, done.output)


def test_the_help_lists_group_options_after_those_of_the_command() -> None:
    shown = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "200"}).output
    assert "--times" in shown
    assert "--replay" in shown
    assert shown.index("--times") < shown.index("--store")
    assert CliRunner().invoke(app, ["bridge", "--max-cots", "1"]).exit_code == 2


class RowOptions(LimitOptions):
    """Options of reading rows."""

    file: Annotated[str, typer.Argument(metavar="FILE")]
    """The rows."""
    dry_run: bool = False
    """Read the rows,
    and do nothing with them."""
    header: bool = True
    """The first row has names."""


def test_a_field_is_an_option_with_its_docstring_as_help() -> None:
    rows = typer.Typer()
    read: list[RowOptions] = []

    @rows.command()
    @with_groups
    def count(options: RowOptions) -> None:
        read.append(options)

    shown = " ".join(CliRunner().invoke(rows, ["--help"], env={"COLUMNS": "200", "TERM": "dumb"}).output.split())
    for text in ("The rows.", "Read the rows, and do nothing with them.", "--header", "--no-header", "Limit on calls."):
        assert text in shown
    assert "--no-dry-run" not in shown
    assert shown.index("--dry-run") < shown.index("--max-calls")
    assert CliRunner().invoke(rows, []).exit_code == 2
    assert CliRunner().invoke(rows, ["a.csv", "--dry-run", "--no-header"]).exit_code == 0
    assert read == [RowOptions(file="a.csv", dry_run=True, header=False)]


def test_the_help_of_a_comparison_names_only_its_own_formats() -> None:
    shown = CliRunner().invoke(factscope, ["compare", "--help"], env={"COLUMNS": "200", "TERM": "dumb"}).output
    assert "text|json|md" in shown
    assert "csv" not in shown


def test_help_begins_with_what_a_command_is_about() -> None:
    for command, first, later in (
        (["curate", "build"], "--logs", "--evidence"),
        (["check"], "--evidence", "--output"),
        (["meta"], "--method", "--resamples"),
    ):
        shown = CliRunner().invoke(factscope, [*command, "--help"], env={"COLUMNS": "200", "TERM": "dumb"}).output
        assert 0 < shown.index(f"{first} ") < shown.index(f"{later} "), command
