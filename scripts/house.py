"""The size and shape of the code, as the table in CONTRIBUTING has it.

.venv/bin/python scripts/house.py            prints the table
.venv/bin/python scripts/house.py --pairs    and the pairs of places that repeat each other
.venv/bin/python scripts/house.py --check    exit code 1 when CONTRIBUTING has another table
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

from repeated_code import docstring_lines, repeated_pairs
from word_share import share_of_listed_names

ROOT = Path(__file__).parent.parent
SOURCE, TESTS = ROOT / "src" / "factscope", ROOT / "tests"
PAGE = ROOT / "CONTRIBUTING.md"
BEGIN, END = "<!-- make house -->", "<!-- end of make house -->"


class Figure(NamedTuple):
    """One row of the table."""

    what: str
    now: str
    target: str


def main() -> int:
    """Print the table, write it into CONTRIBUTING, or compare."""
    table = written(figures())
    if "--check" in sys.argv:
        return 0 if table in PAGE.read_text("utf-8") else 1
    print(table)
    if "--pairs" in sys.argv:
        for pair in repeated_pairs(SOURCE):
            kind = "declares" if pair.declares else ""
            print(f"{pair.lines:>3} lines  {pair.first}:{pair.first_line} ~ {pair.second}:{pair.second_line}  {kind}")
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    if rest:
        PAGE.write_text(f"{before}{BEGIN}\n{table}\n{END}{rest.partition(END)[2]}", "utf-8")
    return 0


def source_trees() -> dict[Path, ast.Module]:
    """Parse all files of the package."""
    return {path: ast.parse(path.read_text("utf-8")) for path in sorted(SOURCE.rglob("*.py"))}


def figures() -> list[Figure]:
    """Measure everything."""
    trees = source_trees()
    arrows = set(_arrows(trees.items()))
    rooms = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").is_file()}
    all_lines = sum(map(_length, trees))
    functions = [
        (node.end_lineno or node.lineno) - node.lineno + 1
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    pairs = repeated_pairs(SOURCE)
    tests = sum(_length(path) for path in TESTS.rglob("*.py"))
    return [
        Figure("lines of Python in `src/` (without blanks and docstrings)", f"{_code(trees):,}", "≤ 38,000"),
        Figure(
            "rooms / floors / arrows between rooms",
            f"{len(rooms)} / {_floors(arrows)} / {len(arrows)}",
            "≤ 13 / 10 / 90",
        ),
        Figure("names from the word list, of all names bound", f"{share_of_listed_names(trees.values()):.1%}", "≤ 1 %"),
        Figure(
            "repeated pairs of ≥ 6 lines in `src` / in bodies of functions",
            f"{len(pairs)} / {sum(not pair.declares for pair in pairs)}",
            "≤ 80",
        ),
        Figure("test : code lines", f"{tests / all_lines:.2f}", "≥ 0.8"),
        Figure(
            "median file / function", f"{median(map(_length, trees)):.0f} / {median(functions):.0f}", "≤ 130 / ≤ 10"
        ),
    ]


def written(rows: Iterable[Figure]) -> str:
    """Write the figures as a table in Markdown."""
    lines = ["| | now | to reach |", "|---|--:|--:|", *(f"| {row.what} | {row.now} | {row.target} |" for row in rows)]
    return "\n".join(lines)


def _length(path: Path) -> int:
    return len(path.read_text("utf-8").splitlines())


def _code(trees: dict[Path, ast.Module]) -> int:
    total = 0
    for path, tree in trees.items():
        out = docstring_lines(tree)
        lines = enumerate(path.read_text("utf-8").splitlines(), 1)
        total += sum(bool(line.strip()) and number not in out for number, line in lines)
    return total


def _arrows(trees: Iterable[tuple[Path, ast.Module]]) -> Iterator[tuple[str, str]]:
    """Yield pairs of a room and another room that it imports."""
    for path, tree in trees:
        parts = path.relative_to(SOURCE).parts
        if len(parts) == 1:  # the package's own door leads everywhere
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("factscope."):
                room = node.module.split(".")[1]
                if room != parts[0] and (SOURCE / room).is_dir():
                    yield parts[0], room


def _floors(arrows: set[tuple[str, str]]) -> int:
    """Return the number of rooms on the longest path of imports."""

    def depth(room: str) -> int:
        return 1 + max((depth(lower) for upper, lower in arrows if upper == room), default=0)

    return max(depth(room) for room, _ in arrows)


if __name__ == "__main__":
    sys.exit(main())
