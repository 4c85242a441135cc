"""The engine: one response through the stages, its records as they are made, and the report as their fold.

    segment → claims → evidence → judging → verdicts → scores

Claims are worked on side by side, in no promised order; ids keep the order, and the same records fold to the same
report whatever order they came in. A stage that fails for a claim leaves a `Failure` record, made here and only here.
"""

from __future__ import annotations

import asyncio
import string
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from factscope.claims import cut
from factscope.errors import BoundaryError, InputError, UsageError
from factscope.events import Event, claim_id_of, record_key
from factscope.evidence.collection import Collection
from factscope.evidence.query import write_query
from factscope.ids import id_key
from factscope.judging.verifier import Opinion, Pair, Verifier
from factscope.labels import Stage
from factscope.method import Method
from factscope.records import (
    Claim,
    Document,
    Exclusions,
    Failure,
    Judgement,
    Passage,
    Quote,
    Report,
    Response,
    Searched,
    Segment,
    Usage,
    Verdict,
)
from factscope.scores import find, measure
from factscope.text.segments import segment
from factscope.verdicts import claim_verdict, counts, roll_up
from factscope.version import __version__

MAX_CHARACTERS = 2_000_000
"""Longest text that is checked in one piece."""
_BLANK = string.whitespace + "\u00a0\u2028\u2029\u200b\u200c\u200d\u2060\ufeff"
_SHOWN_PROBLEMS = 100
_LOOK_BACK = 8
"""How many earlier claims may lend their names to a query."""


T = TypeVar("T")


@dataclass(frozen=True)
class Tools:
    """What a method may use, wired once (see `config.open_tools`)."""

    collections: Mapping[str, Collection] = field(default_factory=dict)
    """Local evidence by name."""
    verifiers: Mapping[str, Callable[[], Verifier]] = field(default_factory=dict)
    """How to load each verifier, by name."""
    workers: int = 4
    """Claims worked on at once."""


OnEvents = Callable[[tuple[Event, ...]], None]
"""Is told of records as they are made."""


async def check(
    response: Response | str, method: Method, tools: Tools, on_events: OnEvents = lambda events: None
) -> Report:
    """Check one response and report on it.

    Raises UsageError when the tools lack what the method names, and InputError when there is no text to check or too
    much of it. What fails inside is a `Failure` in the report, never an exception.
    """
    events: list[Event] = []
    async with aclosing(batches(response, method, tools)) as groups:
        async for group in groups:
            on_events(group)
            events.extend(group)
    return fold(events, method, searched(method, tools))


def check_sync(response: Response | str, method: Method, tools: Tools) -> Report:
    """`check` for code that is not asynchronous, notebooks included. Raises what `check` raises."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(check(response, method, tools))
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, check(response, method, tools)).result()


async def stream(
    response: Response | str, method: Method, tools: Tools, done: Sequence[Event] = ()
) -> AsyncGenerator[Event, None]:
    """Check one response and yield each record as it is made. Raises what `check` raises, before the first record.

    `done` holds records of an earlier attempt. Claims that `settled` finds in them are not worked on again, and their
    records are not yielded again.
    """
    async with aclosing(batches(response, method, tools, done)) as groups:
        async for group in groups:
            for event in group:
                yield event


async def batches(
    response: Response | str, method: Method, tools: Tools, done: Sequence[Event] = ()
) -> AsyncGenerator[tuple[Event, ...], None]:
    """`stream` with the records that are ready at one time together, so that a store can commit them as one."""
    work = _Work(as_response(response), method, tools, settled(done))
    task = asyncio.create_task(work.run())
    try:
        while group := await work.ready():
            yield group
        await task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def as_response(response: Response | str) -> Response:
    """Text as a response. Raises InputError when there is no text to check, too much of it, or it can't be written."""
    if isinstance(response, str):
        response = Response(text=response)
    if not response.text.strip(_BLANK):
        raise InputError("The text is empty.", "Give a text with at least one sentence.")
    try:
        response.text.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"The text holds half of a surrogate pair (character {error.start:,}).", "Decode it as the UTF-8 it is."
        ) from None
    if len(response.text) > MAX_CHARACTERS:
        raise InputError(
            f"The text has {len(response.text):,} characters; at most {MAX_CHARACTERS:,} are checked in one piece.",
            "Split it and check the parts.",
        )
    return response


def settled(events: Iterable[Event]) -> tuple[Event, ...]:
    """The records of an earlier attempt that stand: those of claims with a verdict that is not a failure."""
    events = tuple(events)
    ended = {e.unit_id for e in events if isinstance(e, Verdict) and e.level == "claim" and e.outcome != "failed"}
    return tuple(e for e in events if claim_id_of(e) in ended or isinstance(e, Document))


