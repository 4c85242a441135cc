"""Evidence without files: texts that the caller passes, and pages named by their addresses."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from factscope.core import BoundaryError
from factscope.core.records import Document
from factscope.evidence.collection import Collection, in_memory
from factscope.evidence.fetch.urls import printable_url
from factscope.evidence.file_list import EvidenceProblem, NoEvidenceError
from factscope.evidence.forked import load_parsers
from factscope.evidence.page_access import PageAccess, page_document
from factscope.evidence.results import HeldText, with_texts

if TYPE_CHECKING:
    from factscope.evidence.embedding_models import Encoders

_MAX_PROBLEMS = 3  # problems named in a message


def open_texts(
    documents: Sequence[Document], urls: Sequence[str], cache: Path, encoders: Encoders | None = None
) -> Collection:
    """Index texts and pages in memory; pages are fetched now, and kept for a day in `cache`.

    A page that can't be fetched becomes a problem of the collection. Raises NoEvidenceError when nothing is usable.
    """
    read, problems = fetch_pages(urls, cache) if urls else ([], [])
    collection = in_memory([*with_texts(documents), *read], encoders)
    if collection is None:
        listing = "; ".join(map(str, problems[:_MAX_PROBLEMS])) or "there is no word in it"
        raise NoEvidenceError(
            f"None of the evidence can be used: {listing}.", "Name other pages, files or texts.", problems
        )
    collection.problems = tuple(problems)
    return collection


def fetch_pages(urls: Sequence[str], cache: Path) -> tuple[list[HeldText], list[EvidenceProblem]]:
    """Fetch and read pages concurrently, in the order of `urls`; a page that can't be fetched becomes a problem.

    Pages are cached in the folder `cache`. They are fetched in a new event loop, even if another one is running in this
    thread.
    """
    load_parsers("page")

    async def read_address(access: PageAccess, url: str) -> HeldText | EvidenceProblem:
        try:
            fetched, page = await access.read(url)
        except BoundaryError as error:
            name = printable_url(url)  # without a password
            return EvidenceProblem(name, None, error.message.removeprefix(name).strip().rstrip("."))
        return HeldText(page_document(page, fetched), page.text)

    async def read_all() -> list[HeldText | EvidenceProblem]:
        async with PageAccess(cache) as access:
            return await asyncio.gather(*(read_address(access, url) for url in dict.fromkeys(urls)))

    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    with ThreadPoolExecutor(1) as pool:
        outcomes = pool.submit(asyncio.run, read_all()).result()
    problems = [outcome for outcome in outcomes if isinstance(outcome, EvidenceProblem)]
    return [outcome for outcome in outcomes if isinstance(outcome, HeldText)], problems
