"""Writing the records of a run to the store, and reading those of an earlier attempt."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from factscope.core.events import Event
from factscope.core.queued import queued_groups
from factscope.core.records import Failure, Response, Verdict
from factscope.core.version import __version__
from factscope.engine import Provenance
from factscope.engine.run_store import Store


def begin_run(store: Store, run: str, provenance: Provenance, title: str) -> None:
    """Record the settings of a run. Raises StoreError."""
    store.begin(
        run,
        method=provenance.method.model_dump_json(),
        searched=provenance.searched.model_dump_json() if provenance.searched else "null",
        models_and_prompts=json.dumps({"models": dict(provenance.models), "prompts": dict(provenance.prompts)}),
        factscope=__version__,
        title=title,
    )


Write = Callable[[str, Sequence[Event]], "asyncio.Future[None]"]


@dataclass(frozen=True)
class RunWriter:
    """Writer of a run's records."""

    store: Store
    run: str
    write: Write
    """Takes records of a response; its result is done when they are on disk."""

    def earlier_records(self, response: Response, *, only_outcome: bool = False) -> list[Event]:
        """Return the records of an earlier attempt at this response; none when it was another text then."""
        events = self.store.events(self.run, response.id, only_outcome=only_outcome)
        same = any(isinstance(event, Response) and event == response for event in events)
        return events if same else []

    def has_finished(self, response: Response) -> bool:
        """Return whether an earlier attempt finished this response, with nothing left to try again."""
        return is_complete(self.earlier_records(response, only_outcome=True))


@asynccontextmanager
async def open_writer(store: Store, run: str) -> AsyncIterator[Write]:
    """Provide a writer that commits the waiting records of all responses in one transaction.

    A disk takes long to confirm a write.
    """
    queue: asyncio.Queue[tuple[str, Sequence[Event], asyncio.Future[None]] | None] = asyncio.Queue()

    def queue_events(response: str, events: Sequence[Event]) -> asyncio.Future[None]:
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.put_nowait((response, events, done))
        return done

    async def write_groups() -> None:
        async for items in queued_groups(queue):
            failure: Exception | None = None
            try:
                await asyncio.to_thread(store.append_all, run, [(response, events) for response, events, _ in items])
            except Exception as error:  # noqa: BLE001 - those who wait must hear of it, whatever it is
                failure = error
            for _, _, done in items:
                if done.done():
                    continue
                if failure:
                    done.set_exception(failure)
                else:
                    done.set_result(None)

    worker = asyncio.create_task(write_groups())
    try:
        yield queue_events
    finally:
        queue.put_nowait(None)
        await worker


def is_complete(events: Iterable[Event]) -> bool:
    """Return whether the response has its verdict, and nothing is left to try again."""
    events = tuple(events)
    verdicts = [event for event in events if isinstance(event, Verdict)]
    ended = any(verdict.level == "response" for verdict in verdicts)
    failed = any(verdict.outcome == "failed" for verdict in verdicts)
    return ended and not failed and not any(isinstance(event, Failure) and event.about is None for event in events)
