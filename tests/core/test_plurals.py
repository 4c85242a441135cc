"""Counted nouns agree with their number, in messages too."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import factscope
from factscope.core import many


def test_a_noun_agrees_with_its_number() -> None:
    assert [many(n, "claim") for n in (0, 1, 2, 1_000)] == ["0 claims", "1 claim", "2 claims", "1,000 claims"]
    assert [many(n, "answer is", "answers are") for n in (1, 2)] == ["1 answer is", "2 answers are"]


_COUNTED = re.compile(r" (claim|answer|response|sample|passage|text|prompt|unit|label|row|call|segment|verdict)s\b")
"""A plural of a counted noun directly after a number."""


@pytest.mark.medium
def test_no_message_writes_a_plural_after_a_number_by_itself() -> None:
    """Limits, and numbers that are never 1, have no separators: only numbers formatted as counts are checked."""
    wrong = []
    for path in sorted(Path(factscope.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.JoinedStr):
                continue
            for value, after in zip(node.values, node.values[1:], strict=False):
                count = isinstance(value, ast.FormattedValue) and _is_count(value)
                if count and isinstance(after, ast.Constant) and _COUNTED.match(str(after.value)):
                    wrong.append(f"{path.name}:{value.lineno}: {after.value!s:.40}")
    assert wrong == []


def _is_count(value: ast.FormattedValue) -> bool:
    spec = value.format_spec
    return isinstance(spec, ast.JoinedStr) and "," in ast.unparse(spec)
