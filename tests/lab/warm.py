"""Python processes that start in milliseconds: a helper imports what they need once, and is forked for each.

    subprocess.run([warm.python(), "-m", "factscope", "check", …])

`python()` and `commands()` name small programs that are called like Python, `factscope` and `pytest`. Each hands its
arguments, folder, environment and open files to the helper, passes signals on to the fork, and ends as the fork does.
It is a real process in all but three ways: SIGKILL reaches the fork a moment after the program (`kill` waits for it),
a terminal is not its own, and it knows the built-in network's scores from other tests (`shared_scores.py`). Arguments
or variables that only a new interpreter can obey go to one. Processes started by this one use its helper, so the
workers of a run share one.
"""

from __future__ import annotations

import atexit
import fcntl
import gc
import io
import marshal
import os
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
import weakref
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import Any, NoReturn

ROOT = Path(__file__).parents[2]
_CLIENT = Path(__file__).with_name("warm_client.py")
_FOLDER = "TESTS_WARM_FOLDER"
"""Variable with the folder of a helper already running."""
_NUMBER = 4
"""Bytes of a process id or return code."""
_ALSO = (
    "charset_normalizer", "email.mime.multipart", "lxml.html", "numpy", "onnxruntime", "pydantic.json_schema",
    "pypdf", "rich.progress", "Stemmer", "tests.lab.pages", "trafilatura", "typer.testing", "uvicorn.lifespan.on",
    "uvicorn.loops.asyncio", "uvicorn.protocols.http.h11_impl",
)  # fmt: skip
"""Modules that our functions import when called."""
_BRIDGE = "# The bridge\n\nThe Marlow bridge was opened in 1931. It has four arches and is 212 metres long."
_THREADS = ("factscope.benchmarks.curate", "factscope.cli.curate", "factscope.engine.ray", "factscope.integrations")


_COMMANDS = {
    "factscope": "import sys; from factscope.__main__ import main; sys.exit(main())",
    "pytest": "import sys, pytest; sys.exit(pytest.console_main())",
}


