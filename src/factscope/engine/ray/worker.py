"""A worker: the engine in its own process, which asks the broker for all outside calls."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from factscope.core.errors import InputError, StoreError, UsageError
from factscope.core.events import Event
from factscope.core.records import Response
from factscope.engine import NumberedEvents, Tools, batches_together, restrict_models
from factscope.engine.open_tools import open_tools, open_web_source
from factscope.engine.ray.broker import BrokerFailure
from factscope.engine.ray.remote_clients import BrokerClient, BrokerSearch
from factscope.engine.settings import Settings
from factscope.evidence.search.engine import EngineTraits
from factscope.llm.model_errors import ModelError
from factscope.llm.models_by_role import Models
from factscope.methods import Method


@dataclass(frozen=True)
class WorkerConfig:
    """Configuration that a worker needs to act as the driver would."""

    settings: Mapping[str, Any]
    """The driver's, as plain values; without secrets, which no setting holds."""
    addresses: Mapping[str, str]
    """Base address of each model."""
    engine: tuple[str, EngineTraits] | None
    """The search engine and its traits; only the broker has its key."""


@dataclass(frozen=True)
class CheckRefusal:
    """An error that ends a check, as a value."""

    kind: type[InputError] | type[StoreError] | type[UsageError]
    message: str
    hint: str


class Worker:
    """Runs as an actor that works on several responses at once."""

    def __init__(self, terms: WorkerConfig, broker: Any) -> None:
        """Open the documents that the settings name: they must be where the driver has them."""
        settings = Settings(**terms.settings)
        local_tools = open_tools(settings=settings.model_copy(update={"model": {}, "search": None}))
        self._tools = remote_tools(local_tools, broker, settings, terms)

    def ready(self) -> int:
        """Return the process that it is."""
        return os.getpid()

    async def check(
        self, work: Sequence[tuple[Response, Sequence[Event]]], method: Method, share: bool
    ) -> AsyncGenerator[list[NumberedEvents] | BrokerFailure | CheckRefusal, None]:
        """Run `engine.batches_together` with this worker's tools; a failure of ours comes last, as a value."""
        try:
            async for group in batches_together(work, method, restrict_models(method, self._tools), share=share):
                yield group
        except ModelError as error:
            yield BrokerFailure(error.kind, error.message, error.hint, error.wait)
        except (InputError, StoreError, UsageError) as error:
            yield CheckRefusal(type(error), error.message, error.hint)


def remote_tools(tools: Tools, broker: Any, settings: Settings, terms: WorkerConfig) -> Tools:
    """Return tools whose calls and searches are made by the broker."""
    models, sources = tools.models, dict(tools.sources)
    if settings.model:
        examine = models.examine if models else str
        addresses = terms.addresses
        models = Models(lambda: BrokerClient(broker, addresses), settings.model, settings.temperature, examine)
    if terms.engine:
        sources["web"] = open_web_source(settings, BrokerSearch(broker, *terms.engine))
    return replace(tools, models=models, sources=sources)
