"""Pairs of all claims in flight, judged in batches: pairs that arrive while a verifier works form its next batch.

Nothing waits for a batch to fill: a single claim is judged at once, and many responses keep the verifier busy.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

from factscope.core import UsageError
from factscope.judging.verifiers.protocol import ClaimPair, Prediction, Verifier, verified

MOST_PAIRS = 256
"""Pairs per batch, although the pairs of one claim are never separated. The limit bounds how long a stopped check has
to wait."""


async def predict_all(verifier: Verifier, pairs: Sequence[ClaimPair]) -> list[Prediction]:
    """Verify the pairs. Raises only the errors of these pairs, not those of others in the batch."""
    queues = _QUEUES.setdefault(asyncio.get_running_loop(), {})
    queue = queues.setdefault(id(verifier), _Queue(verifier))
    queued = _QueuedPair(pairs, asyncio.get_running_loop().create_future())
    queue.waiting.append(queued)
    if queue.worker is None:
        queue.worker = asyncio.create_task(queue.work())
    return await queued.answer


class _QueuedPair(NamedTuple):
    pairs: Sequence[ClaimPair]
    answer: asyncio.Future[list[Prediction]]


class _Queue:
    """Queue of one verifier in one event loop. It keeps the verifier alive, so that no other object gets its id."""

    def __init__(self, verifier: Verifier) -> None:
        self.verifier = verifier
        self.waiting: deque[_QueuedPair] = deque()
        self.worker: asyncio.Task[None] | None = None

    async def work(self) -> None:
        """Judge batch after batch, until the queue is empty."""
        try:
            while batch := self._next():
                await self._answer(batch)
        finally:
            self.worker = None

    def _next(self) -> list[_QueuedPair]:
        """Take as many questions as fit into a batch, at least one, skipping cancelled ones."""
        batch: list[_QueuedPair] = []
        while self.waiting and (not batch or len(_pairs(batch)) + len(self.waiting[0].pairs) <= MOST_PAIRS):
            queued = self.waiting.popleft()
            if not queued.answer.done():
                batch.append(queued)
        return batch

    async def _answer(self, batch: Sequence[_QueuedPair]) -> None:
        """Judge a batch; if that fails, judge each question separately, so that one failure does not affect the others.

        A UsageError affects every question: loading a large verifier again for each would take long.
        """
        pairs = _pairs(batch)
        try:
            predictions = await asyncio.to_thread(verified, self.verifier, pairs)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is raised where the question was asked
            for queued in batch:
                if len(batch) > 1 and not isinstance(error, UsageError):
                    await self._answer([queued])
                elif not queued.answer.done():
                    queued.answer.set_exception(error)
            return
        for queued in batch:
            own_predictions, predictions = predictions[: len(queued.pairs)], predictions[len(queued.pairs) :]
            if not queued.answer.done():
                queued.answer.set_result(own_predictions)


_QUEUES: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[int, _Queue]] = WeakKeyDictionary()


def _pairs(batch: Sequence[_QueuedPair]) -> list[ClaimPair]:
    return [pair for queued in batch for pair in queued.pairs]
