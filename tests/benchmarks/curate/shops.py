"""Shared helpers for tests of stages: tables of prompts, and a stage context with side tables and laboratory models."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from inspect import isawaitable
from pathlib import Path
from typing import Any

import polars as pl

from factscope.benchmarks.curate import CurationParameters, Stage, StageContext, StageResult
from factscope.engine import Tools
from factscope.llm import Cache
from tests import lab
from tests.lab.tools import models_for


def prompts(*texts: str, **columns: Any) -> pl.DataFrame:
    """Build a table of prompts with the ids a, b, c …"""
    ids = [chr(ord("a") + place) for place in range(len(texts))]
    return pl.DataFrame({"id": ids, "prompt": list(texts), **columns})


def shop(
    parameters: Mapping[str, Any] | None = None,
    tools: Tools | None = None,
    folder: Path | None = None,
    **sides: pl.DataFrame,
) -> StageContext:
    """Build a context with these parameters and side tables, and without models unless tools are given."""
    tables = {}
    for name, table in sides.items():
        assert folder is not None
        tables[name] = folder / f"{name}.parquet"
        table.write_parquet(tables[name])
    return StageContext(CurationParameters.model_validate(parameters or {}), tools, tables=tables)


def done(stage: Stage, table: pl.DataFrame, where: StageContext) -> StageResult:
    """Run a stage on a table, then close its tools."""

    async def work() -> StageResult:
        async with where.tools or Tools():
            found = stage.work(table, where)
            return await found if isawaitable(found) else found

    return asyncio.run(work())


def lab_tools(server: lab.Server, models: dict[str, str] | str = "openai/lab", cache: Cache | None = None) -> Tools:
    """Open tools with models that the laboratory serves."""
    return Tools(models=models_for(server, models, cache))


def reasons(dropped: pl.DataFrame) -> dict[str, str]:
    """Map each dropped row's id to its reason."""
    return dict(dropped["id", "reason"].iter_rows())
