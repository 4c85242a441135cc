"""Public names: all there, all documented, and no more than a person can remember."""

from __future__ import annotations

import ast
import inspect

import pytest

import factscope
from tests.test_names import modules, nodes


def test_every_public_name_exists_and_is_documented() -> None:
    assert len(factscope.__all__) <= 25
    assert list(factscope.__all__) == sorted(factscope.__all__)
    for name in factscope.__all__:
        value = getattr(factscope, name)
        assert name == "__version__" or inspect.getdoc(value), f"{name} has no docstring"
        assert name in dir(factscope)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="chek"):
        factscope.chek  # noqa: B018


def test_every_module_and_public_function_has_a_docstring() -> None:
    missing = []
    for path, tree in modules():
        if not ast.get_docstring(tree):
            missing.append(str(path))
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
                named = not node.name.startswith("_")
                if named and not ast.get_docstring(node):
                    missing.append(f"{path}: {node.name}")
    assert not missing


def test_files_and_functions_stay_small() -> None:
    large = []
    for path, walked in nodes():
        text = path.read_text(encoding="utf-8")
        if text.count("\n") > 400:
            large.append(f"{path}: {text.count(chr(10))} lines")
        for node in walked:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or 0) - node.lineno + 1
                if length > 60:
                    large.append(f"{path}: {node.name} has {length} lines")
    assert not large
