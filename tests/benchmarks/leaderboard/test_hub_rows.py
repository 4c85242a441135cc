"""Rows for the Hugging Face Hub: the Hub's own reader gets back every text, whatever its characters."""

from __future__ import annotations

from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.benchmarks.leaderboard import Column, Figure, HubTask, eval_results
from tests.benchmarks.leaderboard.board_values import board_of, board_row
from tests.lab.many_cases import try_all

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


def entry_of(change: dict[str, Any], task: HubTask | None = None, **board: Any) -> dict[str, Any]:
    """Return the only entry in a row's file, as a YAML reader sees it."""
    row = board_row("a", **{"public": Figure(0.5), **change})
    text = eval_results(board_of(row, **board), row, task or HubTask("a/b", "c"))
    assert text is not None
    assert text.endswith("\n")
    (entry,) = yaml.safe_load(text)
    return dict(entry)


@settings(max_examples=10)
@given(TEXTS, TEXTS, TEXTS)
def test_every_text_survives_the_yaml_round_trip(name: str, title: str, signature: str) -> None:
    entry = entry_of({"signature": signature}, HubTask(name, name), title=title)
    assert entry["dataset"] == {"id": name, "task_id": name}
    assert entry["notes"] == f"{title}, precision; coverage 100.0 %; {signature}"


@try_all("text", ["😀 灯塔", "a: b # c", "yes", "\u2028line\x85", '"\\', "\x7f\ufeff", "{{ x }}", "- a\n- b"])
def test_text_that_yaml_could_mistake_is_read_as_text(text: str) -> None:
    entry = entry_of({"link": "https://example.org/a", "date": text[:10]}, HubTask("a", text, text))
    assert entry["dataset"] == {"id": "a", "task_id": text, "revision": text}
    assert entry["source"]["url"] == "https://example.org/a"
    assert entry["date"] == text[:10]


def test_the_value_is_in_percent_and_the_date_a_day() -> None:
    entry = entry_of({"public": Figure(0.12345, 0.1, 0.2), "date": "2026-11-02T23:59:59+00:00"})
    assert (entry["value"], entry["date"]) == (12.35, "2026-11-02")
    assert "source" not in entry
    assert "revision" not in entry["dataset"]
    assert "date" not in entry_of({"date": None})


def test_nothing_is_written_without_a_value_on_public_examples() -> None:
    for public in (None, Figure(None)):
        row = board_row("a", public=public)
        assert eval_results(board_of(row), row, HubTask("a/b", "c")) is None
    assert entry_of({"public": Figure(0.0)})["value"] == 0


def test_the_notes_name_the_first_column_the_coverage_and_rows_left_out() -> None:
    columns = (Column("average", "a mean"), Column("other", "another"))
    figures = {"coverage": 0.9876, "n_left_out": 1200, "signature": "s"}
    entry = entry_of(figures, columns=columns, title="T")
    assert entry["notes"] == "T, average; coverage 98.8 %; 1,200 rows left out; s"
    assert "coverage 99.9 %" in entry_of({"coverage": 0.9999})["notes"]
