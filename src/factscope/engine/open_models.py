"""Language models as the settings name them, connected to a server, batch files or a recording."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from factscope.core.errors import UsageError
from factscope.llm.call_cache import Cache
from factscope.llm.cost import Price, Prices, known_prices
from factscope.llm.model_client import ModelClient
from factscope.llm.models_by_role import Models

if TYPE_CHECKING:
    from factscope.engine.settings import Settings
    from factscope.llm.budget import Budget


def open_models(settings: Settings) -> Models:
    """Return models by role. Nothing is opened before the first call."""
    from factscope.llm.budget import Allowance, Budget

    def close_client(client: ModelClient) -> None:
        if client.cache is None:
            return
        if settings.record:
            from factscope.llm.recording import write_recording

            write_recording(client.cache, settings.record, client.used, client.failed)
        client.cache.close()
        if settings.replay:
            shutil.rmtree(client.cache.path.parent, ignore_errors=True)

    def examine_model(model: str) -> None:
        from factscope.llm.providers import endpoint

        if settings.replay:
            return
        where = endpoint(model, os.environ, need_key=settings.batch is None and not settings.dry_run)
        at_home = where.address == where.provider.address
        if settings.max_cost is not None and open_prices(settings).of(model, at_home=at_home) is None:
            raise UsageError(
                f"The price of {model!r} is unknown, so a limit on money can't be enforced.",
                "Give its price in a file (`prices` in factscope.toml, or FACTSCOPE_PRICES), or limit tokens or calls.",
            )

    allowance = Allowance(settings.max_cost, settings.max_tokens, settings.max_calls, settings.max_seconds)
    budget = Budget(allowance)  # one for all event loops: a second check may not spend it again
    return Models(
        lambda: _open_client(settings, budget), settings.model, settings.temperature, examine_model, close_client
    )


def _open_client(settings: Settings, budget: Budget) -> ModelClient:
    """Return a client over one of three senders: a recording, batch files, or live calls; with the cache of replies."""
    from factscope.llm.batch import BatchFolder
    from factscope.llm.http_calls import HttpSender
    from factscope.llm.limits import SILENCE, CallLimits
    from factscope.llm.recording import CacheOnlySender, ReplaySender

    if settings.replay:
        private_cache = Cache(Path(tempfile.mkdtemp(prefix="factscope-")) / "replay.db")
        return ModelClient(ReplaySender(settings.replay, private_cache), private_cache)
    cache = Cache(settings.cache / "replies.db")
    if settings.dry_run:
        return ModelClient(CacheOnlySender(os.environ), cache)
    if settings.batch:
        return ModelClient(BatchFolder(settings.batch, os.environ), cache)
    limits = CallLimits(
        in_flight=settings.in_flight,
        requests_per_minute=settings.requests_per_minute,
        tokens_per_minute=settings.tokens_per_minute,
        timeout=settings.timeout or SILENCE,
    )
    return ModelClient(HttpSender(os.environ, limits, prices=open_prices(settings), budget=budget), cache)


def price_finder(settings: Settings) -> Callable[[str], Price | None]:
    """Return a function from a model, described by its name first, to its price where it is called."""
    from factscope.llm.providers import endpoint

    prices = open_prices(settings)

    def price_of(described: str) -> Price | None:
        model = described.partition(" ")[0]
        where = endpoint(model, os.environ, need_key=False)
        return prices.of(model, at_home=where.address == where.provider.address)

    return price_of


def open_prices(settings: Settings) -> Prices:
    """Return the table of prices that comes with Factscope, with the user's own before it. Raises UsageError."""
    return known_prices().with_file(settings.prices) if settings.prices else known_prices()
