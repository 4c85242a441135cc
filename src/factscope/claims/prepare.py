"""Preparation of a claim between extraction and search: it is rewritten to be self-contained, and may be skipped."""

from __future__ import annotations

from factscope.claims.extract import same_words
from factscope.core.records import Claim
from factscope.llm.model_errors import ModelError
from factscope.llm.parsers import bracketed_label, fenced
from factscope.llm.reply_room import room_for
from factscope.llm.session import CheckContext, StepQuestion
from factscope.methods import Extract, Relevance, Rewrite


async def prepare(job: CheckContext, spec: Extract, claim: Claim) -> Claim:
    """Return the claim, rewritten and checked for relevance as `spec` says. Raises ModelError, StoreError."""
    if claim.skipped is None and spec.rewrite:
        claim = await _rewritten(job, spec.rewrite, claim)
    if claim.skipped is None and spec.relevant and job.response.prompt:  # nothing to be relevant to without one
        claim = await _relevant(job, spec.relevant, claim)
    return claim


async def _rewritten(job: CheckContext, rewrite: Rewrite, claim: Claim) -> Claim:
    variables = {**job.variables(claim), "claim": claim.text}
    try:
        room = room_for([variables["segment"], claim.text], each=300, times=2)
        reply = await job.session.ask(StepQuestion(rewrite, variables, room=room), fenced)
    except ModelError as error:
        if error.kind != "unreadable" or rewrite.if_unreadable == "fail":
            raise
        return claim
    rewritten = " ".join(reply.value.split())
    return claim.model_copy(update={"standalone": rewritten, "independent": same_words(claim.text, rewritten)})


async def _relevant(job: CheckContext, relevant: Relevance, claim: Claim) -> Claim:
    words = {"relevant": "Foo", "irrelevant": "Not Foo"}
    try:
        question = StepQuestion(relevant, job.variables(claim), {"relevance": words})
        reply = await job.session.ask(question, lambda text: bracketed_label(text, list(words.values())))
    except ModelError as error:
        if error.kind != "unreadable" or relevant.if_unreadable == "fail":
            raise
        return claim  # SAFE's own rule: an undecided claim is relevant
    if reply.value == words["irrelevant"]:
        return claim.model_copy(update={"skipped": "it does not bear on the request"})
    return claim
