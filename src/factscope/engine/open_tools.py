"""The only module that connects services: from settings to evidence, models and verifiers."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from factscope.core import UsageError
from factscope.core.records import Document
from factscope.engine.settings import Settings, load_settings, path_or_url
from factscope.engine.tools import Tools, provenance
from factscope.evidence.collection import Collection, open_collection
from factscope.evidence.file_list import NoEvidenceError
from factscope.evidence.forked import load_parsers
from factscope.evidence.gather import EvidenceSource
from factscope.evidence.per_response import AT_HAND, OwnDocuments
from factscope.llm.call_cache import Cache
from factscope.llm.cost import Allowance, Budget, Price, Prices, known_prices
from factscope.llm.model_client import ModelClient
from factscope.llm.models_by_role import Models
from factscope.methods import CITED, Method

if TYPE_CHECKING:
    from factscope.evidence.citations import Library
    from factscope.evidence.embedding_models import Encoders
    from factscope.evidence.page_access import PageAccess
    from factscope.evidence.search.search import WebSearch
    from factscope.evidence.web_source import WebRules, WebSource


def examine(method: Method, settings: Settings) -> None:
    """Raise UsageError for a model, key or prompt that can't be used; nothing is read and nothing called."""
    minimal = settings.model_copy(update={"evidence": (), "search": None, "offline": True})
    if method.evidence.source in ("given", CITED, *AT_HAND):
        provenance(method, open_tools(settings=minimal, contexts=True))
    if settings.search:
        from factscope.evidence.search.engine_registry import open_engine

        open_engine(settings.search, os.environ)


def load_readers(method: Method, settings: Settings) -> None:
    """Begin to load the parsers of pages, which takes a second, where a check with this method reads pages."""
    searched = settings.search and method.evidence.read == "pages"
    cited = method.evidence.source == CITED and not settings.offline
    if searched or cited or any(isinstance(source, str) for source in settings.evidence):
        load_parsers("page")


def open_tools(
    evidence: Sequence[Path | str] | Path | str = (),
    *,
    settings: Settings | None = None,
    contexts: bool = False,
    on_progress: Callable[[int, int], None] | None = None,
    budget: Budget | None = None,
) -> Tools:
    """Return the tools of a method: the named documents (files and folders), indexed, the verifiers, and the models.

    With `contexts`, the documents that come with a response are searched too.

    Tools that hold models or the web are closed, or used as an asynchronous context manager; `check_sync` closes them
    itself. `on_progress` is called with the number of files read and the total. With `budget`, calls count towards that
    one, which other tools may share; without, towards a new one. Raises UsageError for a path that is
    not there and InputError when none of the documents can be used; problems of single files are listed in
    `tools.sources["local"].searched.problems`.
    """
    from factscope.judging.verifiers.verifier_list import Verifiers

    settings = settings or load_settings()[0]
    requested = [evidence] if isinstance(evidence, str | Path) else list(evidence or settings.evidence)
    encoders = open_encoders(settings)
    paths = tuple(map(path_or_url, requested))
    settings = settings.model_copy(update={"evidence": paths})
    sources = open_sources(settings, on_progress=on_progress)
    if settings.search:
        from factscope.evidence.search.engine_registry import open_search

        engine = open_search(settings.search, os.environ, settings.cache / "searches.db")
        sources["web"] = open_web_source(settings, engine, encoders)
    return Tools(
        sources=sources,
        verifiers=Verifiers(settings.cache),
        models=open_models(settings, budget) if settings.model else None,
        workers=settings.workers,
        contexts=OwnDocuments(encoders) if contexts else None,
        share_calls=settings.share_calls,
    )


def open_sources(
    settings: Settings,
    urls: Sequence[str] = (),
    documents: Sequence[Document] = (),
    on_progress: Callable[[int, int], None] | None = None,
) -> dict[str, EvidenceSource]:
    """Return the evidence that needs no connection later: files and folders as `local`, pages and texts as `texts`.

    Pages are fetched now, through the guarded fetcher. Where only one of the two can be used, it names the problems of
    the other. Raises UsageError and InputError.
    """
    if settings.cited:
        return {CITED: open_library(settings, urls, documents)}
    encoders = open_encoders(settings)
    openers: dict[str, Callable[[], Collection]] = {}
    pages = [*(source for source in settings.evidence if isinstance(source, str)), *urls]
    if paths := [source for source in settings.evidence if isinstance(source, Path)]:
        openers["local"] = partial(open_collection, paths, settings.cache / "collections", on_progress, encoders)
    if pages or documents:
        from factscope.evidence.loose_documents import open_texts

        openers["texts"] = partial(open_texts, documents, pages, settings.cache, encoders)
    sources: dict[str, Collection] = {}
    unusable: list[NoEvidenceError] = []
    for name, open_collected in openers.items():
        try:
            sources[name] = open_collected()
        except NoEvidenceError as error:
            unusable.append(error)
    for failure in unusable:
        if not sources:
            raise failure
        next(iter(sources.values())).problems += failure.problems
    return {**sources}


def open_library(
    settings: Settings,
    urls: Sequence[str] = (),
    documents: Sequence[Document] = (),
    access: PageAccess | None = None,
) -> Library:
    """Open the local sources, read now, and a guarded fetcher for the others unless the settings say offline.

    With `access` that is shared, and stays open when the library is closed.

    Raises UsageError for a path that is not there, and StoreError when the cache of pages can't be used.
    """
    from factscope.evidence.citations import Library, open_at_hand
    from factscope.evidence.loose_documents import fetch_pages
    from factscope.evidence.page_access import PageAccess

    pages = [*(passage for passage in settings.evidence if isinstance(passage, str)), *urls]
    read, problems = fetch_pages(pages, settings.cache) if pages else ([], [])
    fetched = [document.model_copy(update={"text": text}) for document, text in read]
    paths = [passage for passage in settings.evidence if isinstance(passage, Path)]
    held = open_at_hand(paths, [*documents, *fetched])
    held.problems += problems
    settings.cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    if settings.offline:
        return Library(held)
    way = access or PageAccess(settings.cache)
    return Library(held, way.fetcher, way.reader, shared=access is not None)


