"""Many texts checked by their citations: `run --cited`, its scores over all, and the leaderboard of the models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from factscope.cli import app

GOOD = (
    "The Marlow bridge was opened in 1931 [1]. It has four arches [1].\n\n[1] Kern, I. (2004). The bridge of Marlow.\n"
)
BAD = (
    "The Marlow bridge was opened in 1940 [1]. It has nine arches [2].\n\n[1] Kern, I. (2004). The bridge of Marlow.\n"
)


def called(*words: str | Path) -> Result:
    done = CliRunner().invoke(app, [*map(str, words)])
    assert done.exit_code == 0, done.output
    return done


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FACTSCOPE_STORE", str(tmp_path / "runs.db"))
    monkeypatch.setenv("FACTSCOPE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "1.txt").write_text(
        "The Marlow bridge was opened in 1931. The Marlow bridge has four arches."
    )
    rows = [
        {"id": f"{model}-{n}", "prompt": f"Tell me of the bridge ({n}).", "response": text, "model": model}
        for model, text in (("good", GOOD), ("bad", BAD))
        for n in range(4)
    ]
    (tmp_path / "answers.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return tmp_path


@pytest.mark.medium
def test_a_cited_run_has_scores_over_all_texts_and_a_table_of_models(place: Path) -> None:
    words = ["run", place / "answers.jsonl", "--cited", "--offline", "--evidence", place / "sources"]
    shown = called(*words, "-q").output
    assert "citation recall" in shown.casefold()
    result = json.loads(called(*words, "-q", "-f", "json").stdout)
    scores = {score["name"]: score for score in result["scores"]}
    assert 0 < scores["citation_recall"]["value"] < 1
    assert scores["dead_sources"]["value"] == pytest.approx(0.25)
    called("leaderboard", "build", "last", "-o", place / "site")
    page = (place / "site" / "index.html").read_text(encoding="utf-8")
    assert "citation recall" in page
    assert page.index(">good<") < page.index(">bad<")
    row = (place / "site" / "citations" / "good.html").read_text(encoding="utf-8")
    assert "--cited" in row
    assert "100.0" in row


def test_a_leaderboard_row_of_bad_citations_can_be_opened(place: Path) -> None:
    called("run", place / "answers.jsonl", "--cited", "--offline", "--evidence", place / "sources", "-q")
    called("leaderboard", "build", "last", "-o", place / "site")
    example = (place / "site" / "citations" / "bad" / "1.html").read_text(encoding="utf-8")
    assert "no entry of the bibliography explains" in example


ENTRY = "\n\n## References\n\n[1] Kern, I. (2004). The bridge of Marlow.\n"
GERMAN = "Die Marlow-Bruecke wurde im Jahr 1940 von der Stadt gebaut und ist heute noch in Betrieb [1]." + ENTRY
TOO_LONG = f"The Marlow bridge was opened in 1931 {'and then again ' * 400}[1]." + ENTRY


@pytest.mark.parametrize(
    ("text", "fail_on", "code"),
    [
        (GERMAN, None, 0),  # reported, but not an error, just as without --cited
        (GERMAN, "contradicted", 0),
        (GERMAN, "unsupported", 3),
        (TOO_LONG, None, 1),
        (TOO_LONG, "contradicted", 1),
        (BAD, "contradicted", 3),
        (GOOD, "unsupported", 0),
    ],
)
def test_an_unjudged_citation_does_not_pass_the_gate(place: Path, text: str, fail_on: str | None, code: int) -> None:
    (place / "text.md").write_text(text, encoding="utf-8")
    words = ["check", place / "text.md", "--cited", "--offline", "--evidence", place / "sources", "-q"]
    done = CliRunner().invoke(app, [*map(str, words), *(["--fail-on", fail_on] if fail_on else [])])
    assert done.exit_code == code, done.output
    if code == 3:
        assert f"{fail_on}, and --fail-on {fail_on} was asked for." in done.stderr


def test_a_text_that_could_not_be_split_fails(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise MemoryError("no room left")

    monkeypatch.setattr("factscope.engine.pipeline.segment", fail)
    words = ["check", GOOD, "--cited", "--offline", "--evidence", place / "sources", "-q"]
    done = CliRunner().invoke(app, [*map(str, words)])
    assert done.exit_code == 1, done.output
    assert "a part of the text could not be checked" in done.stderr
