"""Stored checks: their records go to the store as they are made, and the same call resumes after any interruption.

`check_stored` is for one response, `run_many` for a data set of them: one run, many responses side by side.

If a method's judge is asked only about claims and passages, short responses can share its calls (`Tools.share_calls`).
The data set decides which ones: it is processed in blocks of twelve rows, and the short responses of a block share
calls, see `llm.shared_calls`.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from itertools import chain, islice

from factscope.core import Event, InputError, __version__, reusable_records
from factscope.core.records import Report, Response
from factscope.engine.check import OnEvents, as_response, batches_together
from factscope.engine.data_rows import DataRows, LeftOutRow, RowReading
from factscope.engine.fold import Provenance, fold
from factscope.engine.run_store import RunWriter, Store, is_complete
from factscope.engine.tools import Tools, WorkerLostError, judges, lacks_evidence, provenance
from factscope.llm.session import gather_all
from factscope.methods import Method

_TITLE = 80  # characters of a run's title in lists
_SIDE_BY_SIDE = 16
"""Responses worked on at once by a method that asks models; a method that computes is done with two."""
TOGETHER = 12
"""Rows of a block, whose short responses share calls: as many as a call of the method `standard` judges claims."""
SHORT = 500
"""Characters of a short response, at most: it has few claims, and soon waits for others that share its calls."""
_BLOCK_SHARE = 4
"""Divisor of the number of concurrent blocks against that of responses, since responses of a block wait for each other.
"""
ReadReport = Callable[[], Report]
"""Assembles a report from its records; a report that an earlier attempt finished is read from disk only then."""
_UNASSESSED = "not assessed, since it has neither contexts nor other evidence"
_LIVES = 5
"""Processes that may be lost over one response before it is left out, because it may be the cause."""


def run_id(subject: str, provenance: Provenance, judge: str) -> str:
    """Return the name of a run: equal for the same subject, method, models, prompts, evidence, judge and version.

    `judge` comes from `judges`, and tells the addresses of the models too.
    """
    models_and_prompts = json.dumps([dict(provenance.models), dict(provenance.prompts)], sort_keys=True)
    searched_id = provenance.searched.id if provenance.searched else ""
    identity = (__version__, subject, provenance.method.model_dump_json(), models_and_prompts, searched_id, judge)
    return hashlib.sha256("\x00".join(identity).encode()).hexdigest()[:16]


def title_of(text: str) -> str:
    """Return the title of the check of a text in lists: its beginning, on one line."""
    return " ".join(text[: 2 * _TITLE].split())[:_TITLE]


def _run_title(name: str) -> str:
    """Return the title of a run in lists: its name, of a long one the beginning and the end."""
    return name if len(name) <= _TITLE else f"{name[: _TITLE // 4]}…{name[1 - _TITLE * 3 // 4 :]}"


async def check_stored(
    response: Response | str,
    method: Method,
    tools: Tools,
    store: Store,
    on_events: OnEvents = lambda events: None,
    *,
    fresh: bool = False,
) -> Report:
    """Run `check` and keep its records in `store`; a stopped check resumes, a finished one is read back.

    `on_events` is called with records once they are on disk, those of an earlier attempt first. `fresh` drops the
    earlier attempt. Units that failed are tried again. Raises StoreError, and the errors of `check`.
    """
    response = as_response(response)
    origin = provenance(method, tools)
    run = run_id(response.model_dump_json(), origin, judges(method, tools))
    with store.owned(run):
        store.begin(run, origin, title_of(response.text))
        async with RunWriter(store, run) as writer:
            checks = _Checks(method, tools, origin, writer, share=False)
            async with aclosing(checks.reports([response], on_events, fresh=fresh)) as reports:
                report = await anext(reports)
        store.finish(run)
    return report


@dataclass
class RunProgress:
    """Progress of a run over many responses."""

    run: str
    """Its id."""
    reading: RowReading = field(default_factory=RowReading)
    """How far the rows of its data were read."""
    ids: list[str] = field(default_factory=list)
    """Responses that were checked or read back, in the order of the data: those that count."""
    done: int = 0
    """Responses with a report, including those of earlier attempts."""
    reused: int = 0
    """Of these, finished by an earlier attempt."""
    with_failures: int = 0
    """Of these, responses with failures."""
    to_try_again: int = 0
    """Of those, the ones that another run may complete: not those with units that a verifier can't read."""
    refused: list[tuple[str, str]] = field(default_factory=list)
    """Responses that can't be checked, and why."""
    unassessed: list[str] = field(default_factory=list)
    """Responses that came without anything to check them against."""
    models: dict[str, str] = field(default_factory=dict)
    """Models that wrote the refused and unassessed responses, by id, as far as their rows name them."""
    stopped: str | None = None
    """Reason why no further response was started; None when all were."""

    @property
    def incomplete(self) -> bool:
        """Return whether a response was refused, failed in part, or was not reached; a command then exits with 1."""
        return bool(self.stopped or self.with_failures or self.refused)

    @property
    def left_out(self) -> list[LeftOutRow]:
        """The rows that could not be read, and the responses that could not be checked or had nothing for it."""
        reasons = [*self.refused, *((name, _UNASSESSED) for name in self.unassessed)]
        return [*self.reading.unread, *(LeftOutRow(name, reason, self.models.get(name)) for name, reason in reasons)]

    def refuse(self, response: Response, reason: str) -> None:
        """Note a response that can't be checked."""
        self.refused.append((response.id, reason))
        self._note_model(response)

    def pass_unassessed(self, response: Response) -> None:
        """Note a response that came without anything to check it against."""
        self.unassessed.append(response.id)
        self._note_model(response)

    def _note_model(self, response: Response) -> None:
        if response.model:
            self.models[response.id] = response.model


