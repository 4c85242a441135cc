"""Files → the texts in them: small harmless ones here, all others in one child process that is limited and reusable."""

from __future__ import annotations

import json
import os
import queue
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, NamedTuple

from factscope.evidence.file_kinds import Bad, Kind, kind_of
from factscope.evidence.file_worker import write_frame
from factscope.evidence.formats import Row, parse

READER_VERSION = 2
"""To be raised when the same file is read into other text than before: parsed files are kept under it."""
MAX_FILE_BYTES = 256_000_000
"""Larger files are not read."""
IN_PLACE_BYTES = 100_000
"""Larger files are read in the child process whatever their kind; HTML and PDF always are."""
_START_SECONDS = 60.0


class Limits(NamedTuple):
    """What one file may use."""

    seconds: float = 10.0
    """Wall time until the next part of it has been read."""
    memory: int = 512 << 20
    """Bytes of address space of the child, beyond four times the file's size; where the system can limit it."""
    characters: int = 20_000_000
    """Length of one text."""


class Reader:
    """Reads files one after the other; a context manager, as it may hold a child process.

    The child is started with the first file that needs it, used for all others, and replaced after it was killed.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._child: _Child | None = None

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stop()

    def read(self, path: Path) -> Iterator[Row | Bad]:
        """The texts of a file and what of it can't be used. Raises OSError when the file can't be opened."""
        yield from self.parse(path.name, load(path))

    def parse(self, name: str, data: bytes | Bad) -> Iterator[Row | Bad]:
        """The texts in the content of a file called `name`."""
        if isinstance(data, Bad):
            yield data
            return
        kind = kind_of(name, data[:1024])
        if isinstance(kind, Bad):
            yield kind
        elif not data.strip():
            yield Bad("is empty")
        elif kind in {"html", "pdf"} or len(data) > IN_PLACE_BYTES:
            yield from self._in_child(data, kind)
        else:
            yield from parse(data, kind, self.limits.seconds, self.limits.characters)

    def _in_child(self, data: bytes, kind: Kind) -> Iterator[Row | Bad]:
        done = False
        try:
            self._child = self._child or _Child()
            yield from self._child.answers(data, kind, self.limits)
            done = True
        except TimeoutError:
            yield Bad(f"took longer than {self.limits.seconds:g} s to read; split it, or save it as plain text")
        except (OSError, EOFError, ValueError):
            # Not for good: it may not have started, or the system may have ended it for want of memory.
            message = "broke the process that reads it, or needs too much memory; split it, or save it as plain text"
            yield Bad(message, again=True)
        finally:
            if not done:
                self._stop()

    def _stop(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child = None


def load(path: Path) -> bytes | Bad:
    """The content of a regular file of bearable size. Raises OSError when it can't be opened."""
    # Not blocking, so that a named pipe can't hold us up.
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return Bad("is no regular file")
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        return Bad(f"is larger than {MAX_FILE_BYTES // 1_000_000} MB; split it")
    return data


class _Child:
    """A running `factscope.evidence.file_worker` and a thread that takes in what it answers."""

    def __init__(self) -> None:
        # The same modules as ours, also when a script has put them on the path itself; `-P`: none from the
        # folder that we happen to stand in.
        path = os.pathsep.join(entry for entry in sys.path if entry)
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "factscope.evidence.file_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path},
        )
        self.frames: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.receiver = threading.Thread(target=self._receive, daemon=True)
        self.receiver.start()

    def answers(self, data: bytes, kind: Kind, limits: Limits) -> Iterator[Row | Bad]:
        """Rows of one file. Raises TimeoutError, or OSError or EOFError when the child is gone or does not start."""
        job = {"kind": kind, "seconds": limits.seconds, "memory": limits.memory, "characters": limits.characters}
        write_frame(self._stdin, json.dumps(job).encode())
        write_frame(self._stdin, data)
        try:
            self._next(_START_SECONDS)
        except TimeoutError:
            raise EOFError from None
        while (batch := json.loads(self._next(limits.seconds))) != "end":
            for item in batch:
                yield Row(*item["row"])._replace(flags=tuple(item["row"][-1])) if "row" in item else Bad(*item["bad"])

    def kill(self) -> None:
        """End the child and free what it held."""
        self.process.kill()
        self.process.wait()
        self.receiver.join()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                _close(stream)

    @property
    def _stdin(self) -> IO[bytes]:
        if self.process.stdin is None:
            raise EOFError
        return self.process.stdin

    def _next(self, seconds: float) -> bytes:
        try:
            frame = self.frames.get(timeout=seconds)
        except queue.Empty:
            raise TimeoutError from None
        if frame is None:
            raise EOFError
        return frame

    def _receive(self) -> None:
        stream = self.process.stdout
        while stream is not None:
            head = stream.read(4)
            size = int.from_bytes(head, "big")
            content = stream.read(size) if len(head) == 4 else b""
            if len(head) < 4 or len(content) < size:
                self.frames.put(None)
                return
            self.frames.put(content)


def _close(stream: IO[bytes]) -> None:
    try:
        stream.close()
    except BrokenPipeError:
        # What was still to be sent has nobody left to read it.
        return
