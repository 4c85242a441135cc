"""`factscope bench facts-templates`: the better template is chosen, and its errors correct the scores of the table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from factscope.cli import app
from tests import lab
from tests.lab.csv_lines import csv_lines

CONTEXT = "The Marlow bridge was opened in 1931. It has four arches and is 212 metres long."
RIGHT = "The Marlow bridge was opened in 1931."
WRONG = "The Marlow bridge was opened in 1950."
N = 6


@pytest.fixture(scope="module")
def server() -> Iterator[lab.Server]:
    # If asked about the whole response at once, the judge passes everything.
    with lab.model_server([{"when": {"contains": "Go step by step"}, "do": {"text": "Fine.\n[Accurate]"}}]) as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    examples = [{"id": f"e{n}", "request": f"Tell me of the bridge ({n}).", "context": CONTEXT} for n in range(N)]
    answers = [
        {"id": f"e{n}", "model": "mine", "response": RIGHT if n % 2 else WRONG, "accurate": bool(n % 2)}
        for n in range(N)
    ]
    for name, rows in (("examples", examples), ("answers", answers)):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return tmp_path


def run(folder: Path, server: lab.Server, command: str, *arguments: str) -> Result:
    environment = {
        "FACTSCOPE_CACHE": str(folder / "cache"),
        "FACTSCOPE_STORE": str(folder / "runs.db"),
        "OPENAI_BASE_URL": server.base_url,
        "OPENAI_API_KEY": "sk-lab",
        "COLUMNS": "140",
    }
    words = ["bench", command, "--data", str(folder / "examples.jsonl"), "--answers", str(folder / "answers.jsonl")]
    return CliRunner().invoke(app, [*words, "--quiet", "--resamples", "50", *arguments], env=environment)


def chosen(folder: Path, server: lab.Server, *arguments: str) -> dict[str, Any]:
    done = run(folder, server, "facts-templates", "--judge", "openai/a", "-f", "json", *arguments)
    assert done.exit_code == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_all_templates_are_tried_and_the_best_is_chosen(folder: Path, server: lab.Server) -> None:
    found = chosen(folder, server)
    (judge,) = found["judges"]
    assert len(judge["tried"]) == 7
    by_name = {one["template"]: one for one in judge["tried"]}
    assert by_name["response"]["counts"] == {"tp": 3, "fp": 3, "fn": 0, "tn": 0}
    assert by_name["response"]["metrics"]["fpr"] == 1.0
    assert by_name["json"]["metrics"]["macro_f1"] == 1.0
    assert judge["template"] != "response"
    assert found["judge_errors"] == {"openai/a": {"tp": 3, "fp": 0, "fn": 0, "tn": 3}}


def test_the_table_and_the_file_of_errors(folder: Path, server: lab.Server) -> None:
    few = ("--template", "response", "--template", "json", "--judge", "openai/a", "--judge", "openai/b")
    done = run(folder, server, "facts-templates", *few, "-o", str(folder / "errors.json"))
    assert done.exit_code == 0, done.stderr
    assert done.stdout.count("▸ json") == 2
    lines = csv_lines(run(folder, server, "facts-templates", *few, "-f", "csv").stdout)
    for judge in ("openai/a", "openai/b"):
        assert [lines[name, judge, "chosen"]["value"] for name in ("response", "json")] == ["0", "1"]
        assert [lines[name, judge, "fpr"]["value"] for name in ("response", "json")] == ["1.000000", "0.000000"]
        assert (lines["json", judge, "macro_f1"]["n"], lines["json", judge, "missing"]["value"]) == (str(N), "0")
    errors = ("--judge-errors", str(folder / "errors.json"), "-f", "json")
    table = run(folder, server, "facts-grounding", "--judge", "openai/a", "--judge", "openai/b", *errors)
    assert table.exit_code == 0, table.stderr
    corrected = json.loads(table.stdout)["summary"]["corrected"]
    assert {one["judge"]: one["corrected"]["clipped"] for one in corrected} == {"openai/a": False, "openai/b": False}


def test_an_unusable_example_gives_exit_code_1(folder: Path, server: lab.Server) -> None:
    with (folder / "examples.jsonl").open("a", encoding="utf-8") as file:
        file.write('\n{"id": "bad", "request": " ", "context": "x"}')
    done = run(folder, server, "facts-templates", "--judge", "openai/a", "-f", "json")
    assert done.exit_code == 1
    assert "rows that can't be used: column 'request' is empty (examples.jsonl row 7)" in done.stderr
    assert len(json.loads(done.stdout)["judges"][0]["tried"]) == 7


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--criterion", "f2"), "Unknown criterion 'f2'"),
        (("--template", "json"), "nothing to choose from"),
        (("--template", "json", "--template", "jason"), "Unknown template 'jason'"),
    ],
)
def test_wrong_calls_are_refused_with_a_message(
    folder: Path, server: lab.Server, arguments: tuple[str, ...], message: str
) -> None:
    done = run(folder, server, "facts-templates", "--judge", "openai/a", *arguments)
    assert done.exit_code == 2
    assert message in done.stderr


def test_labels_that_are_all_the_same_are_refused(folder: Path, server: lab.Server) -> None:
    rows = [{"id": "e1", "model": "mine", "response": RIGHT, "accurate": True}]
    (folder / "answers.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    done = run(folder, server, "facts-templates", "--judge", "openai/a")
    assert done.exit_code == 1
    assert "1 answer has a label in the column 'accurate', all the same" in done.stderr


def test_the_templates_of_phase_b_are_compared(folder: Path, server: lab.Server) -> None:
    long = f"{RIGHT} It has four arches and is 212 metres long."
    rows = [
        {"id": f"e{n}", "model": "mine", "response": long if n % 2 else "It is a bridge.", "eligible": bool(n % 2)}
        for n in range(N)
    ]
    (folder / "answers.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    before = server.count()
    found = chosen(folder, server, "--phase", "eligibility")
    (judge,) = found["judges"]
    assert [(one["template"], one["counts"]) for one in judge["tried"]] == [
        (name, {"tp": 3, "fp": 0, "fn": 0, "tn": 3}) for name in ("without_context", "with_context")
    ]
    assert "judge_errors" not in found
    assert server.count() - before == N * (1 + 2)  # the judge's own answer once, and a verdict with each template


def test_a_judge_that_always_fails_is_named_and_nothing_is_chosen(folder: Path) -> None:
    with lab.model_server([{"do": {"text": "Well."}}]) as speechless:
        done = run(
            folder,
            speechless,
            "facts-templates",
            "--judge",
            "openai/mute",
            "--template",
            "response",
            "--template",
            "json",
        )
    assert done.exit_code == 1
    assert "openai/mute: No template can be chosen by macro_f1: of 6 answers 0 have a verdict." in done.stderr
    assert "Traceback" not in done.output
