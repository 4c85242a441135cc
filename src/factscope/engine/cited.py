"""The citations of one text during its check: sources are fetched concurrently, claims judged against their sources."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from factscope.claims.citations.block_quotes import QuotedBlock, block_quotes, quoted_words
from factscope.claims.citations.cited_claims import cited_by, claims_of, unmarked
from factscope.claims.citations.read_citations import Cited, read_citations
from factscope.core import Event
from factscope.core.records import (
    Citation,
    Claim,
    Document,
    Judgement,
    Passage,
    Quotation,
    Repair,
    Segment,
    Span,
    Verdict,
)
from factscope.engine.run_judges import case_of, run_judges, titles_of
from factscope.evidence.citations import Library, Resolved
from factscope.evidence.collection import Collection
from factscope.evidence.gather import EvidenceSource, Gathered
from factscope.evidence.results import FoundPassage, HeldText, passage_record
from factscope.judging.quotes import Compared, compare_quotation
from factscope.judging.verifiers.protocol import Verifier
from factscope.llm.session import CheckContext, gather_all
from factscope.methods import Evidence, Method

_TRIED = 6
"""Passages of other sources that are judged to find one that supports a claim."""
_NEAR = 0.35
"""Share of a claim, weighted by the rarity of its words, that such a passage must contain to be judged."""


@dataclass
class CitedWork:
    """A text's citations, and their sources so far."""

    library: Library
    cited: Cited
    others: Sequence[EvidenceSource]
    """Other places to look for a supporting source, such as a search engine."""
    _resolved: dict[str, asyncio.Task[Resolved]] = field(default_factory=dict)
    _indexes: dict[str, asyncio.Task[Collection | None]] = field(default_factory=dict)

    def begin(self, job: CheckContext, tasks: asyncio.TaskGroup) -> None:
        """Start to fetch all sources, and to check the quotations, which need nothing else."""
        job.emit(*self.cited.citations)
        self.library.prepare(self.cited.sources)
        for listed in self.cited.sources:
            self._resolved[listed.id] = tasks.create_task(self._resolve(job, listed.id))
        tasks.create_task(self._quotations(job))

    def statements(self, segments: Sequence[Segment]) -> tuple[Segment, ...]:
        """Return the segments without bibliography entries, which no model needs to read."""
        inside = self.cited.listed
        return tuple(segment for segment in segments if not any(s.start <= segment.span.start < s.end for s in inside))

    def claims_of(self, text: str, segment: Segment, names: Sequence[str]) -> list[Claim]:
        """Return the claims of a segment by rules; separate clauses that cite are separate claims."""
        return claims_of(text, segment, self.cited, names)

    def unmarked(self, job: CheckContext, claims: Sequence[Claim]) -> list[Claim]:
        """Return claims that a model wrote, without the citations that it copied."""
        homes = [job.segments[job.position[claim.segment_id]] for claim in claims]
        text = job.response.text
        return [unmarked(claim, home, self.cited, text) for claim, home in zip(claims, homes, strict=True)]

    async def gather(
        self,
        job: CheckContext,
        spec: Evidence,
        claims: Sequence[Claim],
        ready: Callable[[dict[str, Gathered]], None],
    ) -> None:
        """Gather the passages of the sources that are cited for each claim of a group, source by source."""
        gathered = await gather_all(self._gathered(job, spec, claim) for claim in claims)
        ready({claim.id: each for claim, each in zip(claims, gathered, strict=True)})

    async def repair(
        self,
        job: CheckContext,
        method: Method,
        claims: Sequence[Claim],
        verdicts: Sequence[Verdict],
        verifiers: Mapping[str, Verifier],
    ) -> None:
        """Look for another source for each claim that its own sources do not support, and propose the best one."""
        failing = [
            claim
            for claim, verdict in zip(claims, verdicts, strict=True)
            if claim.skipped is None
            and verdict.outcome not in ("supported", "failed")
            and any(cited_by(claim, self.cited.citations))
        ]
        await gather_all(
            job.guard((claim.id,), "correction", self._repair, job, method, claim, verifiers) for claim in failing
        )

    async def _resolve(self, job: CheckContext, name: str) -> Resolved:
        listed = next(source for source in self.cited.sources if source.id == name)
        resolved = await self.library.resolve(listed, job.response)
        job.emit(resolved.source, *([resolved.held.document] if resolved.held else []))
        return resolved

    async def _held(self, name: str) -> HeldText | None:
        return (await asyncio.shield(self._resolved[name])).held

    async def _index(self, name: str) -> Collection | None:
        """Return the text of one source as a searchable collection, made once for all claims that cite it."""
        from factscope.evidence.collection import in_memory

        held = await self._held(name)
        if held is None:
            return None
        if name not in self._indexes:
            results = asyncio.to_thread(in_memory, [held])
            self._indexes[name] = asyncio.create_task(results)
        return await asyncio.shield(self._indexes[name])

    async def _gathered(self, job: CheckContext, spec: Evidence, claim: Claim) -> Gathered:
        names = dict.fromkeys(item.source_id for item in cited_by(claim, self.cited.citations))
        groups = await gather_all(self._found(spec, claim, name) for name in names)
        results = [item for each in groups for item in each][: spec.most]
        passages = _passages(claim, results)
        job.emit(*{result.document.id: result.document for result in results}.values(), *passages)
        return Gathered(passages, 0)

    async def _found(self, spec: Evidence, claim: Claim, name: str) -> Sequence[FoundPassage]:
        index = await self._index(name)
        return await asyncio.to_thread(index.search, claim.standalone, spec.passages) if index else ()

    async def _quotations(self, job: CheckContext) -> None:
        """Look up all quotations, those in quotation marks and block quotes, in reading order."""
        text, statements = job.response.text, self.statements(job.segments)
        blocks = [
            block
            for block in block_quotes(text, job.segments, self.cited.citations, self.cited.markers)
            if not any(span.overlaps(block.span) for span in self.cited.listed)
        ]
        inline = [
            QuotedBlock(span, span.of(text), cited)
            for segment in statements
            for span, cited in self._quoted(segment)
            if not any(block.span.overlaps(span) for block in blocks)
        ]
        for number, quoted in enumerate(sorted([*blocks, *inline], key=lambda item: item.span.start), 1):
            home = next((segment.id for segment in statements if segment.span.overlaps(quoted.span)), None)
            blank = Quotation(
                id=f"q{number}",
                span=quoted.span,
                text=quoted.span.of(text),
                segment_id=home,
                source_ids=tuple(dict.fromkeys(item.source_id for item in quoted.citations)),
                outcome="not_there",
            )
            job.emit(await self._looked_up(blank, quoted.words))

    def _quoted(self, segment: Segment) -> Iterator[tuple[Span, tuple[Citation, ...]]]:
        """Yield the words in quotation marks of a segment that cites, with the citations nearest to them."""
        selected = [citation for citation in self.cited.citations if citation.segment_id == segment.id]
        for span in quoted_words(segment) if selected else ():
            nearby = [item for item in selected if item.scope is None or item.scope.overlaps(span)]
            yield span, tuple(nearby or selected)

    async def _looked_up(self, blank: Quotation, words: str) -> Quotation:
        """Return the quotation with its closest match in the sources."""
        best: tuple[Compared, str, HeldText] | None = None
        for name in blank.source_ids:
            held = await self._held(name)
            if held is None:
                continue
            compared = await asyncio.to_thread(compare_quotation, words, held.text)
            if best is None or compared.likeness > best[0].likeness:
                best = (compared, name, held)
        if best is None:
            return blank
        compared, name, held = best
        return blank.model_copy(
            update={
                "outcome": compared.outcome,
                "source_id": name,
                "found": compared.span.of(held.text) if compared.span else None,
                "found_span": compared.span,
                "differences": compared.differences,
            }
        )

    async def _repair(self, job: CheckContext, method: Method, claim: Claim, verifiers: Mapping[str, Verifier]) -> None:
        spec = method.evidence
        individual = {item.source_id for item in cited_by(claim, self.cited.citations)}
        others = [source.id for source in self.cited.sources if source.id not in individual]
        results = [
            item for each in await gather_all(self._sound(spec, claim, name) for name in others) for item in each
        ]
        for source in (self.library, *self.others):
            results += (await source.find(claim.standalone, spec, job)).passages
        read = {(await self._held(name)).document.id for name in individual if await self._held(name)}  # type: ignore[union-attr]
        nearby = {(result.document.id, result.span.start): result for result in results if result.score >= _NEAR}
        tried = [item for item in nearby.values() if item.document.id not in read]
        tried = sorted(tried, key=lambda item: -item.score)[:_TRIED]
        if not tried:
            return
        built: list[Event] = []
        aside = CheckContext(job.response, job.segments, lambda *events: built.extend(events), job.models, job.ledger)
        passages = _passages(claim, tried)
        titles = titles_of(option.document for option in tried)
        await run_judges(aside, method, verifiers, [case_of(claim, passages, titles)])
        judgements = [item for item in built if isinstance(item, Judgement) and item.label == "supported"]
        if judgements:
            best = max(judgements, key=lambda item: item.confidence or 0.0)
            at = next(n for n, passage in enumerate(passages) if passage.id in best.passage_ids)
            job.emit(self._proposal(claim, best, passages[at], tried[at].document))

    async def _sound(self, spec: Evidence, claim: Claim, name: str) -> Sequence[FoundPassage]:
        """Return the passages of another cited source, unless it only repeats the checked text."""
        resolved = await asyncio.shield(self._resolved[name])
        return () if resolved.source.circular else await self._found(spec, claim, name)

    def _proposal(self, claim: Claim, best: Judgement, passage: Passage, document: Document) -> Repair:
        known_ids = {task.result().source.document_id: task.result().source for task in self._resolved.values()}
        source = known_ids.get(document.id)
        return Repair(
            id=f"{claim.id}.r1",
            unit_id=claim.id,
            source_id=source.id if source else None,
            title=document.title,
            url=document.url,
            reference=source.entry if source and source.entry else reference_of(document),
            quote=best.quote.text if best.quote else passage.text,
            judge=best.judge,
            confidence=best.confidence,
        )


def begin_cited(job: CheckContext, source: EvidenceSource, sources: Iterable[EvidenceSource]) -> CitedWork | None:
    """Read the citations of a response; None when its source of evidence is not a library. Nothing is fetched yet.

    `sources` may contain other sources to search.
    """
    if not isinstance(source, Library):
        return None
    others = [other for other in sources if other is not source]
    return CitedWork(source, read_citations(job.response.text, job.segments, source.held.references), others)


def reference_of(document: Document) -> str:
    """Return a document as an entry of a bibliography."""
    year = f" ({document.published[:4]})" if document.published else ""
    author = f"{document.author or document.publisher or ''}{year}".strip()
    return ". ".join(filter(None, (author, (document.title or "").rstrip("."), document.url)))


def _passages(claim: Claim, result: Sequence[FoundPassage]) -> tuple[Passage, ...]:
    return tuple(passage_record(passage, claim.id, rank) for rank, passage in enumerate(result, 1))
