"""Errors found against false accusations, by how sure a contradiction must be (`--strictness`).

    .venv/bin/python perf/strictness.py --write docs/verifier-figures.md

Checks the texts of the behaviour suite and of the demo once with each built-in verifier that is installed, and rolls
the same judgements up under each floor. The table takes the place of that between the marks in the page named.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from held_out import pasted

from factscope.benchmarks.behaviour.behaviour_figures import TextFigures
from factscope.benchmarks.behaviour.behaviour_figures import text_figures as figures_of
from factscope.benchmarks.behaviour.run_suite import check_text
from factscope.benchmarks.behaviour.suite import BUNDLED, TextCase, examples_suite, read_suite
from factscope.core.records import Report
from factscope.engine import check
from factscope.engine.find_method import find_method
from factscope.engine.open_tools import open_tools
from factscope.engine.settings import Settings
from factscope.judging.verifiers.builtin.large import is_installed
from factscope.judging.verifiers.registry import judged_by
from factscope.methods.method_file import method_from_values
from factscope.methods.strictness import FLOORS
from factscope.scoring.rescore import rescore

MARKS = ("<!-- strictness: made by perf/strictness.py -->", "<!-- strictness: end -->")
EVERY = (0.0, 0.5, 0.55, 0.6, 0.65, 0.67, 0.7, 0.75, 0.8, 0.85, 0.9)
ROOT = Path(__file__).parents[1]


class Checked(NamedTuple):
    """A text with the report that one verifier made of it."""

    case: TextCase
    report: Report


async def checked(verifier: str, cases: list[TextCase]) -> list[Checked]:
    """Check each text against its own documents, with no floor."""
    method = judged_by(find_method("builtin"), verifier, has_model=False)
    rules = method.roll_up.model_copy(update={"contradiction_floor": 0.0})
    method = method.model_copy(update={"roll_up": rules})
    done = []
    with TemporaryDirectory() as cache:
        for case in cases:
            tools = open_tools(case.documents, settings=Settings(cache=Path(cache)))
            done.append(Checked(case, await check(case.text, method, tools)))
    return done


async def figures(done: list[Checked], floor: float) -> TextFigures:
    """Roll the judgements up with a floor and compare the sentences with the keys."""
    rows = []
    for case, report in done:
        method = method_from_values(report.method, "the report's method")
        rules = method.roll_up.model_copy(update={"contradiction_floor": floor})
        values = method.model_copy(update={"roll_up": rules}).model_dump(mode="json")
        again = rescore(report.model_copy(update={"method": values}))

        async def same(text: str, documents: Path, again: Report = again) -> Report:
            return again

        rows += await check_text(same, case)
    return figures_of(rows)


def table(by_verifier: dict[str, list[Checked]]) -> str:
    """Return the curve as a Markdown table; a line per verifier and floor."""
    names = {floor: f" (`{name}`)" for name, floor in FLOORS.items()}
    lines = [
        "| verifier | least confidence | errors found | accusations | of them false | true sentences supported |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for verifier, done in by_verifier.items():
        for floor in EVERY:
            found = asyncio.run(figures(done, floor))
            lines.append(
                f"| {verifier} | {floor:.2f}{names.get(floor, '')} | {found.errors_found} of {found.errors} |"
                f" {found.accusations} | {found.false_accusations} | {found.supported_found} of {found.supported} |"
            )
    return "\n".join(lines)


def main() -> int:
    """Measure, print and write; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=Path, help="page to write the table into")
    asked = parser.parse_args()
    examples = ROOT / "examples"
    cases = [*read_suite(BUNDLED, "behaviour").texts, *examples_suite(examples, examples / "harbour").texts]
    verifiers = ["builtin-small", "builtin-large"] if is_installed() else ["builtin"]
    shown = table({verifier: asyncio.run(checked(verifier, cases)) for verifier in verifiers})
    print(shown)
    if asked.write:
        page = asked.write.read_text(encoding="utf-8")
        asked.write.write_text(pasted(page, shown, MARKS), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
