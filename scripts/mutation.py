"""Share of small changes to the scoring code that its tests detect.

    .venv/bin/python scripts/mutation.py [--share 1] [--first 0] [--only intervals.py] [--jobs 2]

Each change (a comparison turned, an operator swapped, a number one higher, a condition reversed, `and` for `or`, a
return of None) is made in memory, one at a time, in a process of its own. It runs the tests that reach the changed
line, the quickest first, until one fails; one that has not ended after `LIMIT` seconds counts as failed. With `--share
n` one change of n is tried, from number `--first` on. Prints the changes that no test noticed. Exits with 1 below the
floor.
"""

from __future__ import annotations

import argparse
import ast
import json
import multiprocessing
import os
import resource
import sys
import tempfile
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.machinery import SourceFileLoader
from multiprocessing.connection import wait
from multiprocessing.context import ForkProcess
from pathlib import Path
from types import CodeType
from typing import NamedTuple

import pytest
from coverage import Coverage
from hypothesis import Phase, settings

ROOT = Path(__file__).resolve().parent.parent
ROOM = ROOT / "src" / "factscope" / "scoring"
TESTS = (
    "tests/scoring",
    "tests/vectors",
    "tests/engine/test_cited.py",
    "tests/report/test_citations.py",
    "tests/report/test_run_diff.py",
)
"""Tests that hold the room: its own, and those that see its rules through a check or a report."""
TOO_LONG = "not covers_as_often and not one_of_twenty and not sees_a_difference"
FLOOR = 85.0
"""Percent of the changes that tests must detect."""
LIMIT = 120
"""Seconds for the tests of one change."""
MEMORY = 8 << 30
"""Bytes that they may take."""
_BEFORE = ("aiohttp", "numpy", "pydantic_settings", "factscope.methods.method_file", "factscope.claims.citations")
"""Modules that are loaded once, before any change: none of them imports the room."""
_TURNED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
_FORK = multiprocessing.get_context("fork")


class Change(NamedTuple):
    """One change to one file."""

    path: Path
    line: int
    what: str
    text: str
    """The whole file with the change."""
    lines: range
    """Lines of the changed statement; none outside functions, where the change may show anywhere."""


class Reached(NamedTuple):
    """Lines of the room that each test reaches, and its seconds."""

    lines: Mapping[str, Mapping[int, Sequence[str]]]
    seconds: Mapping[str, float]

    def by(self, change: Change) -> list[str]:
        """Return the tests that may detect a change: those that reach it, the fastest first."""
        of_file = self.lines.get(str(change.path), {})
        reaching = {test for line in change.lines or of_file for test in of_file.get(line, ()) if test}
        tests = reaching if change.lines else self.seconds
        return sorted(tests, key=lambda test: (test not in reaching, self.seconds[test]))


