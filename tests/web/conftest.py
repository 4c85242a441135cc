"""A server shared by most tests, and its users."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from factscope.engine import Settings

from .served import Client, server


@pytest.fixture(scope="session")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder = tmp_path_factory.mktemp("served")
    settings = Settings(store=folder / "runs.db", cache=folder / "cache")
    with server(settings, str(folder / "server.db")) as found:
        yield found


@pytest.fixture
def client(port: int) -> Client:
    """Make a new user."""
    return Client(port)
