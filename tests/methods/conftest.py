"""The laboratory, and tools that hold no evidence of their own."""

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
    """The laboratory with no rules and nothing asked so far."""
    running_server.script([])
    return running_server
