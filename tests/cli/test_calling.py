"""Messages of commands about calls made and calls pending."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import Mock

import pytest
from typer.testing import CliRunner

from factscope.cli import app, checker_of, load, tell_pending, usage_line
from factscope.core import UsageError
from factscope.core.records import Usage
from factscope.engine import Settings, Tools
from factscope.llm import REPLY, Models


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ([], ""),
        (
            [Usage(role="judge", model="openai/m", calls=1, tokens_in=900, tokens_out=150, cost=0.5)],
            "1 model call, 1,050",
        ),
        ([Usage(role="judge", model="openai/m", calls=2)], "2 model calls, tokens unknown, cost unknown"),
        ([Usage(role="judge", model="openai/m", calls=0, cached_calls=3)], "0 model calls, 3 answered from the cache"),
    ],
)
def test_usage_is_summarised_in_one_line(rows: list[Usage], line: str) -> None:
    assert usage_line(rows, Settings()).startswith(line)
    assert ", 0 tokens" not in usage_line(rows, Settings())


def test_pending_calls_are_reported_with_the_form_of_a_reply(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings, tools = Settings(batch=tmp_path), Tools(models=Models(Mock(), {}))
    assert tools.models
    assert tell_pending(settings, tools) is False
    for name, count in (("requests-openai-a.jsonl", 3), ("requests-openai-b.jsonl", 1), ("replies.jsonl", 5)):
        (tmp_path / name).write_text('{"custom_id": "1", "method": "POST"}\n' * count)
    assert tell_pending(settings, tools) is False  # pending for another command
    tools.models.missing = 4
    tools.models.refused = ["the model is unknown", "it expired", "the model is unknown"]
    assert tell_pending(settings, tools) is True
    said = capsys.readouterr().err
    assert "2 of them failed at the last try: the model is unknown\n1 of them" in said
    assert "3 in requests-openai-a.jsonl, 1 in requests-openai-b.jsonl." in said
    assert REPLY in said
    assert tell_pending(Settings(), tools) is False


def test_an_unwritable_recording_is_refused_before_the_first_call(tmp_path: Path) -> None:
    assert load({"record": tmp_path / "calls.jsonl"}).record
    with pytest.raises(UsageError, match="its folder does not exist"):
        load({"record": tmp_path / "nowhere" / "calls.jsonl"})
    with pytest.raises(UsageError, match="it is a folder"):
        load({"record": tmp_path})


def test_missing_evidence_is_refused_before_the_first_check(tmp_path: Path) -> None:
    assert checker_of({"evidence": [tmp_path]})
    with pytest.raises(UsageError, match="does not exist"):
        checker_of({"evidence": [tmp_path / "nowhere"]})


def test_commands_that_record_nothing_ignore_an_unwritable_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FACTSCOPE_RECORD", str(tmp_path / "nowhere" / "calls.jsonl"))
    for command in (["store", "check", "--store", "none.db"], ["calibrate", "none.jsonl"], ["verifiers", "list"]):
        assert "can't be written" not in CliRunner().invoke(app, command).output, command
