"""Children of the fork server, seen from the process that uses them.

One server serves the whole process. It is started when the first child is wanted, or before, and ends with the process.
"""

from __future__ import annotations

import atexit
import os
import select
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import IO

REQUESTS = {"page": b"p", "pdf": b"d"}
"""The byte that asks for a child with a parser, by the parser's name."""
NUMBER = struct.Struct("!i")
"""A process id or return code as the server sends it."""
_KILL_SECONDS = 10.0
"""Time after which a server that has not ended a child is considered stuck, and killed with all its children."""
_LONGEST_PAUSE = 0.1
"""Seconds between two checks of an awaited child, in case another thread has closed its socket."""


def start_module(
    module: str, argument: str, *, stdin: int, stdout: int, pass_fds: Sequence[int] = ()
) -> subprocess.Popen[bytes]:
    """Start a module of ours, with our own import path, which a script may have extended. Raises OSError.

    With `-P`, nothing is imported from the current folder.
    """
    return subprocess.Popen(  # noqa: S603 - our own module
        [sys.executable, "-P", "-m", module, argument],
        stdin=stdin,
        stdout=stdout,
        stderr=subprocess.DEVNULL,
        pass_fds=pass_fds,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)},
    )


class ForkedChild:
    """A child of the fork server, with the methods of `subprocess.Popen` that a sandbox uses. Thread-safe."""

    def __init__(self, server: ForkServer, stdin: IO[bytes], stdout: IO[bytes], control: socket.socket) -> None:
        self.stdin, self.stdout = stdin, stdout
        self.pid: int | None = None
        """Process id; None until it is forked."""
        self.returncode: int | None = None
        """As for a subprocess; None while it runs, and also when its server ended first."""
        self.lost = False
        """Whether the server ended, or could not fork the child."""
        self._server, self._control = server, control
        self._lock = threading.Lock()
        control.setblocking(False)

    def poll(self) -> int | None:
        """Return the return code, a negative number when the server ended first; None while the child runs."""
        with self._lock:
            while self.returncode is None and not self.lost:
                try:
                    number = self._control.recv(NUMBER.size)  # all of it, as the server sends it at once
                except BlockingIOError:
                    return None
                except OSError:
                    number = b""
                if not number:
                    self.lost = True
                elif self.pid is None:
                    [self.pid] = NUMBER.unpack(number)
                else:
                    [self.returncode] = NUMBER.unpack(number)
        return -1 if self.lost else self.returncode

    def wait(self, timeout: float) -> int:
        """Wait for the end. Raises subprocess.TimeoutExpired."""
        until = time.monotonic() + timeout
        while (returncode := self.poll()) is None:
            left = until - time.monotonic()
            if left <= 0:
                raise subprocess.TimeoutExpired("reader", timeout)
            with suppress(ValueError):  # another thread has closed it meanwhile
                poll = select.poll()
                poll.register(self._control, select.POLLIN)
                poll.poll(1_000 * min(left, _LONGEST_PAUSE))
        return returncode

    def end(self) -> None:
        """Kill the child and wait until it has exited; a child that is not forked yet never will be."""
        with suppress(OSError):
            self._control.shutdown(socket.SHUT_WR)
        self.poll()
        if self.pid is None:
            return
        try:
            self.wait(_KILL_SECONDS)
        except subprocess.TimeoutExpired:
            self._server.close()

    def close(self) -> None:
        """Free the socket, so that the server kills the child if it still runs."""
        with self._lock:
            self.lost = self.lost or self.returncode is None
            self._control.close()


class ForkServer:
    """The helper process that forks children, started when needed and again when it has ended. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._process: subprocess.Popen[bytes] | None = None
        self._requests: socket.socket | None = None

    @property
    def pid(self) -> int | None:
        """Process id of the helper; None while there is none."""
        with self._lock:
            return self._process.pid if self._process and self._process.poll() is None else None

    def load(self, *parsers: str) -> None:
        """Start to load the modules of parsers, unless they are loaded; return at once. Raises OSError."""
        for parser in parsers:
            self._ask(parser, ())

    def child(self, parser: str) -> ForkedChild:
        """Request a child with a parser; return at once. Raises OSError."""
        job, stdin = os.pipe()
        stdout, answers = os.pipe()
        control, remote = socket.socketpair()
        child = ForkedChild(self, os.fdopen(stdin, "wb"), os.fdopen(stdout, "rb"), control)
        try:
            self._ask(parser, (job, answers, remote.fileno()))
        except OSError:
            child.stdin.close()
            child.stdout.close()
            child.close()
            raise
        finally:
            os.close(job)
            os.close(answers)
            remote.close()
        return child

    def _ask(self, parser: str, descriptors: tuple[int, ...]) -> None:
        with self._lock:
            if self.pid is None:
                self._start()
            try:
                self._send(REQUESTS[parser], descriptors)
            except OSError:  # it ended a moment ago
                self._start()
                self._send(REQUESTS[parser], descriptors)

    def _send(self, request: bytes, descriptors: tuple[int, ...]) -> None:
        if self._requests is None:
            raise OSError("the server has ended")
        socket.send_fds(self._requests, [request], descriptors)

    def _start(self) -> None:
        self.close()
        own, remote = socket.socketpair()
        try:
            self._process = start_module(
                "factscope.evidence.fork_server_process",
                str(remote.fileno()),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[remote.fileno()],
            )
        except OSError:
            own.close()
            raise
        finally:
            remote.close()
        self._requests = own

    def close(self) -> None:
        """End the helper, and its children with it."""
        with self._lock:
            if self._requests:
                self._requests.close()
            if self._process:
                self._process.kill()
                self._process.wait()
            self._process = self._requests = None

    def forget(self) -> None:
        """Leave the helper to the process that this one was forked from."""
        self._lock = threading.RLock()
        if self._requests:
            self._requests.close()
        if self._process:
            self._process.returncode = 0  # it is not our child, so it can't be waited for
        self._process = self._requests = None


_SERVER = ForkServer()
atexit.register(_SERVER.close)
os.register_at_fork(after_in_child=_SERVER.forget)


def fork_server() -> ForkServer:
    """Return the fork server of this process."""
    return _SERVER


def load_parsers(*parsers: str) -> None:
    """Load parsers ahead of the pages; a failure is reported with the first page."""
    with suppress(OSError):
        _SERVER.load(*parsers)
