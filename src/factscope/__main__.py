"""The entry point of `factscope` and `python -m factscope`; Ctrl-C always ends it with exit code 130.

Until a command begins there is nothing to save, so the signal ends the process at once: an exception in the midst of an
import would show a traceback, or be swallowed by a library.
"""

import atexit
import gc
import os
import signal
import sys
import threading
from types import FrameType

_BETWEEN_COLLECTIONS = 50_000
"""New objects between garbage collections, instead of 700: collecting took a tenth of the time of the imports."""
INTERRUPTED = 130  # exit code of a shell for Ctrl-C: 128 + SIGINT


def end_at_once(number: int = signal.SIGINT, frame: FrameType | None = None) -> None:
    """End the process as interrupted, whatever it is doing."""
    try:
        os.write(2, b"\nfactscope: Interrupted.\n")
    finally:
        os._exit(INTERRUPTED)


def collect_seldom() -> None:
    """Collect garbage rarely: a command leaves little garbage, and ends soon."""
    gc.set_threshold(_BETWEEN_COLLECTIONS)


def main() -> None:
    """Run the command line and exit."""
    collect_seldom()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not where the parent process ignores it
        signal.signal(signal.SIGINT, end_at_once)
    from factscope.cli import main as run

    try:
        run()
    except KeyboardInterrupt:
        end_at_once()
    except RuntimeError as error:
        if isinstance(error.__cause__, KeyboardInterrupt):  # Python 3.11 wraps what is raised while a class is made
            end_at_once()
        raise
    except SystemExit as leaving:
        if isinstance(leaving.code, int) and not _is_watched():
            _end_quickly(leaving.code)
        raise


def _is_watched() -> bool:
    """Return whether a profiler or debugger is attached, which needs an ordinary end."""
    return bool(sys.getprofile() or sys.gettrace())


def _end_quickly(code: int) -> None:
    """End the process normally, but without freeing each object, which takes 0.1 s or more.

    Returns when output can't be written, so that the ordinary end reports it.
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
