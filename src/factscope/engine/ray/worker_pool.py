"""The workers of a cluster as one executor: each response goes to a free worker, and lost workers are replaced."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import suppress
from typing import Any

from factscope.core.errors import StoreError
from factscope.core.events import Event
from factscope.core.records import Response
from factscope.engine import NumberedEvents, WorkerLostError
from factscope.engine.ray.broker import BrokerFailure, model_error
from factscope.engine.ray.worker import CheckRefusal
from factscope.methods import Method

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

        number = await self._seat()
        worker, complete = self._workers[number], False
        stream = worker.check.options(num_returns="streaming").remote(work, method, share)
        try:
            async for coming in stream:
                group = await coming
                if isinstance(group, BrokerFailure | CheckRefusal):
                    complete = True
                    raise (
                        model_error(group)
                        if isinstance(group, BrokerFailure)
                        else group.kind(group.message, group.hint)
                    )
                yield group
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

    async def _seat(self) -> int:
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
        self._unseat(number)
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

    def _unseat(self, number: int) -> None:
        """Remove the free room of a lost worker."""
        slots = [self._free.get_nowait() for _ in range(self._free.qsize())]
        for slot in slots:
            if slot != number:
                self._free.put_nowait(slot)


def _cancel(stream: Any) -> None:
    """Stop work whose records are no longer needed."""
    import ray
    from ray.exceptions import RayError

    with suppress(RayError, ValueError, TypeError):  # it has ended by itself
        ray.cancel(stream)
