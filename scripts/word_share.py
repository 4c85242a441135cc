"""The share of names that use uninformative words (see CONTRIBUTING)."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

LISTED = frozenset(Path(__file__).with_name("word_list.txt").read_text("utf-8").split())


def share_of_listed_names(trees: Iterable[ast.Module]) -> float:
    """Return the share of listed words among all functions, classes, parameters and variables of these modules."""
    names = [name.strip("_").casefold() for tree in trees for name in bound_names(tree)]
    return sum(name in LISTED for name in names) / len(names)


def bound_names(tree: ast.AST) -> Iterator[str]:
    """Yield every name that a module binds, each time that it does."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
