"""A child process that parses hostile content, which can make parsers loop, use up memory, or crash.

The kernel limits the child's processor time and memory, so that a loop in C code ends too and a busy machine does not
turn good content into failures. The parent starts it as `python -m factscope.evidence.sandbox PARSER`, or has it forked
by the fork server, which has loaded the parser already; it ends with its parent.

Frames on the child's standard input and output: four bytes of length, then that many bytes. A job is a frame of JSON
and a frame of content. The answer is frames of JSON lists of items, and an object at the end: `{"reusable": bool}`,
with `"reason"` and `"detail"` when the content could not be parsed.
"""

from __future__ import annotations

import json
import os
import re
import resource
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple

from factscope.evidence.decode import NotTextError
from factscope.evidence.forked import ForkedChild, ForkServer, start_module
from factscope.evidence.sandbox_parsers import PARSERS, Parser

REUSABLE_MEMORY = 300_000_000
"""Bytes of memory after which a child gets no further job: it may lack room for a large one."""
WALL_SECONDS_PER_CPU_SECOND = 12
"""Wall-clock limit per second of processor time: enough for a child with a twelfth of a processor, and the end of one
that waits for ever."""
_REPORT_SECONDS = 10.0
"""Seconds until the kernel or the fork server has reported the end of a child; a busy machine needs some time."""
_END_SIGNALS = (signal.SIGPROF, signal.SIGALRM)


class SandboxLimits(NamedTuple):
    """Limits of one job."""

    cpu_seconds: float = 10.0
    """Processor time of the whole job."""
    memory: int = 512 << 20
    """Bytes of the child's address space, where the system can limit it."""


Reason = Literal["content", "memory", "install", "time", "lost"]


class SandboxError(Exception):
    """Content that could not be parsed.

    `reason` is `content` (it is broken; `detail` says how), `memory` or `time` (a limit was reached), `install` (a
    parser is missing), or `lost` (the child could not be started, or ended for another reason).
    """

    def __init__(self, reason: Reason, detail: str = "", again: bool = True) -> None:
        super().__init__(reason, detail)
        self.reason, self.detail = reason, detail
        self.again = again
        """Whether another attempt may succeed, because the content need not be at fault."""


class ServerLostError(SandboxError):
    """The fork server ended during a job, and the child with it; the content is not at fault."""

    def __init__(self) -> None:
        super().__init__("lost")


class Sandbox:
    """Parses one job after the other in a child process, started when needed and replaced when it has ended.

    Only one thread at a time may parse or close; any thread may kill. With `server`, that forks the child.
    """

    def __init__(self, parser: str, server: ForkServer | None = None) -> None:
        self.parser = parser
        self._server = server
        self._child: subprocess.Popen[bytes] | ForkedChild | None = None
        self._killed = False

    @property
    def pid(self) -> int | None:
        """Process id of the running child; None while there is none, or it is not forked yet."""
        return self._child.pid if self._child and self._child.poll() is None else None

    def start(self) -> None:
        """Start a child unless one is running. Raises SandboxError."""
        if self._killed:
            raise SandboxError("lost")
        if self._child and self._child.poll() is None:
            return
        self.close()
        try:
            if self._server:
                self._child = self._server.child(self.parser)
            else:
                pipe = subprocess.PIPE
                self._child = start_module("factscope.evidence.sandbox", self.parser, stdin=pipe, stdout=pipe)
        except OSError as error:
            raise SandboxError("lost", str(error)) from None

    def parse(self, job: Mapping[str, Any], content: bytes, limits: SandboxLimits) -> Iterator[Any]:
        """Yield the items that the parser extracts from the content. Raises SandboxError."""
        reusable = False
        try:
            self.start()
            if self._child is None or self._child.stdin is None or self._child.stdout is None:
                raise EOFError
            _write_frame(self._child.stdin, json.dumps({**job, **limits._asdict()}).encode())
            _write_frame(self._child.stdin, content)
            while isinstance(answer := json.loads(_read_frame(self._child.stdout)), list):
                yield from answer
            reusable = answer["reusable"]
        except (OSError, EOFError, ValueError):
            raise self._failure() from None
        finally:
            if not reusable:
                self.close()
        if "reason" in answer:
            raise SandboxError(answer["reason"], answer["detail"], again=answer["reason"] != "content")

    def kill(self) -> None:
        """End the child at once and for good; a thread that parses, or starts to, then fails."""
        self._killed = True
        self._end_child()

    def close(self) -> None:
        """End the child and free its pipes."""
        self._end_child()
        child, self._child = self._child, None
        for stream in (child.stdin, child.stdout) if child else ():
            if stream is not None:
                with suppress(BrokenPipeError):  # data still to be sent has no reader any more
                    stream.close()
        if isinstance(child, ForkedChild):
            child.close()

    def _end_child(self) -> None:
        child = self._child
        if isinstance(child, ForkedChild):
            child.end()
        elif child is not None:
            child.kill()
            child.wait()

    def _failure(self) -> SandboxError:
        """Explain why the child stopped answering."""
        child = self._child
        if child is None:
            return SandboxError("lost")
        with suppress(subprocess.TimeoutExpired):
            child.wait(_REPORT_SECONDS)  # its pipes close a moment before it can be waited for
        if isinstance(child, ForkedChild) and child.lost and not self._killed:
            return ServerLostError()
        if child.returncode in [-number for number in _END_SIGNALS]:
            return SandboxError("time", again=child.returncode == -signal.SIGALRM)
        return SandboxError("lost")


