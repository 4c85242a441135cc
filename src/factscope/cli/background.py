"""A server in the background, for commands that end by showing its page."""

from __future__ import annotations

import json
import select
import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from typing import NamedTuple

from factscope.core.errors import StoreError
from factscope.core.version import __version__

PORT = 8642
_START_SECONDS = 30  # a server that has not answered by then has failed


class BackgroundServer(NamedTuple):
    """A server that answers."""

    address: str
    """Ends with a slash."""
    process: int | None
    """Its process id; `None` for a server that was running already."""


def serve_in_background(idle_minutes: float) -> BackgroundServer:
    """Return the running server of this version, or start one that ends when it is idle.

    Raises StoreError with the server's message when it does not start.
    """
    address = f"http://127.0.0.1:{PORT}/"
    if _answers(address):
        return BackgroundServer(address, None)
    port = PORT if _is_free(PORT) else 0
    command = [sys.executable, "-m", "factscope", "serve", "--no-browser", "--format", "json"]
    command += ["--port", str(port), "--idle", str(idle_minutes)]
    with tempfile.TemporaryFile() as log:
        begun = subprocess.Popen(  # noqa: S603 - ourselves
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, start_new_session=True
        )
        assert begun.stdout is not None
        ready, _, _ = select.select([begun.stdout], [], [], _START_SECONDS)
        line = begun.stdout.readline() if ready else b""
        begun.stdout.close()
        if not line:
            begun.kill()
            begun.wait()
            log.seek(0)
            reason = " ".join(log.read().decode("utf-8", "replace").split())[-500:] or "it did not answer in time"
            raise StoreError(f"The page could not be served: {reason}", "Try `factscope serve`.")
    return BackgroundServer(json.loads(line)["address"], begun.pid)


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}healthz", timeout=2) as reply:  # noqa: S310 - our own address
            return bool(json.load(reply).get("version") == __version__)
    except (OSError, ValueError, urllib.error.URLError):
        return False


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
