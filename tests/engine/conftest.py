"""A laboratory with the stand-in for a model, and documents, for all tests of the engine that ask one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from factscope.engine import Settings, Tools, open_tools
from tests import lab
from tests.conftest import DOCUMENTS
from tests.engine import reference


@pytest.fixture(scope="session")
def running_server() -> Iterator[lab.Server]:
    with lab.model_server() as server:
        yield server


@pytest.fixture
def server(running_server: lab.Server) -> lab.Server:
    """The laboratory with no rules and nothing asked so far."""
    running_server.script([])
    return running_server


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Tools:
    """The documents that the text of `tests.conftest` is about."""
    return tools_over(DOCUMENTS, tmp_path_factory.mktemp("library"))


@pytest.fixture(scope="session")
def reference_library(tmp_path_factory: pytest.TempPathFactory) -> Tools:
    """The documents that the reference response is about."""
    return tools_over(reference.DOCUMENTS, tmp_path_factory.mktemp("reference"))


def tools_over(documents: dict[str, str], folder: Path) -> Tools:
    """Tools over documents by name, written below `folder`."""
    (folder / "documents").mkdir()
    for name, text in documents.items():
        (folder / "documents" / name).write_text(text, encoding="utf-8")
    return open_tools(folder / "documents", settings=Settings(store=folder / "runs.db", cache=folder / "cache"))
