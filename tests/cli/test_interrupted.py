"""Ctrl-C at any moment: exit code 130, one line, no traceback. Commands also end quickly."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.lab import warm

IMPORTED = ["factscope.cli", "typer", "factscope.cli.options", "factscope.core.errors", "pydantic", "factscope.methods"]


@pytest.mark.parametrize("module", IMPORTED)
def test_an_interrupted_start_prints_no_traceback(module: str) -> None:
    code = f"""
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets what it starts in the background ignore it
from factscope.__main__ import main

class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Watch())
sys.argv = ["factscope", "methods", "list"]
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, "Traceback" in done.stderr) == (130, False), done.stderr
    assert "Interrupted" in done.stderr


def test_an_interruption_while_a_class_is_made_prints_no_traceback() -> None:
    code = """
import signal
import factscope.cli
from factscope.__main__ import main

class Named:
    def __set_name__(self, owner, name):
        raise KeyboardInterrupt

def run():
    type("Made", (), {"name": Named()})

factscope.cli.main = run
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, "Traceback" in done.stderr) == (130, False), done.stderr


@pytest.mark.medium
@pytest.mark.parametrize(("imported", "after"), [(False, 0.05), (False, 0.6), (True, 0.1), (True, 0.6)])
@pytest.mark.parametrize("times", [1, 2])
def test_an_interrupted_check_ends_with_130(imported: bool, after: float, times: int, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("The Marlow bridge was opened in 1931.")
    text = tmp_path / "text.txt"
    text.write_text(" ".join(f"The Marlow bridge was opened in {1000 + n}." for n in range(4000)))
    heeded = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    code = f"{heeded}from factscope.__main__ import main\nprint('up', flush=True)\nmain()"
    python = warm.python() if imported else sys.executable
    command = [python, "-c", code, "check", str(text), "--evidence", str(tmp_path / "notes.md")]
    with subprocess.Popen(
        [*command, "--store", str(tmp_path / "runs.db")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout
        assert child.stdout.readline() == "up\n"
        time.sleep(after)
        for _ in range(times):
            child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=60)
    assert (child.returncode, "Traceback" in said) == (130, False), said


@pytest.mark.parametrize(("words", "exit_code"), [(["--version"], 0), (["no-such-command"], 2)])
def test_exit_handlers_still_run(words: list[str], exit_code: int) -> None:
    code = "import atexit; atexit.register(print, 'at the end'); from factscope.__main__ import main; main()"
    done = subprocess.run([warm.python(), "-c", code, *words], capture_output=True, text=True)
    assert done.returncode == exit_code, done.stderr
    assert done.stdout.endswith("at the end\n")


def test_running_threads_are_awaited_at_exit() -> None:
    code = (
        "import threading, time; from factscope.__main__ import main; "
        "threading.Thread(target=lambda: (time.sleep(0.3), print('done', flush=True))).start(); main()"
    )
    done = subprocess.run([warm.python(), "-c", code, "--version"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("done\n")


def test_output_that_cannot_be_written_is_an_error() -> None:
    code = "import sys; sys.stdout = open('/dev/full', 'w'); print('lost'); from factscope.__main__ import main; main()"
    done = subprocess.run([warm.python(), "-c", code, "--version"], capture_output=True, text=True)
    assert done.returncode != 0
    assert "No space left on device" in done.stderr
