"""Shared services of the routes: one bundle for each server, and the current user."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Request

from factscope.engine.settings import Settings
from factscope.web.annotation.queue_store import Annotations
from factscope.web.check_tables import StoredCheck
from factscope.web.forms import CheckSummary
from factscope.web.jobs import Jobs
from factscope.web.metrics import Metrics
from factscope.web.repository import CheckRepository
from factscope.web.samples import Samples
from factscope.web.tool_factory import ToolFactory


@dataclass(frozen=True)
class Services:
    """The parts of one server."""

    settings: Settings
    tool_factory: ToolFactory
    repository: CheckRepository
    jobs: Jobs
    annotations: Annotations
    samples: Samples
    """The recorded checks that the page shows without a model."""
    token_required: bool
    metrics: Metrics
    summaries: dict[tuple[str, int, int], CheckSummary] = field(default_factory=dict)
    """Of checks that are done, by id, revision and last event."""


def _services(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


def _user(request: Request) -> str:
    return str(request.scope["state"]["user"])


Serving = Annotated[Services, Depends(_services)]
User = Annotated[str, Depends(_user)]
"""Hash of the secret that identifies a browser or program, which owns the checks that it makes."""


async def _own_check(check_id: str, services: Serving, user: User) -> StoredCheck:
    return await services.repository.get(check_id, user)


OwnCheck = Annotated[StoredCheck, Depends(_own_check)]
"""The check that the address names; one that is not the user's is answered like one that does not exist."""
