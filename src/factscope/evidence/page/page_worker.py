"""The child process in which fetched pages are read: bounded in memory and time, ended with its parent.

Run as `python -m factscope.evidence.page.page_worker`. Frames as those of `factscope.evidence.file_worker`: an empty
one once the parsers are loaded; then for each job a frame of JSON `{"content_type", "charset", "url", "seconds",
"memory"}` and one of content; the answer is a frame of JSON, `{"page": [fields]}` or `{"bad": words}`,
and `"last"`: whether it should be given no other.
"""

from __future__ import annotations

import json
import re
import signal
import sys
import threading
from importlib import import_module
from pathlib import Path
from typing import Any

from factscope.evidence.decode import NotTextError
from factscope.evidence.file_worker import _leave_with_parent, _limit, _read_frame, write_frame
from factscope.evidence.page.page import read_page

KEPT_MEMORY = 300_000_000
"""A child that has used more bytes than this should be given no other page: it may not get room for a large one."""
_GRACE_SECONDS = 2
_PARSERS = (
    "lxml.html", "pypdf", "trafilatura", "factscope.evidence.page.markup", "factscope.evidence.page.pdf",
)  # fmt: skip


def main() -> None:
    """Answer jobs until standard input ends."""
    source, answers = sys.stdin.buffer, sys.stdout.buffer
    # What a parser prints must not end up between the frames.
    sys.stdout = sys.stderr
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    missing = _load_parsers()
    write_frame(answers, b"")
    while (header := _read_frame(source)) is not None and (content := _read_frame(source)) is not None:
        job = json.loads(header)
        _limit(job["memory"], 0)
        # By the kernel's own hand, so that it also ends a loop in C code.
        signal.setitimer(signal.ITIMER_REAL, job["seconds"] + _GRACE_SECONDS)
        answer: dict[str, Any] = {"bad": missing} if missing else _answer(content, job)
        answer["last"] = _memory_used() > KEPT_MEMORY
        write_frame(answers, json.dumps(answer).encode())
        signal.setitimer(signal.ITIMER_REAL, 0)


def _answer(content: bytes, job: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"page": read_page(content, job["content_type"], job["charset"], job["url"])}
    except NotTextError as error:
        return {"bad": str(error)}
    except MemoryError:
        return {"bad": "needs too much memory to read"}
    except Exception as error:  # noqa: BLE001 - a parser's mistake on one hostile page must not end the others
        return {"bad": f"can't be read ({type(error).__name__}: {error})"[:300]}


def _load_parsers() -> str | None:
    """Load what reads pages before the limits hold; what to say when the installation lacks it."""
    try:
        for name in _PARSERS:
            import_module(name)
    except ImportError as error:
        return f"can't be read: the installation of Factscope is not whole ({error})"[:300]
    return None


def _memory_used() -> int:
    """The most bytes that this process has used so far; 0 where the system does not say."""
    try:
        # Not `ru_maxrss`: on Linux a child begins with what its parent had used.
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return _memory_used_elsewhere()
    used = re.search(r"^VmHWM:\s*(\d+) kB$", status, re.MULTILINE) or re.search(
        r"^VmRSS:\s*(\d+) kB$", status, re.MULTILINE
    )
    return 1024 * int(used[1]) if used else 0


def _memory_used_elsewhere() -> int:
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


if __name__ == "__main__":
    main()
