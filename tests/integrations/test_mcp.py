"""The server for assistants, queried over standard input and output by the SDK's own client."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

mcp = pytest.importorskip("mcp", exc_type=ImportError)

from mcp.client.client import Client  # noqa: E402
from mcp.client.stdio import StdioServerParameters, stdio_client  # noqa: E402

from tests.integrations.runner import CONTEXTS, GREETING, REPLAY, RIGHT, WRONG, failing_cut, python  # noqa: E402
from tests.lab import warm  # noqa: E402


def talk(folder: Path, work: Callable[[Client], Awaitable[None]], *words: str, evidence: bool = True) -> None:
    """Start the server as an assistant does, and hold a conversation with it."""
    (folder / "evidence").mkdir(exist_ok=True)
    (folder / "evidence" / "keeper.txt").write_text(CONTEXTS[0], encoding="utf-8")
    sources = ["--evidence", str(folder / "evidence")] if evidence else []
    command = [warm.python(), "-m", "factscope", "mcp", *sources, *words]

    async def main() -> None:
        parameters = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ), cwd=folder)
        async with Client(stdio_client(parameters)) as client:
            await work(client)

    asyncio.run(main())


def test_an_assistant_can_check_search_and_retrieve_a_check(tmp_path: Path) -> None:
    async def work(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"check_text", "verify_claim", "search_evidence", "get_check"}
        for tool in tools.values():
            Draft202012Validator.check_schema(tool.input_schema)
            Draft202012Validator.check_schema(tool.output_schema)
        right = await client.call_tool("check_text", {"text": RIGHT})
        assert (right.is_error, right.structured_content["score"]) == (False, 1.0)
        wrong = (await client.call_tool("check_text", {"text": WRONG})).structured_content
        assert wrong["score"] == 0.5
        Draft202012Validator(tools["check_text"].output_schema).validate(wrong)
        first = wrong["claims"][0]
        assert (first["verdict"], first["quote"]) == (
            "contradicted", "In 1858 a first-order Fresnel lens was fitted.",
        )  # fmt: skip
        assert WRONG[first["start"] : first["end"]] == first["text"]
        assert (await client.call_tool("get_check", {"check_id": wrong["id"]})).structured_content == wrong
        (content,) = (await client.read_resource(wrong["resource"])).contents
        assert json.loads(content.text)["response"]["text"] == WRONG
        found = (await client.call_tool("search_evidence", {"query": "Fresnel lens"})).structured_content["result"]
        assert found[0]["source"] == "keeper.txt"
        claim = await client.call_tool(
            "verify_claim", {"claim": "The museum has 12 rooms.", "passages": ["The museum has 12 rooms."]}
        )
        assert claim.structured_content["verdict"] == "supported"
        passages = ["Tickets cost 9 crowns and are sold at the village shop, not at the tower."]
        several = {"claim": "Tickets cost 9 crowns each and can be bought at the tower.", "passages": passages}
        worst = (await client.call_tool("verify_claim", several)).structured_content
        assert (worst["verdict"], worst["text"]) == ("contradicted", "Tickets can be bought at the tower.")

    talk(tmp_path, work)


def test_a_text_that_cannot_be_assessed_has_no_score(tmp_path: Path) -> None:
    async def bare(client: Client) -> None:
        answer = await client.call_tool("check_text", {"text": RIGHT})
        assert answer.is_error
        assert "evidence" in answer.content[0].text
        greeting = await client.call_tool("check_text", {"text": GREETING, "contexts": CONTEXTS})
        assert (greeting.is_error, greeting.structured_content["score"]) == (False, None)

    talk(tmp_path, bare, evidence=False)


def test_overlong_unknown_or_failed_requests_are_errors_with_a_reason(tmp_path: Path) -> None:
    async def said(client: Client, tool: str, **values: Any) -> str:
        answer = await client.call_tool(tool, values)
        assert answer.is_error
        return answer.content[0].text

    async def limits(client: Client) -> None:
        assert "at most 100 are taken" in await said(client, "check_text", text=WRONG * 2)
        too_long = await said(client, "check_text", text=RIGHT, question="Why? " * 21)
        assert "The question has 105 characters; at most 100 are taken." in too_long
        assert "not one sentence but 2" in await said(client, "verify_claim", claim=RIGHT)
        assert "Unknown check 'abc'" in await said(client, "get_check", check_id="abc")
        with pytest.raises(mcp.MCPError, match="Unknown check"):
            await client.read_resource("factscope://checks/abc")

    async def failed(client: Client) -> None:
        assert "could not be checked" in await said(client, "check_text", text=RIGHT)

    talk(tmp_path, limits, "--max-characters", "100")
    for method in ("verify", str(failing_cut(tmp_path))):
        talk(tmp_path, failed, "--method", method, "--model", "openai/by-hand", "--replay", str(REPLAY))


def test_wrong_settings_abort_the_start_with_a_reason(tmp_path: Path) -> None:
    done = python("-m", "factscope", "mcp", "--evidence", "nowhere", folder=tmp_path)
    assert done.returncode == 2
    assert "nowhere" in done.stderr
    assert done.stdout == ""
