"""`factscope bench recall`, and the rule that decides whether a text is found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from factscope.benchmarks.factbench import RecallTarget, finds, recall
from factscope.cli import app
from tests import lab
from tests.lab.csv_lines import csv_lines


@pytest.mark.parametrize(
    ("sought", "text", "there"),
    [
        ("The bridge was opened in 1931.", "The Marlow bridge opened in 1931 and has four arches.", True),
        ("The bridge was opened in 1931.", "The Marlow bridge was opened in 1932.", False),
        ("The bridge was opened in 1931.", "The bridge was not opened in 1931.", False),
        ("It never rains in Marlow.", "Rain does not fall in Marlow.", True),
        ("The hall stands on the market square.", "The market square is large.", False),
        ("It is.", "It is.", False),
        ("Der Turm ist 12,5 m hoch.", "Der Turm ist 12,5 m hoch.", True),
    ],
)
def test_a_target_is_found_when_its_words_are_in_the_text(sought: str, text: str, there: bool) -> None:
    assert finds(sought, text) is there


def test_recall_is_a_mean_over_responses_and_human_labels_override_the_rule() -> None:
    sought = {
        "a": [
            RecallTarget("red fox"),
            RecallTarget("grey wolf", is_found=True),
            RecallTarget("blue whale"),
            RecallTarget("red fox", is_found=False),
        ],
        "b": [RecallTarget("red fox")],
        "c": [],
    }
    found = recall(sought, {"a": ["a red fox"], "b": ["the red fox ran"]}, resamples=20)
    assert found.macro.value == 0.75
    assert found.macro.n == 2
    assert (found.pooled.k, found.pooled.n, found.judged_by_people) == (3, 5, 2)
    assert found.missed == (("a", "blue whale"), ("a", "red fox"))


def test_a_failed_unit_is_neither_a_hit_nor_a_miss(tmp_path: Path, documents: Path) -> None:
    """The first response is never split into claims, and the claim of the second is never judged."""
    failing: list[lab.Rule] = [
        {"when": {"contains": "opened in 1931"}, "do": {"status": 400}},
        {"when": {"contains": ["The statement:", "six arches"]}, "do": {"status": 400}},
    ]
    opened, arches, stone = "The bridge was opened in 1931.", "The bridge has six arches.", "The bridge is of stone."

    def write(name: str, *rows: object) -> str:
        (tmp_path / name).write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        return str(tmp_path / name)

    texts = write("rows.jsonl", {"id": "p", "model": "x", "text": opened}, {"id": "q", "model": "x", "text": arches})
    sought = write(
        "sought.jsonl",
        *({"id": key, "fact": t, "unit": t} for key, t in zip("ppq", (opened, stone, arches), strict=True)),
    )
    with lab.model_server(failing) as server:
        environment = {
            "FACTSCOPE_CACHE": str(tmp_path / "cache"),
            "FACTSCOPE_STORE": str(tmp_path / "runs.db"),
            "OPENAI_BASE_URL": server.base_url,
            "OPENAI_API_KEY": "sk-lab",
            "COLUMNS": "160",
        }
        words = ["run", texts, "--evidence", str(documents), "--method", "verify", "--model", "openai/lab", "-q"]
        assert CliRunner().invoke(app, words, env=environment).exit_code == 1
    words = ["bench", "recall", "last", "--facts", sought, "--units", sought]
    found, shown = (CliRunner().invoke(app, [*words, *more], env=environment) for more in (["-f", "json"], []))
    figures = {(row["what"], row["of"]): row["all"] for row in json.loads(found.stdout)}
    counts = {key: (row["pooled"]["k"], row["pooled"]["n"], row["unknown"]) for key, row in figures.items()}
    assert counts["units", "extracted"] == counts["facts", "stated"] == (1, 2, 1)
    assert counts["facts", "supported"] == (0, 1, 2)
    assert "Not counted: 2 texts in the file of facts that only units whose check failed may contain." in shown.stdout


def test_recall_is_measured_on_a_stored_run(tmp_path: Path, documents: Path) -> None:
    environment = {"FACTSCOPE_CACHE": str(tmp_path / "cache"), "FACTSCOPE_STORE": str(tmp_path / "runs.db")}

    def call(*words: str | Path, code: int = 0) -> Result:
        done = CliRunner().invoke(app, list(map(str, words)), env=environment)
        assert done.exit_code == code, done.output
        return done

    def write(name: str, *rows: object) -> Path:
        path = tmp_path / name
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        return path

    response = "The Marlow bridge was opened in 1931. The Marlow bridge has six arches."
    rows = write("rows.jsonl", *({"id": f"p/{model}", "model": model, "response": response} for model in "xy"))
    call("run", rows, "--evidence", documents, "--method", "builtin", "-q", "-f", "json")
    units = write(
        "units.jsonl",
        {"id": "p", "model": "x", "units": ["The bridge was opened in 1931.", "The bridge is made of stone."]},
        {"id": "q", "unit": "Nothing."},
    )
    facts = write("facts.jsonl", {"id": "p", "fact": "The bridge opened in 1931"}, {"id": "p", "fact": "six arches"})
    found = json.loads(call("bench", "recall", "last", "--units", units, "--facts", facts, "-f", "json").stdout)
    figures = {(one["what"], one["of"]): one for one in found}
    assert figures["units", "extracted"]["all"]["macro"]["value"] == 0.5
    assert list(figures["units", "extracted"]["by_model"]) == ["x"]
    assert figures["units", "extracted"]["unmatched"] == 1
    assert figures["facts", "stated"]["all"]["macro"]["value"] == 1.0
    assert figures["facts", "supported"]["all"]["macro"]["value"] == 0.5  # six arches are stated and wrong
    assert set(figures["facts", "stated"]["by_model"]) == {"x", "y"}
    lines = csv_lines(call("bench", "recall", "last", "--units", units, "--facts", facts, "-f", "csv").stdout)
    among = "facts among supported units"
    assert lines[among, "all", "recall"]["value"] == lines[among, "x", "recall"]["value"] == "0.500000"
    assert (lines[among, "all", "recall"]["n"], lines[among, "x", "recall"]["n"]) == ("2", "1")
    assert (lines[among, "all", "found"]["value"], lines[among, "all", "found"]["n"]) == ("2", "4")
    assert lines["units among extracted units", "all", "recall"]["value"] == "0.500000"
    people = tmp_path / "people.csv"
    people.write_text(
        "id;unit;found\r\np;It has six arches.;false\r\np;Penguins.;TRUE\r\np;Whales.;\r\n;x;\r\np;x;2\r\n"
    )
    done = call("bench", "recall", "last", "--units", people, "-f", "json", code=1)
    figures = json.loads(done.stdout)[0]["all"]
    assert (figures["pooled"]["k"], figures["pooled"]["n"], figures["judged_by_people"]) == (2, 6, 4), "text is a label"
    assert "rows that can't be used: it lacks id or unit (people.csv row 4)" in done.stderr
    assert "column 'found' is neither true nor false (people.csv row 5)" in done.stderr
    shown = call("bench", "recall", "last", "--units", units).stdout
    assert "Not among the extracted units of p/x: The bridge is made of stone." in shown
    assert "nothing to look for" in call("bench", "recall", "last", code=2).stderr
    nobody = write("none.jsonl", {"id": "z", "fact": "x"})
    assert "No row belongs" in call("bench", "recall", "last", "--facts", nobody, code=2).stderr
    segment = write("segment.jsonl", {"id": "s1", "response": "The Marlow bridge was opened in 1931."})
    call("run", segment, "--evidence", documents, "--method", "builtin", "-q", "-f", "json")
    fact = write("fact.jsonl", {"id": "s1", "fact": "The bridge opened in 1931"})
    assert "1 of 1" in call("bench", "recall", "last", "--facts", fact).stdout, "r-s1 in the store"
    broken = write("broken.jsonl", {"fact": "x"})
    assert "No facts in" in call("bench", "recall", "last", "--facts", broken, code=1).stderr
