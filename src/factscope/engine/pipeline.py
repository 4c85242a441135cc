"""One check in progress: windows of segments become claims, and groups of claims are searched for and judged.

A group starts once its window is extracted, and its verdicts are made once it is judged. Ids keep the order.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from factscope.claims.cut import as_it_stands, column_names, cut_clauses
from factscope.claims.extract import Window, cut_by_model, extract, given_segments, prepare, skipped, windows
from factscope.claims.text.segments import segment
from factscope.core import Event, id_key
from factscope.core.records import (
    Claim,
    Correction,
    Document,
    Eligibility,
    Exclusions,
    Failure,
    Judgement,
    Passage,
    Report,
    Response,
    SampleHints,
    Segment,
    Usage,
    Verdict,
)
from factscope.engine.fold import fold, unscored
from factscope.engine.run_judges import case_of, group_size, grouped, judged_without_evidence, run_judges, titles_of
from factscope.engine.tools import Tools, find_verifiers, lacks_evidence, no_evidence, provenance, source
from factscope.evidence.gather import LOOK_BACK, Gathered, Settle, gather
from factscope.evidence.per_response import gather_once
from factscope.judging.correct import Contradicted, correct
from factscope.judging.eligibility import eligible
from factscope.judging.verifiers.unsupported_input import set_aside
from factscope.judging.verifiers.verifier_cascade import threshold
from factscope.llm.cost import Ledger
from factscope.llm.session import CheckContext, ModelSession, gather_all
from factscope.llm.shared_calls import GroupMember
from factscope.methods import CITED, Cascade, Extract, Judge, Method, VerifierJudge, n_judges
from factscope.methods.method_file import for_domain
from factscope.scoring import find
from factscope.scoring.verdicts.claim_verdict import claim_verdict
from factscope.scoring.verdicts.roll_up import roll_up

if TYPE_CHECKING:
    from factscope.engine.cited import CitedWork


class Pipeline:
    """One check in progress, and its records so far."""

    def __init__(
        self,
        response: Response,
        method: Method,
        tools: Tools,
        done: tuple[Event, ...],
        put: Callable[..., None],
        member: GroupMember | None,
    ) -> None:
        """`put` is called with records as they are made.

        `member` is the response's membership in a group that shares calls.
        """
        self.hints = tools.hints.get(response.id, SampleHints())
        self.response, self.method, self.tools = response, for_domain(method, self.hints.domain), tools
        self.basis = provenance(method, tools)
        if lacks_evidence(response, method, tools):
            raise no_evidence(method)
        self.verifiers = find_verifiers(method, tools)
        self.local = {verifier.name for verifier in self.verifiers.values()}
        if isinstance(method.judge, Cascade):
            threshold(method.judge, self.verifiers[method.judge.verifier.name])  # reports a missing calibration early
        self.source = source(self.method, tools)
        for score in method.scores:
            find(score)  # an unknown score is a wrong call, and must not wait for the end of the check
        self.ledger = Ledger()
        self.ledger.include(*(event for event in done if isinstance(event, Usage) and event.model not in self.local))
        self.payments: list[Usage] = []
        self.session = ModelSession(tools.models, self.ledger) if tools.models else None
        self.events: list[Event] = list(done)
        self.claims = {event.id: event for event in done if isinstance(event, Claim)}
        """Claims that an earlier attempt extracted."""
        self.claimless = {event.unit_id for event in done if isinstance(event, Verdict) and event.level == "segment"}
        """Segments in which an earlier attempt found no claim."""
        self.emitted: dict[str, Claim] = {}
        """The last emitted version of each claim."""
        self.verdicts = defaultdict[str, asyncio.Future[Verdict]](lambda: asyncio.get_running_loop().create_future())
        """The verdict on each claim, once it is made."""
        self.cited: CitedWork | None = None
        self.put, self.member = put, member
        self.slots = asyncio.Semaphore(tools.groups if self.basis.models else tools.workers)

    def emit(self, *events: Event) -> None:
        """Add records to the result, and hand them on."""
        self.events.extend(events)
        self.put(*events)

    async def run(self) -> None:
        """Run the check. Raises the errors of `check`."""
        with self.tools.watch(self.response, self.method) as ended:
            try:
                ended(await self._run())
            except BaseExceptionGroup as errors:
                raise _first(errors) from None  # an error that affects all units is reported once

    async def _run(self) -> Report:
        self.emit(self.response)
        job = CheckContext(self.response, (), self.emit, self.session, self.ledger)
        segments = await self._segments(job)
        self.emit(*segments)
        job = CheckContext(self.response, segments, self.emit, self.session, self.ledger, member=self.member)
        done = {event.unit_id: event for event in self.events if isinstance(event, Verdict) and event.level == "claim"}
        for claim_id, verdict in done.items():
            self.verdicts[claim_id].set_result(verdict)
        if CITED in self.tools.sources:
            from factscope.engine.cited import begin_cited

            self.cited = begin_cited(job, self.source, self.tools.sources.values())
        async with asyncio.TaskGroup() as tasks:
            if self.cited:
                self.cited.begin(job, tasks)
            if self.method.eligible and self.response.prompt:
                answered = {event.id for event in self.events if isinstance(event, Eligibility)}
                tasks.create_task(eligible(job, self.method.eligible, answered))
            if self.method.extract is None:
                await self._groups(job, tasks, await self._cut(job))
            else:
                cut_by_model = windows(self.cited.statements(segments) if self.cited else segments, self.method.extract)
                left = skipped(segments, cut_by_model)
                left = self.cited.unmarked(job, left) if self.cited else left
                if len(cut_by_model) > 1:
                    self._share_no_more()
                tasks.create_task(self._groups(job, tasks, left))
                for window in cut_by_model:
                    await self.slots.acquire()
                    tasks.create_task(self._window(job, tasks, self.method.extract, window))
        self._share_no_more()
        await self._correct(job)  # after all verdicts: nobody has to wait for a correction to see an error
        return await self._finish()

    def _share_no_more(self) -> None:
        """Release other responses from waiting for calls of this one."""
        if self.member:
            self.member.leave()

    async def _segments(self, job: CheckContext) -> tuple[Segment, ...]:
        """Return the given segments, otherwise those of a model or of rules; none when that fails."""
        text, unit_ids, into = self.response.text, (self.response.id,), self.method.segment
        if into == "given" and self.hints.segments:
            return given_segments(text, self.hints.segments)
        if self.method.cut:
            return await job.guard(unit_ids, "segment", cut_by_model, job, self.method.cut) or ()
        into = "sentences" if into == "given" else into
        return await job.guard(unit_ids, "segment", asyncio.to_thread, segment, text, into) or ()

    async def _cut(self, job: CheckContext) -> list[Claim]:
        judge = self.method.judge
        only = self.verifiers[judge.name] if isinstance(judge, VerifierJudge) else None
        names = column_names(job.segments)

        def cut_by_rules(segment: Segment) -> list[Claim]:
            is_stated = self.method.units == "stated"
            if self.cited:
                created = self.cited.claims_of(job.response.text, segment, names.get(segment.id, ()))
            else:
                created = cut_clauses(segment, names.get(segment.id, ())) if is_stated else [as_it_stands(segment)]
            claims = [self.claims.get(claim.id, claim) for claim in created]  # a person may have reworded it
            return [set_aside(claim, job.response.text, only) if only else claim for claim in claims]

        # In threads, as a long text has so many sentences that a server would answer nothing else meanwhile.
        cuts = [
            await job.guard((segment.id,), "claims", asyncio.to_thread, cut_by_rules, segment)
            for segment in job.segments
        ]
        return [claim for claims in cuts for claim in claims or ()]

    async def _window(self, job: CheckContext, tasks: asyncio.TaskGroup, spec: Extract, window: Window) -> None:
        """Extract the claims of a window and start on its groups.

        The claims are recorded together, so that a stopped check has all of a window's claims or none.
        """
        try:
            names = {segment.id for segment in window}
            claims = [claim for claim in self.claims.values() if claim.segment_id in names]
            finished = {claim.segment_id for claim in claims} | self.claimless
            by_parts = spec.segments_per_call > 0  # else one call cuts them all, or none
            missing = tuple(
                cut_segment for cut_segment in window if not (cut_segment.id in finished if by_parts else claims)
            )
            if missing:
                claims = [*claims, *(await extract(job, spec, missing))]
            claims = self.cited.unmarked(job, claims) if self.cited else claims
            claims.sort(key=lambda claim: id_key(claim.id))
            self._emit_claims(self.emit, [claim for claim in claims if claim.id not in self.claims])
            self._emit_payments()
        finally:
            self.slots.release()
        await self._groups(job, tasks, claims)

    async def _groups(self, job: CheckContext, tasks: asyncio.TaskGroup, claims: Sequence[Claim]) -> None:
        """Start on each group of claims as soon as a slot is free. Claims that have a verdict are left out."""
        position = {claim.id: number for number, claim in enumerate(claims)}

        def claims_before(claim: Claim) -> Sequence[Claim]:
            return claims[max(0, position[claim.id] - LOOK_BACK) : position[claim.id]][::-1]

        groups = list(grouped(claims, group_size(self.method)))
        if sum(group[0].skipped is None for group in groups) > 1:
            self._share_no_more()  # the groups are not in step
        for group in groups:
            todo = [claim for claim in group if not self.verdicts[claim.id].done()]
            if todo and todo[0].skipped is not None:  # takes no slot: it may wait for a claim that needs one
                tasks.create_task(self._set_aside(job, todo))
            elif todo:
                await self.slots.acquire()
                tasks.create_task(self._work_on(job, todo, claims_before))

    async def _set_aside(self, job: CheckContext, claims: Sequence[Claim]) -> None:
        self._emit_claims(self.emit, claims)
        await self._conclude(job, claims, ())

    async def _work_on(
        self, job: CheckContext, group: Sequence[Claim], before: Callable[[Claim], Sequence[Claim]]
    ) -> None:
        """Gather evidence for a group of claims, judge them, and decide their verdicts."""
        own_events: list[Event] = []

        def keep_and_emit(*events: Event) -> None:
            own_events.extend(events)
            self.emit(*events)

        context = CheckContext(job.response, job.segments, keep_and_emit, job.models, job.ledger, member=job.member)
        try:
            # Before anything can fail: a claim's record starts a new attempt at it.
            self._emit_claims(keep_and_emit, group)
            claims = {claim.id: claim for claim in await self._prepared(context, group)}
            self._emit_claims(keep_and_emit, list(claims.values()))
            # A claim that could not be prepared is not judged, since its unprepared text may mean something else.
            failed = {event.unit_id for event in own_events if isinstance(event, Failure)}
            checkable = [claim for claim in claims.values() if claim.skipped is None and claim.id not in failed]
            async with asyncio.TaskGroup() as tasks:

                def settle_soon(gathered: dict[str, Gathered]) -> None:
                    settled = [(claims.pop(name), evidence) for name, evidence in gathered.items()]
                    tasks.create_task(self._settle(context, settled, own_events))

                if checkable:
                    ahead = {claim.id: before(claim) for claim in checkable}
                    await self._gather(context, checkable, ahead, settle_soon, own_events)
                await self._conclude(context, list(claims.values()), own_events)
        finally:
            self.slots.release()

    async def _gather(
        self,
        job: CheckContext,
        claims: Sequence[Claim],
        ahead: Mapping[str, Sequence[Claim]],
        ready: Callable[[dict[str, Gathered]], None],
        events: Sequence[Event],
    ) -> None:
        """Gather evidence for claims. `ready` is called with those whose search has ended."""
        ids, spec = [claim.id for claim in claims], self.method.evidence
        if self.cited:
            await job.guard(ids, "evidence", self.cited.gather, job, spec, claims, ready)
        elif spec.per == "response":
            await job.guard(ids, "evidence", gather_once, job, spec, self.source, claims, ready)
        else:
            settle = self._settler(job, claims, events) if self._by_round else None
            await job.guard(ids, "evidence", gather, job, spec, self.source, claims, ahead, ready, settle)

    async def _settle(
        self, job: CheckContext, gathered: Sequence[tuple[Claim, Gathered]], events: Sequence[Event]
    ) -> None:
        """Judge claims whose search has ended, decide their verdicts, and ask for corrections."""
        titles = titles_of(event for event in events if isinstance(event, Document))
        cases = [
            case_of(claim, evidence.passages, titles, evidence.rounds_without)
            for claim, evidence in gathered
            if (evidence.passages or judged_without_evidence(self.method)) and claim.id not in job.waiting
        ]
        if not self._by_round:
            await run_judges(job, self.method, self.verifiers, cases)
        await self._conclude(job, [claim for claim, _ in gathered], events)
        if self.cited and self.method.evidence.repair:
            claims = [claim for claim, _ in gathered]
            verdicts = [await self.verdicts[claim.id] for claim in claims]
            await self.cited.repair(job, self.method, claims, verdicts, self.verifiers)

    @property
    def _by_round(self) -> bool:
        """Return whether the results of a search are judged before the next search is planned."""
        queries, judge = self.method.evidence.queries, self.method.judge
        by_passage = isinstance(judge, VerifierJudge) or (isinstance(judge, Judge) and judge.reply.pairs)
        return queries is not None and queries.stop == "settled" and by_passage and self.cited is None

    def _settler(self, job: CheckContext, claims: Sequence[Claim], events: Sequence[Event]) -> Settle:
        by_id = {claim.id: claim for claim in claims}

        async def settle_fresh(fresh: Mapping[str, Sequence[Passage]]) -> Mapping[str, str | None]:
            titles = titles_of(event for event in events if isinstance(event, Document))
            cases = [
                case_of(by_id[name], passages, titles)
                for name, passages in fresh.items()
                if passages and name not in job.waiting
            ]
            await run_judges(job, self.method, self.verifiers, cases)
            if job.member:
                job.member.next_turn()
            judgements = [event for event in events if isinstance(event, Judgement)]
            ended: dict[str, str | None] = {
                event.unit_id: None for event in events if isinstance(event, Failure) and event.stage == "judging"
            }
            for name in fresh:
                verdict = claim_verdict(by_id[name], judgements, (), self.method.roll_up)
                if verdict.outcome in ("supported", "contradicted"):
                    ended[name] = "The evidence suffices"
            return ended

        return settle_fresh

    def _emit_claims(self, emit: Callable[..., None], claims: Sequence[Claim]) -> None:
        """Emit claims that are new or changed; a store then drops the records of earlier attempts at them."""
        emit(*(claim for claim in claims if self.emitted.get(claim.id) != claim))
        self.emitted.update((claim.id, claim) for claim in claims)

    async def _prepared(self, job: CheckContext, group: Sequence[Claim]) -> list[Claim]:
        spec = self.method.extract
        if spec is None or not (spec.rewrite or spec.relevant):
            return list(group)
        ready = await gather_all(job.guard((claim.id,), "claims", prepare, job, spec, claim) for claim in group)
        return [done or claim for done, claim in zip(ready, group, strict=True)]

    async def _conclude(self, job: CheckContext, claims: Sequence[Claim], events: Sequence[Event]) -> None:
        """Emit verdicts on claims, each when the claims that it depends on have theirs."""
        for claim in claims:
            verdict = claim_verdict(
                claim,
                [event for event in events if isinstance(event, Judgement)],
                [event for event in events if isinstance(event, Failure)],
                self.method.roll_up,
                parents=[await self.verdicts[parent] for parent in claim.depends_on],
                judges=n_judges(self.method.judge),
            )
            job.emit(verdict)
            self.verdicts[claim.id].set_result(verdict)
        self._emit_payments()

    def _emit_payments(self) -> None:
        """Emit the usage of models that was paid for so far: a killed check then counts it when it is resumed."""
        payments = [row for row in self.ledger.usage() if row.tokens_in != 0]
        if payments != self.payments:
            self.emit(*payments)
        self.payments = payments

    async def _correct(self, job: CheckContext) -> None:
        """Ask for corrections of contradicted claims that have none yet."""
        if self.method.correct is None:
            return
        corrected = {event.unit_id for event in self.events if isinstance(event, Correction)}
        passages = {event.id: event for event in self.events if isinstance(event, Passage)}
        against = {e.id: e.passage_ids for e in self.events if isinstance(e, Judgement) and e.label == "contradicted"}
        cases = []
        for claim in sorted((self.claims | self.emitted).values(), key=lambda claim: id_key(claim.id)):
            verdict = await self.verdicts[claim.id]
            decisive = dict.fromkeys(name for id_ in verdict.judgement_ids for name in against.get(id_, ()))
            if verdict.outcome == "contradicted" and decisive and not (verdict.at_risk or claim.id in corrected):
                ranked = sorted((passages[name] for name in decisive), key=lambda passage: passage.rank)
                cases.append(Contradicted(claim, ranked))
        await correct(job, self.method.correct, cases)

    async def _finish(self) -> Report:
        """Return the finished report, computed in a thread so that a server stays responsive."""
        calls = Counter(e.judge for e in self.events if isinstance(e, Judgement) and e.judge in self.local)
        self.emit(*(Usage(role="judge", model=judge, calls=n, cost=0.0) for judge, n in sorted(calls.items())))
        self.emit(*self.ledger.usage())
        rules, judges = self.method.roll_up, n_judges(self.method.judge)
        verdicts = await asyncio.to_thread(
            lambda: roll_up(unscored(self.events, self.basis), rules, Exclusions(), judges)
        )
        latest = {e.unit_id: e for e in self.events if isinstance(e, Verdict) and e.level == "claim"}
        # A claim that this one depends on may have ended otherwise since an earlier attempt judged it.
        self.emit(*(verdict for verdict in verdicts if latest.get(verdict.unit_id) != verdict))
        report = await asyncio.to_thread(fold, self.events, self.basis)
        self.emit(*report.scores)
        return report


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    first = errors.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first
