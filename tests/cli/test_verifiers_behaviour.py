"""`factscope verifiers behaviour` on a user's suite, from the command line to each form of result."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from factscope.cli import app
from factscope.judging.verifiers import VERIFIERS, place_of
from tests import lab
from tests.lab.csv_lines import csv_lines

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

GERMAN = "Der Turm ist seit dem Jahr 1900 rot gestrichen worden."
UNREAD = [
    ("g1", "de", GERMAN, "Die Katze schläft auf dem Sofa und träumt von vielen kleinen Mäusen.", "not_enough"),
    ("g2", "empty", "The tower is red.", "---", "not_enough"),
    ("g3", "empty", "?!", "The tower is red.", "not_enough"),
]


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    folder = tmp_path / "mine <b>"
    text = folder / "texts" / "marlow"
    (text / "docs").mkdir(parents=True)
    write_pairs(folder, PAIRS)
    (text / "text.md").write_text(TEXT)
    (text / "key.jsonl").write_text("\n".join(map(json.dumps, KEY)) + "\n")
    (text / "docs" / "bridge.csv").write_text("name,opened\nMarlow bridge,1931\nDenby bridge,1940\n")
    (text / "docs" / "arches.txt").write_text("The Marlow bridge has nine arches of granite.\n")
    return folder


def write_pairs(folder: Path, pairs: Sequence[tuple[str, ...]]) -> None:
    names = ("id", "category", "claim", "evidence", "label")
    rows = [json.dumps(dict(zip(names, row, strict=True))) for row in pairs]
    (folder / "pairs.jsonl").write_text("".join(f"{row}\n" for row in rows))


def run(suite: Path, *words: str) -> Result:
    environment = {"FACTSCOPE_CACHE": str(suite.parent / "cache"), "COLUMNS": "80"}
    return CliRunner().invoke(app, ["verifiers", "behaviour", "--suite", str(suite), *words], env=environment)


def result(suite: Path, *words: str) -> dict[str, Any]:
    done = run(suite, "--format", "json", *words)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_all_available_verifiers_are_measured_on_pairs_and_texts(suite: Path) -> None:
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


def test_results_are_the_same_each_time(suite: Path) -> None:
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


def test_markdown_output_has_the_tables_for_the_documentation(suite: Path) -> None:
    done = run(suite, "--verifier", "builtin", "-f", "md")
    assert "| checker | three labels | basic kinds |" in done.stdout
    assert "| changed-date \\* | 1/1 |" in done.stdout


def test_csv_has_one_figure_a_line(suite: Path) -> None:
    lines = csv_lines(run(suite, "--verifier", "builtin", "-f", "csv").stdout)
    (row,) = result(suite, "--verifier", "builtin")["rows"]
    name = f"{row['suite']} ({row['digest']})"
    assert lines[f"{name}: pairs", row["checker"], "accuracy"]["value"] == "1.000000"
    assert lines[f"{name}: pairs, changed-date", row["checker"], "right"]["value"] == "1"
    for measure in ("errors", "errors_found", "left_open", "quotes_retrieved"):
        assert lines[f"{name}: texts", row["checker"], measure]["value"] == str(row["texts"][measure])


def test_the_page_lists_wrong_results_and_escapes_them(suite: Path) -> None:
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


def test_a_sentence_missing_from_its_text_is_named(suite: Path) -> None:
    (suite / "texts" / "marlow" / "text.md").write_text("Nothing of the kind.\n")
    done = run(suite, "--verifier", "builtin-features", "--only", "texts")
    assert done.exit_code != 0
    assert "does not hold the sentence of its key" in done.stderr


def test_a_verifier_that_is_not_downloaded_is_refused(suite: Path) -> None:
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


def test_a_failed_call_is_reported_and_excluded_from_all_figures(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


@pytest.mark.parametrize(
    ("checker", "german"),
    [
        (("--verifier", "builtin"), "the claim is in German"),
        (("--method", "builtin"), "not judged (language): it is in German"),
    ],
)
def test_pairs_the_checker_cannot_read_fail(suite: Path, checker: tuple[str, str], german: str) -> None:
    write_pairs(suite, [*UNREAD, *PAIRS])
    done = run(suite, "--format", "json", "--only", "pairs", *checker)
    assert done.exit_code == 1
    (row,) = json.loads(done.stdout)["rows"]
    assert [(one["id"], one["answer"]) for one in row["judged"]] == [
        *((name, None) for name in ("g1", "g2", "g3")),
        *((name, label) for name, *_, label in PAIRS),
    ]
    reasons = [one["rationale"] for one in row["judged"][:3]]
    assert reasons[0].startswith(german)
    assert reasons[1:] == ["the passage contains no words", "the claim contains no words"]
    assert (row["pairs"]["n"], row["pairs"]["failed"], row["pairs"]["right"]) == (6, 3, 3)
    assert [(one["kind"], one["n"]) for one in row["pairs"]["kinds"]][:2] == [("de", 0), ("empty", 0)]
    assert "3 cases failed, in no figure. The first (g1): " in " ".join(done.stderr.split())


def test_evidence_that_cannot_be_a_document_fails_only_its_pair(suite: Path) -> None:
    write_pairs(suite, [("b1", "binary", "The tower is red.", "The tower\0\1\2 is\0 red\0.", "supported"), *PAIRS])
    done = run(suite, "--format", "json", "--only", "pairs", "--method", "builtin")
    (row,) = json.loads(done.stdout)["rows"]
    assert (done.exit_code, row["pairs"]["failed"], row["pairs"]["right"]) == (1, 1, 3)
    assert row["judged"][0]["rationale"].startswith("the passage can't be used: it is binary")


def test_an_unusable_calibration_is_one_error_and_not_a_failure_of_each_pair(suite: Path) -> None:
    calibration = place_of(VERIFIERS.get("builtin").load().name, suite.parent / "cache")
    calibration.parent.mkdir(parents=True)
    calibration.write_text("nonsense")
    done = run(suite, "--only", "pairs", "--method", "builtin")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "can't be used. Delete it, or fit it again." in " ".join(done.stderr.split())


def test_sentences_the_checker_cannot_read_fail(suite: Path) -> None:
    text = suite / "texts" / "marlow"
    (text / "text.md").write_text(f"{TEXT}\n{GERMAN}\n", encoding="utf-8")
    with (text / "key.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"sentence": GERMAN, "label": "not_checkable"}) + "\n")
    done = run(suite, "--format", "json", "--only", "texts", "--verifier", "builtin")
    (row,) = json.loads(done.stdout)["rows"]
    assert (done.exit_code, row["texts"]["sentences"], row["texts"]["failed"]) == (1, 5, 1)
    assert (row["texts"]["left_alone"], row["texts"]["not_checkable"]) == (1, 1)
    assert row["sentences"][-1]["outcome"] == "failed"
    assert "not judged (language): it is in German" in row["sentences"][-1]["reason"]


def test_a_text_whose_documents_hold_no_words_fails_alone(suite: Path) -> None:
    bare = suite / "texts" / "bare"
    (bare / "docs").mkdir(parents=True)
    (bare / "docs" / "blank.txt").write_text("---\n")
    (bare / "text.md").write_text("The crane was built in 1921.\n")
    (bare / "key.jsonl").write_text('{"sentence": "The crane was built in 1921.", "label": "not_enough"}\n')
    done = run(suite, "--format", "json", "--only", "texts", "--verifier", "builtin")
    (row,) = json.loads(done.stdout)["rows"]
    assert (done.exit_code, row["texts"]["sentences"], row["texts"]["failed"]) == (1, 5, 1)
    assert "The first (bare): The evidence contains no readable file." in " ".join(done.stderr.split())


def test_a_text_that_cannot_be_split_fails(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    method = suite.parent / "cut.toml"
    method.write_text(
        'name = "cut"\nbased_on = "standard"\n[cut]\nprompt = "felm/segment_items"\nrole = "cut"\n', encoding="utf-8"
    )
    with lab.model_server([{"when": {}, "do": {"status": 400}}]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-lab-canary")
        done = run(suite, "--format", "json", "--method", str(method), "--model", "openai/lab")
    (row,) = json.loads(done.stdout)["rows"]
    assert (done.exit_code, row["pairs"]["failed"], row["texts"]["failed"]) == (1, 3, 4)
    assert all("HTTP 400" in reason for reason in [one["rationale"] for one in row["judged"]])
    assert all("HTTP 400" in reason for reason in [one["reason"] for one in row["sentences"]])


def test_a_suite_without_a_case_is_refused(suite: Path) -> None:
    (suite / "pairs.jsonl").write_text("\n")
    done = run(suite, "--verifier", "builtin", "--only", "pairs")
    assert done.exit_code == 1
    assert "has no case among its pairs. Leave out --only" in " ".join(done.stderr.split())
    assert not done.stdout
    (suite / "texts" / "marlow" / "key.jsonl").write_text("")
    done = run(suite, "--verifier", "builtin")
    assert done.exit_code == 1
    assert "has no case. Add rows to its pairs.jsonl" in " ".join(done.stderr.split())


def test_quiet_prints_nothing_about_the_written_file(suite: Path, tmp_path: Path) -> None:
    done = run(suite, "--verifier", "builtin-features", "-q", "-o", str(tmp_path / "figures.csv"))
    assert (done.exit_code, done.output) == (0, "")
    assert (tmp_path / "figures.csv").exists()
