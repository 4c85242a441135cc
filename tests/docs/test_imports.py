"""Imports in the documentation: every name is where a page imports it from."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[2]
IMPORT = re.compile(r"^\s*(from factscope[\w.]* import (?:[\w, ]+|\([^)]+\)))", re.MULTILINE)


def test_every_name_imported_on_a_page_exists() -> None:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    wrong, checked = [], 0
    for page in pages:
        for line in IMPORT.findall(page.read_text(encoding="utf-8")):
            (statement,) = ast.parse(line).body
            assert isinstance(statement, ast.ImportFrom)
            assert statement.module
            if statement.module.startswith("factscope.integrations."):  # their libraries are not installed here
                continue
            module = import_module(statement.module)
            wrong += [f"{page.name}: {line}" for name in statement.names if not hasattr(module, name.name)]
            checked += 1
    assert not wrong
    assert checked > 10
