"""Files of prompts, answers or labels: any content is read, or refused in one sentence."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.benchmarks import Example
from factscope.benchmarks.factbench import read_alpha_labels, read_answers, read_prompts
from factscope.core import InputError
from factscope.core.records import Response

KNOWN = [Example("p1", "Hard", Response(id="p1", text="", prompt="What is it?"), {})]
cells = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["p1", "m", "What is it?", "nan", "hard", "tier_2", "true"]),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=1),
)
names = st.sampled_from(["id", "prompt", "question", "tier", "model", "response", "factual", "other"])
rows = st.lists(st.dictionaries(names, cells, max_size=5), max_size=6)


def written(folder: str, content: list[dict[str, Any]]) -> Path:
    path = Path(folder) / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, content)), encoding="utf-8")
    return path


@settings(max_examples=50)
@given(rows)
def test_prompts_are_read_or_refused(content: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        try:
            found = read_prompts([str(written(folder, content))], cache=Path(folder))
        except InputError:
            return
    assert {row.split for row in found.rows} == set(found.splits)
    assert len({row.id for row in found.rows}) == len(found.rows) <= len(content)
    assert all((row.request.prompt or "").strip() for row in found.rows)


@settings(max_examples=50)
@given(rows)
def test_answers_are_read_or_refused(content: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        try:
            found = read_answers([written(folder, content)], KNOWN)
        except InputError:
            return
    assert {name for _, name in found.texts} <= {"p1"}
    assert all(text.strip().lower() != "nan" for text in found.texts.values())


@settings(max_examples=50)
@given(rows)
def test_labels_are_read_or_refused(content: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        try:
            found, _ = read_alpha_labels(written(folder, content), KNOWN)
        except InputError:
            return
    assert all(labels.model and labels.tier and labels.wrong for labels in found)


def test_a_row_of_another_schema_costs_only_itself(tmp_path: Path) -> None:
    path = written(str(tmp_path), [{"prompt": "One?"}, {"conversation": []}, {"question": "Two?", "tier": "easy"}])
    found = read_prompts([str(path)], cache=tmp_path)
    assert [(row.split, row.request.prompt) for row in found.rows] == [("all", "One?"), ("Easy", "Two?")]
    assert any("none of the columns prompt" in note for note in found.notes)
    with pytest.raises(InputError, match="No answer in") as refused:
        read_answers([path], KNOWN)
    assert "Its columns: 'prompt'" in refused.value.message
    rows = [{"response": "x"}, {"id": "p1", "model": "m", "response": "It is."}]
    assert read_answers([written(str(tmp_path), rows)], KNOWN).texts == {("m", "p1"): "It is."}


def test_rows_name_their_prompt_by_its_id_as_the_file_has_it_or_by_its_words(tmp_path: Path) -> None:
    """A response can't have a segment's id, such as s1, and a long id is cut off; rows in other files still match."""
    names = ["s1", "s2.1", "two\nlines", "x" * 300, 4]
    prompts = written(str(tmp_path), [{"id": name, "prompt": f"Question {n}?"} for n, name in enumerate(names)])
    known = read_prompts([str(prompts)], cache=tmp_path).rows
    answers = [{"id": name, "model": "m", "response": f"Answer {n}."} for n, name in enumerate(names)]
    expected = {("m", row.id): f"Answer {n}." for n, row in enumerate(known)}
    assert read_answers([written(str(tmp_path), answers)], known).texts == expected
    for own in ("a1", None, ["s1"]):  # the answer's own id, or none
        rows = [{**row, "id": own, "prompt": f"Question  {n}?"} for n, row in enumerate(answers)]
        assert read_answers([written(str(tmp_path), rows)], known).texts == expected
    crossed = [{**answers[0], "prompt": "Question 1?"}, answers[1]]  # whose answer is the first?
    found = read_answers([written(str(tmp_path), crossed)], known)
    assert (list(found.texts), found.n_unusable) == ([("m", "r-s2.1")], 1)
    labelled = [{"id": name, "model": "m", "factual": False} for name in names]
    (labels,), notes = read_alpha_labels(written(str(tmp_path), labelled), known)
    assert (labels.tier, len(labels.wrong), notes.lines()) == ("all", len(names), ())


def test_files_of_one_name_and_a_table_with_an_index_are_read(tmp_path: Path) -> None:
    """`--data Hard=hard/p.csv --data Easy=easy/p.csv`, where pandas wrote its index under an empty name."""
    for tier in ("hard", "easy"):
        (tmp_path / tier).mkdir()
        (tmp_path / tier / "p.csv").write_text(f",prompt\n0,What is {tier}?\n1,And why {tier}?\n", encoding="utf-8")
    paths = [f"Hard={tmp_path / 'hard' / 'p.csv'}", f"Easy={tmp_path / 'easy' / 'p.csv'}"]
    found = read_prompts(paths, cache=tmp_path)
    assert [(row.id, row.split) for row in found.rows] == [
        ("p-1", "Hard"),
        ("p-2", "Hard"),
        ("2-p-1", "Easy"),
        ("2-p-2", "Easy"),
    ]
    assert (found.splits, found.notes) == (("Hard", "Easy"), ())
    with pytest.raises(InputError, match="same id"):
        read_prompts([paths[0], paths[0]], cache=tmp_path)
