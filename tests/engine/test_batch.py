"""Checks through batch files: each run writes exactly the calls that it needs to continue."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from factscope.core.records import Report
from factscope.engine import Tools, check, find_method
from factscope.llm import ALL, BatchFolder, Cache, ModelClient, Models
from tests import lab
from tests.conftest import TEXT
from tests.engine.checking import ASKING, adds_up, checked
from tests.engine.faults import plain, without_calls
from tests.lab.brain import answer, logprobs
from tests.lab.tools import with_models


async def run(method: str, tools: Tools, folder: Path, cache: Cache) -> Report:
    """Run one check against the batch folder."""

    def client() -> ModelClient:
        return ModelClient(BatchFolder(folder, {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}), cache)

    async with with_models(tools, Models(client, {ALL: "openai/lab"})) as wired:
        return await check(TEXT, find_method(method), wired)


def answered(folder: Path, turn: int) -> list[str]:
    """Answer the requests in a folder as a batch service would, and return the keys of the calls."""
    lines = [json.loads(line) for path in folder.glob("requests-*.jsonl") for line in path.read_text().splitlines()]
    replies = []
    for line in lines:
        text = answer(line["body"]["messages"]) or ""
        choice = {"message": {"content": text}, "finish_reason": "stop", "logprobs": {"content": logprobs(text)}}
        body = {"choices": [choice], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}
        replies.append({"custom_id": line["custom_id"], "response": {"status_code": 200, "body": body}})
    (folder / f"replies-{turn}.jsonl").write_text("".join(f"{json.dumps(reply)}\n" for reply in replies))
    return [line["custom_id"] for line in lines]


@pytest.mark.parametrize("method", ASKING)
def test_batch_files_give_the_same_report_as_live_calls_with_no_extra_call(
    method: str, library: Tools, server: lab.Server, tmp_path: Path
) -> None:
    whole = checked(TEXT, method, library, server)
    made = server.count()
    asked: list[str] = []
    with Cache(tmp_path / "replies.db") as cache:
        for turn in range(12):
            report = asyncio.run(run(method, library, tmp_path / "batch", cache))
            assert adds_up(report)
            if not report.failures:
                break
            asked += answered(tmp_path / "batch", turn)
    assert plain(report).verdicts == whole.verdicts
    # A call's key depends on the server, and a batch file counts as another server.
    assert without_calls(report).judgements == without_calls(whole).judgements
    assert len(asked) == len(set(asked)) == made
