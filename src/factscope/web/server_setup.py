"""Setup of this server: options with their prices, health, and metrics."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse

from factscope.core import CATEGORIES, FactscopeError, UsageError, __version__
from factscope.engine import MAX_CHARACTERS
from factscope.engine.find_method import method_names
from factscope.llm.models_by_role import ALL
from factscope.llm.session import steps
from factscope.methods import Method
from factscope.methods.method_catalogue import method_named
from factscope.web.estimates import estimate
from factscope.web.forms import MAX_DOCUMENT_BYTES, MAX_DOCUMENTS, MAX_DOCUMENTS_BYTES, CheckRequest, Estimate, Ranker
from factscope.web.request_method import default_parameters, must_use_its_model
from factscope.web.services import Services, Serving
from factscope.web.setup_forms import BudgetChoice, Engine, Health, Limits, MethodChoice, RankerChoice, Setup
from factscope.web.tool_factory import contents

router = APIRouter(prefix="/api/v1", tags=["setup"])
health = APIRouter(tags=["server"])
BY_MEANING: tuple[Ranker, ...] = ("dense", "hybrid")
"""Rankings that need an embedding model."""


@router.get("/setup")
async def get_setup(services: Serving) -> Setup:
    """Return the options of this server, and why some are unavailable."""
    return await asyncio.to_thread(_setup, services)


def _setup(services: Services) -> Setup:
    configured = services.settings.model
    return Setup(
        version=__version__,
        methods=tuple(_method(method_named(name), services) for name in method_names()),
        model=configured.get(ALL) or configured.get("judge") or next(iter(configured.values()), None),
        models=tuple(sorted(set(configured.values()))),
        engines=_engines(),
        rankers=_rankers(),
        categories=CATEGORIES,
        budget=BudgetChoice.unless(services.tool_factory.why_no_budget),
        own_evidence=bool(services.settings.evidence),
        samples=tuple(sample.sample for sample in services.samples.values()),
        limits=Limits(
            characters=MAX_CHARACTERS,
            documents=MAX_DOCUMENTS,
            document_bytes=MAX_DOCUMENT_BYTES,
            documents_bytes=MAX_DOCUMENTS_BYTES,
        ),
        defaults=default_parameters(services.settings),
        token_required=services.token_required,
    )


def _method(method: Method, services: Services) -> MethodChoice:
    roles = {step.role for _, step in steps(method)}

    def examine_models() -> None:
        models = services.tool_factory.models(None)
        if models is None:
            raise UsageError("It asks a language model, and none is configured: start the server with FACTSCOPE_MODEL.")
        for role in sorted(roles):
            models.examine(models.of(role))

    return MethodChoice.unless(
        _why_not(examine_models) if roles else None,
        name=method.name,
        title=method.title,
        about=method.cites or "",
        needs_model=bool(roles),
        needs_search=method.evidence.source == "web",
    )


def _engines() -> tuple[Engine, ...]:
    from factscope.evidence.search.engine_registry import engine_names, engine_title, open_engine

    return tuple(
        Engine.unless(_why_not(partial(open_engine, name, os.environ)), name=name, title=engine_title(name))
        for name in engine_names()
    )


def _why_not(test: Callable[[], object]) -> str | None:
    """Return the error of a test; None when it succeeds."""
    try:
        test()
    except FactscopeError as error:
        return str(error)
    return None


def _rankers() -> tuple[RankerChoice, ...]:
    missing = [name for name in ("onnxruntime", "tokenizers") if find_spec(name) is None]
    reason = "Ranking by meaning needs more packages: pip install 'factscope[dense]'." if missing else None
    return (RankerChoice.unless(None, name="bm25"), *(RankerChoice.unless(reason, name=name) for name in BY_MEANING))


@router.post("/estimate")
async def estimate_check(body: CheckRequest, services: Serving) -> Estimate:
    """Estimate the calls, usage and cost of a check; nothing is called. With the same check for the command line."""
    await asyncio.to_thread(contents, body.documents)
    await asyncio.to_thread(must_use_its_model, body, services.settings)
    return await asyncio.to_thread(estimate, body, services.settings)


@health.get("/healthz")
async def get_health(services: Serving) -> Health:
    """Return whether the server works, its store included."""
    await services.repository.by_state()
    return Health(version=__version__)


@health.get("/metrics", response_class=PlainTextResponse)
async def get_metrics(services: Serving) -> PlainTextResponse:
    """Return counters in the text form of Prometheus."""
    states = await services.repository.by_state()
    gauges = {
        "factscope_checks": ("Checks on the shelf.", {state: float(n) for state, n in sorted(states.items())}),
        "factscope_running_here": ("Checks that this server runs.", {"": float(len(services.jobs))}),
        "factscope_watchers": ("Connections that watch a check.", {"": float(len(services.jobs.watchers))}),
    }
    return PlainTextResponse(services.metrics.text(gauges), media_type="text/plain; version=0.0.4; charset=utf-8")