OnReport = Callable[[ReadReport, RunProgress], None]
"""Called for each finished response, with its report and the progress so far."""


@dataclass(frozen=True)
class Runner:
    """Tools, store and listener of runs over many responses."""

    tools: Tools
    store: Store
    on_report: OnReport = lambda read, many: None
    fresh: bool = False
    """Whether earlier attempts are dropped."""


async def run_many(
    responses: Iterable[Response],
    method: Method,
    runner: Runner,
    name: str,
    on_report: OnReport = lambda read, many: None,
    *,
    reading: RowReading | None = None,
) -> RunProgress:
    """Check many responses and store each report as it is made; the same call resumes where an earlier one stopped.

    `name` identifies the data set; with the method, models, prompts and evidence it determines the run's id. Responses
    are taken one by one as there is room, so that memory does not grow with their number. `on_report`, and after it
    that of the runner, is called for each that is done, with a function that reads its report. A response that changed
    since an earlier attempt is checked again. When a budget is used up, no further response is started. With `reading`,
    to which the iterator of `responses` adds the rows that it can't read, the run stores which rows were left out, and
    that responses which are no longer in the data do not count. Raises StoreError, and the errors of `check` for a call
    that can't succeed.
    """
    tools, store = runner.tools, runner.store
    origin = provenance(method, tools)
    share = tools.share_calls and _can_share(method)
    judge = judges(method, tools) + (" sharing calls" if share else "")
    many = RunProgress(run_id(name, origin, judge), reading or RowReading())
    rows, turn = iter(responses), asyncio.Lock()

    def report_done(read: ReadReport) -> None:
        on_report(read, many)
        runner.on_report(read, many)

    # Read before anything is stored: data that can't be read leave no run behind.
    first = await asyncio.to_thread(list, islice(rows, 1))
    rows = chain(first, rows)
    with store.owned(many.run):
        store.begin(many.run, origin, _run_title(name))
        async with RunWriter(store, many.run) as writer:
            run = _ManyRun(method, tools, origin, writer, share, many, report_done, runner.fresh)
            size = TOGETHER if share else 1

            async def worker() -> None:
                while True:
                    async with turn:  # the next rows may have to be fetched: in a thread, and one at a time
                        block = [] if many.stopped else await asyncio.to_thread(list, islice(rows, size))
                    if not block:
                        return
                    await run.check_block(block)

            await gather_all(worker() for _ in range(_at_once(origin, tools, share=share)))
        if reading:
            store.note_data_rows(many.run, _data_rows(store, many, run.ids))
        if many.stopped is None and not many.with_failures:
            store.finish(many.run)
    return many


def _data_rows(store: Store, many: RunProgress, seen: set[str]) -> DataRows:
    """Return the note about the rows of the data, after these responses were read."""
    counted = frozenset(many.ids)
    if many.stopped is None and many.reading.is_whole(len(seen)):
        return DataRows.of_all(many.left_out, stored=store.ended(many.run), counted=counted)
    n_rows = len(seen) + len(many.reading.unread)
    return store.data_rows(many.run).after(many.left_out, read_ids=seen, counted=counted, n_rows=n_rows)


def _can_share(method: Method) -> bool:
    from factscope.judging.shared_pairs import shares_calls  # not needed by methods without a model

    return shares_calls(method)


