"""Claims → passages: search queries, in one or several rounds, and their results.

Without `Evidence.queries`, the text of each claim is searched for, once. With it, a model writes the queries; the
claims of one group are planned together where the method says so, and a claim whose evidence suffices takes no further
rounds.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, NamedTuple, Protocol

from pydantic import BaseModel, ConfigDict

from factscope.claims.text.terms import words
from factscope.core.records import Claim, Passage, Query, Searched, SearchHit
from factscope.evidence.results import FoundPassage, ListedResult, QueryResults, passage_records
from factscope.llm.model_errors import UnreadableError
from factscope.llm.parsers import fenced
from factscope.llm.prompts import lines_by_id
from factscope.llm.reply_room import room_for
from factscope.llm.session import CheckContext, StepQuestion, Variables, gather_all
from factscope.llm.splitting import Together, ask_together
from factscope.llm.structured import json_reader, schema_of
from factscope.methods import Ask, Evidence, Queries

LOOK_BACK = 8
"""Number of earlier claims whose names may be added to a query. Pronouns seldom refer further back (our choice)."""


def write_query(claim: Claim, before: Iterable[Claim]) -> Query:
    """Return the claim's own words, plus names from earlier claims if it refers back to them ("It opened …").

    `before` are the claims before it, nearest first. Names are the capitalised words of the nearest claim or heading
    that has any. A claim rewritten to be self-contained needs none.
    """
    query = Query(id=f"{claim.id}.q1", claim_id=claim.id, text=claim.standalone)
    own_words = set(words(claim.standalone))
    for earlier in () if claim.independent or claim.standalone != claim.text else before:
        names = [word for word in words(earlier.text) if word[0].isupper() and len(word) > 1]
        fresh = [name for name in dict.fromkeys(names) if name not in own_words]
        if fresh:
            reason = "The claim refers back to earlier text, so names from there were added."
            text = f"{claim.standalone} {' '.join(fresh)}"
            return query.model_copy(update={"text": text, "rationale": reason, "lender_id": earlier.segment_id})
    return query


NEXT = {"search": "search", "enough": "enough", "exhausted": "exhausted"}
_ENDS = {"enough": "The evidence suffices", "exhausted": "More searching is idle"}
_IDLE = "The last search found nothing new"


class EvidenceSource(Protocol):
    """A searchable source.

    Local collections answer at once; others wait for a service.
    """

    @property
    def searched(self) -> Searched:
        """Describe the source; the same content has the same id."""

    @property
    def asks(self) -> tuple[Ask, ...]:
        """Return the questions that the source itself asks a model, if the role has one."""

    async def close(self) -> None:
        """Close connections."""

    async def find(self, query: str, spec: Evidence, job: CheckContext) -> QueryResults:
        """Return the passages for a query, best first. Raises BoundaryError when the search itself fails."""


class Gathered(NamedTuple):
    """Evidence gathered for one claim."""

    passages: tuple[Passage, ...]
    rounds_without: int
    """Searches without a result that the judge is shown."""


Settle = Callable[[Mapping[str, Sequence[Passage]]], Awaitable[Mapping[str, str | None]]]
"""Judges the results of a round, by claim; returns the claims that need no further search, each with the reason."""


class _StrictReply(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Plan(_StrictReply):
    claim: str
    next: Literal["search", "enough", "exhausted"]
    reason: str
    queries: tuple[str, ...]


class _Plans(_StrictReply):
    claims: tuple[_Plan, ...]


_SCHEMA, _READ = schema_of(_Plans), json_reader(_Plans)


@dataclass
class _ClaimSearch:
    """The search for one claim so far."""

    claim: Claim
    queries: list[Query] = field(default_factory=list)
    passages: list[Passage] = field(default_factory=list)
    rounds_without: int = 0
    open: bool = True

    def rounds(self) -> dict[str, str]:
        """Return query and results of each round, as values of the next prompt."""
        texts: dict[str, str] = {}
        for query in self.queries:
            empty_message = "Nothing new was found." if self.passages else "Nothing was found."
            text = "\n".join(p.text for p in self.passages if p.query_id == query.id) or empty_message
            key, now = f"round {query.round}", f"Query: {query.text}\nResults: {text}"
            texts[key] = f"{texts[key]}\n{now}" if key in texts else now
        return texts

    def end(self, job: CheckContext, reason: str | None) -> None:
        """Record with the last query why the search ends."""
        self.open = False
        self.queries[-1] = self.queries[-1].model_copy(update={"ended": reason})
        job.emit(self.queries[-1])


async def gather(
    job: CheckContext,
    spec: Evidence,
    source: EvidenceSource,
    group: Sequence[Claim],
    before: Mapping[str, Sequence[Claim]],
    ready: Callable[[dict[str, Gathered]], None],
    settle: Settle | None = None,
) -> None:
    """Gather evidence for each claim of a group. `before` are the claims before each, nearest first.

    `ready` is called with the claims whose search has ended, by claim id, while others continue, and in the end has
    been called with all of them. A failure for one claim is recorded, and its earlier results are kept. `settle` is for
    rounds that are judged one by one (`Queries.stop` is `settled`).
    """
    searches = [_ClaimSearch(claim) for claim in group]
    plan = spec.queries
    for number in range(1, (plan.rounds if plan else 1) + 1):
        open_searches = [search for search in searches if search.open]
        is_planned = plan is not None and (number > 1 or plan.begin_with == "query")
        if plan and is_planned:
            queries = await _planned(job, plan, open_searches, number)
        else:
            queries = {search.claim.id: [_as_it_stands(job, spec, search.claim, before)] for search in open_searches}
        new_queries = [(search, query) for search in open_searches for query in queries.get(search.claim.id, ())]
        for search in open_searches:
            search.open = bool(queries.get(search.claim.id))
            search.queries.extend(queries.get(search.claim.id, ()))
        _report_ready(ready, [search for search in open_searches if not search.open])
        job.emit(*(query for _, query in new_queries))
        all_results = await gather_all(
            job.guard((search.claim.id,), "evidence", source.find, query.text, spec, job)
            for search, query in new_queries
        )
        new_passages = _take(job, spec, new_queries, all_results)
        if settle:
            reasons = dict(await settle(new_passages))
            if is_planned:  # the model that plans found nothing new to search for
                idle = {claim_id: _IDLE for claim_id, passages in new_passages.items() if not passages}
                reasons = {**idle, **reasons}
            ended = [search for search in open_searches if search.open and search.claim.id in reasons]
            for search in ended:
                search.end(job, reasons[search.claim.id])
            _report_ready(ready, ended)
    _report_ready(ready, [search for search in searches if search.open])


def _as_it_stands(job: CheckContext, spec: Evidence, claim: Claim, before: Mapping[str, Sequence[Claim]]) -> Query:
    """Return the claim as a query."""
    query = write_query(claim, before.get(claim.id, ()))
    if spec.about_request and job.response.prompt:
        return query.model_copy(update={"text": f"{job.response.prompt} {query.text}"})
    return query


def _report_ready(ready: Callable[[dict[str, Gathered]], None], searches: Sequence[_ClaimSearch]) -> None:
    if searches:
        ready({search.claim.id: Gathered(tuple(search.passages), search.rounds_without) for search in searches})


def _take(
    job: CheckContext,
    spec: Evidence,
    searches: Sequence[tuple[_ClaimSearch, Query]],
    all_results: Sequence[QueryResults | None],
) -> dict[str, list[Passage]]:
    """Add the results to those of each claim, each position once. Return the new ones, by claim."""
    new: dict[str, list[Passage]] = {}
    for (search, query), results in zip(searches, all_results, strict=True):
        if results is None:
            continue
        is_empty = not (results.passages or results.failures)  # a failure is not an empty result
        search.rounds_without += bool(spec.queries and spec.queries.say_empty) and is_empty
        for address, error in results.failures:
            job.fail((search.claim.id,), "evidence", error, about=address)
        job.emit(*(_hit(query, rank, result) for rank, result in enumerate(results.listed, 1)))
        known = {(passage.document_id, passage.span.start, passage.span.end) for passage in search.passages}
        best: dict[tuple[str, int, int], FoundPassage] = {}
        for passage in results.passages:
            best.setdefault((passage.document.id, passage.span.start, passage.span.end), passage)
        fresh = [passage for position, passage in best.items() if position not in known]
        fitting = fresh[: spec.most - len(search.passages)]
        passages = passage_records(fitting, search.claim.id, search.passages, query.id)
        search.passages.extend(passages)
        new.setdefault(search.claim.id, []).extend(passages)
        job.emit(*{passage.document.id: passage.document for passage in fresh}.values(), *passages)
    return new


def _hit(query: Query, rank: int, listed_result: ListedResult) -> SearchHit:
    return SearchHit(id=f"{query.id}.h{rank}", query_id=query.id, rank=rank, **listed_result._asdict())


async def _planned(
    job: CheckContext, plan: Queries, searches: Sequence[_ClaimSearch], number: int
) -> dict[str, list[Query]]:
    """Return the queries of a round by claim id; an empty list for a claim whose search ends here."""
    if plan.form == "fenced":
        written = await gather_all(_written(job, plan, search, number) for search in searches)
        return {search.claim.id: [query] for search, query in zip(searches, written, strict=True) if query}
    plans: dict[str, _Plan] = {}

    async def take_plans(group: Sequence[_ClaimSearch], answer: Mapping[str, _Plan]) -> None:
        plans.update((search.claim.id, answer[search.claim.id]) for search in group)

    size = plan.claims_per_call
    steps = Together(
        partial(_plans, job, plan),
        take_plans,
        lambda group, error: job.fail([search.claim.id for search in group], "evidence", error),
    )
    await gather_all(ask_together(searches[at : at + size], steps) for at in range(0, len(searches), size))
    return {
        search.claim.id: _followed(job, plan, search, plans[search.claim.id], number)
        for search in searches
        if search.claim.id in plans
    }


async def _written(job: CheckContext, plan: Queries, search: _ClaimSearch, number: int) -> Query | None:
    variables: Variables = {**job.variables(search.claim), "rounds": search.rounds()}
    question = StepQuestion(plan, variables, room=room_for([search.claim.standalone], each=500))
    answer = await job.guard((search.claim.id,), "evidence", job.session.ask, question, fenced)
    if answer is None:
        return None
    reason, _, _ = answer.reply.text.partition("```")
    return _query(search, len(search.queries) + 1, number, answer.value, " ".join(reason.split()) or None)


async def _plans(job: CheckContext, plan: Queries, searches: Sequence[_ClaimSearch], remark: str) -> dict[str, _Plan]:
    round_texts = {f"{search.claim.id} {key}": text for search in searches for key, text in search.rounds().items()}
    keys: dict[tuple[str, int, int], str] = {}
    texts: dict[str, str] = {}
    query_lines = []
    for search in searches:
        for query in search.queries:
            brought = [p for p in search.passages if p.query_id == query.id]
            names = [keys.setdefault((p.document_id, p.span.start, p.span.end), f"p{len(keys) + 1}") for p in brought]
            texts.update(zip(names, (passage.text for passage in brought), strict=True))
            query_lines.append((search.claim.id, f"{query.text} ({', '.join(names) or 'nothing new'})"))
    variables: Variables = {
        **job.variables(searches[0].claim),
        "claims": lines_by_id((search.claim.id, search.claim.standalone) for search in searches),
        "rounds": round_texts,
        "passages": lines_by_id(texts.items()),
        "searches": lines_by_id(query_lines),
    }
    words = {"next": NEXT, "limit": {"queries": str(plan.queries_per_round)}}
    read = _plans_for([search.claim.id for search in searches])
    room = room_for((search.claim.standalone for search in searches), each=100 + 50 * plan.queries_per_round, times=1)
    once = len(searches) > 1 or bool(remark)  # unreadable plans are asked for again in parts
    question = StepQuestion(plan, variables, words, _SCHEMA, remark=remark, units=len(searches), room=room)
    return (await job.session.ask(question, read, once=once)).value


def _plans_for(ids: Sequence[str]) -> Callable[[str], dict[str, _Plan]]:
    def read_plans(text: str) -> dict[str, _Plan]:
        plans = _READ(text).claims
        claim_ids = [plan.claim for plan in plans]
        if sorted(claim_ids) != sorted(ids):
            raise UnreadableError(f"it must name each of these claims once: {', '.join(ids)}.")
        return {plan.claim: plan for plan in plans}

    return read_plans


def _followed(job: CheckContext, plan: Queries, search: _ClaimSearch, decided: _Plan, number: int) -> list[Query]:
    """Return the queries of a plan; when it ends the search, record that with the reason at the last query."""
    earlier = {query.text.casefold() for query in search.queries}
    fresh = [
        text for text in dict.fromkeys(" ".join(q.split()) for q in decided.queries) if text.casefold() not in earlier
    ]
    if decided.next == "search" and any(fresh):
        texts = [text for text in fresh if text][: plan.queries_per_round]
        return [
            _query(search, len(search.queries) + position, number, text, decided.reason or None)
            for position, text in enumerate(texts, 1)
        ]
    if search.queries:
        reason = _ENDS.get(decided.next, "No new query was thought of")
        search.end(job, f"{reason}: {decided.reason}".rstrip(": "))
    return []


def _query(search: _ClaimSearch, position: int, number: int, text: str, reason: str | None) -> Query:
    return Query(
        id=f"{search.claim.id}.q{position}",
        claim_id=search.claim.id,
        round=number,
        text=" ".join(text.split()),
        rationale=reason,
    )