@cache
def commands() -> Path:
    """Return the folder of the programs, and start their helper unless one is running."""
    if sys.platform != "linux":  # on other systems, libraries do not survive a fork
        return Path(sys.executable).parent
    if _FOLDER in os.environ:
        return Path(os.environ[_FOLDER])
    folder = Path(tempfile.mkdtemp(prefix="warm-"))
    client = _CLIENT.read_text(encoding="utf-8")
    first_words = {name: ["-c", code] for name, code in _COMMANDS.items()}
    for name, first in {Path(sys.executable).name: [], **first_words}.items():
        text = (
            f"#!{sys.executable} -IS\nREAL, SOCKET, FIRST = {sys.executable!r}, {str(folder / 'socket')!r}, {first}\n"
        )
        (folder / name).write_text(text + client, encoding="utf-8")
        (folder / name).chmod(0o755)
    for program in Path(sys.executable).parent.iterdir():  # programs that a script expects beside its Python
        if not (folder / program.name).exists():
            (folder / program.name).symlink_to(program)
    ended, lifeline = os.pipe()
    helper = subprocess.Popen(
        [sys.executable, "-c", "from tests.lab.warm import main; main()", str(folder), str(ended)],
        pass_fds=[ended], cwd=ROOT, stdin=subprocess.DEVNULL, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip
    os.close(ended)

    def end() -> None:
        os.close(lifeline)
        helper.wait()
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()

    atexit.register(end)
    while not (folder / "socket").exists():
        assert helper.poll() is None, "the helper did not start"
        time.sleep(0.01)
    os.environ[_FOLDER] = str(folder)
    return folder


def python() -> str:
    """Return the path of a program called like Python."""
    return str(commands() / Path(sys.executable).name)


def path() -> str:
    """Return the search path of this process, with the programs of this environment first."""
    return f"{commands()}{os.pathsep}{os.environ['PATH']}"


def kill(process: subprocess.Popen[Any]) -> None:
    """Kill a process started here, and wait until it is gone."""
    if sys.platform == "linux":
        process.send_signal(signal.SIGUSR1)  # the program kills the fork, then ends the same way
    else:
        process.kill()
    process.wait()


class _Helper:
    def __init__(self, folder: Path, lifeline: int) -> None:
        self._folder, self._lifeline = folder, lifeline
        self._selector = selectors.DefaultSelector()
        self._callers: dict[int, socket.socket] = {}
        self._listener = socket.socket(socket.AF_UNIX)

    def run(self) -> None:
        """Serve until the tests have ended, then end all forks."""
        self._listener.bind(str(self._folder / "binding"))
        self._listener.listen(64)
        wake, signalled = socket.socketpair()
        for end in (wake, signalled):
            end.setblocking(False)
        signal.set_wakeup_fd(signalled.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for source in (self._listener, wake, self._lifeline):
            self._selector.register(source, selectors.EVENT_READ)
        (self._folder / "binding").rename(self._folder / "socket")
        self._own = [wake, signalled]
        while True:
            for key, _ in self._selector.select():
                if key.fileobj == self._lifeline:
                    for pid in self._callers:
                        os.kill(pid, signal.SIGKILL)
                    return
                if key.fileobj is self._listener:
                    self._fork(self._listener.accept()[0])
                elif key.fileobj is wake:
                    with suppress(BlockingIOError):
                        wake.recv(4_096)
                    self._reap()
                elif self._callers.get(key.data) is key.fileobj:  # killed, and not one whose fork was just reaped
                    self._selector.unregister(key.fileobj)
                    os.kill(key.data, signal.SIGKILL)

    def _reap(self) -> None:
        while self._callers and (ended := os.waitpid(-1, os.WNOHANG))[0]:
            caller = self._callers.pop(ended[0])
            with suppress(KeyError):
                self._selector.unregister(caller)
            with suppress(OSError):
                caller.sendall(os.waitstatus_to_exitcode(ended[1]).to_bytes(_NUMBER, "big", signed=True))
            caller.close()

    def _fork(self, caller: socket.socket) -> None:
        from tests.lab.shared_scores import share_as

        head, files, _, _ = socket.recv_fds(caller, _NUMBER, 250)
        if len(head) < _NUMBER:
            return
        with caller.makefile("rb") as rest:
            request = marshal.loads(rest.read(int.from_bytes(head, "big")))
        share_as(request["environment"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # libraries have idle threads that hold no lock
            pid = os.fork()
        if pid == 0:
            for end in (self._listener, caller, *self._own, *self._callers.values()):
                end.close()
            self._selector.close()
            os.close(self._lifeline)
            _become(request, files)
        for file in files:
            os.close(file)
        self._callers[pid] = caller
        self._selector.register(caller, selectors.EVENT_READ, pid)
        with suppress(OSError):
            caller.sendall(pid.to_bytes(_NUMBER, "big"))


def _become(request: dict[str, Any], files: list[int]) -> NoReturn:
    """Become the requested process."""
    status = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN if request["ignores_interrupts"] else signal.default_int_handler)
        for number, file in zip(request["files"], _out_of_the_way(files), strict=True):
            os.dup2(file, number)
            os.close(file)
        os.chdir(request["folder"])
        os.environ.clear()
        os.environ.update(request["environment"])
        time.tzset()
        tempfile.tempdir = None
        sys.executable = request["python"]
        _open_streams()
        if own := os.environ.get("PYTHONPATH"):
            sys.path = [*own.split(os.pathsep), *sys.path]
            sys.modules.pop("sitecustomize", None)
            with suppress(ModuleNotFoundError):
                import_module("sitecustomize")
        status = _end(_run(request["words"], request["first"]))
    finally:
        os._exit(status)


def _out_of_the_way(files: list[int]) -> list[int]:
    """Move files above every number they may be requested under."""
    moved = [fcntl.fcntl(file, fcntl.F_DUPFD, 300) for file in files]
    for file in files:
        os.close(file)
    return moved


def _open_streams() -> None:
    """Open the standard streams as an interpreter does at its start."""
    at_once = bool(os.environ.get("PYTHONUNBUFFERED"))
    encoding = os.environ.get("PYTHONIOENCODING") or "utf-8"
    raw = [io.FileIO(number, "r" if number == 0 else "w", closefd=False) for number in range(3)]
    out, err = (io.BufferedWriter(stream) for stream in raw[1:])
    streams = {
        "stdin": io.TextIOWrapper(io.BufferedReader(raw[0]), encoding),
        "stdout": io.TextIOWrapper(out, encoding, line_buffering=out.isatty() or at_once, write_through=at_once),
        "stderr": io.TextIOWrapper(err, encoding, "backslashreplace", line_buffering=True),
    }
    vars(sys).update(streams)
    vars(sys).update({f"__{name}__": stream for name, stream in streams.items()})


def _run(words: list[str], first: list[str]) -> int:
    """Run what Python's arguments ask for, and return the exit code."""
    safe_path = False
    while words[0] in ("-W", "-P"):
        if words[0] == "-W":
            warnings.simplefilter(words[1])  # type: ignore[arg-type]
            words = words[2:]
        else:
            safe_path, words = True, words[1:]
    kind, *rest = words
    try:
        if kind == "-c":
            sys.argv = [*(first or ["-c"]), *rest[1:]]
            sys.path[:0] = [] if first or safe_path else [""]
            sys.modules["__main__"] = ModuleType("__main__")
            exec(compile(rest[0], "<string>", "exec"), vars(sys.modules["__main__"]))
        elif kind == "-m":
            sys.argv = rest
            sys.path[:0] = [] if safe_path else [os.getcwd()]  # noqa: PTH109
            runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
        else:
            sys.argv = [kind, *rest]
            sys.path[:0] = [] if safe_path else [str(Path(kind).parent.absolute())]
            runpy.run_path(kind, run_name="__main__")
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:  # noqa: BLE001 - as an interpreter does
        traceback.print_exc()
        return 1
    return 0


def _end(status: int) -> int:
    """Do what an interpreter does at its end, and return the exit code."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        return 120
    return status


def _load() -> None:
    """Load what a check loads on first use: the built-in network, patterns, templates, libraries."""
    from factscope.evidence.page import INGREDIENTS, STRONG, WORDINGS
    from factscope.judging.verifiers.builtin import cross_encoder
    from factscope.report import render

    cross_encoder.SMALL.session()
    for lazy in (*STRONG, *INGREDIENTS):
        _ = lazy.pattern
    for name in ("asked", "topic", "mention"):
        _ = WORDINGS[name]
    render(import_module("tests.report.samples").rich(), "html")
    _check()
    cross_encoder._workers.cache_clear()  # its threads, which a fork does not have


def _check() -> None:
    """Check a text of one claim with the command, in temporary folders."""
    from typer.testing import CliRunner

    from factscope.cli import app

    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("text.md", "# Marlow\n\nThe bridge of 1931 has six arches."), ("bridge.md", _BRIDGE)):
            Path(folder, name).write_text(text, encoding="utf-8")
        words = ["check", f"{folder}/text.md", "--evidence", f"{folder}/bridge.md"]
        places = {"FACTSCOPE_CACHE": f"{folder}/cache", "FACTSCOPE_STORE": f"{folder}/runs.db"}
        done = CliRunner().invoke(app, words, env=places)
        assert done.exit_code == 0, done.output


def main() -> None:
    """Import everything, then serve."""
    folder, lifeline = Path(sys.argv[1]), int(sys.argv[2])
    import factscope
    from factscope.core import FactscopeError
    from factscope.evidence import PARSERS

    for name in _ALSO:
        import_module(name)
    for module in walk_packages(factscope.__path__, "factscope."):
        if not module.name.endswith("__main__") and not module.name.startswith(_THREADS):
            with suppress(ImportError, FactscopeError):  # of a missing library
                import_module(module.name)
    for parser in PARSERS.values():
        parser.begin()
    _load()
    sys.path.remove("")
    atexit._clear()
    weakref.finalize._registry.clear()  # type: ignore[attr-defined]
    weakref.finalize._registered_with_atexit = False  # type: ignore[attr-defined]  # so that those of a fork run
    gc.collect()
    gc.freeze()
    _Helper(folder, lifeline).run()