def open_web_source(
    settings: Settings, search: WebSearch, encoders: Encoders | None = None, access: PageAccess | None = None
) -> WebSource:
    """Return the web as a source of evidence through a search engine, by the rules of the settings. Raises StoreError.

    With `access`, that and `search` are shared, and stay open when the source is closed.
    """
    from factscope.evidence.web_source import open_web

    rules, encoders = _rules(settings), encoders or open_encoders(settings)
    return open_web(search, settings.cache, rules, settings.categories_file, encoders, access)


def open_encoders(settings: Settings) -> Encoders:
    """Return models for methods that rank by meaning; none is opened before it is needed."""
    from factscope.evidence.embedding_models import Encoders

    def folder_of_model(name: str) -> Path:
        from factscope.evidence.ranking.model_config import model_folder

        return model_folder(name, settings.cache, os.environ)

    return Encoders(folder_of_model, settings.cache / "vectors.db")


def _rules(settings: Settings) -> WebRules:
    from factscope.evidence.search.engine import SearchOptions
    from factscope.evidence.search.search import Sites
    from factscope.evidence.web_source import WebRules

    options = SearchOptions(
        language=settings.language,
        region=settings.region,
        published_after=settings.published_after,
        published_before=settings.published_before,
    )
    return WebRules(Sites(settings.allow_sites, settings.deny_sites), settings.deny_categories, options)


def open_budget(settings: Settings) -> Budget:
    """Return a budget with the limits of the settings, of which nothing is used yet."""
    return Budget(Allowance(settings.max_cost, settings.max_tokens, settings.max_calls, settings.max_seconds))


def open_models(settings: Settings, budget: Budget | None = None) -> Models:
    """Return models by role, whose calls count towards `budget` if given. Nothing is opened before the first call.

    Raises UsageError for limits on calls that go to batch files.
    """
    _possible_limits(settings)

    def close_client(client: ModelClient) -> None:
        if client.cache is None:
            return
        if settings.record:
            from factscope.llm.recording import write_recording

            write_recording(client.cache, settings.record, client.used, client.failed)
        client.cache.close()

    def examine_model(model: str) -> None:
        from factscope.llm.providers import endpoint

        if settings.replay:
            return
        where = endpoint(model, os.environ, need_key=settings.batch is None and not settings.dry_run)
        if settings.max_cost is not None and open_prices(settings).of(model, at_home=where.at_home) is None:
            raise UsageError(
                f"The price of {model!r} is unknown, so a limit on money can't be enforced.",
                "Give its price in a file (`prices` in factscope.toml, or FACTSCOPE_PRICES), or limit tokens or calls.",
            )

    def other_address(model: str) -> str | None:
        from factscope.llm.providers import endpoint

        if settings.replay:  # it needs no address
            return None
        where = endpoint(model, os.environ, need_key=False)
        return None if where.at_home else where.address

    shared = budget or open_budget(settings)  # one for all event loops: a second check may not spend it again
    open_client = partial(_open_client, settings, shared)
    return Models(open_client, settings.model, settings.temperature, examine_model, close_client, other_address)


def _possible_limits(settings: Settings) -> None:
    """Raise UsageError for limits together with batch files: whoever answers those spends, and doesn't count here."""
    if settings.batch is None or settings.replay:
        return
    for name in ("max_cost", "max_tokens", "max_calls", "max_seconds"):
        if getattr(settings, name) is not None:
            raise UsageError(
                f"`{name}` can't be combined with `batch`: Factscope does not make the calls in batch files.",
                f"Leave out `{name}`, and set a limit at the service that answers the files.",
            )


def _open_client(settings: Settings, budget: Budget) -> ModelClient:
    """Return a client over one of three senders: a recording, batch files, or live calls; with the cache of replies."""
    from factscope.llm.batch import BatchFolder
    from factscope.llm.http_calls import HttpSender
    from factscope.llm.limits import SILENCE, CallLimits
    from factscope.llm.recording import CacheOnlySender, ReplaySender

    if settings.replay:
        private_cache = Cache()
        return ModelClient(ReplaySender(settings.replay, private_cache), private_cache)
    cache = Cache(settings.cache / "replies.db")
    if settings.dry_run:
        return ModelClient(CacheOnlySender(os.environ), cache)
    if settings.batch:
        return ModelClient(BatchFolder(settings.batch, os.environ), cache)
    limits = CallLimits(
        in_flight=settings.in_flight,
        requests_per_minute=settings.requests_per_minute,
        tokens_per_minute=settings.tokens_per_minute,
        timeout=settings.timeout or SILENCE,
    )
    return ModelClient(HttpSender(os.environ, limits, open_prices(settings), budget), cache)


def price_finder(settings: Settings) -> Callable[[str], Price | None]:
    """Return a function from a model, described by its name first, to its price where it is called."""
    from factscope.llm.providers import endpoint

    prices = open_prices(settings)

    def price_of(described: str) -> Price | None:
        model = described.partition(" ")[0]
        where = endpoint(model, os.environ, need_key=False)
        return prices.of(model, at_home=where.at_home)

    return price_of


def open_prices(settings: Settings) -> Prices:
    """Return the table of prices that comes with Factscope, with the user's own before it. Raises UsageError."""
    return known_prices().with_file(settings.prices) if settings.prices else known_prices()
