"""One endpoint for each step of a check, callable separately, with the same records as a whole check.

A unit that fails is a `Failure` in the reply, as in a check; a request that can't be carried out at all is a problem.
Nothing is stored.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Any

from fastapi import APIRouter, Response

from factscope.claims.cut import as_it_stands, column_names, cut_clauses
from factscope.claims.extract import extract, prepare, skipped, windows
from factscope.claims.text.segments import segment
from factscope.core import BoundaryError, Event, __version__, group_by, id_key
from factscope.core.records import (
    Claim,
    Document,
    Failure,
    Judgement,
    Passage,
    Query,
    Report,
    SearchHit,
    Segment,
)
from factscope.engine import as_response, find_verifiers
from factscope.engine.find_method import must_ask_a_model
from factscope.engine.run_judges import case_of, judged_without_evidence, run_judges, titles_of
from factscope.evidence.addresses import host_of
from factscope.evidence.collection import in_memory
from factscope.evidence.gather import LOOK_BACK, gather, write_query
from factscope.evidence.per_response import AT_HAND
from factscope.evidence.results import listed_result
from factscope.llm.cost import Ledger
from factscope.llm.session import CheckContext, ModelSession, gather_all
from factscope.methods import Judge, Method, Passages, judges_of
from factscope.methods.method_catalogue import method_named
from factscope.methods.method_file import method_from_values
from factscope.scoring import measure
from factscope.scoring.rescore import rescore
from factscope.scoring.verdicts.roll_up import counts, roll_up
from factscope.web import step_forms as forms
from factscope.web.checks import unknown_names
from factscope.web.problems import ProblemError
from factscope.web.services import Services, Serving
from factscope.web.step_inputs import documents_of, response_of, units_of
from factscope.web.tool_factory import ToolFactory

router = APIRouter(prefix="/api/v1", tags=["steps"])
_SHOWN = 5  # ids that a problem names


class _Step:
    """One step in progress: the records that it makes, and its usage."""

    def __init__(
        self, response: Any, segments: Sequence[Segment], tool_factory: ToolFactory, method: Method, model: str | None
    ):
        must_ask_a_model([method], [model] if model else [], search=None)
        self.method = method
        self.records: list[Event] = []
        self.tools = tool_factory.bare_tools(model)
        self.verifiers = find_verifiers(method, self.tools)
        ledger = Ledger()
        session = ModelSession(self.tools.models, ledger) if self.tools.models else None
        self.job = CheckContext(
            as_response(response), segments, lambda *events: self.records.extend(events), session, ledger
        )

    def of(self, kind: type[Any]) -> tuple[Any, ...]:
        """Return the records of one type, each once, in order of id."""
        events = (event for event in self.records if isinstance(event, kind))
        by_id = {getattr(event, "id", str(index)): event for index, event in enumerate(events)}
        return tuple(sorted(by_id.values(), key=lambda event: id_key(getattr(event, "id", ""))))

    def costs(self) -> dict[str, tuple[Any, ...]]:
        """Return the failures, and the usage of models and services, as fields of a reply."""
        return {"failures": self.of(Failure), "usage": tuple(self.job.ledger.usage())}

    def must_have_model(self) -> None:
        """Raise ProblemError when no model is configured."""
        if self.tools.models is None:
            raise ProblemError(
                422,
                f"Method {self.method.name} asks a language model, and none is configured.",
                "Name one in the field model, such as openai/gpt-4.1-mini, or take the method builtin.",
            )


@router.post("/segment")
async def segment_text(body: forms.SegmentRequest) -> forms.Segments:
    """Cut a text into segments with exact offsets."""
    response = as_response(body.text)
    return forms.Segments(segments=await asyncio.to_thread(segment, response.text, body.into))


@router.post("/claims")
async def extract_claims(body: forms.ClaimsRequest, services: Serving) -> forms.Claims:
    """Cut segments into claims as a method does: by rules, or by its model, made to stand alone."""
    method = method_named(body.method)
    response = as_response(response_of(body.text, body.response))
    segments = body.segments
    if segments is None:
        segments = await asyncio.to_thread(segment, response.text, method.segment)
    _must_lie_in(response.text, segments)
    step = _Step(response, segments, services.tool_factory, method, body.model)
    spec = method.extract
    if spec is None:
        names, is_stated = column_names(segments), method.units == "stated"
        for piece in segments:
            step.job.emit(*(cut_clauses(piece, names.get(piece.id, ())) if is_stated else [as_it_stands(piece)]))
    else:
        step.must_have_model()
        cut_by_model = windows(segments, spec)
        step.job.emit(*skipped(segments, cut_by_model))
        groups = await gather_all(extract(step.job, spec, window) for window in cut_by_model)
        claims = list(chain.from_iterable(groups))
        ready = await gather_all(step.job.guard((c.id,), "claims", prepare, step.job, spec, c) for c in claims)
        step.job.emit(*(done or claim for done, claim in zip(ready, claims, strict=True)))
    return forms.Claims(segments=segments, claims=step.of(Claim), **step.costs())


@router.post("/queries")
async def write_queries(body: forms.QueriesRequest, services: Serving) -> forms.WrittenQueries:
    """Write the first searches for claims as a method does: the claim's own text, or its model's queries."""
    method = method_named(body.method)
    response, segments, claims = units_of(body)
    _must_be_different(claims)
    step = _Step(response, segments, services.tool_factory, method, body.model)
    before = {claim.id: claims[max(0, index - LOOK_BACK) : index][::-1] for index, claim in enumerate(claims)}
    plan = method.evidence.queries
    if plan is None:
        step.job.emit(*(write_query(claim, before[claim.id]) for claim in claims))
    else:
        step.must_have_model()
        rounds = 2 if plan.begin_with == "claim" else 1
        spec = method.evidence.model_copy(update={"queries": plan.model_copy(update={"rounds": rounds})})
        ids = [claim.id for claim in claims]
        no_source = AT_HAND["none"]  # the queries are wanted, not their results
        await step.job.guard(ids, "evidence", gather, step.job, spec, no_source, claims, before, lambda gathered: None)
    return forms.WrittenQueries(queries=step.of(Query), **step.costs())


@router.post("/search")
async def search_web(body: forms.SearchRequest, services: Serving) -> forms.Hits:
    """Search the web; results of sites that are left out are not listed."""
    from factscope.evidence.search.engine import SearchOptions
    from factscope.evidence.search.engine_registry import open_search
    from factscope.evidence.search.search import Sites

    sites = Sites(body.allow_sites, body.deny_sites)
    options = SearchOptions(n=body.results, language=body.language, region=body.region)
    search = open_search(body.engine, os.environ, services.settings.cache / "searches.db")
    try:
        results = sites.sift(await search.find(body.query, options))
    except BoundaryError as error:
        return forms.Hits(hits=(), failures=(_failure(error, body.engine),))
    finally:
        await search.close()
    hits = tuple(
        SearchHit(id=f"q1.h{hit.rank}", query_id="q1", rank=hit.rank, **listed_result(hit)._asdict())
        for hit in results.hits
    )
    return forms.Hits(hits=hits)


@router.post("/fetch")
async def fetch_page(body: forms.FetchRequest, services: Serving) -> forms.PageFetch:
    """Fetch a public page and read its text, without menus, hidden words and the like."""
    from factscope.evidence.page_access import PageAccess, page_document

    try:
        async with PageAccess(services.settings.cache) as access:
            fetched, page = await access.read(body.url)
            kind = await _category(fetched.url, services)
    except BoundaryError as error:
        return forms.PageFetch(document=None, failures=(_failure(error, body.url),))
    document = page_document(page, fetched).model_copy(update={"text": page.text, "category": kind.category})
    return forms.PageFetch(document=document)


@router.post("/passages")
async def find_passages(body: forms.PassagesRequest, services: Serving) -> forms.FoundPassages:
    """Find the passages of documents about a claim, best first."""
    claim = units_of(forms.StepClaims(claim=body.claim)).claims[0]
    documents = documents_of(body.documents)
    _must_have_texts(documents)
    passages = await asyncio.to_thread(_passages, claim, documents, body.passages, services.tool_factory, body.query)
    return forms.FoundPassages(passages=passages)


def _passages(
    claim: Claim, documents: Sequence[Document], settings: Passages, tools: ToolFactory, query: str | None = None
) -> tuple[Passage, ...]:
    from factscope.evidence.results import passage_record

    texts = [(document.model_copy(update={"text": None}), document.text or "") for document in documents]
    collection = in_memory(texts, tools.encoders())
    passages_found = collection.search(query or claim.standalone, settings) if collection else ()
    return tuple(passage_record(passage, claim.id, rank) for rank, passage in enumerate(passages_found, 1))


@router.post("/source-category")
async def categorise_source(body: forms.SourceRequest, services: Serving) -> forms.SourceCategory:
    """Categorise a source by its host name alone: by a table, by rules, or by the model for the role `source`."""
    host = host_of(body.source) if "://" in body.source else body.source
    assigned = await _category(host, services)
    return forms.SourceCategory(host=host, category=assigned.category, how=assigned.how)


async def _category(source: str, services: Services) -> Any:
    from factscope.evidence.sources import ASK, SourceClassifier, own_table

    settings = services.settings
    models = services.tool_factory.models(None)
    session = ModelSession(models) if models and models.has(ASK.role) else None
    own_categories = own_table(settings.categories_file) if settings.categories_file else None
    with SourceClassifier(settings.cache / "sources.db", own_categories) as sources:
        return await sources.of(host_of(source) if "://" in source else source, session)


@router.post("/judge")
async def judge_claims(body: forms.JudgeRequest, services: Serving) -> forms.Judgements:
    """Judge claims by passages, as the judges of a method do."""
    method = method_named(body.method)
    if body.segments is not None and (body.response is None or any(isinstance(claim, str) for claim in body.claims)):
        raise ProblemError(422, "Segments need the response that they stand in, and claims as records.")
    response, segments, claims = units_of(body, body.segments)
    _must_be_different(claims)
    _must_lie_in(response.text, segments)
    segment_ids = {segment.id for segment in body.segments or segments}
    if stray := next((claim for claim in claims if claim.segment_id not in segment_ids), None):
        raise ProblemError(422, f"The claim {stray.id} is of the segment {stray.segment_id}, which is not given.")
    step = _Step(response, segments, services.tool_factory, method, body.model)
    documents = documents_of(body.documents)
    passages = body.passages
    if not documents and not passages and not judged_without_evidence(method):
        raise ProblemError(422, "There is nothing to judge the claims by: give documents or passages.")
    _must_be_of(claims, passages or ())
    if passages is None:
        _must_have_texts(documents)
        settings = method.evidence.passages
        groups = [
            await asyncio.to_thread(_passages, claim, documents, settings, services.tool_factory) for claim in claims
        ]
        passages = tuple(chain.from_iterable(groups))
    titles = titles_of(documents)
    by_claim = group_by(sorted(passages, key=lambda passage: passage.rank), lambda passage: passage.claim_id)
    cases = [
        case_of(claim, by_claim[claim.id], titles)
        for claim in claims
        if claim.skipped is None and (by_claim[claim.id] or judged_without_evidence(method))
    ]
    if cases and any(isinstance(judge, Judge) for judge in judges_of(method.judge)):
        step.must_have_model()
    await run_judges(step.job, method, step.verifiers, cases)
    return forms.Judgements(claims=claims, passages=passages, judgements=step.of(Judgement), **step.costs())


@router.post("/roll-up")
async def roll_up_verdicts(body: forms.RollUpRequest) -> forms.RolledUpVerdicts:
    """Roll judgements up into verdicts on claims, segments and the response; no model is called."""
    fields = ("response", "segments", "claims", "documents", "passages", "judgements", "failures")
    _must_be_different((*body.segments, *body.claims))
    _must_be_different(body.documents)
    _must_be_different(body.passages)
    _must_be_different(body.judgements)
    records = {name: getattr(body, name) for name in fields}
    report = Report.model_construct(factscope=__version__, method={}, **records)
    verdicts = await asyncio.to_thread(roll_up, report, body.rules, body.exclude, body.judges)
    unknown = await asyncio.to_thread(unknown_names, body.exclude, report)
    return forms.RolledUpVerdicts(
        verdicts=verdicts, counts=counts(verdicts, body.segments, body.claims), unknown=unknown
    )


@router.post("/score")
async def score_report(body: forms.ScoreRequest) -> forms.Scores:
    """Compute scores from an unchanged report; no model is called."""
    measures = forms.measures_of(body.measures)
    if measures is None:
        measures = method_from_values(body.report.method, "the report's method").scores
    return forms.Scores(scores=await asyncio.to_thread(measure, body.report, measures))


@router.post("/rescore", response_model=Report)
async def rescore_report(body: forms.RescoreRequest) -> Response:
    """Roll a report up and score it again with some evidence left out; no model is called.

    Names under `exclude` that are in no evidence of the report are told among the report's warnings.
    """
    measures = forms.measures_of(body.measures)
    report = await asyncio.to_thread(rescore, body.report, exclude=body.exclude, measures=measures)
    unknown = await asyncio.to_thread(unknown_names, body.exclude, report)
    report = report.model_copy(update={"warnings": tuple(dict.fromkeys([*report.warnings, *unknown]))})
    return Response(report.model_dump_json(), 200, media_type="application/json")


def _failure(error: BoundaryError, about: str) -> Failure:
    return Failure(unit_id="q1", stage="evidence", boundary=error.boundary, message=str(error), about=about)


def _must_lie_in(text: str, segments: Sequence[Segment]) -> None:
    _must_be_different(segments)
    for record in segments:
        if record.span.of(text) != record.text:
            raise ProblemError(
                422,
                f"The segment {record.id} is not in the text from {record.span.start} to {record.span.end}.",
                "Offsets count code points; take segments from /segment.",
            )


def _must_be_of(claims: Sequence[Claim], passages: Sequence[Passage]) -> None:
    """Raise ProblemError for passages that are all of other claims, or of which two have one id."""
    _must_be_different(passages)
    ids = [claim.id for claim in claims]
    if passages and not any(passage.claim_id in ids for passage in passages):
        raise ProblemError(
            422,
            f"No passage is of the claims given: {passages[0].id} is of {passages[0].claim_id}.",
            f"The claims are {', '.join(ids[:_SHOWN])}; those given as strings are numbered so.",
        )


def _must_have_texts(documents: Sequence[Document]) -> None:
    """Raise ProblemError for a document that can't be searched."""
    if empty := next((document for document in documents if not (document.text or "").strip()), None):
        raise ProblemError(422, f"The document {empty.id} has no text.", "Give its text, or passages of it.")


def _must_be_different(records: Sequence[Segment | Claim | Document | Passage | Judgement]) -> None:
    repeated = [name for name, n in Counter(record.id for record in records).items() if n > 1]
    if repeated:
        raise ProblemError(422, f"There are two records with the id {repeated[0]}.")
