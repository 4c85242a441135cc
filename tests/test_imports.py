"""Tests import from folders of the package, so that its files can be moved, split and renamed within their folder."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import factscope

PACKAGE = Path(factscope.__file__).parent
TESTS = Path(__file__).parent
FILES_FOR_ALL = {"factscope.plugins", "factscope.__main__"}
"""Modules that are an interface themselves."""


def imports(path: Path) -> Iterator[ast.ImportFrom]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("factscope."):
            yield node


def test_tests_import_from_folders_not_from_files() -> None:
    reaching = [
        f"{path.relative_to(TESTS)}:{node.lineno} {node.module}"
        for path in TESTS.rglob("*.py")
        for node in imports(path)
        if node.module not in FILES_FOR_ALL and not (PACKAGE.parent / str(node.module).replace(".", "/")).is_dir()
    ]
    assert not reaching, "add the name to the __init__.pyi of its folder, and import it from there"
