"""Places of a tree that share six or more lines of code: the same lines, or lines of the same shape.

Two lines have the same shape when they differ in names, strings and numbers alone. Blank lines, comments, lines of
punctuation and imports are passed over. A docstring ends a run: what has its own description is not a copy.
"""

from __future__ import annotations

import ast
import io
import keyword
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

LEAST_LINES = 6
TOO_COMMON = 8
"""A run in more places than this is a habit of the language, not a copy."""
_NAMES_IN_A_RUN = 8
"""Least number of names, strings and numbers in a run of equal shape: fewer is boilerplate such as brackets."""


class RepeatedPair(NamedTuple):
    """Two places with a run of lines in common."""

    first: str
    first_line: int
    second: str
    second_line: int
    lines: int
    declares: bool = False
    """Whether most of it declares: fields, tables of words, registrations, heads of functions."""


class _Line(NamedTuple):
    number: int
    shape: str
    words: int


def repeated_pairs(root: Path) -> list[RepeatedPair]:
    """Return the longest run that each pair of files of a tree shares, within one file too; longest first."""
    files = {str(path.relative_to(root)): _code_lines(path) for path in sorted(root.rglob("*.py"))}
    places: dict[tuple[str, ...], list[tuple[str, int]]] = defaultdict(list)
    for name, lines in files.items():
        for start in range(len(lines) - LEAST_LINES + 1):
            run = lines[start : start + LEAST_LINES]
            if sum(line.words for line in run) >= _NAMES_IN_A_RUN:
                places[tuple(line.shape for line in run)].append((name, start))
    longest: dict[tuple[str, str], RepeatedPair] = {}
    for pair in _pairs(places, files):
        known = longest.get((pair.first, pair.second))
        if known is None or pair.lines > known.lines:
            longest[pair.first, pair.second] = pair
    bodies = {name: _body_lines(ast.parse((root / name).read_text("utf-8"))) for name in files}
    pairs = (pair._replace(declares=_declares(pair, files, bodies)) for pair in longest.values())
    return sorted(pairs, key=lambda pair: (-pair.lines, pair))


def _declares(pair: RepeatedPair, files: Mapping[str, list[_Line]], bodies: Mapping[str, set[int]]) -> bool:
    """Tell whether most lines of a pair, at either of its places, are not in the body of a function."""
    for name, start in ((pair.first, pair.first_line), (pair.second, pair.second_line)):
        run = [line.number for line in files[name] if line.number >= start][: pair.lines]
        if 2 * sum(number in bodies[name] for number in run) <= len(run):
            return True
    return False


def _body_lines(tree: ast.AST) -> set[int]:
    """Return the numbers of the lines in function bodies."""
    return {
        number
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for statement in node.body
        for number in range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
        if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def docstring_lines(tree: ast.AST) -> set[int]:
    """Return the numbers of the lines in docstrings, including those below fields."""
    bodies = [node.body for node in ast.walk(tree) if isinstance(getattr(node, "body", None), list)]  # type: ignore[attr-defined]
    texts = [
        one.value
        for body in bodies
        for one in body
        if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) and isinstance(one.value.value, str)
    ]
    return {line for text in texts for line in range(text.lineno, (text.end_lineno or text.lineno) + 1)}


def _code_lines(path: Path) -> list[_Line]:
    text = path.read_text("utf-8")
    docstrings = docstring_lines(ast.parse(text))
    shapes: dict[int, list[str]] = defaultdict(list)
    words: dict[int, int] = defaultdict(int)
    importing = False
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        number = token.start[0]
        if token.type == tokenize.NEWLINE:
            importing = False
        if token.type == tokenize.NAME and token.string in ("import", "from") and not shapes[number]:
            importing = True
        if importing or token.type in _LAYOUT:
            continue
        if number in docstrings:
            shapes[number] = [f"docstring {number} {path}"]
            continue
        if token.type in (tokenize.NUMBER, tokenize.STRING) or (
            token.type == tokenize.NAME and not keyword.iskeyword(token.string)
        ):
            shapes[number].append("•")
            words[number] += 1
        else:
            shapes[number].append(token.string)
    return [
        _Line(number, " ".join(found), words[number])
        for number, found in sorted(shapes.items())
        if re.search(r"[•\w]", "".join(found))
    ]


_LAYOUT = (tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)


def _pairs(
    places: Mapping[tuple[str, ...], Iterable[tuple[str, int]]], files: Mapping[str, list[_Line]]
) -> Iterator[RepeatedPair]:
    """Yield every run that begins where two places begin to agree, as long as they agree."""
    shared = {
        pair
        for where in places.values()
        if 1 < len(list(where)) <= TOO_COMMON
        for pair in combinations(sorted(where), 2)
    }
    for (first, a), (second, b) in shared:
        if ((first, a - 1), (second, b - 1)) in shared or (first == second and b - a < LEAST_LINES):
            continue
        length = LEAST_LINES
        while ((first, a + length - LEAST_LINES + 1), (second, b + length - LEAST_LINES + 1)) in shared:
            length += 1
        yield RepeatedPair(first, files[first][a].number, second, files[second][b].number, length)
