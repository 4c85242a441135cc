"""The child process in which hostile files are read: bounded in memory and time, ended with its parent.

Run as `python -m factscope.evidence.file_worker`. Frames on standard input and output: four bytes of length, then that
many bytes. A job is a frame of JSON `{"kind", "seconds", "memory", "characters"}` and a frame of file content; the
answer is an empty frame once the parser is loaded, frames of JSON lists of rows, and `"end"`.
"""

from __future__ import annotations

import csv
import json
import os
import select
import signal
import sys
import threading
from collections.abc import Iterable
from typing import IO, Any

from factscope.evidence.file_kinds import Bad, Kind
from factscope.evidence.formats import Row, parse

BATCH_CHARACTERS = 1_000_000
"""Rows of a file are sent once they hold this many characters together."""
_GRACE_SECONDS = 2


def write_frame(stream: IO[bytes], content: bytes) -> None:
    """Send one frame. Raises OSError when the other side is gone."""
    stream.write(len(content).to_bytes(4, "big") + content)
    stream.flush()


def main() -> None:
    """Answer jobs until standard input ends."""
    source, answers = sys.stdin.buffer, sys.stdout.buffer
    # What a parser prints must not end up between the frames.
    sys.stdout = sys.stderr
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    while (header := _read_frame(source)) is not None and (data := _read_frame(source)) is not None:
        job = json.loads(header)
        missing = _load_parser(job["kind"])
        _limit(job["memory"], len(data))
        write_frame(answers, b"")
        # By the kernel's own hand, so that it also ends a loop in C code.
        signal.setitimer(signal.ITIMER_REAL, job["seconds"] + _GRACE_SECONDS)
        for batch in _batches([missing] if missing else _parse(data, job)):
            write_frame(answers, json.dumps(batch).encode())
            signal.setitimer(signal.ITIMER_REAL, job["seconds"] + _GRACE_SECONDS)
        write_frame(answers, b'"end"')
        signal.setitimer(signal.ITIMER_REAL, 0)


def _parse(data: bytes, job: dict[str, Any]) -> Iterable[Row | Bad]:
    try:
        # Pages read in time are kept: stop before the parent loses patience.
        yield from parse(data, job["kind"], 0.7 * job["seconds"], job["characters"])
    except MemoryError:
        yield Bad("needs too much memory to read; save it as plain text, or split it", again=True)
    except ImportError as error:
        yield _not_whole(error)
    except Exception as error:  # noqa: BLE001 - a parser's mistake on one hostile file must not end the others
        yield Bad(f"can't be read ({type(error).__name__}: {error}); save it as plain text"[:300])


def _batches(items: Iterable[Row | Bad]) -> Iterable[list[Any]]:
    batch: list[Any] = []
    size = 0
    for item in items:
        batch.append({"row" if isinstance(item, Row) else "bad": item})
        size += len(item.text) if isinstance(item, Row) else 0
        if size >= BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    yield batch


def _load_parser(kind: Kind) -> Bad | None:
    """Load what reads this kind before the limits hold; what to say when the installation lacks it."""
    csv.field_size_limit(1 << 30)
    try:
        if kind == "html":
            import trafilatura  # noqa: F401
        elif kind == "pdf":
            import pypdf  # noqa: F401
    except ImportError as error:
        return _not_whole(error)
    return None


def _not_whole(error: ImportError) -> Bad:
    message = f"can't be read: the installation of Factscope is not whole ({error}); install it again"
    return Bad(message[:300], again=True)


def _limit(memory: int, size: int) -> None:
    """Bound the address space; macOS refuses or ignores this, there the time limit alone holds."""
    try:
        import resource

        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        room = memory + 4 * size
        resource.setrlimit(resource.RLIMIT_AS, (room if hard == resource.RLIM_INFINITY else min(room, hard), hard))
    except (ImportError, ValueError, OSError):
        return


def _leave_with_parent() -> None:
    """End this process when the pipe from the parent closes, even in the midst of a file."""
    poll = select.poll()
    poll.register(sys.stdin.fileno(), select.POLLHUP)
    while not any(event & (select.POLLHUP | select.POLLERR) for _, event in poll.poll()):
        threading.Event().wait(0.1)
    os._exit(1)


def _read_frame(stream: IO[bytes]) -> bytes | None:
    head = stream.read(4)
    return stream.read(int.from_bytes(head, "big")) if len(head) == 4 else None


if __name__ == "__main__":
    main()
