"""Logs in all their forms, real and broken, and the outcome of every row."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from factscope.benchmarks.curate import CurationParameters, NoPromptError, StageContext, StageResult, logs, read_opening
from factscope.benchmarks.datasets.io import LONGEST_ROW
from factscope.cli import app
from factscope.core import InputError, StoreError, UsageError

LMSYS: dict[str, Any] = {
    "conversation_id": "abc",
    "model": "vicuna-13b",
    "conversation": [
        {"content": " Who built it? ", "role": "user"},
        {"content": "Ida Kern.", "role": "assistant"},
        {"content": "When?", "role": "user"},
        {"content": "In 1931.", "role": "assistant"},
    ],
    "turn": 2,
    "language": "English",
    "openai_moderation": [{"flagged": False}],
    "redacted": True,
}
WILDCHAT: dict[str, Any] = {
    "conversation_hash": "def",
    "model": "gpt-4-0314",
    "timestamp": "2023-04-09T00:02:53+00:00",
    "conversation": [
        {"content": "Who built it?", "role": "user", "language": "English", "redacted": False, "toxic": False},
        {"content": "Ida Kern.", "role": "assistant", "language": "English", "redacted": True, "toxic": False},
    ],
    "language": "English",
    "redacted": False,
}
SHAREGPT: dict[str, Any] = {
    "id": "ghi_0",
    "conversations": [{"from": "human", "value": "Who built it?"}, {"from": "gpt", "value": "Ida Kern."}],
}
PLAIN: dict[str, Any] = {"prompt": "Who built it?", "response": "Ida Kern.", "model": "gpt-4"}


def read(tmp_path: Path, *files: Path, say: Callable[[str], None] = lambda text: None) -> StageResult:
    (tmp_path / "scratch").mkdir(exist_ok=True)
    shop = StageContext(CurationParameters(), scratch=tmp_path / "scratch", log=say)
    done = logs.work(pl.DataFrame({"path": [str(file) for file in files]}), shop)
    return done._replace(tables={name: pl.DataFrame(side.lazy().collect()) for name, side in done.tables.items()})


def jsonl(tmp_path: Path, rows: list[Any], name: str = "log.jsonl") -> Path:
    path = tmp_path / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_one_file_may_mix_four_log_formats(tmp_path: Path) -> None:
    done = read(tmp_path, jsonl(tmp_path, [LMSYS, WILDCHAT, SHAREGPT, PLAIN]))
    assert done.table["source"].to_list() == ["lmsys", "wildchat", "sharegpt", "plain"]
    assert done.table["prompt"].unique().to_list() == ["Who built it?"]
    assert done.table["model"].to_list() == ["vicuna-13b", "gpt-4-0314", None, "gpt-4"]
    assert done.table["conversation"].to_list() == ["abc", "def", "ghi_0", None]
    assert done.table["date"].to_list() == [None, "2023-04-09", None, None]
    assert done.table["redacted"].to_list() == [True, True, False, False]
    assert done.table["language_given"].to_list() == ["English", "English", None, None]
    assert done.tables["responses"].collect_schema().names() == ["id", "response"]
    assert isinstance(responses := done.tables["responses"], pl.DataFrame)
    assert responses["response"].to_list() == ["Ida Kern."] * 4
    assert responses["id"].to_list() == done.table["id"].to_list()
    assert done.table["id"].n_unique() == 4


def test_ids_follow_from_conversations_alone(tmp_path: Path) -> None:
    one = read(tmp_path, jsonl(tmp_path, [LMSYS, PLAIN])).table
    other = read(tmp_path, jsonl(tmp_path, [PLAIN, WILDCHAT, LMSYS], "another.jsonl")).table
    assert set(one["id"]) < set(other["id"])


def test_only_rows_with_an_id_count_as_repeated(tmp_path: Path) -> None:
    done = read(tmp_path, jsonl(tmp_path, [PLAIN, LMSYS, PLAIN, LMSYS, PLAIN]))
    assert done.table["source"].to_list() == ["plain", "lmsys", "plain", "plain"]
    assert done.table["id"].n_unique() == 4
    assert done.dropped.rows() == [("log.jsonl:4", "repeated conversation", "abc")]


def test_logs_may_number_their_rows_alike(tmp_path: Path) -> None:
    one, two = ([{**PLAIN, "id": n, "prompt": f"{name}, {n}?"} for n in range(3)] for name in "ab")
    done = read(tmp_path, jsonl(tmp_path, one), jsonl(tmp_path, [*two, one[0]], "two.jsonl"))
    assert done.table["id"].n_unique() == done.table.height == 6
    assert done.dropped.rows() == [("two.jsonl:4", "repeated conversation", "0")]
    alone = read(tmp_path, jsonl(tmp_path, two, "two.jsonl"))
    assert set(alone.table["id"]) < set(done.table["id"])


def test_a_log_with_a_row_for_each_turn_gives_the_first(tmp_path: Path) -> None:
    turns = [{**PLAIN, "conversation_id": name, "prompt": f"{name}: {n}?"} for name in "ab" for n in range(3)]
    done = read(tmp_path, jsonl(tmp_path, turns))
    assert done.table["prompt"].to_list() == ["a: 0?", "b: 0?"]
    assert set(done.dropped["reason"]) == {"repeated conversation"}
    edited = {**LMSYS, "conversation": [{"content": "Where is it?", "role": "user"}]}
    ids = [read(tmp_path, jsonl(tmp_path, [row])).table["id"].item() for row in (LMSYS, edited)]
    assert ids[0] == ids[1]  # a release made before has the same


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({**LMSYS, "conversation": []}, "no user turn"),
        ({**LMSYS, "conversation": [{"role": "assistant", "content": "Hi"}]}, "no user turn"),
        ({**LMSYS, "conversation": [{"role": "system", "content": "Be brief."}]}, "no user turn"),
        ({**LMSYS, "conversation": LMSYS["conversation"][1:]}, "begins with an answer"),
        ({**PLAIN, "prompt": "  \n"}, "empty prompt"),
        ({**PLAIN, "prompt": None}, "empty prompt"),
        ({**PLAIN, "prompt": float("nan")}, "empty prompt"),
        ({**PLAIN, "prompt": "NaN"}, "empty prompt"),
        ({**PLAIN, "prompt": "\u200b\ufeff\u202e"}, "empty prompt"),
        ({**PLAIN, "prompt": 7}, "no text"),
        ({**PLAIN, "prompt": "half \ud83d"}, "no text"),
        ({**PLAIN, "prompt": {"a": 1}}, "no text"),
        ({**PLAIN, "prompt": "x" * 33_000}, "prompt too long"),
        ({"title": "of another table"}, "unknown form"),
        ({}, "unknown form"),
        ({"conversation": "[{'role': 'user', 'content': 'Why?'}]"}, "unknown form"),
        ({"messages": {"role": "user", "content": "Why?"}}, "unknown form"),
        ([1, 2], "unreadable row"),
    ],
)
def test_a_row_without_a_prompt_is_dropped_with_its_reason(tmp_path: Path, row: Any, reason: str) -> None:
    done = read(tmp_path, jsonl(tmp_path, [PLAIN, row, LMSYS]))
    assert done.table.height == 2
    assert [(name, why) for name, why, _ in done.dropped.rows()] == [("log.jsonl:2", reason)]


@pytest.mark.parametrize("response", [None, "", " ", float("nan"), 7, "half \ud83d", "x" * 100_001])
def test_a_prompt_without_a_usable_answer_is_retained(tmp_path: Path, response: Any) -> None:
    done = read(tmp_path, jsonl(tmp_path, [{**PLAIN, "response": response}]))
    assert isinstance(responses := done.tables["responses"], pl.DataFrame)
    assert responses["response"].to_list() == [None]
    assert done.facts["without_response"] == 1


def test_an_unwritable_scratch_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "scratch").write_text("no folder")
    shop = StageContext(CurationParameters(), scratch=tmp_path / "scratch" / "in")
    with pytest.raises(StoreError, match="can't be written"):
        logs.work(pl.DataFrame({"path": [str(jsonl(tmp_path, [PLAIN]))]}), shop)


def test_an_oversized_row_is_dropped_without_affecting_others(tmp_path: Path) -> None:
    path = jsonl(tmp_path, [PLAIN])
    with path.open("a") as file:
        file.write('{"prompt": "')
        for _ in range(LONGEST_ROW // 2**20 + 1):
            file.write("x" * 2**20)
        file.write('"}\n' + json.dumps(LMSYS) + "\n")
    done = read(tmp_path, path)
    assert done.table.height == 2
    assert done.dropped.rows() == [("log.jsonl:2", "unreadable row", "is longer than 64 MB")]


def test_gzip_json_csv_and_parquet_logs_are_read(tmp_path: Path) -> None:
    packed, array, csv, parquet = (tmp_path / name for name in ("a.jsonl.gz", "a.json", "a.csv", "a.parquet"))
    packed.write_bytes(gzip.compress(json.dumps(LMSYS).encode()))
    array.write_text(json.dumps([WILDCHAT, SHAREGPT]))
    chat = json.dumps([{"role": "user", "content": 'Who "built" it?'}]).replace('"', '""')
    csv.write_text(f'model,conversation,prompt,response\nm,"{chat}",,\nn,,Why?,\n')
    pl.DataFrame([WILDCHAT, {**WILDCHAT, "conversation_hash": "xyz"}]).write_parquet(parquet)
    done = read(tmp_path, packed, array, csv, parquet)
    assert done.table["source"].to_list() == ["lmsys", "wildchat", "sharegpt", "plain", "plain", "wildchat"]
    assert done.table["prompt"].to_list()[3:5] == ['Who "built" it?', "Why?"]
    assert done.table["model"].to_list()[3:5] == ["m", "n"]
    assert done.dropped["reason"].to_list() == ["repeated conversation"]
    assert done.facts["rows"] == {"a.jsonl.gz": 1, "a.json": 2, "a.csv": 2, "a.parquet": 2}


def test_a_truncated_file_yields_its_rows_and_reports_the_rest_as_missing(tmp_path: Path) -> None:
    whole = [{**PLAIN, "prompt": f"{n} {hashlib.sha256(bytes([n])).hexdigest()}"} for n in range(100)]
    packed = gzip.compress("".join(json.dumps(row) + "\n" for row in whole).encode(), mtime=0)[:-1_000]
    there = zlib.decompressobj(wbits=31).decompress(packed).count(b"\n")
    assert 50 < there < 100
    path, array = tmp_path / "log.jsonl.gz", tmp_path / "log.json"
    path.write_bytes(packed)
    array.write_text(json.dumps([LMSYS, WILDCHAT])[:-1] + ", {")
    said: list[str] = []
    done = read(tmp_path, path, array, say=said.append)
    assert done.table.height == there + 2
    assert [(name, why) for name, why, _ in done.dropped.rows()] == [
        (f"log.jsonl.gz:{there + 1}", "damaged file"),
        ("log.json:3", "damaged file"),
    ]
    assert [line.partition(": ")[0] for line in done.facts["damaged"]] == [
        f"log.jsonl.gz, row {there + 1}",
        "log.json, row 3",
    ]
    assert said[0].startswith(f"{path}, row {there + 1}: from here on the file can't be read: it is cut off")
    assert f"The {there} conversations before it are used. To have the others, fetch or write the file again" in said[0]
    assert said[1].startswith(f"{array}, row 3: the file ends in the midst of the array. The 2 conversations")


def test_a_file_without_any_conversation_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no row of 2 holds a conversation; the first: unknown form: columns: a, b"):
        read(tmp_path, jsonl(tmp_path, [{"a": 1, "b": 2}, 3]))
    with pytest.raises(InputError, match="it contains no rows"):
        read(tmp_path, jsonl(tmp_path, []))
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n")
    with pytest.raises(InputError, match="kind can't be told"):
        read(tmp_path, tmp_path / "picture.png")


def test_logs_are_files_or_data_sets(tmp_path: Path) -> None:
    path = jsonl(tmp_path, [PLAIN])
    assert logs.log_files([str(path), "gone.jsonl"], tmp_path, {}) == [path, Path("gone.jsonl")]
    with pytest.raises(UsageError, match="No log"):
        logs.log_files([], tmp_path, {})


@pytest.mark.parametrize(
    ("stated", "found"),
    [
        (1681000000, "2023-04-09"),
        (1681000000.5, "2023-04-09"),
        (1681000000000, "2023-04-09"),
        ("2023-04-09 00:02:53+00:00", "2023-04-09"),
        ("2023-13-45", None),
        ("yesterday", None),
        (1e300, None),
        (float("nan"), None),
        (True, None),
    ],
)
def test_dates_are_normalised_or_left_empty(stated: Any, found: str | None) -> None:
    assert read_opening({**PLAIN, "timestamp": stated}).date == found


_KEYS = st.sampled_from(["role", "content", "from", "value", "text"])
_CELLS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner),
    max_leaves=8,
)
_COLUMNS = st.sampled_from(["conversation", "messages", "prompt", "response", "id", "model", "date", "x"])


@given(st.dictionaries(_COLUMNS, _CELLS))
def test_any_row_is_read_or_refused(row: dict[str, Any]) -> None:
    try:
        said = read_opening(row)
    except NoPromptError as error:
        reason = error.reason
        assert reason in ("unknown form", "no user turn", "begins with an answer", "empty prompt", "no text")
    else:
        assert said.prompt.strip() == said.prompt != ""


def test_fields_missing_from_the_first_rows_are_reported_before_the_build(tmp_path: Path) -> None:
    alone = jsonl(tmp_path, [{"prompt": f"Who built mill {n}?"} for n in range(3)])
    nameless, unanswered = logs.look_ahead([alone], CurationParameters())
    assert "The first 3 prompts name no model that answered them" in nameless
    assert "all are of the tier moderate" in nameless
    assert "have no answer" in unanswered
    fresh = CurationParameters.model_validate({"answering": {"fresh": {"moderate": "openai/x"}}})
    assert len(logs.look_ahead([alone], fresh)) == 1
    whole = jsonl(tmp_path, [PLAIN, {"prompt": "Who?"}], "whole.jsonl")
    assert logs.look_ahead([alone, whole], CurationParameters()) == ()


def test_missing_fields_are_reported_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACTSCOPE_STORE", str(tmp_path / "runs.db"))
    log = jsonl(tmp_path, [{"prompt": f"Who built mill {n} of the river Orr, and when?"} for n in range(3)])
    words = ["curate", "build", "--logs", str(log), "--out", str(tmp_path / "out"), "--until", "near", "--no-models"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.stderr
    assert done.stderr.count("moderate") == 1
    assert done.stderr.count("[answering.fresh]") == 1
