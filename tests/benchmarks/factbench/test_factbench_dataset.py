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
