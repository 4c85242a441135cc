"""`factscope search`: the search engines of the web, which are available, and what is missing for the others."""

from __future__ import annotations

import os
from typing import Any

from factscope.cli.calling import load
from factscope.cli.options import AsList
from factscope.cli.output import log, put_json, put_services
from factscope.core import UsageError
from factscope.evidence.search.engine_registry import engine_names, open_engine


def list_engines(format: AsList = "text") -> None:  # noqa: A002 - the option's name
    """List the search engines: which are available, and what is missing for the others. Nothing is searched.

    Example: factscope search --format json
    """
    settings = load({})
    rows = [_described(name) for name in engine_names()]
    if format == "json":
        put_json({"configured": settings.search, "engines": rows})
        return
    put_services(((row["ready"], row["name"], row["state"], row["price"]) for row in rows), "engine", "price")
    if settings.search:
        log(f"Configured: {settings.search}")
    else:
        log("None is configured: name one with --search ENGINE. wikipedia needs neither a key nor an account.")


def _described(name: str) -> dict[str, Any]:

    try:
        engine = open_engine(name, os.environ)
    except UsageError as error:
        state = (error.hint or error.message).removeprefix("Set it in the environment: ").rstrip(".")
        return {"name": name, "ready": False, "state": state, "price": ""}
    price = engine.traits.price
    cost = "unknown" if price is None else "free" if not price.dollars else f"${price.dollars:g} for 1,000"
    where = engine.traits.address.replace("{language}", "en")
    return {"name": name, "ready": True, "state": f"at {where}", "price": cost}
