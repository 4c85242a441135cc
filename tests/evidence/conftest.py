"""Fixtures that read real files."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from factscope.evidence import BadPart, FileReader, TextRow
from tests.evidence.example_files import FACTS, Read, text_pdf


@pytest.fixture(scope="session")
def reader() -> Iterator[FileReader]:
    """Share one reader, hence one child process, among all tests that do not break it."""
    with FileReader() as shared:
        yield shared


@pytest.fixture
def read(reader: FileReader, tmp_path: Path) -> Read:
    """Write a file and read it; return rows and complaints in order."""

    def run(name: str, content: bytes | str) -> list[TextRow | BadPart]:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return list(reader.read(path))

    return run


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name, text in FACTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "ferry.pdf").write_bytes(text_pdf("The ferry stopped in 1950."))
    return folder


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the names of the files that are read rather than taken from the cache."""
    names: list[str] = []
    parse = FileReader.parse

    def spy(self: FileReader, name: str, data: bytes) -> object:
        names.append(name)
        return parse(self, name, data)

    monkeypatch.setattr(FileReader, "parse", spy)
    return names