def searched(method: Method, tools: Tools) -> Searched:
    """What the method searches. Raises UsageError when the tools lack it."""
    collection = _collection(method, tools)
    problems = [str(problem) for problem in collection.problems]
    more = [f"and {len(problems) - _SHOWN_PROBLEMS:,} more"] if len(problems) > _SHOWN_PROBLEMS else []
    return Searched(
        id=collection.id,
        n_documents=len(collection),
        n_passages=collection.n_passages,
        problems=(*problems[:_SHOWN_PROBLEMS], *more),
    )


def fold(events: Iterable[Event], method: Method, searched: Searched | None) -> Report:
    """The report that these records add up to. The order of `events` does not matter.

    Raises ValueError when they are not the records of one finished check.
    """
    report = _unscored(events, method, searched)
    complete = Report.model_validate(
        {**dict(report), "counts": counts(report.verdicts, report.segments, report.claims)}
    )
    return complete.model_copy(update={"scores": measure(complete, method.scores)})


def _unscored(events: Iterable[Event], method: Method, searched: Searched | None) -> Report:
    """The records of a check under way in the form of a report, not validated: it may lack verdicts."""
    fields = _by_field(events)
    (response,) = fields.pop("responses")
    named = {passage.document_id for passage in fields["passages"]}
    fields["documents"] = tuple(document for document in fields["documents"] if document.id in named)
    bare = Report.model_construct(
        factscope=__version__, response=response, method=method.model_dump(mode="json"), searched=searched
    )
    return bare.model_copy(update=fields)


def _by_field(events: Iterable[Event]) -> dict[str, tuple[Any, ...]]:
    """Records by the report's field for them, each once, in order of id. Scores are left out: they are computed."""
    fields: dict[str, dict[str, Event]] = {field: {} for field in _FIELDS.values()}
    for event in events:
        if event.type in _FIELDS:
            fields[_FIELDS[event.type]][record_key(event)] = event
    return {field: tuple(sorted(group.values(), key=_place)) for field, group in fields.items()}


_FIELDS = {
    "response": "responses",
    "segment": "segments",
    "claim": "claims",
    "query": "queries",
    "document": "documents",
    "passage": "passages",
    "judgement": "judgements",
    "verdict": "verdicts",
    "failure": "failures",
    "usage": "usage",
}


def _place(event: Event) -> tuple[tuple[str, int], ...]:
    return id_key(record_key(event))


