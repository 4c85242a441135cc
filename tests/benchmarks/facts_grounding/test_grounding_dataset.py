"""Examples and answers of FACTS Grounding from files: the published form, a plain one, and unusable rows."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from factscope.benchmarks import Examples, read_answers
from factscope.benchmarks.facts_grounding import read_examples
from factscope.core import InputError, UsageError
from factscope.judging import whole_request
from tests.lab.hub import hub_server, put

OFFICIAL = {
    "system_instruction": "Answer from the text only.",
    "user_request": "When was it built?",
    "context_document": "The mill was built in 1802.\nIt burned down in 1911; see {{response}}.",
    "full_prompt": "Answer from the text only.\n\nWhen was it built?\n\nThe mill was built in 1802.\n"
    "It burned down in 1911; see {{response}}.",
    "domain": "Internet/Technology",
    "type": "Fact Finding",
    "high_level_type": "Q&A",
}
PLAIN = {"id": "r7", "system": "Be brief.", "request": "Where?", "context": "In Selm."}


def csv_file(path: Path, rows: list[dict[str, str]]) -> str:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return str(path)


def lines(path: Path, rows: list[Any]) -> str:
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return str(path)


def read(*sources: str, cache: Path) -> Examples:
    return read_examples(sources, cache=cache, environment={})


def test_the_published_form_reproduces_its_full_prompt_exactly(tmp_path: Path) -> None:
    found = read(csv_file(tmp_path / "examples.csv", [OFFICIAL]), cache=tmp_path)
    (row,) = found.rows
    assert (row.id, row.split, found.splits, found.notes) == ("open-1", "open", ("open",), ())
    assert row.request.prompt == OFFICIAL["user_request"]
    assert row.request.context[0].text == OFFICIAL["context_document"]
    assert whole_request(row.request) == OFFICIAL["full_prompt"]
    assert row.tags == {name: OFFICIAL[name] for name in ("domain", "type", "high_level_type")}


def test_the_parts_of_the_plain_form_are_joined_into_a_request(tmp_path: Path) -> None:
    (row,) = read(lines(tmp_path / "mine.jsonl", [PLAIN]), cache=tmp_path).rows
    assert row.id == "r7"
    assert whole_request(row.request) == "Be brief.\n\nIn Selm.\n\nWhere?"


def test_a_request_containing_placeholder_marks_is_sent_verbatim(tmp_path: Path) -> None:
    asked = "What do {{prompt}} and {{context}} mean?"
    whole = OFFICIAL["full_prompt"].replace(OFFICIAL["user_request"], asked)
    row = OFFICIAL | {"user_request": asked, "full_prompt": whole}
    found = read(csv_file(tmp_path / "e.csv", [row]), cache=tmp_path)
    assert whole_request(found.rows[0].request) == whole


def test_each_file_is_a_split_and_may_be_named(tmp_path: Path) -> None:
    public = csv_file(tmp_path / "public.csv", [OFFICIAL])
    private = lines(tmp_path / "private.jsonl", [PLAIN])
    found = read(public, f"blind={private}", cache=tmp_path)
    assert [(row.id, row.split) for row in found.rows] == [("open-1", "open"), ("r7", "blind")]
    assert found.sha256 != read(private, cache=tmp_path).sha256
    with pytest.raises(UsageError, match="of the split 'open'"):
        read(public, private, cache=tmp_path)


def test_a_split_may_be_in_several_files_of_a_data_set(tmp_path: Path) -> None:
    content = [json.dumps({"request": f"{name}?", "context": "In Selm."}) for name in ("Where", "When", "Who")]
    files = {"train-0.jsonl": "\n".join(content[:2]).encode(), "train-1.jsonl": content[2].encode()}
    with hub_server() as hub:
        put(hub, "org/own", "main", files)
        found = read_examples(["org/own"], cache=tmp_path, environment={"HF_ENDPOINT": hub.url})
    assert [(row.id, row.request.prompt) for row in found.rows] == [
        ("open-1", "Where?"),
        ("open-2", "When?"),
        ("open-3", "Who?"),
    ]


def test_unusable_rows_are_reported_and_the_others_used(tmp_path: Path) -> None:
    bad = [{**PLAIN, "id": "e", "context": " "}, {"id": "x", "request": "Who?"}, {**PLAIN, "id": "r7"}, 3]
    marks = {**PLAIN, "id": "m", "full_prompt": "{{prompt}} In Selm."}
    found = read(lines(tmp_path / "mine.jsonl", [PLAIN, *bad, marks]), cache=tmp_path)
    assert [row.id for row in found.rows] == ["r7"]
    first = [{"id": "x", "question": "Who?"}, PLAIN]  # another form in the first row costs only that row
    assert [row.id for row in read(lines(tmp_path / "first.jsonl", first), cache=tmp_path).rows] == ["r7"]
    told = "\n".join(found.notes)
    assert "(mine.jsonl row 5)" in told  # with several files, a row is named with its file
    for reason in ("'context' is empty", "same id", "not a JSON object", "holds marks"):
        assert reason in told


@pytest.mark.parametrize("column", ["user_request", "context_document"])
def test_a_missing_column_is_named(tmp_path: Path, column: str) -> None:
    rows = [{name: value for name, value in OFFICIAL.items() if name != column}]
    with pytest.raises(InputError, match=f"lacks the column '{column}'"):
        read(csv_file(tmp_path / "examples.csv", rows), cache=tmp_path)


def test_missing_files_and_files_without_examples_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        read(str(tmp_path / "nothing.csv"), cache=tmp_path)
    with pytest.raises(InputError, match="No example in"):
        read(lines(tmp_path / "empty.jsonl", [{**PLAIN, "context": ""}]), cache=tmp_path)


def test_answers_are_read_from_files(tmp_path: Path) -> None:
    known = read(lines(tmp_path / "mine.jsonl", [PLAIN, {**PLAIN, "id": "r8"}]), cache=tmp_path).rows
    path = lines(
        tmp_path / "answers.jsonl",
        [
            {"id": "r7", "model": "a/one", "response": "In Selm."},
            {"id": "r8", "model": "a/one", "response": ""},
            {"id": "r7", "model": "a/two", "response": None},
            {"id": "r7", "model": "a/one", "response": "Again."},
            {"id": "r9", "model": "a/one", "response": "To nothing."},
            {"id": "r8", "response": "By nobody."},
        ],
    )
    found = read_answers([Path(path)], known)
    assert found.texts == {("a/one", "r7"): "In Selm.", ("a/one", "r8"): ""}
    assert found.models == ("a/one",)
    assert len(found.notes) == 4
    assert found.n_unusable == 2, "those that follow another and that lack a model, but not those on other prompts"


def test_an_answer_with_the_prompt_of_two_examples_is_on_that_with_its_id(tmp_path: Path) -> None:
    rows = [{**PLAIN, "id": "1"}, {**PLAIN, "id": "2"}, {**PLAIN, "id": "3", "request": "Why there?"}]
    known = read(lines(tmp_path / "mine.jsonl", rows), cache=tmp_path).rows
    answer = {"prompt": known[0].request.prompt, "model": "a/one", "response": "In Selm."}
    path = lines(tmp_path / "answers.jsonl", [{**answer, "id": name} for name in ("2", "3", "own")])
    found = read_answers([Path(path)], known)
    assert (list(found.texts), found.n_unusable) == ([("a/one", "2")], 1), "3 has another prompt"


def test_answer_files_without_required_columns_are_refused(tmp_path: Path) -> None:
    path = lines(tmp_path / "answers.jsonl", [{"id": "r7", "text": "In Selm."}])
    with pytest.raises(InputError, match=r"No answer in.* lacks a column"):
        read_answers([Path(path)], ())


def test_a_file_without_an_answer_costs_no_other_file(tmp_path: Path) -> None:
    known = read(lines(tmp_path / "mine.jsonl", [PLAIN]), cache=tmp_path).rows
    empty, unusable = lines(tmp_path / "empty.jsonl", []), lines(tmp_path / "text.jsonl", [{"text": "In Selm."}])
    answer = {"user_prompt": known[0].request.prompt, "model": "a/one", "response": "In Selm."}
    files = [Path(empty), Path(unusable), Path(lines(tmp_path / "answers.jsonl", [answer]))]
    found = read_answers(files, known)
    assert found.texts == {("a/one", "r7"): "In Selm."}
    assert any("without a usable row" in note and "empty.jsonl" in note for note in found.notes)
    with pytest.raises(InputError, match=r"No answer in .*empty.jsonl, .*text.jsonl"):
        read_answers(files[:2], known)
