"""A model server in the laboratory, and documents, for all tests of the engine that call a model."""

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
    """Return the laboratory with no rules and an empty log."""
    running_server.script([])
    return running_server


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Tools:
    """Open the documents for the text of `tests.conftest`."""
    return tools_over(DOCUMENTS, tmp_path_factory.mktemp("library"))


@pytest.fixture(scope="session")
def reference_library(tmp_path_factory: pytest.TempPathFactory) -> Tools:
    """Open the documents for the reference response."""
    return tools_over(reference.DOCUMENTS, tmp_path_factory.mktemp("reference"))


def tools_over(documents: dict[str, str], folder: Path) -> Tools:
    """Open tools for documents by name, written below `folder`."""
    (folder / "documents").mkdir()
    for name, text in documents.items():
        (folder / "documents" / name).write_text(text, encoding="utf-8")
    return open_tools(folder / "documents", settings=Settings(store=folder / "runs.db", cache=folder / "cache"))
