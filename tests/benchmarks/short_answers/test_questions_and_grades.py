"""Questions as files give them, replies of a grader, and figures that add up for any grades."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.benchmarks import Answers, Examples
from factscope.benchmarks.short_answers import (
    Grade,
    ShortAnswerSettings,
    ShortAnswerSummary,
    grade_answers,
    read_grade,
    read_questions,
    summarise,
)
from factscope.core import InputError, UsageError
from factscope.llm import ModelSession, UnreadableError
from tests.lab.many_cases import each, try_all

GRADES: tuple[Grade, ...] = ("correct", "incorrect", "not_attempted")


def rows_file(path: Path, *rows: dict[str, Any]) -> str:
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return str(path)


def read(folder: Path, *rows: dict[str, Any]) -> Examples:
    return read_questions([rows_file(folder / "q.jsonl", *rows)], cache=folder)


def test_the_columns_of_each_data_set_are_known(tmp_path: Path) -> None:
    def try_columns(question: str, gold: str) -> None:
        (row,) = read(tmp_path, {question: "Who?", gold: "Ada", "other": "x"}).rows
        assert (row.request.prompt, row.gold) == ("Who?", "Ada")

    names = [("problem", "answer"), ("question", "gold"), ("prompt", "target"), ("query", "golden_answer")]
    each(("question", "gold"), names, try_columns)


def test_ids_and_tags_come_from_the_row(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        {"id": "k", "original_index": 7, "problem": "Who?", "answer": "A", "topic": "Art", "domain": " ", "x": "y"},
        {"original_index": 8, "problem": "When?", "answer": 1974},
        {"problem": "Where?", "answer": "Tull"},
    )
    assert [row.id for row in found.rows] == ["k", "8", "q-3"]
    assert [row.gold for row in found.rows] == ["A", "1974", "Tull"]
    assert [dict(row.tags) for row in found.rows] == [{"topic": "Art"}, {}, {}]
    assert found.n_unusable == 0


def test_rows_without_a_question_or_an_answer_are_counted_and_named(tmp_path: Path) -> None:
    good = {"id": "k", "problem": "Who?", "answer": "A"}
    found = read(tmp_path, good, good | {"id": "b", "answer": " "}, good | {"id": "c", "problem": None}, good)
    assert [row.id for row in found.rows] == ["k"]
    assert found.n_unusable == 3  # the last repeats the first id
    notes = "\n".join(found.notes)
    assert "column 'answer' is empty" in notes
    assert "column 'problem' is empty" in notes
    with pytest.raises(InputError, match="Each row needs a question and its answer"):
        read(tmp_path, good | {"answer": ""})
    with pytest.raises(UsageError):
        read_questions([str(tmp_path / "missing.jsonl")], cache=tmp_path)


def test_the_hash_covers_only_questions_and_answers(tmp_path: Path) -> None:
    row = {"id": "k", "problem": "Who?", "answer": "A"}
    first = read(tmp_path, row)
    assert read(tmp_path, {"answer": "A", "question": "Who?", "topic": "Art"}).sha256 == first.sha256
    others = [row | {"answer": "B"}, row | {"problem": "Whose?"}, row | {"problem": "W", "answer": "ho?A"}]
    seen = {first.sha256, *(read(tmp_path, other).sha256 for other in others)}
    seen.add(read(tmp_path, row, row | {"id": "l"}).sha256)
    assert len(seen) == 5


def test_questions_of_several_files_are_read_in_their_order(tmp_path: Path) -> None:
    files = [rows_file(tmp_path / name, {"problem": f"In {name}?", "answer": "A"}) for name in ("b.jsonl", "a.jsonl")]
    found = read_questions(files, cache=tmp_path)
    assert [row.request.prompt for row in found.rows] == ["In b.jsonl?", "In a.jsonl?"]
    assert [row.id for row in found.rows] == ["b-1", "a-1"]


@try_all(
    ("reply", "grade", "reason"),
    [
        ("The same.\nGrade: CORRECT", "correct", "The same."),
        ("One.\nTwo.\n\nGrade: INCORRECT", "incorrect", "One.\nTwo."),
        ("Grade: NOT_ATTEMPTED", "not_attempted", ""),
        ("  No idea.\n**Grade: not_attempted**\n ", "not_attempted", "No idea."),
        ("It is not CORRECT.\nGrade: INCORRECT.", "incorrect", "It is not CORRECT."),
    ],
)
def test_a_reply_of_the_grader_has_a_grade_and_a_reason(reply: str, grade: str, reason: str) -> None:
    assert read_grade(reply) == (grade, reason)


@try_all(
    "reply",
    ["", "CORRECT", "Grade: RIGHT", "Grade: CORRECT\nGrade: INCORRECT", "Grade: CORRECT or INCORRECT", "Grade:"],
)
def test_a_reply_with_no_grade_or_two_grades_is_rejected(reply: str) -> None:
    with pytest.raises(UnreadableError):
        read_grade(reply)


def test_an_empty_answer_is_graded_without_a_call(tmp_path: Path) -> None:
    """The same goes for an answer to an unknown question."""

    class Nobody:
        """A session that may only be asked for its name and usage."""

        models = ledger = property(lambda self: self)

        def described(self, role: str) -> str:
            return f"the {role}"

        def usage(self) -> tuple[()]:
            return ()

    rows = read(tmp_path, {"id": "k", "problem": "Who?", "answer": "A"}).rows
    texts = {("m", "k"): "", ("m", "other"): "It was Ada."}
    answers = Answers(texts=texts, missing={})
    grades = asyncio.run(grade_answers(rows, answers, cast("ModelSession", Nobody())))
    assert grades.values == {("m", "k"): ("not_attempted", "")}
    assert (grades.by, grades.missing, grades.usage) == ("the grader", {}, ())


def table(*models: list[Grade | None], penalty: float = 1.0, **change: Any) -> ShortAnswerSummary:
    """Summarise these models, `m0` first, over as many questions as the longest has grades."""
    ids = [f"q{n}" for n in range(max(map(len, models)))]
    grades = {(f"m{m}", ids[n]): grade for m, own in enumerate(models) for n, grade in enumerate(own) if grade}
    names = [f"m{m}" for m in range(len(models))]
    return summarise(grades, names, ids, ShortAnswerSettings(penalty=penalty, resamples=20), **change)


@settings(max_examples=25)
@given(st.lists(st.sampled_from([*GRADES, None]), min_size=1, max_size=12), st.sampled_from([0.0, 0.5, 1.0, 3.0]))
def test_counts_add_up_and_every_figure_covers_the_graded_answers(grades: list[Grade | None], penalty: float) -> None:
    (row,) = table(grades, penalty=penalty).rows
    right, wrong, n = grades.count("correct"), grades.count("incorrect"), len(grades) - grades.count(None)
    assert (row.n, row.n_missing) == (n, len(grades) - n)
    assert (row.accuracy.k, row.attempted.k, row.given_attempt.n) == (right, right + wrong, right + wrong)
    if 2 * n < len(grades):
        assert row.withheld
        assert row.f1.value is None
        return
    assert row.withheld is None
    assert row.penalised.value == pytest.approx((right - penalty * wrong) / n)
    if right + wrong:
        assert row.f1.value == pytest.approx(2 * right / (n + right + wrong))
    else:
        assert (row.f1.value, row.given_attempt.value) == (None, None)


def test_the_figures_are_the_same_whatever_the_order_of_models() -> None:
    first, second, third = ["correct"] * 30, ["correct", "incorrect"] * 15, ["not_attempted"] * 30
    found = table(first, second, third)  # type: ignore[arg-type]
    again = table(third, second, first)  # type: ignore[arg-type]
    names = {"m0": "m2", "m1": "m1", "m2": "m0"}
    assert [row.model for row in found.rows][:2] == [names[row.model] for row in again.rows][:2]
    for row in found.rows:
        (other,) = (one for one in again.rows if one.model == names[row.model])
        assert row.model_copy(update={"model": other.model}) == other


def test_a_model_that_attempts_nothing_is_last_and_has_no_f1() -> None:
    silent, half = ["not_attempted"] * 4, ["correct", "incorrect"] * 2
    rows = table(silent, half).rows  # type: ignore[arg-type]
    assert [(row.model, row.rank, row.f1.value) for row in rows] == [("m1", 1, 0.5), ("m0", 2, None)]
    assert rows[1].penalised.value == 0


def test_figures_by_tag_count_each_question_once() -> None:
    tags = {"q0": {"topic": "Art"}, "q1": {"topic": "Sports"}, "q2": {"topic": "Art", "kind": "Date"}}
    (row,) = table(["correct", "incorrect", "incorrect", "correct"], tags=tags).rows
    assert row.by == {"topic": {"Art": (0.5, 2), "Sports": (0.0, 1)}, "kind": {"Date": (0.0, 1)}}
    assert table(["correct"]).rows[0].by == {}
