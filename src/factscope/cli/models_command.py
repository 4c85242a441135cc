"""`factscope models`: the providers of language models, which are available, and what is missing for the others."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple
from urllib.request import Request, urlopen

from factscope.cli.calling import load
from factscope.cli.options import AsList
from factscope.cli.output import log, put_json, put_services
from factscope.core import UsageError
from factscope.llm.cost import known_prices
from factscope.llm.providers import Endpoint, endpoint, provider_names

_SECONDS = 1.0
"""Seconds that a server on this machine may take to list its models."""
_MAX_MODELS = 6  # models of a server that fit a line
_SET = "Set it in the environment: "


class ProviderRow(NamedTuple):
    """A provider."""

    provider: str
    ready: bool
    """Whether a call can be made now: its key is set, or its server on this machine answers."""
    state: str
    """Where the key comes from, or what is missing and how to fix it."""
    models: tuple[str, ...]
    """Its models with a known price, or those that its server offers."""
    served: bool = False
    """Whether `models` are those that its server offers."""


def list_models(format: AsList = "text") -> None:  # noqa: A002 - the option's name
    """List the providers of language models: which are available, and what is missing for the others.

    Nothing is sent to a provider on the web: one is available when its key is set. Servers on this machine are asked
    which models they have. Any other server with OpenAI's interface is named openai/MODEL, with OPENAI_BASE_URL.

    Example: factscope models --format json
    """
    settings = load({})
    names = provider_names()
    with ThreadPoolExecutor(len(names)) as pool:
        rows = list(pool.map(_row, names))
    if format == "json":
        put_json({"configured": settings.model, "providers": [row._asdict() for row in rows]})
        return
    put_services(((row.ready, row.provider, row.state, _models(row)) for row in rows), "provider", "models")
    if settings.model:
        log("Configured: " + ", ".join(f"{role}={model}" for role, model in sorted(settings.model.items())))
    else:
        log("None is configured: name one with --model PROVIDER/MODEL, FACTSCOPE_MODEL or factscope.toml.")


def _row(name: str) -> ProviderRow:

    priced = tuple(model.partition("/")[2] for model in known_prices().models if model.startswith(f"{name}/"))
    try:
        server = endpoint(f"{name}/model", os.environ)
    except UsageError as error:
        return ProviderRow(name, False, (error.hint or error.message).removeprefix(_SET), priced)
    if server.provider.key_needed:
        return ProviderRow(
            name, True, f"{server.key_variable} is set" if server.key else f"at {server.address}", priced
        )
    served = _served(server)
    if served is None:
        where = f", or set {server.provider.addresses[0]}" if server.provider.addresses else ""
        return ProviderRow(name, False, f"Nothing answers at {server.address}: start it{where}", ())
    return ProviderRow(name, True, f"answers at {server.address}", served, served=True)


def _served(address: Endpoint) -> tuple[str, ...] | None:
    """Return the models that a server lists; `None` when it does not answer."""
    try:
        request = Request(f"{address.address.rstrip('/')}/models", headers=dict(address.headers))  # noqa: S310 - http(s)
        with urlopen(request, timeout=_SECONDS) as reply:  # noqa: S310 - as above
            values = json.loads(reply.read(1 << 20))
    except (OSError, ValueError):
        return None
    listed: Any = values.get("data") if isinstance(values, dict) else None
    entries: Sequence[Any] = listed if isinstance(listed, list) else ()
    return tuple(str(entry["id"]) for entry in entries if isinstance(entry, dict) and "id" in entry)


def _models(row: ProviderRow) -> str:
    """Return the first models that a server offers; for a vendor, the number with a known price."""
    if not row.served:
        return f"{len(row.models):,} with a known price" if row.models else ""
    more = f" and {len(row.models) - _MAX_MODELS} more" if len(row.models) > _MAX_MODELS else ""
    return ", ".join(row.models[:_MAX_MODELS]) + more
