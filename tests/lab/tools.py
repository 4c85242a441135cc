"""Models of the laboratory, wired as `settings.open_tools` wires real ones, with limits that make no test wait."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from factscope.engine import Tools
from factscope.llm import ALL, Cache, CallLimits, HttpSender, ModelClient, Models

from . import Server

QUICK = CallLimits(tries=2, first_wait=0.001, timeout=60.0, head_start=60.0, cool_down=0.01, failures_in_a_row=10**6)


def models_for(
    server: Server, by_role: dict[str, str] | str = "openai/lab", cache: Cache | None = None, **limits: Any
) -> Models:
    """Make models answered by `server`, one for all roles or by role. `limits` are fields of `Limits`."""
    environment = {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "sk-lab"}
    roles = {ALL: by_role} if isinstance(by_role, str) else by_role
    return Models(lambda: ModelClient(HttpSender(environment, replace(QUICK, **limits)), cache), roles)


def with_models(tools: Tools, models: Models, groups: int = 64) -> Tools:
    """Return the same evidence and verifiers with these models."""
    return replace(tools, models=models, groups=groups)