def _at_once(provenance: Provenance, tools: Tools, *, share: bool) -> int:
    """Return the number of responses, or blocks of them, that are worked on side by side."""
    at_once = _SIDE_BY_SIDE if provenance.models else 2
    if tools.elsewhere:
        at_once = tools.elsewhere.side_by_side
    return max(1, at_once // _BLOCK_SHARE) if share else at_once


@dataclass(frozen=True)
class _Checks:
    """Checks of a run, whose records are stored as they are made."""

    method: Method
    tools: Tools
    provenance: Provenance
    writer: RunWriter
    share: bool
    """Whether short responses share calls."""

    async def reports(
        self, responses: Sequence[Response], on_events: OnEvents = lambda events: None, *, fresh: bool
    ) -> AsyncGenerator[Report, None]:
        """Check responses of a run together, or read the reports of an earlier attempt; each is reported when it ends.

        `on_events` is called with the records of all.
        """
        work: list[tuple[Response, list[Event]]] = []
        for response in responses:
            events = [] if fresh else self.writer.earlier_records(response)
            if is_complete(events, self.writer.store.unit_ids(self.writer.run, response.id)):
                on_events(tuple(events))
                yield self.writer.store.report(self.writer.run, response.id, self.provenance)
                continue
            # Without records to reuse, those in the store are about another text.
            self.writer.store.reopen(self.writer.run, response.id, fresh=fresh or not events)
            work.append((response, list(reusable_records(events))))
            on_events(tuple(work[-1][1]))
        if not work:
            return
        made = [events for _, events in work]
        if self.tools.elsewhere:
            working = self.tools.elsewhere.batches_together(work, self.method, share=self.share)
        else:
            working = batches_together(work, self.method, self.tools, share=self.share)
        async with aclosing(working) as groups:
            async for group in groups:
                if records := [(work[n][0].id, ready) for n, ready in group if ready]:
                    await self.writer.write(records)
                for number, ready in group:
                    if ready is None:
                        yield fold(made[number], self.provenance)
                    else:
                        made[number].extend(ready)
                        on_events(ready)


@dataclass(frozen=True)
class _ManyRun(_Checks):
    """A run over many responses under way."""

    progress: RunProgress
    report_done: Callable[[ReadReport], None]
    fresh: bool
    ids: set[str] = field(default_factory=set)

    async def check_block(self, block: Sequence[Response]) -> None:
        """Check consecutive responses: the short ones together, the others separately."""
        to_check = [response for response in map(self._checkable, block) if response]
        short = [response for response in to_check if len(response.text) <= SHORT]
        groups = [short, *([response] for response in to_check if len(response.text) > SHORT)]
        await gather_all(self._check(group, fresh=self.fresh) for group in groups if group)

    def _checkable(self, response: Response) -> Response | None:
        """Return the response if it needs a check; one that does not, or is already finished, is counted."""
        if response.id in self.ids:
            self.progress.refuse(response, "Another response of this run has the same id.")
            return None
        self.ids.add(response.id)
        if lacks_evidence(response, self.method, self.tools):
            self.progress.pass_unassessed(response)
            return None
        try:
            response = as_response(response)
        except InputError as error:
            self.progress.refuse(response, str(error))
            return None
        self.progress.ids.append(response.id)
        if not self.fresh and self.writer.has_finished(response):
            self.progress.done += 1
            self.progress.reused += 1
            self.report_done(lambda: self.writer.store.report(self.writer.run, response.id, self.provenance))
            return None
        return response

    async def _check(self, group: Sequence[Response], *, fresh: bool) -> None:
        """Check responses together; if their process is lost, check them separately, since one may be the cause."""
        left = {response.id: response for response in group}
        for life in range(_LIVES):
            try:
                async with aclosing(self.reports(tuple(left.values()), fresh=fresh and life == 0)) as reports:
                    async for report in reports:
                        del left[report.response.id]
                        self._count(report)
                return
            except WorkerLostError as error:
                lost = str(error)
            if len(left) > 1:
                await gather_all(self._check([response], fresh=False) for response in left.values())
                return
        reason = f"{_LIVES} processes were lost while checking it. The last: {lost}"
        for response in left.values():
            self.progress.refuse(response, reason)

    def _count(self, report: Report) -> None:
        many = self.progress
        many.done += 1
        failed = bool(report.counts["failed"]) or any(failure.about is None for failure in report.failures)
        many.with_failures += failed
        many.to_try_again += failed and may_be_mended(report)
        if any(failure.boundary == "budget" for failure in report.failures):
            many.stopped = next(f.message for f in report.failures if f.boundary == "budget")
        self.report_done(lambda: report)


def may_be_mended(report: Report) -> bool:
    """Return whether a failed check may succeed another time; a verifier that can't read a unit never will."""
    return bool(report.failures) or any(judgement.failure for judgement in report.judgements)
