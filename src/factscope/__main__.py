"""`factscope` and `python -m factscope`: Ctrl-C ends it with exit code 130, from the first moment to the last.

Until a command begins there is nothing to save, so the signal ends the process at once: an exception in the midst of an
import would be a traceback, or be lost in a library.
"""

import atexit
import gc
import os
import signal
import sys
import threading
from types import FrameType

_BETWEEN_COLLECTIONS = 50_000
"""New objects after which garbage is looked for, instead of 700: looking took a tenth of the time of the imports."""
INTERRUPTED = 130  # exit code of a shell for Ctrl-C: 128 + SIGINT


def end_at_once(number: int = signal.SIGINT, frame: FrameType | None = None) -> None:
    """End the process as interrupted, whatever it is doing."""
    try:
        os.write(2, b"\nfactscope: Interrupted.\n")
    finally:
        os._exit(INTERRUPTED)


def collect_seldom() -> None:
    """Look for garbage seldom: a command leaves little, and ends soon."""
    gc.set_threshold(_BETWEEN_COLLECTIONS)


def main() -> None:
    """Run the command line and exit."""
    collect_seldom()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not where a parent has it ignored
        signal.signal(signal.SIGINT, end_at_once)
    from factscope.cli import main as run

    try:
        run()
    except KeyboardInterrupt:
        end_at_once()
    except SystemExit as leaving:
        if isinstance(leaving.code, int) and not _is_watched():
            _end_quickly(leaving.code)
        raise


def _is_watched() -> bool:
    """Return whether a profiler or debugger waits for an ordinary end."""
    return bool(sys.getprofile() or sys.gettrace())


def _end_quickly(code: int) -> None:
    """End as ever, but without freeing each object, which takes a tenth of a second and more.

    Returns where output can't be written, so that the ordinary end says so.
    """
    threading._shutdown()  # type: ignore[attr-defined]  # as at an ordinary end: threads are waited for
    atexit._run_exitfuncs()
    try:
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
    except (OSError, ValueError):
        return
    os._exit(code)


if __name__ == "__main__":
    main()
