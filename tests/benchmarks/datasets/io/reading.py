"""Helpers for tests of rows: write a source, read it to the end, and summarise it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from factscope.benchmarks.datasets.io import BadRow, read_rows
from factscope.core.records import Response


def read(source: Path | str, columns: Mapping[str, str] | None = None, **kept: Any) -> list[Response | BadRow]:
    """Read all rows of a source that needs no hub."""
    return list(read_rows(source, columns, cache=Path("/nowhere"), environment={}, **kept))


def written(folder: Path, name: str, content: str | bytes) -> Path:
    """Write a file with this content."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def lines(*rows: object) -> str:
    """Format rows as JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in rows)


def texts(rows: list[Response | BadRow]) -> list[str | int]:
    """Return the text of each response and the number of each bad row."""
    return [row.text if isinstance(row, Response) else row.number for row in rows]


def one(rows: list[Response | BadRow]) -> Response:
    """Return the only response."""
    [row] = rows
    assert isinstance(row, Response), row
    return row


def reason(row: Response | BadRow) -> str:
    """Return why a row is bad, and fail if it isn't."""
    assert isinstance(row, BadRow), row
    return row.reason
