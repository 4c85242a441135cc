"""A model server shared by the folder's tests and reset before each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests import lab


@pytest.fixture(scope="session")
def _one_server() -> Iterator[lab.Server]:
    with lab.model_server() as server:
        yield server


@pytest.fixture
def server(_one_server: lab.Server) -> lab.Server:
    _one_server.script([])
    return _one_server
