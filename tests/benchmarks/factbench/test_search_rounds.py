"""`factscope bench rounds`: each number of rounds on the same responses, and the rule for how many are enough."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from factscope.benchmarks.factbench import Ablation, ResponseEntry, RoundResult, ablation, with_rounds
from factscope.cli import app, read_responses
from factscope.core import UsageError
from factscope.engine import Settings
from factscope.methods import method_named
from tests import lab
from tests.lab.csv_lines import csv_lines

BUILTIN = method_named("builtin")
VERIFY = method_named("verify")


def steps(*decided: int, least_gain: float = 0.01) -> Ablation:
    """Measure eight responses of 100 units, with these numbers decided after 1, 2, … rounds."""
    found = {
        number: {
            f"r{k}": RoundResult(
                ResponseEntry(id=f"r{k}", tier="all", model="m", state="checked", supported=n, undecided=100 - n),
                number,
            )
            for k in range(8)
        }
        for number, n in enumerate(decided, 1)
    }
    return ablation(found, least_gain=least_gain, resamples=20)


def test_rounds_are_enough_when_no_later_one_gains() -> None:
    found = steps(40, 60, 66, 66, 66)
    assert found.enough == 3
    assert [round(step.gain.value or 0, 2) for step in found.steps if step.gain] == [0.2, 0.06, 0.0, 0.0]
    assert [step.searches for step in found.steps] == [1, 2, 3, 4, 5]
    assert found.steps[1].p == pytest.approx(4 * 2 / 2**8)  # eight pairs, four tests
    assert steps(40, 40).enough == 1
    assert steps(40, 60, 60, 70, 70).enough == 4  # a step without a gain isn't the end if a later one has a gain
    assert steps(40, 60, 66, least_gain=0.1).enough == 2
    assert steps(40, 60, 80).enough is None  # unknown whether a fourth round would add more


def test_a_method_without_rounds_is_refused() -> None:
    assert with_rounds(VERIFY, 2).evidence.queries is not None
    with pytest.raises(UsageError, match="has no rounds"):
        with_rounds(BUILTIN, 2)
    with pytest.raises(UsageError, match="99 rounds"):
        with_rounds(VERIFY, 99)


def test_the_rounds_command_compares_numbers_of_search_rounds(tmp_path: Path, documents: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({"id": "a", "response": "The Marlow bridge was opened in 1931."}), encoding="utf-8")
    with lab.model_server() as server:
        environment = {
            "OPENAI_BASE_URL": server.base_url,
            "OPENAI_API_KEY": "sk-lab",
            "FACTSCOPE_CACHE": str(tmp_path / "cache"),
            "FACTSCOPE_STORE": str(tmp_path / "runs.db"),
        }
        words = ["bench", "rounds", str(rows), "--evidence", str(documents), "--model", "openai/m", "--rounds", "1,3"]
        done = CliRunner().invoke(app, [*words, "-f", "json", "-q"], env=environment)
        assert done.exit_code == 0, done.output
        found = json.loads(done.stdout)
        assert [(step["rounds"], step["searches"]) for step in found["steps"]] == [(1, 1.0), (3, 3.0)]
        assert found["steps"][0]["precision"]["value"] == 1.0
        lines = csv_lines(CliRunner().invoke(app, [*words, "-f", "csv", "-q"], env=environment).stdout)
        assert [lines[number, "", "searches"]["value"] for number in ("1", "3")] == ["1.000000", "3.000000"]
        assert (lines["3", "", "gain"]["value"], lines["3", "", "gain"]["n"]) == ("0.000000", "1")
        assert lines["1", "", "precision"]["value"] == "1.000000"
        assert ("1", "", "gain") not in lines
        asked = server.count()
        rows.write_text(f'{rows.read_text(encoding="utf-8")}\n{{"id": "b"}}', encoding="utf-8")
        passed_over = CliRunner().invoke(app, [*words, "-f", "json", "-q"], env=environment)
        assert passed_over.exit_code == 1
        assert "Row 2: " in passed_over.stderr
        assert json.loads(passed_over.stdout) == found
        rows.write_text(rows.read_text(encoding="utf-8").partition("\n")[0], encoding="utf-8")
        assert asked <= 1 + 1 + 3 + 2  # extraction, rewriting, three queries, a label for each number of rounds
        again = CliRunner().invoke(app, words, env=environment)
        assert "1 round is enough: no later step adds 1 point or more" in " ".join(again.stdout.split())
        alone = CliRunner().invoke(app, [*words[:-1], "1"], env=environment)
        assert "Whether 1 round would do is not known" in alone.stdout
        assert server.count() == asked
        bad = CliRunner().invoke(app, [*words[:-1], "0"], env=environment)
        assert "is not a list of numbers" in bad.stderr


def test_answers_of_several_models_to_one_prompt_stay_apart(tmp_path: Path) -> None:
    """The file is in the form that `bench factbench` reads."""
    rows = [{"id": "p1", "model": model, "prompt": "Q?", "response": "It stands."} for model in ("a/x", "a/y", "a/y")]
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    found, n_left_out = read_responses(str(path), None, Settings(cache=tmp_path))
    assert [(one.id, one.model) for one in found] == [("p1", "a/x"), ("p1 a/y", "a/y")]
    assert n_left_out == 1


def test_ids_of_segments_are_changed_so_that_the_stored_run_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    names = ["s1", "s2.1", "two\nlines", 5, "\u200b"]
    path.write_text("\n".join(json.dumps({"id": name, "response": "It stands."}) for name in names), encoding="utf-8")
    found, _ = read_responses(str(path), None, Settings(cache=tmp_path))
    assert [row.id for row in found] == ["r-s1", "r-s2.1", "two lines", "5", "r5"]
    assert all(type(row).model_validate(row.model_dump()) == row for row in found)
