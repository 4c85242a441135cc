"""`factscope bench short-answers`: questions in; grades, figures and tests out, against the laboratory."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from factscope.benchmarks.short_answers import (
    SHORT_ANSWERS,
    Grade,
    ShortAnswerSettings,
    ShortAnswerSummary,
    f1_of,
    read_questions,
    read_results,
    summarise,
)
from factscope.cli import app
from factscope.core import InputError
from tests import lab

ROWS = [
    {"original_index": "7", "problem": "When was the Orle reservoir filled?", "answer": "1974", "topic": "Other"},
    {"original_index": "9", "problem": "Who designed the Marlow bridge?", "answer": "Ida Kern", "topic": "Art"},
    {"original_index": "11", "problem": "Which river passes Tull?", "answer": "Brenn", "topic": "Art"},
]
RULES: list[lab.Rule] = [
    {"when": {"model": "sure", "contains": "reservoir"}, "do": {"text": "1974"}},
    {"when": {"model": "sure", "contains": "bridge"}, "do": {"text": "Jon Fell"}},
    {"when": {"model": "sure"}, "do": {"text": "the Brenn"}},
    {"when": {"model": "shy", "contains": "reservoir"}, "do": {"text": "1974, I think"}},
    {"when": {"model": "shy"}, "do": {"text": "No idea, sorry."}},
    {"when": {"model": "grader", "contains": "Jon Fell"}, "do": {"text": "Another name.\nGrade: INCORRECT"}},
    {"when": {"model": "grader", "contains": "No idea, sorry"}, "do": {"text": "Nothing.\nGrade: NOT_ATTEMPTED"}},
    {"when": {"model": "grader"}, "do": {"text": "The same.\nGrade: CORRECT"}},
]


@pytest.fixture(scope="module")
def running_server() -> Iterator[lab.Server]:
    with lab.model_server() as server:
        yield server


@pytest.fixture
def server(running_server: lab.Server) -> lab.Server:
    running_server.script(RULES)
    return running_server


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "questions.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(ROWS[0]))
        writer.writeheader()
        writer.writerows(ROWS)
    return path


def bench(folder: Path, server: lab.Server, *words: str, width: int = 160) -> Result:
    environment = {
        "OPENAI_BASE_URL": server.base_url,
        "OPENAI_API_KEY": "sk-lab",
        "FACTSCOPE_CACHE": str(folder / "cache"),
        "FACTSCOPE_STORE": str(folder / "runs.db"),
        "COLUMNS": str(width),
    }
    start = ["bench", "short-answers", "simpleqa-verified", "--judge", "openai/grader", "--resamples", "200", "--quiet"]
    return CliRunner().invoke(app, [*start, *words], env=environment)


def test_from_questions_to_the_table(data: Path, tmp_path: Path, server: lab.Server) -> None:
    words = ["--data", str(data), "--model", "openai/sure", "--model", "openai/shy"]
    done = bench(tmp_path, server, *words, "-o", str(tmp_path / "r.json"))
    assert done.exit_code == 0, done.output
    found = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    rows = {row["model"]: row for row in found["summary"]["rows"]}
    sure, shy = rows["openai/sure"], rows["openai/shy"]
    assert sure["accuracy"]["value"] == pytest.approx(2 / 3)
    assert sure["f1"]["value"] == pytest.approx(2 / 3)
    assert shy["given_attempt"]["value"] == 1
    assert shy["f1"]["value"] == pytest.approx(2 * 1 / (3 + 1))
    assert (sure["penalised"]["value"], shy["penalised"]["value"]) == (pytest.approx(1 / 3), pytest.approx(1 / 3))
    assert sure["by"]["topic"] == {"Art": [0.5, 2], "Other": [1.0, 1]}
    wrong = next(one for one in found["answers"] if one["grade"] == "incorrect")
    assert (wrong["id"], wrong["gold"], wrong["answer"], wrong["reason"]) == (
        "9",
        "Ida Kern",
        "Jon Fell",
        "Another name.",
    )
    assert "openai/sure" in done.stdout
    server.script(RULES)
    again = bench(tmp_path, server, *words, "-f", "json")
    assert json.loads(again.stdout)["summary"] == found["summary"]
    assert server.count() == 0  # answers and grades come from the cache


def test_errors_can_have_a_higher_penalty(data: Path, tmp_path: Path, server: lab.Server) -> None:
    words = ["--data", str(data), "--model", "openai/sure", "--penalty", "3", "-f", "json"]
    (row,) = json.loads(bench(tmp_path, server, *words).stdout)["summary"]["rows"]
    assert row["penalised"]["value"] == pytest.approx((2 - 3) / 3)


def test_recorded_answers_are_graded_and_an_ungradable_one_is_missing(
    data: Path, tmp_path: Path, server: lab.Server
) -> None:
    answers = [("7", "1974"), ("9", ""), ("11", "unreadable")]
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(json.dumps({"id": a, "model": "mine", "response": b}) for a, b in answers))
    server.script([{"when": {"model": "grader", "contains": "unreadable"}, "do": {"text": "Well."}}, *RULES])
    done = bench(tmp_path, server, "--data", str(data), "--answers", str(path), "-f", "json")
    assert done.exit_code == 1
    (row,) = json.loads(done.stdout)["summary"]["rows"]
    assert (row["n"], row["n_missing"]) == (2, 1)  # the empty one is not attempted, the ungraded one is in no figure
    assert row["attempted"]["value"] == 0.5
    assert "1 answer could not be graded" in done.stderr


def test_the_title_counts_the_questions_in_the_data_not_in_the_published_set(
    data: Path, tmp_path: Path, server: lab.Server
) -> None:
    words = ["--data", str(data), "--model", "openai/sure", "-f", "md"]
    assert bench(tmp_path, server, *words).stdout.splitlines()[0] == "**SimpleQA Verified, 3 questions**"
    limited = bench(tmp_path, server, *words, "--limit", "1").stdout
    assert limited.splitlines()[0] == "**SimpleQA Verified, 1 question**"


def test_csv_has_one_figure_a_line_with_its_interval_and_number(data: Path, tmp_path: Path, server: lab.Server) -> None:
    failing: list[lab.Rule] = [
        {"when": {"model": "shy", "contains": name}, "do": {"status": 400}} for name in ("river", "bridge")
    ]
    server.script([*failing, *RULES])
    words = ["--data", str(data), "--model", "openai/sure", "--model", "openai/shy"]
    done = bench(tmp_path, server, *words, "-f", "csv")
    table = {(row["model"], row["measure"]): row for row in csv.DictReader(done.stdout.splitlines())}
    accuracy = table["openai/sure", "accuracy"]
    assert (accuracy["table"], accuracy["value"], accuracy["n"]) == ("simpleqa-verified", "0.666667", "3")
    assert 0 < float(accuracy["low"]) < float(accuracy["value"]) < float(accuracy["high"]) < 1
    assert (table["openai/sure", "coverage"]["value"], table["openai/shy", "coverage"]["value"]) == (
        "1.000000",
        "0.333333",
    )
    withheld = table["openai/shy", "f1"]
    assert (withheld["value"], withheld["low"], table["openai/shy", "rank"]["value"]) == ("", "", "")
    assert table["openai/shy", "missing"]["value"] == "2"


def test_the_grader_is_asked_with_the_correct_answer(data: Path, tmp_path: Path, server: lab.Server) -> None:
    bench(tmp_path, server, "--data", str(data), "--model", "openai/shy")
    graded = [row["body"] for row in server.log() if '"grader"' in row["body"]]
    assert sum("Ida Kern" in body for body in graded) >= 1
    assert not any("Ida Kern" in row["body"] for row in server.log() if '"grader"' not in row["body"])


def test_the_table_fits_80_columns(data: Path, tmp_path: Path, server: lab.Server) -> None:
    done = bench(tmp_path, server, "--data", str(data), "--model", "openai/sure", "--model", "openai/shy", width=80)
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "too few questions to tell" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--model", "openai/sure"], 2, "not on a hub that Factscope knows"),
        (["--data", "none.csv", "--model", "openai/sure"], 2, "no such file"),
    ],
)
def test_missing_options_and_files_are_reported(
    words: list[str], code: int, message: str, tmp_path: Path, server: lab.Server
) -> None:
    start = ["bench", "short-answers", "facts-search", "--judge", "openai/grader"]
    environment = {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "k", "FACTSCOPE_CACHE": str(tmp_path)}
    done = CliRunner().invoke(app, [*start, *words], env=environment)
    assert (done.exit_code, message in done.stderr) == (code, True), done.stderr


def test_a_dry_run_calls_nobody(data: Path, tmp_path: Path, server: lab.Server) -> None:
    done = bench(tmp_path, server, "--data", str(data), "--model", "openai/sure", "--dry-run")
    assert "3 answers" in done.stdout
    assert "3 grades" in done.stdout
    assert server.count() == 0
    earlier, recorded = tmp_path / "r.json", tmp_path / "answers.jsonl"
    earlier.write_text("{}", encoding="utf-8")
    answers = [{"id": name, "model": "mine", "response": "1974"} for name in ("7", "9")]
    recorded.write_text("\n".join(map(json.dumps, answers)), encoding="utf-8")
    words = ["--data", str(data), "--answers", str(recorded), "--limit", "1", "--dry-run"]
    counted = json.loads(bench(tmp_path, server, *words, "-o", str(earlier)).stdout)
    assert (counted["questions"], counted["answers"], counted["grades"]) == (1, 0, 1)
    assert earlier.read_text(encoding="utf-8") == "{}", "a forecast is not a result"


def test_only_what_failed_is_worth_another_try(data: Path, tmp_path: Path, server: lab.Server) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps({"id": "7", "model": "mine", "response": "1974"}), encoding="utf-8")
    done = bench(tmp_path, server, "--data", str(data), "--answers", str(path))
    assert (done.exit_code, "mine lacks 2 answers" in done.stderr) == (1, True)
    assert "Run the same command again" not in done.stderr


def test_unusable_columns_and_rows_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    rows: list[dict[str, Any]] = [{"question": "Who?", "answer": "A"}, {"question": " ", "answer": "B"}]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    found = read_questions([str(path)], cache=tmp_path)
    assert [row.id for row in found.rows] == ["q-1"]
    assert "q.jsonl row 2" in found.notes[0]
    path.write_text(json.dumps({"question": "Who?", "response": "A"}), encoding="utf-8")
    with pytest.raises(InputError, match="lacks the column 'answer'"):
        read_questions([str(path)], cache=tmp_path)
    rows = [{"question": "Who?"}, {"question": "Where?", "answer": "A"}]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "q.jsonl").write_text(json.dumps(rows[1]), encoding="utf-8")
    found = read_questions([str(path), str(tmp_path / "more" / "q.jsonl")], cache=tmp_path)
    assert [row.id for row in found.rows] == ["q-2", "2-q-1"]
    assert (found.n_unusable, "lacks the column 'answer'" in found.notes[0]) == (1, True)


def test_an_unusable_question_gives_exit_code_1(data: Path, tmp_path: Path, server: lab.Server) -> None:
    with data.open("a", encoding="utf-8") as file:
        file.write("12" + "," * (len(ROWS[0]) - 1) + "\n")
    done = bench(tmp_path, server, "--data", str(data), "--model", "openai/sure", "-f", "json")
    assert done.exit_code == 1
    assert "rows that can't be used: " in done.stderr
    assert json.loads(done.stdout)["summary"]["rows"][0]["n"] == 3


def test_f1_is_the_harmonic_mean_and_undefined_without_an_attempt() -> None:
    accuracy, given = 30 / 100, 30 / 50
    assert f1_of(30, 20, 100) == pytest.approx(2 * accuracy * given / (accuracy + given))
    assert f1_of(0, 0, 100) is None
    assert f1_of(0, 5, 100) == 0


def test_models_are_ranked_apart_only_if_a_paired_test_separates_them() -> None:
    ids = [f"q{n}" for n in range(40)]
    grades = {("good", name): "correct" for name in ids} | {("bad", name): "incorrect" for name in ids}
    grades |= {("same", name): "correct" if n else "incorrect" for n, name in enumerate(ids)}
    found = summarise(grades, ("bad", "good", "same"), ids, ShortAnswerSettings(penalty=1, resamples=300))  # type: ignore[arg-type]
    assert [row.model for row in found.rows] == ["good", "same", "bad"]
    assert [(row.best, row.worst) for row in found.rows] == [(1, 2), (1, 2), (3, 3)]
    nothing = summarise({}, ("none",), ids, ShortAnswerSettings(penalty=1, resamples=50))
    assert (nothing.rows[0].f1.value, nothing.rows[0].n_missing) == (None, 40)


def test_with_few_grades_the_figures_are_withheld(tmp_path: Path, data: Path, server: lab.Server) -> None:
    ids = [f"q{n}" for n in range(40)]
    tags = {name: {"topic": "Art" if n < 19 else "Other"} for n, name in enumerate(ids)}

    def graded(n: int) -> ShortAnswerSummary:
        grades: dict[tuple[str, str], Grade] = {("all", name): "incorrect" for name in ids}
        grades |= {("few", name): "correct" for name in ids[:n]}
        return summarise(grades, ("few", "all"), ids, ShortAnswerSettings(penalty=1, resamples=50), tags)

    full, few = graded(19).rows
    assert (full.model, full.rank, full.best, full.worst, full.withheld) == ("all", 1, 1, 1, None)
    shares = (few.accuracy, few.given_attempt, few.attempted)
    assert {(one.value, one.interval) for one in (few.f1, few.penalised, *shares)} == {(None, None)}
    assert (few.n, few.n_missing, few.accuracy.k, few.rank, few.best, few.worst) == (19, 21, 19, None, None, None)
    assert few.withheld == "withheld: only 19 of 40 questions have a grade"
    assert few.by["topic"] == {"Art": (1.0, 19), "Other": (None, 0)}
    (pair,) = graded(19).pairs
    assert (pair.difference, pair.interval, pair.p, pair.finding) == (None, None, None, "too_few")
    assert [(row.model, row.f1.value, row.rank) for row in graded(20).rows] == [("few", 1, 1), ("all", 0, 2)]

    path = tmp_path / "answers.jsonl"
    answers = [("7", "1974"), ("9", "unreadable"), ("11", "unreadable")]
    path.write_text("\n".join(json.dumps({"id": a, "model": "mine", "response": b}) for a, b in answers))
    server.script([{"when": {"model": "grader", "contains": "unreadable"}, "do": {"text": "Well."}}, *RULES])
    done = bench(tmp_path, server, "--data", str(data), "--answers", str(path))
    told = "mine has no figures, and so no rank: withheld: only 1 of 3 questions have a grade."
    assert told in " ".join(done.stdout.split())
    assert "100.0" not in done.stdout


def test_a_test_confirms_no_order_of_models_with_the_same_f1_or_without_one() -> None:
    ids = [f"q{n}" for n in range(100)]

    def ranges(bold: int, shy: int) -> list[tuple[str, int | None, int | None, int | None]]:
        """Rank a model that gets all other answers wrong against one that leaves them out."""
        grades: dict[tuple[str, str], Grade] = {}
        for n, name in enumerate(ids):
            grades["bold", name] = "correct" if n < bold else "incorrect"
            grades["shy", name] = "correct" if n < shy else "not_attempted"
        found = summarise(grades, ("bold", "shy"), ids, ShortAnswerSettings(penalty=1, resamples=50))
        assert found.pairs[0].finding == "differs"
        return [(row.model, row.rank, row.best, row.worst) for row in found.rows]

    assert ranges(40, 25) == [("bold", 1, 1, 2), ("shy", 1, 1, 2)]  # both have an F1 of 0.4
    assert ranges(90, 0) == [("bold", 1, 1, 2), ("shy", 2, 1, 2)]


def test_a_test_favouring_the_reverse_order_does_not_confirm_a_rank(tmp_path: Path, server: lab.Server) -> None:
    """The guesser leads by F1 (0.40 to 0.33), the cautious model by the score with the penalty (0.2 to -0.2)."""
    rows = [{"id": f"q{n}", "problem": f"Question {n}?", "answer": "yes"} for n in range(100)]
    said = {"guesser": lambda n: "yes" if n < 40 else "Jon Fell", "cautious": lambda n: "yes" if n < 20 else ""}
    answers = [{"id": f"q{n}", "model": model, "response": say(n)} for model, say in said.items() for n in range(100)]
    for name, values in (("questions", rows), ("answers", answers)):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, values)), encoding="utf-8")
    words = ["--data", str(tmp_path / "questions.jsonl"), "--answers", str(tmp_path / "answers.jsonl")]
    values = json.loads(bench(tmp_path, server, *words, "-f", "json").stdout)["summary"]
    assert [(row["model"], row["rank"], row["best"], row["worst"]) for row in values["rows"]] == [
        ("guesser", 1, 1, 2),
        ("cautious", 2, 1, 2),
    ]
    (pair,) = values["pairs"]
    assert (pair["finding"], pair["difference"] > 0, pair["penalised"]) == ("differs", True, pytest.approx(-0.4))
    printed = " ".join(bench(tmp_path, server, *words).stdout.split())
    assert "guesser is ahead of cautious by F1, and behind it, beyond chance, by the score with the penalty" in printed


def test_results_of_one_kind_are_merged_and_others_refused(data: Path, tmp_path: Path, server: lab.Server) -> None:
    for name in ("sure", "shy"):
        bench(tmp_path, server, "--data", str(data), "--model", f"openai/{name}", "-o", str(tmp_path / f"{name}.json"))
    merged = read_results([tmp_path / "sure.json", tmp_path / "shy.json"])
    assert [row.model for row in merged.summary().rows] == ["openai/sure", "openai/shy"]
    other = json.loads((tmp_path / "shy.json").read_text()) | {"grader": "openai/another"}
    (tmp_path / "other.json").write_text(json.dumps(other))
    with pytest.raises(InputError, match="The grader of"):
        read_results([tmp_path / "sure.json", tmp_path / "other.json"])
    other["answers"] += [other["answers"][1] | {"grade": "correct"}]
    (tmp_path / "other.json").write_text(json.dumps(other))
    with pytest.raises(InputError, match="two entries on 9 of openai/shy"):
        read_results([tmp_path / "other.json"])
    del other["settings"]["penalty"]
    (tmp_path / "other.json").write_text(json.dumps(other))
    with pytest.raises(InputError, match=r"settings\.penalty: Field required"):
        read_results([tmp_path / "other.json"])


def test_every_benchmark_states_where_its_questions_are_or_asks_for_a_file() -> None:
    assert {name for name, one in SHORT_ANSWERS.items() if one.data is None} == {"facts-parametric", "facts-search"}
