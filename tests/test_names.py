"""The naming rule of CONTRIBUTING, checked against the code: searchable names, and prose that names a thing."""

from __future__ import annotations

import ast
import gc
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

import factscope

ROOT = Path(factscope.__file__).parent
REPOSITORY = ROOT.parent.parent
SCRIPTS = REPOSITORY / "scripts"
PUBLIC_FACE = {"Claim", "Report"}
"""Classes of the public API that wrap the record of the same name."""
OPENER = re.compile(r"(?:What|Who|Whom|Whose|How many|How much)\b")
"""Openings of a docstring that name nothing."""
OPENED = re.compile(rf"[\"']\\?\s*{OPENER.pattern}")
"""A string with such an opening: other modules need not be parsed."""
NOT_A_VERB = re.compile(r"(?:The|An?|Whether|Its|These|Those|Such|Each|Every|All|One|Raises|Adds|Returns|Yields)\b")
"""Openings of a function's docstring that say what it returns, not what it does."""
SHOWN = re.compile(r"\b(?:(?:cached_)?property|computed_field|overload|register_\w+|task|scorer|metric)\b")
"""Decorators of functions that are read like a value, or whose docstring is shown to users as a description."""
DIALECT = re.compile(
    r"\banew\b|\bbefalls?\b|\bbefell\b|\bbefallen\b|\b(?:bears?|borne|bore) (?:\w+ )?out\b|\b(?:is|are) told of\b"
)
TEST_DIALECT = re.compile(
    r"\bdef (test_(?:(?:what|who|whose)_|\w*(?:_told|_said|_kept|_anew|_can_not|_(?:is|are)_no)(?![^\W_]))\w*)"
)
"""A name of a test that doesn't say subject and behaviour plainly."""


Modules = tuple[tuple[Path, ast.Module], ...]


def parsed(paths: Iterable[Path]) -> Modules:
    """Parse files with the collector off: it would scan millions of live nodes again and again."""
    gc.disable()
    try:
        return tuple((path, ast.parse(path.read_text("utf-8"))) for path in paths)
    finally:
        gc.freeze()
        gc.enable()


@cache
def modules() -> Modules:
    return parsed(sorted(ROOT.rglob("*.py")))


@cache
def nodes() -> tuple[tuple[Path, tuple[ast.AST, ...]], ...]:
    """List the nodes of each module once: walking through all of them takes a second."""
    return tuple((path, tuple(ast.walk(tree))) for path, tree in modules())


@cache
def texts_around() -> dict[Path, str]:
    """Read modules of the tests, measurements, scripts and training, without the invented words of users."""
    paths = (path for name in ("tests", "perf", "scripts", "training") for path in (REPOSITORY / name).rglob("*.py"))
    return {path: path.read_text("utf-8") for path in sorted(paths) if path.name != "curate_sample_words.py"}


def docstrings(walked: Iterable[ast.AST]) -> Iterator[tuple[int, str]]:
    """Yield docstrings of modules, classes and functions, and of attributes, which pydantic uses as descriptions."""
    for node in walked:
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            for statement in node.body if isinstance(node, ast.Module | ast.ClassDef) else node.body[:1]:
                match statement:
                    case ast.Expr(value=ast.Constant(value=str(text))):
                        yield statement.lineno, text.strip()


@pytest.mark.medium
def test_at_most_one_name_in_a_hundred_comes_from_the_word_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    from word_share import share_of_listed_names

    assert share_of_listed_names(tree for _, tree in modules()) <= 0.01


@pytest.mark.medium
def test_no_class_name_is_used_twice() -> None:
    names = Counter(node.name for _, walked in nodes() for node in walked if isinstance(node, ast.ClassDef))
    assert {name for name, n in names.items() if n > 1} <= PUBLIC_FACE


def test_no_file_name_is_used_twice() -> None:
    names = Counter(path.name for path, _ in modules() if path.name != "__init__.py")
    assert not {name for name, n in names.items() if n > 1}


@pytest.mark.medium
def test_docstrings_name_the_thing_or_begin_with_a_verb() -> None:
    around = parsed(path for path, text in texts_around().items() if OPENED.search(text))
    found = [
        f"{path.relative_to(REPOSITORY)}:{line} {text[:40]}"
        for path, walked in (*nodes(), *((path, ast.walk(tree)) for path, tree in around))
        for line, text in docstrings(walked)
        if OPENER.match(text)
    ]
    assert not found


def test_docstrings_of_functions_begin_with_a_verb() -> None:
    found = [
        f"{path.relative_to(REPOSITORY)}:{node.lineno} {node.name}: {text[:40]}"
        for path, walked in nodes()
        for node in walked
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("__")
        if (text := ast.get_docstring(node)) and NOT_A_VERB.match(text)
        if not any(SHOWN.search(ast.unparse(decorator)) for decorator in node.decorator_list)
    ]
    assert not found


def test_prose_uses_the_words_of_the_field() -> None:
    found = [
        f"{path.relative_to(REPOSITORY)}:{number} {match[0]}"
        for path, code in (*((path, path.read_text("utf-8")) for path, _ in modules()), *texts_around().items())
        for number, line in enumerate(code.splitlines(), 1)
        if "(?:" not in line and (match := DIALECT.search(line))
    ]
    assert not found


def test_names_of_tests_use_the_words_of_the_field() -> None:
    code = (text for path, text in texts_around().items() if path.name.startswith("test_"))
    assert not [match[1] for text in code for match in TEST_DIALECT.finditer(text)]
