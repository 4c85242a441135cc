"""Details of a check: its documents, the calls that its judgements came from, and the citations of its text."""

from __future__ import annotations

import asyncio
import base64
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query

from factscope.core import CacheEntry
from factscope.llm.call import Reply
from factscope.llm.call_cache import Cache
from factscope.report.citations.overview import CitationView, citation_view
from factscope.report.wording import is_about_citations
from factscope.web.checks import selected_report
from factscope.web.forms import CheckDocuments, DroppedDocument, ModelCall, ModelTurn
from factscope.web.problems import ProblemError, not_found
from factscope.web.services import OwnCheck, Serving, User

router = APIRouter(prefix="/api/v1", tags=["checks"])
_UNKEPT = "Replies are kept in the cache of this server, and may have been cleared from it."


@router.get("/checks/{check_id}/documents")
async def get_documents(check: OwnCheck, services: Serving) -> CheckDocuments:
    """Return the documents that were given with a check, so that it can be made again with other settings."""
    documents = await services.repository.documents(check.id)
    return CheckDocuments(documents=tuple(_document(name, data) for name, data in documents))


def _document(name: str, data: bytes) -> DroppedDocument:
    try:
        return DroppedDocument(name=name, text=data.decode("utf-8"))
    except UnicodeDecodeError:
        return DroppedDocument(name=name, base64=base64.b64encode(data).decode())


@router.get("/checks/{check_id}/calls/{judgement_id}")
async def get_call(check_id: str, judgement_id: str, services: Serving, user: User) -> ModelCall:
    """Return the call to a model that a judgement came from: the prompt and the reply, word for word.

    A call that judged several passages is returned for each of them.
    """
    check = await services.repository.get(check_id, user)
    report = await services.repository.report(check)
    judgement = next((item for item in report.judgements if item.id == judgement_id), None) if report else None
    if judgement is None:
        raise not_found("judgement")
    if judgement.call is None:
        raise ProblemError(404, f"The judgement {judgement_id} did not come from one call to a model.")
    exchange = await asyncio.to_thread(_exchange, services.settings.cache / "replies.db", judgement.call)
    if exchange is None:
        raise ProblemError(404, "The call is no longer stored.", _UNKEPT)
    request = json.loads(exchange.note)
    return ModelCall(
        model=request["model"],
        messages=tuple(ModelTurn(role=role, content=content) for role, content in request["messages"]),
        reply=exchange.value.text,
        temperature=request["temperature"],
        max_tokens=request["max_tokens"],
        finish_reason=exchange.value.finish_reason,
        tokens_in=exchange.value.tokens_in,
        tokens_out=exchange.value.tokens_out,
        made=datetime.fromtimestamp(exchange.made, UTC).isoformat(timespec="seconds"),
        cached=exchange.made < datetime.fromisoformat(check.created).timestamp(),
    )


def _exchange(path: Path, key: str) -> CacheEntry[Reply] | None:
    """Return a call as the note, with its reply and when it was made; None when it is not on disk."""
    if not path.is_file():
        return None
    with Cache(path) as cache:
        return cache.entry(key)


@router.get("/checks/{check_id}/citations")
async def get_citations(check: OwnCheck, services: Serving, original: Annotated[bool, Query()] = False) -> CitationView:
    """Return the citations of a text that was checked with `cited`.

    Marked by outcome, with their sources and all problems.

    Sources that you excluded do not count, unless the `original` is asked for.
    """
    report = await selected_report(services, check, original=original)
    if not is_about_citations(report):
        raise ProblemError(
            409, "The check is not about the citations of its text.", "Make a new check with cited set to true."
        )
    return await asyncio.to_thread(citation_view, report)
