"""`factscope bench facts-table`: recorded verdicts added up again, and results from several files side by side."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from factscope.benchmarks.facts_grounding import read_results
from factscope.cli import app
from factscope.core import InputError
from factscope.methods.library import with_judges
from tests.lab.many_cases import try_all

N = 30


def result(*models: str, good: int = 20, **change: Any) -> dict[str, Any]:
    """Build a result in which each model has `good` accurate answers of `N`, from both judges."""
    verdicts = [
        {
            "id": f"e{n}",
            "split": "open" if n % 2 else "blind",
            "model": model,
            "accurate": [n < good, None if n == 0 else n < good],
            "ineligible": [n == 1, n == 1],
            "refused": n == 2,
        }
        for model in models
        for n in range(N)
    ]
    names = ("x/one", "x/two")
    return {
        "benchmark": "facts-grounding",
        "run": f"run-{models[0]}",
        "examples": {"sha256": "abc", "n": N, "splits": ["open", "blind"]},
        "judges": [{"name": name, "model": name, "template": "json", "family": None} for name in names],
        "method": with_judges(["json", "json"]).model_dump(mode="json"),
        "counts": {"missing_answers": 1, "empty_answers": 0, "sentences": {"n": 7}},
        "verdicts": verdicts,
    } | change


def written(folder: Path, **results: dict[str, Any]) -> list[Path]:
    paths = []
    for name, values in results.items():
        paths.append(folder / f"{name}.json")
        paths[-1].write_text(json.dumps(values), encoding="utf-8")
    return paths


def table(*paths: Path) -> Result:
    arguments = ["bench", "facts-table", *map(str, paths), "-f", "json", "--resamples", "50"]
    return CliRunner().invoke(app, arguments, env={"COLUMNS": "120"})


def test_results_of_several_files_are_combined(tmp_path: Path) -> None:
    done = table(*written(tmp_path, a=result("m/a"), b=result("m/b", good=10)))
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["summary"]["models"] == ["m/a", "m/b"]
    assert [one["rank"] for one in found["summary"]["final"]["standings"]] == [1, 2]
    assert found["counts"]["missing_answers"] == 2
    assert found["counts"]["sentences"]["n"] == 14
    assert found["verdicts"][0]["accurate"] == [True, None]
    first = {cell["judge"]: cell for cell in found["summary"]["final"]["rows"][0]["cells"] if cell["split"] == "blind"}
    assert (first["x/two"]["n"], first["x/two"]["n_missing"]) == (14, 1)


def test_a_combined_result_can_be_read_again(tmp_path: Path) -> None:
    paths = written(tmp_path, a=result("m/a"), b=result("m/b"))
    once = table(*paths).stdout
    (tmp_path / "both.json").write_text(once, encoding="utf-8")
    assert json.loads(table(tmp_path / "both.json").stdout)["summary"] == json.loads(once)["summary"]


def test_a_model_already_present_is_left_out_with_a_notice(tmp_path: Path) -> None:
    found = read_results(written(tmp_path, a=result("m/a"), b=result("m/a", "m/b")))
    assert found.verdicts.models == ("m/a", "m/b")
    assert "m/a is in" in found.plan.examples.notes[0]


def test_a_candidate_without_some_examples_has_missing_verdicts(tmp_path: Path) -> None:
    short = result("m/b")
    short["verdicts"] = short["verdicts"][:10]
    found = read_results(written(tmp_path, a=result("m/a"), b=short)).verdicts
    assert (found.accurate[:, 1, 0] == found.accurate[:, 1, 0]).sum() == 10


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (result("m/b", judges=[]), "judges of"),
        (result("m/b", examples={"sha256": "def", "splits": ["open", "blind"]}), "examples of"),
        (result("m/b", method=with_judges(["json", "span"]).model_dump(mode="json")), "method of"),
        ({"benchmark": "felm"}, "not a result of this benchmark"),
        ({"verdicts": 3}, "not a result of this benchmark"),
    ],
)
def test_results_with_different_settings_are_not_combined(tmp_path: Path, other: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_results(written(tmp_path, a=result("m/a"), b=other))


def test_a_file_from_before_a_setting_existed_combines_with_a_newer_one(tmp_path: Path) -> None:
    older = result("m/b", made="2026-11-01T00:00:00Z")
    for judge in older["method"]["judge"]["judges"]:
        del judge["window"], judge["in_pieces"]
    found = read_results(written(tmp_path, a=result("m/a"), b=older))
    assert found.verdicts.models == ("m/a", "m/b")
    assert found.created == "2026-11-01T00:00:00Z"


@pytest.mark.parametrize("entry", [{"accurate": [True]}, {"split": "closed"}])
def test_malformed_verdicts_are_refused_with_their_example(tmp_path: Path, entry: dict[str, Any]) -> None:
    values = result("m/a")
    values["verdicts"][3] |= entry
    with pytest.raises(InputError, match="e3"):
        read_results(written(tmp_path, a=values))


def test_broken_or_missing_result_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    assert "not JSON" in table(tmp_path / "broken.json").stderr
    assert table(tmp_path / "nothing.json").exit_code == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"judges": []}, "names no judge"),
        ({"judges": [result("m/a")["judges"][0]] * 2}, "names no judge, or one twice"),
        ({"examples": {"sha256": "abc", "splits": ["open", "blind", "open"]}}, "names no split, or one twice"),
        ({"verdicts": []}, "verdicts: "),
        ({"verdicts": [*result("m/a")["verdicts"], result("m/a")["verdicts"][3]]}, "two entries on e3 of m/a"),
    ],
)
def test_a_file_without_verdicts_or_with_two_on_one_answer(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    done = table(*written(tmp_path, a=result("m/a") | change))
    assert done.exit_code == 1
    assert message in done.stderr


def test_verdicts_counted_only_before_phase_b_are_reported(tmp_path: Path) -> None:
    """Otherwise phase B, which can only lower a score, would seem to have raised it."""
    values = result("m/a")
    for verdict in values["verdicts"]:
        verdict["unanswered"] = False
    values["verdicts"][3]["ineligible"] = [None, None]
    (path,) = written(tmp_path, a=values)
    done = CliRunner().invoke(app, ["bench", "facts-table", str(path)], env={"COLUMNS": "120"})
    notes = " ".join(done.stdout.split())
    assert "1 response it is not known whether they are eligible" in notes
    assert "Their verdicts count before phase B alone." in notes


def test_missing_answers_are_reported_once(tmp_path: Path) -> None:
    values = result("m/a")
    values["verdicts"][3] |= {"accurate": [None, None], "ineligible": [None, None]}
    (path,) = written(tmp_path, a=values)
    done = CliRunner().invoke(app, ["bench", "facts-table", str(path), str(path)], env={"COLUMNS": "120"})
    notes = " ".join(done.stdout.split())
    assert "1 answer is missing" in notes
    assert "1 verdict is missing: their calls failed" in notes  # from the second judge, on e0
    assert "not known whether they are eligible" not in notes


def failures(first: dict[str, Any], second: dict[str, Any], *, stated: bool) -> None:
    """Make three calls on m/b fail in the first file, and drop two answers of m/a from the second."""
    first["counts"] = {"missing_answers": 0}
    second["counts"] = {"missing_answers": 2, "sentences": {"n": 7, "in_pieces": 1}}
    for entry in first["verdicts"][N + 3 : N + 6]:
        entry["accurate"] = [None, True]
    for entry in second["verdicts"][3:5]:
        entry |= {"accurate": [None, None], "ineligible": [None, None]}
    for values in (first, second) if stated else ():
        for entry in values["verdicts"]:
            entry["unanswered"] = entry["accurate"] == entry["ineligible"] == [None, None]


@pytest.mark.parametrize("stated", [True, False], ids=["each entry states it", "older files"])
def test_failures_of_a_model_left_out_are_not_counted(tmp_path: Path, stated: bool) -> None:
    first, second = result("m/a", "m/b"), result("m/a", "m/c")
    failures(first, second, stated=stated)
    paths = written(tmp_path, a=first, b=second)
    done = CliRunner().invoke(app, ["bench", "facts-table", *map(str, paths)], env={"COLUMNS": "120"})
    notes = " ".join(done.stdout.split())
    assert "6 verdicts are missing: their calls failed" in notes  # and one of each model, on e0
    assert "missing; nobody judged" not in notes
    assert "of all its models" in " ".join(done.stderr.split())
    turned = json.loads(table(*reversed(paths)).stdout)
    assert turned["counts"]["missing_answers"] == 2
    entries = {(entry["id"], entry["model"]): entry["unanswered"] for entry in turned["verdicts"]}
    assert entries["e3", "m/a"] is (True if stated else None)
    (tmp_path / "merged.json").write_text(json.dumps(turned), encoding="utf-8")
    assert json.loads(table(tmp_path / "merged.json").stdout)["counts"]["missing_answers"] == 2


def test_an_answer_whose_calls_all_failed_is_not_missing(tmp_path: Path) -> None:
    """If the file states `unanswered`, missing verdicts don't mean a missing answer."""
    values = result("m/a", counts={"missing_answers": 0})
    values["verdicts"][3] |= {"accurate": [None, None], "ineligible": [None, None]}
    for entry in values["verdicts"]:
        entry["unanswered"] = False
    other = result("m/a", "m/b", counts={"missing_answers": 0})
    assert read_results(written(tmp_path, a=values, b=other)).n_missing_answers == 0


