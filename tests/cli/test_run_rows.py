"""Rows that a run counts: those of its current data, whatever was stored before; and those that it left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from factscope.cli import app
from factscope.engine import Store

CONTEXT = "The Marlow bridge was opened in 1931. It has four arches."
RIGHT, OTHER = "The Marlow bridge was opened in 1931.", "The Marlow bridge has four arches."
Row = dict[str, Any]


class Shell:
    """A folder with evidence, in which commands are run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "docs").mkdir()
        (folder / "docs" / "bridge.txt").write_text(CONTEXT, encoding="utf-8")

    def write(self, *rows: Row) -> str:
        (self.folder / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        return "rows.jsonl"

    def text(self, *words: str, piped: Row | None = None, code: int = 0) -> str:
        """Run a command and return its output."""
        done = CliRunner().invoke(app, [*words], input=json.dumps(piped) if piped else None)
        assert done.exit_code == code, done.stderr
        return done.stdout

    def run(self, source: str, *words: str, piped: Row | None = None, code: int = 0) -> Row:
        """Run over the rows, and return the JSON."""
        text = self.text("run", source, "-e", "docs", "-q", "-f", "json", *words, piped=piped, code=code)
        result: Row = json.loads(text)
        return result

    def stored(self, run: str = "last") -> Row:
        """Return the JSON of a stored run."""
        result: Row = json.loads(self.text("export", run, "-f", "json"))
        return result


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FACTSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("FACTSCOPE_STORE", str(tmp_path / "runs.db"))
    return Shell(tmp_path)


def rows(*names: str, **more: str) -> list[Row]:
    return [{"id": name, "text": RIGHT, **more} for name in names]


def test_piped_rows_make_a_separate_run(shell: Shell) -> None:
    first = shell.run("-", piped={"id": "x", "text": RIGHT})
    second = shell.run("-", piped={"id": "y", "text": OTHER})
    again = shell.run("-", piped={"id": "x", "text": RIGHT})
    assert [result["responses"] for result in (first, second, again)] == [1, 1, 1]
    assert first["run"] == again["run"] != second["run"]


def test_a_deleted_row_and_a_row_without_a_text_no_longer_count(shell: Shell) -> None:
    assert shell.run(shell.write(*rows("a", "b", "c")))["responses"] == 3
    shell.write(*rows("a", "c"))
    assert (shell.run("rows.jsonl")["responses"], shell.stored()["responses"]) == (2, 2)
    shell.write(*rows("a"), {"id": "c", "text": ""})
    result = shell.run("rows.jsonl", code=1)
    assert result["responses"] == 1
    assert [reason.partition(":")[0] for reason in result["left_out"]] == ["Row 2"]
    shell.write(*rows("a"), {"id": "x", "text": ""})
    shell.run("rows.jsonl", code=1)
    stored = shell.stored()
    assert stored["scores"] == result["scores"]
    assert stored["left_out"] == result["left_out"]
    shell.write(*rows("a", "b", "c"))
    assert (shell.run("rows.jsonl")["responses"], shell.stored()["left_out"]) == (3, [])


def test_a_changed_row_keeps_its_place_in_the_table(shell: Shell) -> None:
    shell.write(*rows("a", "b", "c"))
    shell.run("rows.jsonl")
    shell.write({"id": "c", "text": RIGHT}, {"id": "a", "text": OTHER}, {"id": "b", "text": RIGHT})
    lines = shell.text("run", "rows.jsonl", "-e", "docs", "-q", "-f", "csv").splitlines()[1:]
    assert list(dict.fromkeys(line.partition(",")[0] for line in lines)) == ["c", "a", "b"]


def test_missing_rows_are_refused_before_the_evidence_is_read(shell: Shell) -> None:
    for source, code in (("nosuch.jsonl", 2), (shell.write({"id": "a", "other": 7}), 1)):
        result = CliRunner().invoke(app, ["run", source, "-e", "docs"])
        assert (result.exit_code, source in result.stderr) == (code, True), result.stderr
        assert "Reading evidence" not in result.stderr


def test_a_report_is_read_under_any_ending_and_one_that_cannot_be_is_named(shell: Shell) -> None:
    shell.text("check", RIGHT, "-e", "docs", "-q", "-f", "json", "-o", "indented.jsonl")
    assert json.loads(shell.text("export", "indented.jsonl", "-f", "json"))["response"]["text"] == RIGHT
    (shell.folder / "empty.jsonl").write_text("")
    (shell.folder / "broken.jsonl").write_text((shell.folder / "indented.jsonl").read_text().replace("\n", "") + "\n{}")
    for name in ("empty.jsonl", "broken.jsonl"):
        result = CliRunner().invoke(app, ["score", "indented.jsonl", name])
        assert (result.exit_code, name in result.stderr) == (1, True), result.stderr


def test_a_limit_reports_its_rows_and_the_stored_run_keeps_the_others(shell: Shell) -> None:
    shell.write(*rows("a", "b"), {"id": "c", "text": ""}, *rows("d"))
    assert shell.run("rows.jsonl", code=1)["responses"] == 3
    assert shell.run("rows.jsonl", "--limit", "1") | {"scores": None} == {
        **shell.stored(),
        "responses": 1,
        "scores": None,
        "left_out": [],
    }
    stored = shell.stored()
    assert stored["responses"] == 3
    assert [reason.partition(":")[0] for reason in stored["left_out"]] == ["Row 3"]


@pytest.mark.parametrize("form", ["json", "jsonl", "html", "md", "text", "junit", "sarif"])
def test_an_export_names_the_same_omitted_rows_as_the_run(shell: Shell, form: str) -> None:
    shell.write({"id": "a", "text": RIGHT, "contexts": [CONTEXT]}, {"id": "b", "text": RIGHT}, {"id": "c", "text": ""})
    direct = shell.text("run", "rows.jsonl", "-q", "-f", form, code=1)
    words = " ".join(direct.split())
    assert "Row 3: column 'text' contains no text" in words.replace("\\", "").replace("&#39;", "'")
    assert "Response b: not assessed, since it has neither contexts nor other evidence" in words
    assert shell.text("export", "last", "-f", form) == direct


@pytest.mark.parametrize("form", ["csv", "claimreview"])
def test_a_format_that_cannot_name_omitted_rows_gives_a_notice(shell: Shell, form: str) -> None:
    shell.run(shell.write(*rows("a", "b"), {"id": "c", "text": ""}), code=1)
    done = CliRunner().invoke(app, ["export", "last", "-f", form])
    assert done.exit_code == 0
    assert "Row 3: column 'text' contains no text" in done.stderr
    assert "does not name rows that were left out (1): JSON and JSON Lines name them all." in done.stderr


def test_an_export_to_a_format_without_scores_reads_each_report_once(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.text("run", shell.write(*rows("a", "b")), "-e", "docs", "-q")
    assemble, assembled = Store.report, list[str]()

    def counted(store: Store, run: str, response: str, *more: Any) -> Any:
        assembled.append(response)
        return assemble(store, run, response, *more)

    monkeypatch.setattr(Store, "report", counted)
    for form in ("csv", "claimreview", "jsonl", "junit"):
        assembled.clear()
        shell.text("export", "last", "-f", form)
        assert assembled == ["a", "b"], form


def test_exported_lines_are_read_back_without_omitted_rows_but_name_them(shell: Shell) -> None:
    shell.text("run", shell.write(*rows("a"), {"id": "c", "text": ""}), "-e", "docs", "-q", "-o", "lines.jsonl", code=1)
    assert '"type": "left_out"' in (shell.folder / "lines.jsonl").read_text(encoding="utf-8").splitlines()[1]
    assert json.loads(shell.text("score", "lines.jsonl", "-f", "json"))["reports"] == 1
    assert "Row 2: column 'text' contains no text" in CliRunner().invoke(app, ["score", "lines.jsonl"]).stderr


def test_exported_lines_are_recognised_by_content_whatever_the_file_name(shell: Shell) -> None:
    shell.text("run", shell.write(*rows("a", "b"), {"id": "c", "text": ""}), "-e", "docs", "-q", code=1)
    lines = shell.text("export", "last", "-f", "jsonl")
    (shell.folder / "lines.txt").write_text(lines, encoding="utf-8")
    done = CliRunner().invoke(app, ["score", "lines.txt", "-f", "json"])
    assert json.loads(done.stdout)["reports"] == 2
    assert "Row 3: column 'text' contains no text" in done.stderr


def test_a_stored_run_is_scored_like_its_lines_and_names_the_omitted_rows(shell: Shell) -> None:
    shell.text("run", shell.write(*rows("a", "b"), {"id": "c", "text": ""}), "-e", "docs", "-q", code=1)
    shell.text("export", "last", "-o", "lines.jsonl")
    assert shell.text("score", "last", "-f", "json") == shell.text("score", "lines.jsonl", "-f", "json")
    scored = json.loads(shell.text("score", "last", "lines.jsonl", "-f", "json"))
    assert scored["left_out"] == ["Row 3: column 'text' contains no text"] * 2
    done = CliRunner().invoke(app, ["score", "last"])
    assert "2 responses" in done.stdout
    assert "Row 3: column 'text' contains no text" in done.stderr


def test_a_run_that_left_out_all_of_its_rows_has_nothing_to_score(shell: Shell) -> None:
    shell.text("run", shell.write({"id": "c", "text": ""}), "-e", "docs", "-q", code=1)
    done = CliRunner().invoke(app, ["score", "last"])
    assert done.exit_code == 1
    assert "Row 1: column 'text' contains no text" in done.stderr
    assert "holds no report: all of its rows were left out." in done.stderr


def test_a_comparison_names_the_rows_omitted_by_each_run(shell: Shell) -> None:
    unusable = [{"id": "c", "text": "", "model": "m"}, {"id": "d", "text": None}]
    first = shell.run(shell.write(*rows("a", "b"), *unusable), code=1)["run"]
    second = shell.run("rows.jsonl", "--method", "builtin", "--cited", code=1)["run"]
    text = " ".join(shell.text("compare", first, second).split())
    assert text.count("2 rows left out (1 of m)") == 2
    sides = json.loads(shell.text("compare", first, second, "-f", "json"))
    assert (sides["first"]["n_left_out"], sides["first"]["left_out_by_model"]) == (2, {"m": 1})


def test_report_files_are_compared_like_the_runs_they_came_from(shell: Shell) -> None:
    first = shell.run(shell.write(*rows("a", "b"), {"id": "c", "text": ""}), code=1)["run"]
    second = shell.run("rows.jsonl", "--method", "builtin", "--strictness", "low", code=1)["run"]
    shell.text("export", first, "-o", "first.jsonl")
    compared = json.loads(shell.text("compare", first, second, "-f", "json"))
    from_file = json.loads(shell.text("compare", "first.jsonl", second, "-f", "json"))
    assert from_file["first"].pop("name") == "first.jsonl"
    assert compared["first"].pop("left_out_by_model") == from_file["first"].pop("left_out_by_model") == {}
    assert compared["first"].pop("name") == first[:8]
    assert from_file == compared
    both = [shell.folder / "first.jsonl"] * 2
    (shell.folder / "twice.jsonl").write_text("".join(file.read_text(encoding="utf-8") for file in both), "utf-8")
    done = CliRunner().invoke(app, ["compare", "twice.jsonl", second])
    assert "twice.jsonl has more than one report of the response 'a'" in done.stderr


def test_a_comparison_names_its_formats_and_is_never_written_over_a_report(shell: Shell) -> None:
    shell.run(shell.write(*rows("a")))
    shell.text("export", "last", "-o", "first.jsonl")
    written = (shell.folder / "first.jsonl").read_text(encoding="utf-8")
    (shell.folder / "first.json").write_text(written, encoding="utf-8")
    assert "<text|json|md>" in " ".join(shell.text("compare", "--help").split())
    done = CliRunner().invoke(app, ["compare", "first.json", "first.jsonl", "-o", "first.json"])
    assert (done.exit_code, "would be written over" in done.stderr) == (2, True)
    assert (shell.folder / "first.json").read_text(encoding="utf-8") == written


def test_two_checks_in_report_files_are_compared(shell: Shell) -> None:
    for name, strictness in (("low", "low"), ("high", "high")):
        words = ("--strictness", strictness, "-e", "docs", "-q", "-o", f"{name}.json")
        shell.text("check", f"{RIGHT} It has seven arches.", *words)
    sides = json.loads(shell.text("compare", "low.json", "high.json", "-f", "json"))
    assert (sides["n_compared"], sides["n_units"], sides["first"]["name"]) == (1, 2, "low.json")
    done = CliRunner().invoke(app, ["compare", "low.json", "./low.json"])
    assert done.exit_code == 2
    assert "low.json and ./low.json are the same run" in done.stderr


def test_two_columns_of_a_file_are_two_runs(shell: Shell) -> None:
    shell.write({"id": "a", "old": RIGHT, "new": OTHER})
    old, new = (shell.run("rows.jsonl", "--column", f"text={name}")["run"] for name in ("old", "new"))
    assert old != new
    shell.text("compare", old, new)
    done = CliRunner().invoke(app, ["compare", new, "last"])
    assert done.exit_code == 2
    assert f"{new} and last are the same run" in done.stderr
