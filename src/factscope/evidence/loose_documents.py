"""Evidence without files: texts that the caller passes, and pages named by their addresses."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from factscope.core.errors import BoundaryError
from factscope.core.records import Document
from factscope.evidence.collection import Collection, in_memory
from factscope.evidence.file_list import EvidenceProblem, NoEvidenceError
from factscope.evidence.page_access import page_document
from factscope.evidence.results import with_texts

if TYPE_CHECKING:
    from factscope.evidence.embedding_models import Encoders
    from factscope.evidence.fetch import Fetcher

_MAX_PROBLEMS = 3  # problems named in a message

Read = tuple[Document, str]
"""A document without its text, and the text."""


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


async def read_pages(urls: Sequence[str], fetcher: Fetcher, cache: Path) -> tuple[list[Read], list[EvidenceProblem]]:
    """Fetch and read pages concurrently, in the order of `urls`; a page that can't be fetched becomes a problem.

    Parsed pages are cached in the folder `cache`.
    """
    from factscope.evidence.page.reader import open_reader

    async with open_reader(cache) as reader:

        async def read_address(url: str) -> Read | EvidenceProblem:
            """Fetch and read one page."""
            try:
                fetched = await fetcher.fetch(url)
                page = await reader.read(fetched.content, fetched.content_type, fetched.charset, fetched.url)
            except BoundaryError as error:
                return EvidenceProblem(url, None, error.message.removeprefix(url).strip().rstrip("."))
            return page_document(page, fetched), page.text

        outcomes = await asyncio.gather(*map(read_address, dict.fromkeys(urls)))
    problems = [outcome for outcome in outcomes if isinstance(outcome, EvidenceProblem)]
    return [outcome for outcome in outcomes if not isinstance(outcome, EvidenceProblem)], problems


def fetch_pages(urls: Sequence[str], cache: Path) -> tuple[list[Read], list[EvidenceProblem]]:
    """Run `read_pages` in a new event loop, even if another one is running in this thread."""
    from factscope.evidence.fetch import Fetcher
    from factscope.evidence.forked import load_parsers

    load_parsers("page")

    async def fetch_all() -> tuple[list[Read], list[EvidenceProblem]]:
        async with Fetcher(cache / "pages.db") as fetcher:
            return await read_pages(urls, fetcher, cache)

    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, fetch_all()).result()
