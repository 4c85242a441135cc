"""Forked processes: like new ones in arguments, streams, folder, environment, signals and end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lab import warm

SAME = {
    "an exit code": "import sys; sys.exit(7)",
    "a message at the end": "import sys; sys.exit('it is over')",
    "an error": "1 / 0",
    "what is printed": "import sys; print('out'); print('err', file=sys.stderr)",
    "a word and a variable": "import os, sys; print(sys.argv[1:], os.environ['WORD'], os.getcwd())",
    "standard input": "import sys; print(sys.stdin.read().upper())",
    "a module of ours": "from factscope.core.version import __version__; print(__version__, __name__)",
    "a signal": "import os; print('before', flush=True); os.kill(os.getpid(), 15)",
    "what is done at the end": "import atexit; atexit.register(print, 'last')",
    "an object that ends with it": "import weakref; o = type('O', (), {})(); weakref.finalize(o, print, 'last')",
    "a warning": "import warnings; warnings.warn('old')",
}


@pytest.mark.parametrize("code", SAME.values(), ids=SAME)
def test_a_fork_does_what_a_new_process_does(code: str, tmp_path: Path) -> None:
    def ended(python: str) -> tuple[int, str, str]:
        done = subprocess.run(
            [python, "-W", "error", "-c", code, "one", "--two"],
            input="read", capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "WORD": "grün"},
        )  # fmt: skip
        return done.returncode, done.stdout, done.stderr.splitlines()[-1:] and done.stderr.splitlines()[-1]

    assert ended(warm.python()) == ended(sys.executable)


@pytest.fixture
def heeded_interrupts() -> Iterator[None]:
    """Enable interrupts: a shell's background jobs ignore them, and so does everything they start."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeded_interrupts")
def test_an_interrupt_and_a_kill_reach_the_fork() -> None:
    code = "import signal, sys, time; signal.signal(signal.SIGINT, lambda *_: sys.exit(5)); print('up', flush=True); "
    naps = "[time.sleep(0.1) for _ in range(6000)]"  # a signal just before a long sleep does not end it
    command = [warm.python(), "-c", f"{code}{naps}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.readline() == b"up\n"
        process.send_signal(signal.SIGINT)
        assert process.wait() == 5
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.readline() == b"up\n"
        warm.kill(process)
        assert process.returncode == -signal.SIGKILL
        assert process.stdout.read() == b""


def test_the_program_can_be_called_by_its_name(tmp_path: Path) -> None:
    done = subprocess.run(["factscope", "--help"], capture_output=True, text=True, env={"PATH": warm.path()})
    assert done.stdout.startswith("Usage: factscope ")


@pytest.mark.skipif(sys.platform != "linux", reason="only there processes are forked")
def test_a_fork_has_loaded_what_every_check_needs() -> None:
    code = (
        "import sys; from factscope.judging.verifiers.builtin import cross_encoder as encoder; "
        "print(encoder._session_in.cache_info().currsize, 'markdown_it' in sys.modules)"
    )
    done = subprocess.run([warm.python(), "-c", code], capture_output=True, text=True)
    assert done.stdout == "1 True\n", done.stderr