def main() -> int:
    """Try the changes, and print the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--share", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    asked = parser.parse_args()
    files = [path for path in sorted(ROOM.rglob("*.py")) if not asked.only or path.name == asked.only]
    changes = [change for path in files for change in changed(path)][asked.first :: asked.share]
    os.chdir(ROOT)
    for name in _BEFORE:
        import_module(name)
    reached = without_a_change()
    same = Change(ROOM / "__init__.py", 0, "nothing", (ROOM / "__init__.py").read_text(encoding="utf-8"), range(0))
    if any(seen for _, seen in tried([same], reached, 1)):
        sys.exit("The tests fail without any change when the quick ones run first: one rests on another.")
    noticed = 0
    for done, (change, seen) in enumerate(tried(changes, reached, asked.jobs), 1):
        noticed += seen
        if not seen:
            print(f"\r{'':50}\rnot noticed: {change.path.relative_to(ROOT)}:{change.line} {change.what}")
        print(f"\r{done} of {len(changes)} tried, {noticed} noticed", end="", file=sys.stderr, flush=True)
    share = 100 * noticed / max(len(changes), 1)
    print(f"\r{'':50}\r{noticed} of {len(changes)} changes noticed: {share:.1f} % (floor {FLOOR:g} %)")
    return int(share < FLOOR)


def changed(path: Path) -> Iterator[Change]:
    """Yield every change of a file, in its order."""
    text = path.read_text(encoding="utf-8")
    count = sum(1 for _ in _places(ast.parse(text)))
    for number in range(count):
        tree = ast.parse(text)
        node, what = list(_places(tree))[number]
        line = getattr(node, "lineno", 0)
        lines = _statement(tree, line)
        _turn(node)
        yield Change(path, line, what, ast.unparse(tree), lines)


def _statement(tree: ast.AST, line: int) -> range:
    """Return the lines of the innermost statement around a line; none outside functions."""
    around = [s for s in ast.walk(tree) if isinstance(s, ast.stmt) and s.lineno <= line <= (s.end_lineno or 0)]
    if not any(isinstance(statement, ast.FunctionDef) for statement in around):
        return range(0)
    inner = max(around, key=lambda statement: statement.lineno)
    return range(inner.lineno, (inner.end_lineno or 0) + 1)


def _places(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    plain = {id(inner) for node in ast.walk(tree) if _is_plain(node) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if id(node) in plain:
            continue
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


def _is_plain(node: ast.AST) -> bool:
    """Return whether no change inside a node alters the code: in error texts, and imports for type checkers."""
    return isinstance(node, ast.Raise) or (
        isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    )


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


class _Watch:
    """A pytest plugin: runs the chosen tests in their order, or notes the lines and the time of each."""

    def __init__(self, chosen: Sequence[str] | None = None, coverage: Coverage | None = None) -> None:
        self.chosen, self.coverage = chosen, coverage
        self.seconds: dict[str, float] = {}

    def pytest_configure(self) -> None:
        """Leave out the search for the smallest example: that there is one is all that matters."""
        settings.register_profile("mutation", settings.get_profile("same"), phases=(Phase.explicit, Phase.generate))
        settings.load_profile("mutation")

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Put the chosen tests in their order."""
        if self.chosen is not None:
            by_id = {item.nodeid: item for item in items}
            items[:] = [by_id[name] for name in self.chosen if name in by_id]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Record the lines that the test reaches, and its duration."""
        if self.coverage:
            self.coverage.switch_context(item.nodeid)
        start = time.perf_counter()
        result = yield
        self.seconds[item.nodeid] = time.perf_counter() - start
        return result


def _pytest(watch: _Watch, tests: Sequence[str]) -> int:
    """Run tests in this process, in silence."""
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    options = ["-q", "-x", "-p", "pytest_timeout", "-p", "no:cacheprovider", "--timeout", str(LIMIT), "-k", TOO_LONG]
    return int(pytest.main([*options, *tests], plugins=[watch]))


def without_a_change() -> Reached:
    """Run all tests once, and return what each reaches."""
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder) / "notes.json"
        process = _FORK.Process(target=_note, args=(notes,))
        process.start()
        process.join()
        if process.exitcode:
            sys.exit(f"The tests fail without any change: run pytest {' '.join(TESTS)} first.")
        lines, seconds = json.loads(notes.read_text(encoding="utf-8"))
    return Reached({path: {int(line): tests for line, tests in own.items()} for path, own in lines.items()}, seconds)


def _note(notes: Path) -> None:
    coverage = Coverage(data_file=None, config_file=False, include=[str(ROOM / "*")])
    coverage.start()
    watch = _Watch(coverage=coverage)
    code = _pytest(watch, TESTS)
    coverage.stop()
    data = coverage.get_data()
    lines = {path: data.contexts_by_lineno(path) for path in data.measured_files()}
    notes.write_text(json.dumps([lines, watch.seconds]), encoding="utf-8")
    sys.exit(code)


def tried(changes: Sequence[Change], reached: Reached, jobs: int) -> Iterator[tuple[Change, bool]]:
    """Try changes, several at once; yield each with whether a test detected it, when it is done."""
    waiting = iter(changes)
    running: dict[ForkProcess, tuple[Change, float]] = {}
    while True:
        while len(running) < jobs and (change := next(waiting, None)):
            if tests := reached.by(change):
                process = _FORK.Process(target=_try, args=(change, tests))
                process.start()
                running[process] = change, time.monotonic() + LIMIT
            else:
                yield change, False
        if not running:
            return
        wait([process.sentinel for process in running], timeout=1)
        for process, (change, end) in list(running.items()):
            late = time.monotonic() > end
            if late:
                process.kill()
            if late or not process.is_alive():
                process.join()
                del running[process]
                yield change, process.exitcode != 0


def _try(change: Change, tests: Sequence[str]) -> None:
    """Run the tests with the change; exit with 0 when none fails."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    original = SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, name: str) -> CodeType | None:
        if self.path == str(change.path):
            return compile(change.text, self.path, "exec", dont_inherit=True)
        return original(self, name)

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign, assignment]
    sys.exit(_pytest(_Watch(tests), sorted({name.partition("::")[0] for name in tests})))


if __name__ == "__main__":
    sys.exit(main())
