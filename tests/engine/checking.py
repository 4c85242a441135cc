"""Helpers that check a text against the laboratory, for the tests of this folder."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from typing import Any

from factscope.core.records import Report, Response
from factscope.engine import Tools, check, find_method
from factscope.llm import Cache
from factscope.methods import Method
from tests import lab
from tests.lab.tools import models_for, with_models

ASKING = ["verify", "safe", "facts-and-evidence", "factscore", "veriscore", "standard"]
"""Methods that call a language model."""
STANDARD = find_method("standard")


def checked(
    text: str | Response,
    method: Method | str,
    tools: Tools,
    server: lab.Server,
    *,
    models: dict[str, str] | str = "openai/lab",
    cache: Cache | None = None,
    groups: int = 64,
    **limits: Any,
) -> Report:
    """Check a text with a model of the laboratory. `limits` are fields of `Limits`."""

    async def run() -> Report:
        asked = find_method(method) if isinstance(method, str) else method
        async with with_models(tools, models_for(server, models, cache, **limits), groups) as wired:
            return await check(text, asked, wired)

    return asyncio.run(run())


def outcomes(report: Report) -> dict[str, str]:
    """Return the outcome of each claim, by its standalone text."""
    claims = {claim.id: claim.standalone for claim in report.claims}
    return {claims[v.unit_id]: v.outcome for v in report.verdicts if v.level == "claim"}


def adds_up(report: Report) -> bool:
    """Return whether every unit has exactly one outcome."""
    return sum(report.counts.values()) == len(report.unit_ids())


def calls(report: Report) -> dict[str, int]:
    """Return the calls made, by role."""
    return {usage.role: usage.calls for usage in report.usage}


def questions(server: lab.Server, start: str) -> list[dict[str, str]]:
    """Return the material of each question whose system message starts with `start`, by block name."""
    found = []
    for row in server.log():
        system, user = json.loads(row["body"])["messages"][:2]
        if system["content"].startswith(start):
            blocks = re.findall(r"<<<DATA (.+?) [0-9a-f]{12}>>>\n(.*?)\n<<<END", user["content"], re.DOTALL)
            found.append({name: re.sub(r"^> ", "", text, flags=re.MULTILINE) for name, text in blocks})
    return found


def ids_in(text: str) -> list[str]:
    """Return the distinct ids before the lines of a block."""
    return list(dict.fromkeys(line.partition(": ")[0] for line in text.split("\n") if ": " in line))


def places(report: Report) -> Counter[tuple[str, int]]:
    """Count the passages at each place of the documents."""
    return Counter((passage.document_id, passage.span.start) for passage in report.passages)


def changed(method: Method | str, **fields: Any) -> Method:
    """Return a validated method with changes: `judge={"samples": 3}` sets one field of its judge."""
    plain = (find_method(method) if isinstance(method, str) else method).model_dump()
    for name, value in fields.items():
        if isinstance(value, dict) and isinstance(plain[name], dict):
            plain[name] = _merged(plain[name], value)
        else:
            plain[name] = value
    return Method.model_validate(plain)


def _merged(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    both = {
        name: _merged(old[name], new[name])
        for name in new
        if isinstance(old.get(name), dict) and isinstance(new[name], dict)
    }
    return {**old, **new, **both}
