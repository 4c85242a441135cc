"""The laboratory, and tools without evidence."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests import lab


@pytest.fixture(scope="session")
def running_server() -> Iterator[lab.Server]:
    with lab.model_server() as server:
        yield server


@pytest.fixture
def server(running_server: lab.Server) -> lab.Server:
    """Provide the laboratory without rules or requests."""
    running_server.script([])
    return running_server
