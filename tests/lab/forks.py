"""Processes that start in milliseconds: a helper imports what they need once, and is forked for each.

    with Forks("tests.engine.test_run_store:write") as forks:
        child = forks.start(str(path))
        line = child.line()
        child.kill()

The function gets the arguments given to `start`; the lines of the child are its output.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path

_ROOT = Path(__file__).parents[2]


class Child:
    """One process."""

    def __init__(self, pid: int, path: Path) -> None:
        self.pid = pid
        self._file = path.open(encoding="utf-8")

    def line(self) -> str:
        """Wait for the next whole line and return it; empty if the process ended without another."""
        return self._file.readline()

    def kill(self) -> list[str]:
        """Kill the process and return the remaining lines."""
        os.kill(self.pid, signal.SIGKILL)
        return self.rest()

    def rest(self) -> list[str]:
        """Wait for the process to end and return the remaining lines."""
        with self._file:
            return self._file.read().splitlines()


class Forks:
    """A helper forked for each process. Use as a context manager."""

    def __init__(self, function: str, *more: str) -> None:
        """`more` names modules that the function would import."""
        self._names = [function, *more]
        self._number = 0

    def __enter__(self) -> Forks:
        self._helper = subprocess.Popen(
            [sys.executable, "-m", "tests.lab.forks", *self._names],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=_ROOT,
        )  # fmt: skip
        return self

    def __exit__(self, *_: object) -> None:
        self._helper.communicate()

    def start(self, folder: Path, *words: str) -> Child:
        """Start a process whose lines come through a pipe in the folder."""
        assert self._helper.stdin
        assert self._helper.stdout
        self._number += 1
        pipe = folder / f"lines-{self._number}"
        os.mkfifo(pipe)
        self._helper.stdin.write("\0".join([str(pipe), *words]) + "\n")
        self._helper.stdin.flush()
        return Child(int(self._helper.stdout.readline()), pipe)


def main() -> None:
    """Import a function, and fork to call it for each input line."""
    module, _, name = sys.argv[1].partition(":")
    for more in sys.argv[2:]:
        import_module(more)
    function = getattr(import_module(module), name)
    for line in sys.stdin:
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        pid = os.fork()
        if pid:
            print(pid, flush=True)
            continue
        pipe, *words = line.rstrip("\n").split("\0")
        with open(pipe, "w", buffering=1, encoding="utf-8") as sys.stdout:  # noqa: PTH123 - waits for its reader
            function(*words)
            sys.stdout.flush()
        os._exit(0)


if __name__ == "__main__":
    main()
