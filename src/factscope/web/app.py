"""The application: all routes behind the access checks, and the objects that live as long as the server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from factscope.core import __version__
from factscope.engine.event_log import open_log
from factscope.engine.settings import Settings
from factscope.evidence.forked import load_parsers
from factscope.web import check_details, checks, pages, problems, rechecks, server_setup, steps
from factscope.web.annotation import routes as annotation
from factscope.web.annotation.queue_store import Annotations
from factscope.web.check_tables import JobLimits
from factscope.web.jobs import Jobs
from factscope.web.metrics import Metrics
from factscope.web.repository import CheckRepository
from factscope.web.samples import bundled
from factscope.web.security import Guard, SecurityRules
from factscope.web.services import Services
from factscope.web.tool_factory import ToolFactory

_ABOUT = """Factscope checks what a text claims against evidence.

A check is made with `POST /api/v1/checks` and watched at `/api/v1/checks/{id}/events`; every step of it is an endpoint
of its own. Requests and replies are the records of Factscope. Errors are problem documents (RFC 9457) with a hint.

You are known by a random cookie, or by a secret of your own in `Authorization: Bearer …` (16 characters or more; where
the server needs a token, it is that). Nobody sees checks of others.
"""


def described() -> FastAPI:
    """Return the application without any services, which is enough to describe its API."""
    app = FastAPI(
        title="Factscope",
        version=__version__,
        description=_ABOUT,
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        docs_url=None,  # FastAPI's own pages load scripts from other sites
        redoc_url=None,
        separate_input_output_schemas=False,
        generate_unique_id_function=lambda route: route.name,
        responses=problems.RESPONSES,
    )
    problems.install(app)
    for router in (
        server_setup.router,
        checks.router,
        check_details.router,
        rechecks.router,
        annotation.router,
        steps.router,
        server_setup.health,
        pages.router,
    ):
        app.include_router(router)
    return app


def create(settings: Settings, store: str, rules: SecurityRules, room: JobLimits | None = None) -> Application:
    """Return the application of one server, with its store open. Raises StoreError, UsageError.

    The ASGI server must send it lifespan messages: checks run between its start and its end.
    """
    app = described()
    metrics = Metrics()
    database = open_log(store)
    repository, annotations = CheckRepository(database), Annotations(database)
    rules.refused = lambda reason: metrics.refused.update([reason])

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        if settings.search:
            load_parsers("page", "pdf")  # the first check waits for them otherwise
        tool_factory = ToolFactory(settings)
        try:
            async with Jobs(repository, tool_factory, room or JobLimits()) as jobs:
                app.state.services = Services(
                    settings, tool_factory, repository, jobs, annotations, bundled(), bool(rules.tokens), metrics
                )
                yield
        finally:
            await tool_factory.close()
            database.close()

    app.router.lifespan_context = lifespan

    return Application(app, metrics, rules)


class Application(Guard):
    """The application that an ASGI server runs: all routes behind the access checks."""

    def __init__(self, app: FastAPI, metrics: Metrics, rules: SecurityRules) -> None:
        super().__init__(metrics.around(app), rules)
        self._state = app.state

    def let_go(self) -> None:
        """Close all connections that watch a check, so that the server can end."""
        if services := self._services():
            services.jobs.watchers.close()

    def running(self) -> int:
        """Return the number of checks that this server runs."""
        services = self._services()
        return len(services.jobs) if services else 0

    def _services(self) -> Services | None:
        """Return the services; None before the start of the server."""
        services: Services | None = getattr(self._state, "services", None)
        return services
