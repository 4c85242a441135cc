"""The citations of a checked text, for the page and for other programs."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query

from factscope.core.records import Exclusions
from factscope.report.citations.overview import CitationView, citation_view
from factscope.report.wording import is_about_citations
from factscope.scoring.rescore import rescore
from factscope.web.checks import ended_report, own_check
from factscope.web.forms import Choices
from factscope.web.problems import ProblemError
from factscope.web.services import Serving, User

router = APIRouter(prefix="/api/v1", tags=["checks"])


@router.get("/checks/{check_id}/citations")
async def get_citations(
    check_id: str, services: Serving, user: User, original: Annotated[bool, Query()] = False
) -> CitationView:
    """Return the citations of a text that was checked with `cited`.

    Marked by outcome, with their sources and all problems.

    Sources that you excluded do not count, unless the `original` is asked for.
    """
    stored = await own_check(services, user, check_id)
    report = await ended_report(services, user, check_id)
    if not is_about_citations(report):
        raise ProblemError(
            409, "The check is not about the citations of its text.", "Make a new check with cited set to true."
        )
    exclude = Choices.model_validate_json(stored.choices).exclude

    def view_selected() -> CitationView:
        selected = report if original or exclude == Exclusions() else rescore(report, exclude=exclude)
        return citation_view(selected)

    return await asyncio.to_thread(view_selected)