def main(parser: Parser, lifeline: int | None = None) -> None:
    """Answer jobs until standard input ends, or the other side of `lifeline` is closed."""
    source, answers = sys.stdin.buffer, sys.stdout.buffer
    # Text that a parser prints must not get between the frames.
    sys.stdout = sys.stderr
    for number in _END_SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    threading.Thread(target=_exit_with_parent, args=(lifeline,), daemon=True).start()
    with suppress(ImportError):  # the first job says so
        parser.begin()
    with suppress(EOFError):
        while True:
            job, content = json.loads(_read_frame(source)), _read_frame(source)
            end = {}
            try:
                for items in _limited(parser, job, content):
                    _write_frame(answers, json.dumps(items).encode())
            except NotTextError as error:
                end = {"reason": "content", "detail": str(error)}
            except MemoryError:
                end = {"reason": "memory", "detail": ""}
            except ImportError as error:
                end = {"reason": "install", "detail": str(error)[:200]}
            except Exception as error:  # noqa: BLE001 - a parser's fault on one hostile file must not end the others
                end = {"reason": "content", "detail": f"can't be read ({type(error).__name__}: {error})"[:300]}
            _write_frame(answers, json.dumps({**end, "reusable": _memory_used() <= REUSABLE_MEMORY}).encode())


def _limited(parser: Parser, job: dict[str, Any], content: bytes) -> Iterator[Any]:
    parser.prepare(job)
    _limit_memory(job["memory"])
    results = parser.parse(job, content)
    left = float(job["cpu_seconds"])
    while True:
        try:
            _set_timers(left)
            items = next(results, None)
        finally:
            left = _set_timers(0)  # no limit while the parent is busy with the items
        if items is None:
            return
        yield items


def _set_timers(cpu_seconds: float) -> float:
    """Start the timers, or stop them with 0; return the processor time that was left."""
    # Signals without a handler end the process from the kernel, which also ends a loop in C code.
    left, _ = signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
    signal.setitimer(signal.ITIMER_REAL, WALL_SECONDS_PER_CPU_SECOND * cpu_seconds)
    return max(left, 0.001)


def _limit_memory(memory: int) -> None:
    """Limit the address space; macOS refuses or ignores this, so there only the time limits apply."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (memory if hard == resource.RLIM_INFINITY else min(memory, hard), hard))


def _memory_used() -> int:
    """Return the most bytes that this process has used so far; 0 where the system does not tell."""
    with suppress(OSError):
        # Not `ru_maxrss`: on Linux a child starts with the value of its parent.
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        used = re.search(r"^Vm(?:HWM|RSS):\s*(\d+) kB$", status, re.MULTILINE)
        return 1024 * int(used[1]) if used else 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


def _exit_with_parent(lifeline: int | None) -> None:
    """End this process when the pipe from the parent closes, even in the middle of a file."""
    poll = select.poll()
    for descriptor in (sys.stdin.fileno(), *([] if lifeline is None else [lifeline])):
        poll.register(descriptor, select.POLLHUP)
    while not any(event & (select.POLLHUP | select.POLLERR) for _, event in poll.poll()):
        threading.Event().wait(0.1)
    os._exit(1)


def _write_frame(stream: IO[bytes], content: bytes) -> None:
    """Send one frame. Raises OSError when the other side has closed the connection."""
    stream.write(len(content).to_bytes(4, "big") + content)
    stream.flush()


def _read_frame(stream: IO[bytes]) -> bytes:
    """Receive one frame. Raises EOFError when the other side has closed the connection."""
    head = stream.read(4)
    size = int.from_bytes(head, "big")
    content = stream.read(size) if len(head) == 4 else b""
    if len(head) < 4 or len(content) < size:
        raise EOFError
    return content


if __name__ == "__main__":
    main(PARSERS[sys.argv[1]])