class _Work:
    """One check under way: what it has made so far, and what waits to be taken."""

    def __init__(self, response: Response, method: Method, tools: Tools, done: tuple[Event, ...]) -> None:
        self.response, self.method, self.tools = response, method, tools
        self.verifier = find_verifier(method, tools)
        self.collection = _collection(method, tools)
        self.searched = searched(method, tools)
        for score in method.scores:
            find(score)  # an unknown score is a wrong call, and must not wait for the end of the check
        self.made: list[Event] = list(done)
        self.waiting: asyncio.Queue[Event | None] = asyncio.Queue()

    def emit(self, *events: Event) -> None:
        """Add records to what is made, and to what waits."""
        self.made.extend(events)
        for event in events:
            self.waiting.put_nowait(event)

    async def ready(self) -> tuple[Event, ...]:
        """The records made since the last call, waiting for the first; empty when there will be no more."""
        group = [await self.waiting.get()]
        while group[-1] is not None and not self.waiting.empty():
            group.append(self.waiting.get_nowait())
        if group[-1] is None and len(group) > 1:
            self.waiting.put_nowait(None)
        return tuple(event for event in group if event is not None)

    async def run(self) -> None:
        """Do the check; what waits ends with it, however it ends."""
        try:
            await self._run()
        finally:
            self.waiting.put_nowait(None)

    async def _run(self) -> None:
        settled_claims = {claim_id_of(event) for event in self.made}
        self.emit(self.response)
        cutting = asyncio.to_thread(segment, self.response.text, self.method.segment)
        segments = await _guard(self.response.id, "segment", cutting, self.emit) or ()
        self.emit(*segments)
        claims = [claim for one in segments if (claim := await _guard(one.id, "claims", _cut(one), self.emit))]
        todo = iter([(place, claim) for place, claim in enumerate(claims) if claim.id not in settled_claims])

        async def worker() -> None:
            for place, claim in todo:
                await self._work_on(claim, claims[max(0, place - _LOOK_BACK) : place][::-1])

        async with asyncio.TaskGroup() as group:
            for _ in range(self.tools.workers):
                group.create_task(worker())
        self._finish()

    async def _work_on(self, claim: Claim, before: Sequence[Claim]) -> None:
        """Evidence, judgements and verdict for one claim."""
        self.emit(claim)
        mine: list[Event] = []

        def emit(*events: Event) -> None:
            mine.extend(events)
            self.emit(*events)

        if claim.skipped is None:
            passages = await _guard(claim.id, "evidence", self._gather(claim, before, emit), emit)
            if passages:
                await _guard(claim.id, "judging", self._judge(claim, passages, emit), emit)
        emit(
            claim_verdict(
                claim,
                [event for event in mine if isinstance(event, Judgement)],
                [event for event in mine if isinstance(event, Failure)],
                self.method.roll_up,
            )
        )

    async def _gather(self, claim: Claim, before: Sequence[Claim], emit: Callable[..., None]) -> list[Passage]:
        query = write_query(claim, before)
        emit(query)
        found = await asyncio.to_thread(self.collection.search, query.text, self.method.evidence.passages)
        passages = [
            Passage(
                id=f"{claim.id}.p{rank}",
                claim_id=claim.id,
                document_id=hit.document.id,
                span=hit.span,
                text=hit.text,
                rank=rank,
                score=hit.score,
                query_id=query.id,
            )
            for rank, hit in enumerate(found, 1)
        ]
        emit(*{hit.document.id: hit.document for hit in found}.values(), *passages)
        return passages

    async def _judge(self, claim: Claim, passages: Sequence[Passage], emit: Callable[..., None]) -> None:
        pairs = [Pair(claim.standalone, passage.text) for passage in passages]
        opinions = await asyncio.to_thread(self.verifier.verify, pairs)
        emit(
            *(
                _judgement(claim, passage, opinion, self.verifier.name)
                for passage, opinion in zip(passages, opinions, strict=True)
            )
        )

    def _finish(self) -> None:
        """Verdicts on segments and response, usage and scores: pure functions of the records made so far."""
        calls = Counter(event.judge for event in self.made if isinstance(event, Judgement))
        self.emit(*(Usage(role="judge", model=judge, calls=n, cost=0.0) for judge, n in sorted(calls.items())))
        so_far = _unscored(self.made, self.method, self.searched)
        verdicts = roll_up(so_far, self.method.roll_up, Exclusions())
        self.emit(*(verdict for verdict in verdicts if verdict.level != "claim"))
        self.emit(*fold(self.made, self.method, self.searched).scores)


async def _cut(one: Segment) -> Claim:
    return cut(one)


def _judgement(claim: Claim, passage: Passage, opinion: Opinion, judge: str) -> Judgement:
    span = opinion.quote if opinion.quote and opinion.quote.of(passage.text) else None
    return Judgement(
        id=f"{passage.id}.j1",
        unit_id=claim.id,
        passage_ids=(passage.id,),
        judge=judge,
        label=opinion.label,
        raw_label=opinion.label,
        rationale=opinion.rationale,
        quote=Quote(passage_id=passage.id, span=span, text=span.of(passage.text)) if span else None,
        confidence=opinion.confidence,
    )


async def _guard(unit_id: str, stage: Stage, work: Awaitable[T], emit: Callable[..., None]) -> T | None:
    """The one place where what went wrong for a unit becomes a record."""
    try:
        return await work
    except BoundaryError as error:
        emit(Failure(unit_id=unit_id, stage=stage, boundary=error.boundary, message=str(error)))
    except Exception as error:  # noqa: BLE001 - a mistake of ours must cost one unit, not the whole check
        message = f"{type(error).__name__}: {error}"
        emit(Failure(unit_id=unit_id, stage=stage, boundary="internal", message=message))
    return None


def _collection(method: Method, tools: Tools) -> Collection:
    if method.evidence.name in tools.collections:
        return tools.collections[method.evidence.name]
    if tools.collections:
        known = ", ".join(sorted(tools.collections))
        raise UsageError(
            f"Method {method.name} searches the collection {method.evidence.name!r}.", f"There is: {known}."
        )
    raise UsageError(
        f"Method {method.name} searches documents, and none were given.",
        "Name files or folders: --evidence PATH, or open_tools(evidence=[…]).",
    )


def find_verifier(method: Method, tools: Tools) -> Verifier:
    """The judge that the method names. Raises UsageError when the tools lack it."""
    if method.judge.name in tools.verifiers:
        return tools.verifiers[method.judge.name]()
    known = ", ".join(sorted(tools.verifiers)) or "none"
    raise UsageError(f"Method {method.name} names the verifier {method.judge.name!r}.", f"There are: {known}.")