def test_a_seed_below_zero_is_a_usage_error(tmp_path: Path) -> None:
    (path,) = written(tmp_path, a=result("m/a"))
    done = CliRunner().invoke(app, ["bench", "facts-table", str(path), "--seed", "-1"])
    assert done.exit_code == 2
    assert "Invalid value for '--seed'" in done.output


@try_all(
    "counts",
    [
        '{"tp": -5, "fp": 10, "fn": 1, "tn": 1}',
        '{"tp": 1e400, "fp": 1, "fn": 1, "tn": 1}',
        '{"tp": 3.7, "fp": 1, "fn": 1, "tn": 5}',
        '{"tp": 1e20, "fp": 1, "fn": 1, "tn": 1}',
        '{"tp": 1, "fp": 1, "fn": 1}',
        '{"tp": null, "fp": 1, "fn": 1, "tn": 1}',
        f'{{"tp": 1{"0" * 400}, "fp": 1, "fn": 1, "tn": 1}}',
        "5",
    ],
)
def test_error_counts_that_nobody_can_count_are_refused(counts: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (path,) = written(Path(folder), a=result("m/a"))
        errors = Path(folder) / "errors.json"
        errors.write_text(f'{{"x/one": {counts}}}', encoding="utf-8")
        done = CliRunner().invoke(app, ["bench", "facts-table", str(path), "--judge-errors", str(errors)])
    assert (done.exit_code, "has no error counts of judges" in done.stderr) == (2, True), done.exception


def test_error_counts_of_another_judge_are_reported(tmp_path: Path) -> None:
    (path,) = written(tmp_path, a=result("m/a"))
    errors = tmp_path / "errors.json"
    counts = {"tp": 90, "fp": 20, "fn": 10, "tn": 80}
    errors.write_text(json.dumps({"x/one": counts, "x/three": counts}), encoding="utf-8")
    words = ["bench", "facts-table", str(path), "--judge-errors", str(errors), "-f", "json", "--resamples", "50"]
    done = CliRunner().invoke(app, words)
    assert "--judge-errors has x/three, which is not one of the judges" in done.stderr
    assert {cell["judge"] for cell in json.loads(done.stdout)["summary"]["corrected"]} == {"x/one"}


def test_ranks_that_nobody_has_do_not_stay(tmp_path: Path) -> None:
    """Without enough verdicts no model has a rank, so leaving out a judge changes none."""
    three = [{"name": name, "model": name, "template": "json"} for name in ("x/one", "x/two", "x/three")]
    values = result("m/a", "m/b", judges=three, method=with_judges(["json"] * 3).model_dump(mode="json"))
    for entry in values["verdicts"]:
        entry |= {"accurate": [True, False, True], "ineligible": [False] * 3}
    silent = [entry | {"accurate": [None] * 3} for entry in values["verdicts"]]
    shown = []
    for verdicts in (values["verdicts"], silent):
        (path,) = written(tmp_path, a=values | {"verdicts": verdicts})
        shown.append(CliRunner().invoke(app, ["bench", "facts-table", str(path), "--resamples", "50"]).stdout)
    assert ["all ranks stay" in text for text in shown] == [True, False]
