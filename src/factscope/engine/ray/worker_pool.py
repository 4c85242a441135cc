"""The workers of a cluster as one executor: each response goes to a free worker, and lost workers are replaced.

A worker is the engine in its own process, which asks the broker for all outside calls.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from factscope.core import Event, StoreError
from factscope.core.records import Response
from factscope.engine import NumberedEvents, Tools, WorkerLostError, batches_together, restrict_models
from factscope.engine.open_tools import open_tools, open_web_source
from factscope.engine.ray.broker import BrokerClient, BrokerSearch
from factscope.engine.settings import Settings
from factscope.evidence.search.engine import EngineTraits
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
    ) -> AsyncGenerator[list[NumberedEvents], None]:
        """Run `engine.batches_together` with this worker's tools."""
        async for group in batches_together(work, method, restrict_models(method, self._tools), share=share):
            yield group


def remote_tools(tools: Tools, broker: Any, settings: Settings, terms: WorkerConfig) -> Tools:
    """Return tools whose calls and searches are made by the broker."""
    models, sources = tools.models, dict(tools.sources)
    if settings.model:
        models = Models(partial(BrokerClient, broker, terms.addresses), settings.model, settings.temperature)
        if tools.models:
            models.examine, models.other_address = tools.models.examine, tools.models.other_address
    if terms.engine:
        sources["web"] = open_web_source(settings, BrokerSearch(broker, *terms.engine))
    return replace(tools, models=models, sources=sources)


RESPONSES_EACH = 8
"""Responses that a worker has at once: while some wait for the broker, it computes for others."""
_PATIENCE = 120.0
"""Seconds that a new worker has to begin; a cluster may first have to start a machine."""


class Pool:
    """Workers, each with room for several responses. Belongs to one event loop."""

    def __init__(self, spawn: Callable[[], Any], n: int, broker: Any, end: Callable[[], None]) -> None:
        """`spawn` starts a worker, `end` disconnects from the cluster."""
        self.side_by_side = n * RESPONSES_EACH
        self.lost = 0
        """Workers that were lost so far."""
        self._spawn, self._broker, self._end = spawn, broker, end
        self._workers: dict[int, Any] = {number: spawn() for number in range(n)}
        self._free: asyncio.Queue[int | None] = asyncio.Queue()
        self._replacing: set[asyncio.Task[None]] = set()
        for _ in range(RESPONSES_EACH):
            for number in self._workers:
                self._free.put_nowait(number)

    async def batches_together(
        self, work: Sequence[tuple[Response, Sequence[Event]]], method: Method, *, share: bool
    ) -> AsyncGenerator[list[NumberedEvents], None]:
        """Run `engine.batches_together` on one worker.

        Raises WorkerLostError when that is lost on the way, StoreError when none is left and none can be started, and
        the errors of a check.
        """
        from ray.exceptions import RayError, RayTaskError

        number = await self._free_worker()
        worker, complete = self._workers[number], False
        stream = worker.check.options(num_returns="streaming").remote(work, method, share)
        try:
            async for coming in stream:
                yield await coming
            complete = True
        except RayTaskError as error:
            complete = True
            raise error.cause or error from None
        except RayError as error:
            complete = True
            self._replace(number, worker)
            raise WorkerLostError(f"Worker {number} is gone: {type(error).__name__}.") from None
        finally:
            if not complete:
                _cancel(stream)
            if self._workers.get(number) is worker:
                self._free.put_nowait(number)

    async def close(self, patience: float) -> None:
        """End the workers and the broker, which gives calls in flight some seconds to end."""
        import ray
        from ray.exceptions import RayError

        for task in self._replacing:
            task.cancel()
        for worker in self._workers.values():
            ray.kill(worker)
        with suppress(RayError):  # it is gone already; its cache is on disk
            await self._broker.close.remote(patience)
        self._end()

    async def _free_worker(self) -> int:
        """Return the number of a worker with room."""
        number = await self._free.get()
        if number is None:
            self._free.put_nowait(None)  # wakes the next task that waits
            raise StoreError(
                "The cluster has lost all of its workers, and no new worker started.",
                "Finished work is kept: repair the cluster and run the same command again.",
            )
        return number

    def _replace(self, number: int, worker: Any) -> None:
        """Start another worker in place of a lost one, once, however many of its responses report the loss."""
        if self._workers.get(number) is not worker:
            return
        del self._workers[number]
        for slot in [self._free.get_nowait() for _ in range(self._free.qsize())]:
            if slot != number:  # the lost worker has no room any more
                self._free.put_nowait(slot)
        self.lost += 1
        task = asyncio.create_task(self._spawned(number))
        self._replacing.add(task)
        task.add_done_callback(self._replacing.discard)

    async def _spawned(self, number: int) -> None:
        from ray.exceptions import RayError

        worker = self._spawn()
        try:
            await asyncio.wait_for(worker.ready.remote(), _PATIENCE)
        except (RayError, TimeoutError):
            if not self._workers and len(self._replacing) <= 1:
                self._free.put_nowait(None)
            return
        self._workers[number] = worker
        for _ in range(RESPONSES_EACH):
            self._free.put_nowait(number)


def _cancel(stream: Any) -> None:
    """Stop work whose records are no longer needed."""
    import ray
    from ray.exceptions import RayError

    with suppress(RayError, ValueError, TypeError):  # it has ended by itself
        ray.cancel(stream)
