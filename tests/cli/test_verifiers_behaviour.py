"""`factscope verifiers behaviour` over a suite of one's own, from the command line to each form of result."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from factscope.cli import app
from tests import lab

PAIRS = [
    ("p1", "verbatim", "The crane was built in 1921.", "The crane was built in 1921 by Ada Holm.", "supported"),
    ("p2", "changed-date", "The crane was built in 1921.", "The crane was built in 1912.", "contradicted"),
    ("p3", "off-topic", "The keeper kept goats.", "Interest rates were left unchanged by the bank.", "not_enough"),
]
TEXT = (
    "The Marlow bridge was opened in 1931. It has six\narches. Have you seen it? Penguins waddle across Antarctica.\n"
)
KEY = [
    {"sentence": "The Marlow bridge was opened in 1931.", "label": "supported", "doc": "bridge.csv",
     "quote": "Marlow bridge,1931"},
    {"sentence": "It has six arches.", "label": "contradicted", "doc": "arches.txt", "quote": "has nine arches"},
    {"sentence": "Have you seen it?", "label": "not_checkable"},
    {"sentence": "Penguins waddle across Antarctica.", "label": "not_enough"},
]  # fmt: skip


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    folder = tmp_path / "mine <b>"
    text = folder / "texts" / "marlow"
    (text / "docs").mkdir(parents=True)
    names = ("id", "category", "claim", "evidence", "label")
    rows = [json.dumps(dict(zip(names, row, strict=True))) for row in PAIRS]
    (folder / "pairs.jsonl").write_text("\n".join(rows) + "\n")
    (text / "text.md").write_text(TEXT)
    (text / "key.jsonl").write_text("\n".join(map(json.dumps, KEY)) + "\n")
    (text / "docs" / "bridge.csv").write_text("name,opened\nMarlow bridge,1931\nDenby bridge,1940\n")
    (text / "docs" / "arches.txt").write_text("The Marlow bridge has nine arches of granite.\n")
    return folder


def run(suite: Path, *words: str) -> Result:
    environment = {"FACTSCOPE_CACHE": str(suite.parent / "cache"), "COLUMNS": "80"}
    return CliRunner().invoke(app, ["verifiers", "behaviour", "--suite", str(suite), *words], env=environment)


def result(suite: Path, *words: str) -> dict[str, Any]:
    done = run(suite, "--format", "json", *words)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_all_that_are_here_are_measured_on_pairs_and_texts(suite: Path) -> None:
    found = result(suite)
    assert [row["checker"].rsplit("-", 1)[0] for row in found["rows"]] == ["builtin", "builtin-features"]
    row = found["rows"][0]
    assert [(one["id"], one["answer"]) for one in row["judged"]] == [
        ("p1", "supported"),
        ("p2", "contradicted"),
        ("p3", "not_enough"),
    ]
    assert row["pairs"]["accuracy"] == 1
    sentences = {one["sentence"]: one for one in row["sentences"]}
    assert list(sentences) == [one["sentence"] for one in KEY]
    assert sentences["Have you seen it?"]["outcome"] == "not_checkable"
    assert sentences["Penguins waddle across Antarctica."]["outcome"] in ("undecided", "no_evidence")
    assert sentences["The Marlow bridge was opened in 1931."]["retrieved"] is True
    assert sentences["It has six arches."]["retrieved"] is True
    assert sentences["Have you seen it?"]["retrieved"] is None
    assert row["texts"]["sentences"] == 4


def test_it_comes_out_the_same_each_time(suite: Path) -> None:
    first, second = (result(suite, "--verifier", "builtin")["rows"] for _ in range(2))
    assert first == second


def test_a_method_checks_pairs_through_the_engine(suite: Path) -> None:
    found = result(suite, "--method", "builtin", "--only", "pairs")
    (row,) = found["rows"]
    assert (row["checker"], row["texts"]) == ("builtin", None)
    assert [one["answer"] for one in row["judged"]] == ["supported", "contradicted", "not_enough"]
    assert not [path for path in suite.rglob("*") if path.name == "evidence.txt"]


def test_the_terminal_table_fits_and_names_every_figure(suite: Path) -> None:
    done = run(suite, "--verifier", "builtin")
    assert done.exit_code == 0, done.output
    assert max(map(len, done.stdout.splitlines())) <= 80
    for word in ("accusations", "verbatim *", "quotes", "3 pairs", "1 text, 4 sentences"):
        assert word in done.stdout


def test_markdown_for_a_page_of_documentation(suite: Path) -> None:
    done = run(suite, "--verifier", "builtin", "-f", "md")
    assert "| checker | three labels | basic kinds |" in done.stdout
    assert "| changed-date \\* | 1/1 |" in done.stdout


def test_the_page_lists_what_came_out_wrong_and_escapes_it(suite: Path) -> None:
    wrong = {"id": "p<4>", "category": "verbatim", "claim": "The <i>crane</i> was built in 1921."}
    wrong |= {"evidence": "The <i>crane</i> was built in 1921.", "label": "contradicted"}
    with (suite / "pairs.jsonl").open("a") as file:
        file.write(json.dumps(wrong) + "\n")
    page = suite.parent / "out.html"
    assert run(suite, "--verifier", "builtin-features", "-o", str(page)).exit_code == 0
    html = page.read_text(encoding="utf-8")
    assert "p&lt;4&gt;" in html
    assert "mine &lt;b&gt;" in html
    assert "<i>crane" not in html
    assert "<script" not in html


def test_a_sentence_that_its_text_does_not_hold_is_named(suite: Path) -> None:
    (suite / "texts" / "marlow" / "text.md").write_text("Nothing of the kind.\n")
    done = run(suite, "--verifier", "builtin-features", "--only", "texts")
    assert done.exit_code != 0
    assert "does not hold the sentence of its key" in done.stderr


def test_a_verifier_that_is_not_here_is_refused(suite: Path) -> None:
    done = run(suite, "--verifier", "hhem-2.1-open")
    assert done.exit_code == 2
    assert "pull hhem-2.1-open" in done.stderr


def test_a_language_model_is_measured_through_its_method(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with lab.model_server() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-lab-canary")
        found = result(suite, "--method", "standard", "--model", "openai/lab")
    (row,) = found["rows"]
    assert row["checker"] == "standard (openai/lab)"
    assert (row["pairs"]["n"], row["pairs"]["failed"], row["texts"]["sentences"]) == (3, 0, 4)


def test_a_call_that_fails_is_told_and_is_in_no_figure(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with lab.model_server([{"when": {"contains": "in 1912"}, "do": {"status": 400}}]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-lab-canary")
        words = ("--method", "standard", "--model", "openai/lab", "--only", "pairs")
        done = run(suite, "--format", "json", *words)
    (row,) = json.loads(done.stdout)["rows"]
    assert (done.exit_code, row["pairs"]["n"], row["pairs"]["failed"]) == (1, 3, 1)
    assert row["pairs"]["accuracy"] == row["pairs"]["right"] / 2
    assert "1 case failed, in no figure. The first (p2): openai/lab" in " ".join(done.stderr.split())
    assert "HTTP 400" in done.stderr
