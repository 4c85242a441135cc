"""Answers with their contexts on the command line, the short report, and progress output for programs."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from factscope.cli import app

CONTEXT = "The Marlow bridge was opened in 1931. It has four arches."
RIGHT = "The Marlow bridge was opened in 1931."
SHAPES = {
    "plain": {"question": "When?", "answer": RIGHT, "contexts": [CONTEXT]},
    "ragas": {"user_input": "When?", "response": RIGHT, "retrieved_contexts": [CONTEXT], "reference": "1931"},
    "deepeval": {"input": "When?", "actual_output": RIGHT, "retrieval_context": [CONTEXT]},
    "deepeval-camel": {"input": "When?", "actualOutput": RIGHT, "retrievalContext": [CONTEXT]},
    "langsmith": {
        "inputs": {"question": "When?"},
        "outputs": {"answer": RIGHT, "documents": [{"page_content": CONTEXT, "metadata": {"source": "a.md"}}]},
    },
    "trulens": {"record_id": "r9", "input": "When?", "output": RIGHT, "contexts": json.dumps([CONTEXT])},
    "promptfoo": {"vars": {"question": "When?", "context": CONTEXT}, "response": {"output": RIGHT}},
    "pandas-csv": {"question": "When?", "answer": RIGHT, "contexts": str([CONTEXT])},
    "passages": {"query": "When?", "answer": RIGHT, "passages": [{"text": CONTEXT, "title": "The bridge"}]},
    "langchain": {"query": "When?", "answer": RIGHT, "source_documents": [{"page_content": CONTEXT, "metadata": {}}]},
    "sources": {"query": "When?", "answer": RIGHT, "sources": [{"content": CONTEXT}]},
}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FACTSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("FACTSCOPE_STORE", str(tmp_path / "runs.db"))
    return CliRunner()


def test_columns_of_other_tools_are_recognised_by_name(run: CliRunner, tmp_path: Path) -> None:
    for name, row in SHAPES.items():
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row), encoding="utf-8")
        done = run.invoke(app, ["run", f"{name}.jsonl", "-q", "-f", "jsonl"])
        assert done.exit_code == 0, f"{name}: {done.stderr}"
        report = json.loads(done.stdout)
        assert report["counts"]["supported"] == 1, name
        assert report["response"]["prompt"] == "When?", name


def test_rows_left_out_are_named_in_the_report(run: CliRunner, tmp_path: Path) -> None:
    rows = [{"id": "a", **SHAPES["plain"]}, {"id": "b"}, {"id": "a", **SHAPES["plain"]}]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    done = run.invoke(app, ["run", "rows.jsonl", "-q", "-f", "json"])
    assert done.exit_code == 1
    assert [reason.partition(":")[0] for reason in json.loads(done.stdout)["left_out"]] == ["Row 2", "Row 3"]
    done = run.invoke(app, ["run", "rows.jsonl", "-q", "-f", "html"])
    assert "2 rows of the data could not be checked, and no score counts them." in done.stdout


@pytest.mark.parametrize("indent", [None, 2])
def test_whole_exports_of_other_tools_are_read(run: CliRunner, tmp_path: Path, indent: int | None) -> None:
    """One object contains the rows: output of `promptfoo eval --output`, or a saved test run of DeepEval."""
    documents = {
        "promptfoo": {"evalId": "e", "results": {"version": 3, "results": [SHAPES["promptfoo"]] * 2}, "config": {}},
        "deepeval": {"testCases": [SHAPES["deepeval-camel"], 7], "metricsScores": []},
        "object": SHAPES["plain"],
    }
    for name, document in documents.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(document, indent=indent), encoding="utf-8")
        done = run.invoke(app, ["run", f"{name}.json", "-q", "-f", "jsonl"])
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        reports = [line for line in lines if line["type"] == "report"]
        assert [report["counts"]["supported"] for report in reports] == [1] * (2 if name == "promptfoo" else 1), name
        assert done.exit_code == (1 if name == "deepeval" else 0)
        assert ("Row 2: is not a JSON object" in done.stderr) == (name == "deepeval")


def test_rows_without_contexts_are_reported_as_not_assessed(run: CliRunner, tmp_path: Path) -> None:
    rows = [{"answer": RIGHT, "contexts": [CONTEXT]}, {"answer": RIGHT, "contexts": []}]
    (tmp_path / "rag.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    done = run.invoke(app, ["run", "rag.jsonl", "-o", "out.csv"])
    assert done.exit_code == 0, done.stderr
    assert "1 row left out (1 without contexts, not assessed)" in done.stderr
    assert "A CSV table does not name rows that were left out (1)" in done.stderr
    (tmp_path / "none.jsonl").write_text(json.dumps({"answer": RIGHT}), encoding="utf-8")
    done = run.invoke(app, ["run", "none.jsonl"])
    assert done.exit_code == 2
    assert "Nothing here has a text to check it against" in done.stderr


def test_unusable_rows_of_a_context_file_are_named(run: CliRunner, tmp_path: Path) -> None:
    rows = [json.dumps({"text": CONTEXT}), '{"text": "broken', json.dumps({"text": None})]
    (tmp_path / "c.jsonl").write_text("\n".join(rows), encoding="utf-8")
    done = run.invoke(app, ["check", RIGHT, "--context", "c.jsonl", "-f", "json"])
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["counts"]["supported"] == 1
    assert "Not used as context: c.jsonl, line 2: is not JSON" in done.stderr
    assert "and 1 more problem" in done.stderr


def test_a_context_file_without_text_or_with_a_repeated_id_is_reported(run: CliRunner, tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").write_text("\n".join([json.dumps({"answer": "x"})] * 40), encoding="utf-8")
    done = run.invoke(app, ["check", RIGHT, "--context", "none.jsonl"])
    assert done.exit_code == 1
    assert done.stderr.count("has no text") == 1
    assert "none.jsonl, line 1: has no text" in done.stderr
    twice = [json.dumps({"id": "k", "text": text}) for text in (CONTEXT, "A bakery.")]
    (tmp_path / "twice.jsonl").write_text("\n".join(twice), encoding="utf-8")
    done = run.invoke(app, ["check", RIGHT, "--context", "twice.jsonl"])
    assert done.exit_code == 1
    assert "two texts with the id 'twice.jsonl#k'" in done.stderr


def test_a_context_that_is_not_a_plain_file_is_refused_with_its_kind(run: CliRunner, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for name, said in (("docs", "docs is a folder"), ("/dev/null", "not a plain file"), ("x.txt", "does not exist")):
        done = run.invoke(app, ["check", RIGHT, "--context", name])
        assert (done.exit_code, said in done.stderr) == (2, True), done.stderr


def test_an_unreadable_file_is_reported_the_same_way_as_context_and_as_evidence(
    run: CliRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "closed.txt").write_text(CONTEXT, encoding="utf-8")
    allowed = os.open

    def refuse(path: Any, *arguments: Any, **options: Any) -> int:
        if str(path).endswith("closed.txt"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return allowed(path, *arguments, **options)

    monkeypatch.setattr(os, "open", refuse)
    for option in ("--context", "--evidence"):
        done = run.invoke(app, ["check", RIGHT, option, "closed.txt"])
        assert done.exit_code == 1
        assert "can't be read: permission denied." in done.stderr
        missing = run.invoke(app, ["check", RIGHT, option, "missing.txt"])
        assert missing.exit_code == 2
        assert f"{option[2:].capitalize()} missing.txt does not exist." in missing.stderr


def test_a_column_of_contexts_can_be_named(run: CliRunner, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"answer": RIGHT, "ctx": CONTEXT}), encoding="utf-8")
    assert "--column contexts=NAME" in run.invoke(app, ["run", "a.jsonl", "-q"]).stderr
    assert run.invoke(app, ["run", "a.jsonl", "-q", "--column", "contexts=ctx"]).exit_code == 0
    assert run.invoke(app, ["run", "a.jsonl", "-q", "--column", "contexts=ctxs"]).exit_code == 2


def test_an_answer_is_checked_against_context_files(run: CliRunner, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(CONTEXT, encoding="utf-8")
    (tmp_path / "b.md").write_text("# The hall\n\nThe town hall was finished in 1908.", encoding="utf-8")
    words = ["check", f"{RIGHT} The town hall was finished in 1908.", "--context", "a.txt", "--context", "b.md"]
    done = run.invoke(app, [*words, "-q", "-f", "json"])
    assert done.exit_code == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["counts"]["supported"] == 2
    assert [one["title"] for one in report["response"]["context"]] == ["a.txt", "The hall"]
    assert run.invoke(app, ["check", RIGHT, "--context", "c.txt"]).exit_code == 2


@pytest.mark.medium
def test_the_report_fits_a_screen_unless_the_full_one_is_requested(run: CliRunner, tmp_path: Path) -> None:
    text = " ".join(f"The bridge number {n} has {n} arches and {n} lamps." for n in range(1, 40))
    words = ["check", text, "--evidence", "a.txt", "-q", "--verifier", "builtin-features"]
    (tmp_path / "a.txt").write_text(CONTEXT, encoding="utf-8")
    short = run.invoke(app, words).stdout.splitlines()
    assert len(short) <= 40
    assert short.count("Nothing found that supports or contradicts any of the 39 claims.") == 1
    assert "more sentences need review" in "\n".join(short)
    assert len(run.invoke(app, [*words, "--full"]).stdout.splitlines()) > 80
    assert len(run.invoke(app, [*words, "--brief"]).stdout.splitlines()) == 1
    assert run.invoke(app, [*words, "--brief", "--full"]).exit_code == 2


@pytest.mark.medium
def test_a_single_further_sentence_is_listed_instead_of_announced(run: CliRunner, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(CONTEXT, encoding="utf-8")
    for n, said in ((11, "number 11 has"), (12, "2 more sentences need review")):
        text = " ".join(f"The bridge number {at} has {at} arches." for at in range(1, n + 1))
        done = run.invoke(app, ["check", text, "--evidence", "a.txt", "-q", "--verifier", "builtin-features"])
        assert said in done.stdout
        assert ("more sentences" in done.stdout) == (n == 12)


def test_a_result_written_to_a_file_is_also_summarised_in_one_line(run: CliRunner, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(CONTEXT, encoding="utf-8")
    rows = {"answer": RIGHT, "contexts": [CONTEXT]}
    (tmp_path / "a.jsonl").write_text(json.dumps(rows), encoding="utf-8")
    for words in (["check", RIGHT, "--evidence", "a.txt", "-o", "r.html"], ["run", "a.jsonl", "-o", "r.csv"]):
        assert "Claims supported 1.00 (" in run.invoke(app, words).stderr
        assert "Claims supported" not in run.invoke(app, [*words, "-q"]).stderr


def test_the_exit_code_can_depend_on_contradictions(run: CliRunner, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(CONTEXT, encoding="utf-8")
    words = ["check", "-q", "--no-store", "--context", "a.txt"]
    assert run.invoke(app, [*words, RIGHT, "--fail-on", "contradicted"]).exit_code == 0
    assert run.invoke(app, [*words, "Penguins waddle across Antarctica.", "--fail-on", "unsupported"]).exit_code == 3


def test_every_missed_threshold_is_reported(run: CliRunner, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(CONTEXT, encoding="utf-8")
    text = "The Marlow bridge was opened in 1957. Die Brücke von Marlow wurde im Jahr 1931 eröffnet."
    words = ["--min-score", "0.9", "--min-coverage", "1", "--fail-on", "contradicted"]
    done = run.invoke(app, ["check", text, "-q", "--no-store", "--context", "a.txt", *words])
    assert done.exit_code == 4
    told = [line for line in done.stderr.splitlines() if line.startswith("factscope: ")]
    assert told == [
        "factscope: coverage is 0.500; asked for at least 1.",
        "factscope: factual_precision is 0.000; asked for at least 0.9.",
        "factscope: 1 claim is contradicted, and --fail-on contradicted was asked for.",
    ]


def test_progress_for_a_program_is_json_lines(run: CliRunner, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(CONTEXT, encoding="utf-8")
    done = run.invoke(app, ["check", RIGHT, "--evidence", "a.txt", "--progress", "json", "--no-store"])
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert {"Reading evidence", "Checking"} <= {line["stage"] for line in lines}
    assert lines[-1]["done"] == lines[-1]["total"] == 1
    assert all(line.keys() == {"stage", "done", "total", "seconds", "left"} for line in lines)


def test_a_page_that_cannot_be_fetched_is_reported_by_its_address(run: CliRunner) -> None:
    done = run.invoke(app, ["check", RIGHT, "--evidence", "http://127.0.0.1:9/page"])
    assert done.exit_code == 1
    assert "http://127.0.0.1:9/page" in done.stderr
    assert "None of the evidence can be used" in done.stderr


def test_a_text_among_its_own_evidence_causes_a_warning(run: CliRunner, tmp_path: Path) -> None:
    (tmp_path / "answer.md").write_text(RIGHT, encoding="utf-8")
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "other.md").write_text(RIGHT, encoding="utf-8")
    assert "answer.md is checked against itself" in run.invoke(app, ["check", "answer.md", "-e", "."]).stderr
    assert "against itself" not in run.invoke(app, ["check", "answer.md", "-e", "documents"]).stderr


@pytest.mark.parametrize("output", ["no/folder/out.html", "folder.html"])
@pytest.mark.parametrize("command", ["check", "run", "meta"])
def test_an_unwritable_output_is_reported_before_anything_is_read(
    run: CliRunner, tmp_path: Path, command: str, output: str
) -> None:
    (tmp_path / "folder.html").mkdir()
    (tmp_path / "a.jsonl").write_text(json.dumps({"response": RIGHT, "label": "true"}), encoding="utf-8")
    words = {
        "check": ["check", RIGHT, "-f", "html"],
        "run": ["run", "a.jsonl", "-f", "html"],
        "meta": ["meta", "a.jsonl"],
    }
    done = run.invoke(app, [*words[command], "-e", "broken.pdf", "-o", output])
    assert done.exit_code == 1
    assert f"{output} can't be written" in done.stderr
    assert "broken.pdf" not in done.stderr
    assert not (tmp_path / "runs.db").exists()
