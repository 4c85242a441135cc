"""`factscope doctor`: whether everything that a check needs works here."""

from __future__ import annotations

import asyncio
import os
import platform
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import typer

from factscope.cli.options import AsList, StoreLocation
from factscope.cli.output import put_json, table
from factscope.core import StoreError, __version__, many, system_reason
from factscope.core.records import Response
from factscope.engine import check_sync, find_verifiers
from factscope.engine.find_method import chosen_method, default_method, find_method
from factscope.engine.open_tools import open_tools
from factscope.engine.run_store import Store
from factscope.engine.settings import Settings, load_settings
from factscope.evidence.search.engine_registry import available
from factscope.judging.verifiers.protocol import ClaimPair
from factscope.llm.call import Message
from factscope.llm.cost import Ledger
from factscope.llm.session import CheckContext
from factscope.methods import Evidence

_NONE = "none configured"


class Diagnosis(NamedTuple):
    """One tested part, and the result."""

    name: str
    works: bool
    detail: str


def doctor(store: StoreLocation = None, format: AsList = "text") -> None:  # noqa: A002 - the option's name
    """Test everything that a check needs, and say how to fix what fails. Exit code 1 if any part fails.

    Example: factscope doctor --format json
    """
    settings, _ = load_settings({"store": store}, dot_env=True)
    findings = [_try(name, test, settings) for name, test in _CHECKS.items()]
    if format == "json":
        put_json([finding._asdict() for finding in findings])
    else:
        table(((_word(f), f.name, f.detail) for f in findings), ("", "part", "what was seen"))
    raise typer.Exit(0 if all(finding.works for finding in findings) else 1)


def _word(finding: Diagnosis) -> str:
    """Return whether a part works; a part that is not configured is neither working nor failing."""
    if finding.detail.startswith(_NONE):
        return "– not set up"
    return "✓ works" if finding.works else "✗ fails"


def _try(name: str, test: Callable[[Settings], str], settings: Settings) -> Diagnosis:
    try:
        return Diagnosis(name, True, test(settings))
    except Exception as error:  # noqa: BLE001 - whatever goes wrong is the finding
        return Diagnosis(name, False, f"{error}" or type(error).__name__)


def _python(settings: Settings) -> str:
    return f"Factscope {__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}"


def _method(settings: Settings) -> str:

    name = default_method(settings)
    return f"{name}: {find_method(name).title}"


def _store(settings: Settings) -> str:

    with Store(settings.store) as store:
        n_runs = len(store.runs())
    return f"{store.database.name}, {many(n_runs, 'kept check')}"


def _cache(settings: Settings) -> str:
    try:
        settings.cache.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=settings.cache):
            return str(settings.cache)
    except OSError as error:
        reason = system_reason(error)
        raise StoreError(
            f"{settings.cache} can't be written: {reason}.", "Name another with FACTSCOPE_CACHE."
        ) from None


def _verifier(settings: Settings) -> str:
    """Open the configured verifier, and let it judge a pair."""
    minimal = settings.model_copy(update={"evidence": (), "search": None, "model": {}})
    method = chosen_method(minimal, None if settings.verifier else "builtin")
    began = time.monotonic()
    replies = []
    for verifier in find_verifiers(method, open_tools(settings=minimal)).values():
        [prediction] = verifier.verify(
            [ClaimPair("The mill was built in 1782.", "The old mill was built in 1782 by a miller.")]
        )
        replies.append(f"{verifier.name} judged a pair after {time.monotonic() - began:.1f} s: {prediction.label}")
    return "; ".join(replies) or f"{settings.verifier} is served as a model"


def _models(settings: Settings) -> str:
    """Put a short question to each configured model."""
    if not settings.model:
        return f"{_NONE}; name one: --model, FACTSCOPE_MODEL or factscope.toml"

    async def ask_each_model() -> list[str]:
        replies = []
        minimal = settings.model_copy(update={"evidence": (), "search": None, "cache": Path(folder)})
        async with open_tools(settings=minimal) as tools:
            for role, model in sorted(settings.model.items()):
                if tools.models:
                    tools.models.examine(model)
                    began = time.monotonic()
                    question = (Message("user", "Reply with the word OK."),)
                    call = tools.models.call(role, question, temperature=0.0, max_tokens=512)
                    await tools.models.ask(call, str.strip, Ledger())
                    replies.append(f"{model} answered in {time.monotonic() - began:.1f} s")
        return replies

    with tempfile.TemporaryDirectory() as folder:  # a cached reply would prove nothing
        return "; ".join(asyncio.run(ask_each_model()))


def _search(settings: Settings) -> str:
    """Search with the configured engine, and fetch and read a page that it finds."""
    if settings.search is None:
        return f"{_NONE}; ready to use with --search: {', '.join(available(os.environ))}"

    async def search_once() -> str:
        minimal = settings.model_copy(update={"evidence": (), "model": {}})
        async with open_tools(settings=minimal) as tools:
            job = CheckContext(Response(text=_QUERY), (), lambda *events: None)
            results = await tools.sources["web"].find(_QUERY, Evidence(results=2), job)
        if not results.listed:
            raise RuntimeError(f"{settings.search} found nothing for {_QUERY!r}")
        if not results.passages:
            raise results.failures[0][1] if results.failures else RuntimeError("no page could be read")
        found = f"{settings.search} found {many(len(results.listed), 'page')}"
        return f"{found}; {many(len(results.passages), 'passage')} read"

    return asyncio.run(search_once())


_QUERY = "Eiffel Tower height"


def _end_to_end(settings: Settings) -> str:
    """Read a page in the child process, index it, and judge a true and a false sentence about it."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.html")
        page.write_text(_PAGE, encoding="utf-8")
        tools = open_tools(
            [page],
            settings=settings.model_copy(update={"cache": Path(folder), "model": {}, "search": None, "verifier": None}),
        )
        report = check_sync(_STATEMENTS, find_method("builtin"), tools)
    outcomes = [verdict.outcome for verdict in report.verdicts if verdict.level == "claim"]
    if report.failures:
        raise RuntimeError(report.failures[0].message)
    if outcomes != ["supported", "contradicted"]:
        raise RuntimeError(f"a true and a false sentence came out as {' and '.join(outcomes)}")
    return "a page was read and indexed; a true sentence came out supported, a false one contradicted"


_PAGE = """<html><head><title>The mill</title></head>
<body><article><h1>The mill</h1>
<p>The old mill on the Arve was built in 1782 by the miller Anton Brede.
It has two wheels.</p></article></body></html>"""
_STATEMENTS = "The old mill on the Arve was built in 1782. The old mill on the Arve was built in 1828."

_CHECKS: dict[str, Callable[[Settings], str]] = {
    "Factscope": _python,
    "method": _method,
    "store": _store,
    "cache": _cache,
    "verifier": _verifier,
    "models": _models,
    "web search": _search,
    "a check, end to end": _end_to_end,
}
