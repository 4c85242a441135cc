"""Recordings of pytest sessions: parts of all checkers and workers are merged into one file, without a lost call."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from factscope.integrations import join_parts


def line(number: int, text: str = "a reply") -> str:
    return json.dumps({"key": f"{number:04}", "reply": text}, ensure_ascii=False)


@pytest.mark.parametrize("name", ["calls.jsonl", "calls[1].jsonl", "calls*.jsonl", "é?.jsonl"])
def test_parts_are_joined_whatever_the_file_name_and_other_files_remain(tmp_path: Path, name: str) -> None:
    record, other = tmp_path / name, tmp_path / "calls1.jsonl.main-0.part"
    other.write_text(line(9) + "\n", encoding="utf-8")
    for part, numbers in (("main-0", (3, 1)), ("gw1-0", (2, 1))):
        text = "".join(f"{line(number)}\n" for number in numbers)
        (tmp_path / f"{name}.{part}.part").write_text(text, encoding="utf-8")
    join_parts(record)
    assert record.read_text(encoding="utf-8").split("\n") == [line(1), line(2), line(3), ""]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name, other.name])


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85"])
def test_a_reply_with_a_rare_line_break_stays_one_line(tmp_path: Path, mark: str) -> None:
    call = line(1, f"One{mark}Two")
    (tmp_path / "calls.jsonl.main-0.part").write_text(f"{call}\n", encoding="utf-8")
    join_parts(tmp_path / "calls.jsonl")
    assert [json.loads(each) for each in (tmp_path / "calls.jsonl").read_text(encoding="utf-8").split("\n")[:-1]] == [
        {"key": "0001", "reply": f"One{mark}Two"}
    ]


def test_without_any_part_the_recording_is_empty(tmp_path: Path) -> None:
    join_parts(tmp_path / "calls.jsonl")
    assert (tmp_path / "calls.jsonl").read_text() == ""
