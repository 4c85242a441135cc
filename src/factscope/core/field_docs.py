"""The docstrings under the fields of a model or a group of options, read from its source.

Separate, because importing `ast` and `inspect` takes time.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise

_PYDANTIC = "pydantic"
"""The package whose own base classes have nothing to describe, and would take long to read."""


def field_docs(model: type) -> Mapping[str, str]:
    """Return the docstring under each field that has one, by field name; an inherited field keeps its own."""
    docs: dict[str, str | None] = {}
    for base in reversed(model.__mro__):
        if "__annotations__" in vars(base) and not base.__module__.startswith(_PYDANTIC):
            docs.update(_docs_of_module(base.__module__).get(base.__qualname__, {}))
    return {name: sentence for name, sentence in docs.items() if sentence is not None}


@cache
def _docs_of_module(name: str) -> Mapping[str, Mapping[str, str | None]]:
    """Return the docstrings by class and field; empty when the source is not available."""
    try:
        source = inspect.getsource(sys.modules[name])
    except (KeyError, OSError, TypeError):
        return {}
    return dict(_docs_of_classes(ast.parse(source).body, ""))


def _docs_of_classes(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, Mapping[str, str | None]]]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield f"{prefix}{node.name}", dict(_docs_of_fields(node.body))
            yield from _docs_of_classes(node.body, f"{prefix}{node.name}.")


def _docs_of_fields(body: list[ast.stmt]) -> Iterator[tuple[str, str | None]]:
    for node, below in pairwise([*body, ast.Pass()]):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id, _sentence(below)


def _sentence(node: ast.stmt) -> str | None:
    """Return the text of a statement that is only a string; None for another statement."""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Constant):
        return None
    return inspect.cleandoc(node.value.value) if isinstance(node.value.value, str) else None
