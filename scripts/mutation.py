"""Share of small changes to the scoring code that its tests notice.

    .venv/bin/python scripts/mutation.py [--share 1] [--only intervals.py] [--jobs 2]

Each change (a comparison turned, an operator swapped, a number one higher, a condition reversed, `and` for `or`, a
return of None) is made in a copy of the package, one at a time, and the tests of the room run until one fails. With
`--share n` one change of n is tried, chosen by its number. Prints those that no test noticed. Exits with 1 below the
floor.
"""

from __future__ import annotations

import argparse
import ast
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
ROOM = Path("src/factscope/scoring")
FLOOR = 85.0
"""Percent of the changes that tests must notice."""
_TURNED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


class Change(NamedTuple):
    """One change to one file."""

    path: Path
    line: int
    what: str
    text: str
    """The whole file with the change."""


def main() -> int:
    """Try the changes, and print what was noticed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--share", type=int, default=1)
    parser.add_argument("--only")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    asked = parser.parse_args()
    files = [path for path in sorted((ROOT / ROOM).rglob("*.py")) if not asked.only or path.name == asked.only]
    changes = [change for path in files for change in changed(path)][:: asked.share]
    with ThreadPoolExecutor(asked.jobs) as pool:
        noticed = list(pool.map(is_noticed, changes))
    for change, seen in zip(changes, noticed, strict=True):
        if not seen:
            print(f"not noticed: {change.path.relative_to(ROOT)}:{change.line} {change.what}")
    share = 100 * sum(noticed) / max(len(noticed), 1)
    print(f"{sum(noticed)} of {len(noticed)} changes noticed: {share:.1f} % (floor {FLOOR:g} %)")
    return int(share < FLOOR)


def changed(path: Path) -> Iterator[Change]:
    """Yield every change of a file, in its order."""
    text = path.read_text(encoding="utf-8")
    count = sum(1 for _ in _places(ast.parse(text)))
    for number in range(count):
        tree = ast.parse(text)
        node, what = list(_places(tree))[number]
        _turn(node)
        yield Change(path, getattr(node, "lineno", 0), what, ast.unparse(tree))


def _places(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and type(node.ops[0]) in _TURNED:
            yield node, f"{type(node.ops[0]).__name__} turned"
        elif isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in _TURNED:
            yield node, f"{type(node.op).__name__} swapped"
        elif isinstance(node, ast.IfExp | ast.If):
            yield node, "condition reversed"
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
            yield node, f"{node.value!r} one higher"
        elif isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
            yield node, "None returned"


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _turn(node: ast.AST) -> None:
    if isinstance(node, ast.Compare):
        node.ops[0] = _TURNED[type(node.ops[0])]()  # type: ignore[call-overload]
    elif isinstance(node, ast.BinOp | ast.BoolOp):
        node.op = _TURNED[type(node.op)]()  # type: ignore[assignment]
    elif isinstance(node, ast.IfExp | ast.If):
        node.test = ast.UnaryOp(ast.Not(), node.test)
    elif isinstance(node, ast.Constant):
        assert isinstance(node.value, int | float)
        node.value += 1
    elif isinstance(node, ast.Return):
        node.value = ast.Constant(None)


def is_noticed(change: Change) -> bool:
    """Return whether a test of the room fails with this change."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "src"
        shutil.copytree(ROOT / "src" / "factscope", source / "factscope", copy_function=os.symlink)
        place = source / change.path.relative_to(ROOT / "src")
        place.unlink()
        place.write_text(change.text, encoding="utf-8")
        environment = {**os.environ, "PYTHONPATH": str(source)}
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--timeout", "120"]
        done = subprocess.run(
            [*command, "tests/scoring", "-k", "not covers_as_often and not one_of_twenty and not sees_a_difference"],
            cwd=ROOT, env=environment, capture_output=True, check=False,
        )  # fmt: skip
        return done.returncode == 1


if __name__ == "__main__":
    sys.exit(main())
