"""A real server on the loopback interface, in a thread or separate process, and a client that is not a browser."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any, NamedTuple

import uvicorn

from factscope.engine import Settings
from factscope.web import Connection, JobLimits, SecurityRules, create
from tests.lab import warm

TEXT = "The Marlow bridge was opened in 1931. It has six arches. Have you seen it?"
DOCUMENT = {"name": "bridge.txt", "text": "The Marlow bridge was opened in 1931. It has four arches."}
REQUEST: dict[str, Any] = {"text": TEXT, "documents": [DOCUMENT], "method": "builtin"}
CHECKS = "/api/v1/checks"


class Reply(NamedTuple):
    """Answer of a server."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Event(NamedTuple):
    """One server-sent event."""

    id: int | None
    type: str
    data: Any


class Client:
    """One user, known by their own secret."""

    def __init__(self, port: int, secret: str | None = None, host: str = "127.0.0.1") -> None:
        self.port, self.host = port, host
        self.secret = secrets.token_urlsafe() if secret is None else secret

    def headers(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        own = {"Authorization": f"Bearer {self.secret}"} if self.secret else {}
        return {**own, **(more or {})}

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        raw: bytes | None = None,
    ) -> Reply:
        """Send a request. `body` goes as JSON, `raw` as it is."""
        content = raw if raw is not None else None if body is None else json.dumps(body).encode()
        given = self.headers({"Content-Type": "application/json"} if content is not None else {})
        connection = HTTPConnection(self.host, self.port)
        try:
            connection.request(method, path, content, {**given, **(headers or {})})
            answer = connection.getresponse()
            return Reply(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Reply:
        return self.call("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})

    def post(self, path: str, body: Any = None, **headers: str) -> Reply:
        return self.call("POST", path, body, {name.replace("_", "-"): value for name, value in headers.items()})

    def check(self, **changes: Any) -> str:
        """Make a check, and return its id."""
        made = self.post(CHECKS, {**REQUEST, **changes})
        assert made.status == 201, made.body
        return str(made.json["id"])

    def done(self, check: str, state: str = "done") -> dict[str, Any]:
        """Wait until a check reaches a state, and return it; one already done can't be stopped."""
        ends = (state, "done") if state == "stopped" else (state,)
        found = wait_for(lambda: self.get(f"{CHECKS}/{check}").json, lambda one: one["state"] in ends)
        assert found["state"] == state
        return dict(found)

    @contextmanager
    def watching(self, check: str, after: int | None = None, *, waiting: bool = False) -> Iterator[Iterator[Event]]:
        """Stream the events of a check, with `waiting` also those that say what a slow check waits for."""
        connection = HTTPConnection(self.host, self.port)
        try:
            more = {} if after is None else {"Last-Event-ID": str(after)}
            connection.request("GET", f"{CHECKS}/{check}/events", headers=self.headers(more))
            answer = connection.getresponse()
            assert answer.status in (200, 204), answer.read()
            yield (event for event in events_of(answer) if waiting or event.type != "waiting")
        finally:
            connection.close()

    def events(self, check: str, after: int | None = None) -> list[Event]:
        """Return all events of a check until its end."""
        with self.watching(check, after) as found:
            return list(found)


def events_of(answer: HTTPResponse) -> Iterator[Event]:
    """Read the server-sent events of a reply."""
    fields: dict[str, str] = {}
    for raw in answer:
        line = raw.decode().rstrip("\n")
        if line.startswith(":"):
            continue
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif fields:
            number = fields.get("id")
            yield Event(int(number) if number else None, fields["event"], json.loads(fields["data"]))
            fields = {}


def wait_for(ask: Callable[[], Any], good: Callable[[Any], bool]) -> Any:
    """Return the answer of `ask` once it is good; only the test's own time limit ends the wait."""
    while not good(found := ask()):
        time.sleep(0.02)
    return found


class _Quiet(uvicorn.Server):
    """A server in a thread, which leaves signals to the tests."""

    loop: asyncio.AbstractEventLoop

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and remember the loop."""
        self.loop = asyncio.get_running_loop()
        await super().startup(sockets)

    def install_signal_handlers(self) -> None:
        """Install none."""


@contextmanager
def server(
    settings: Settings, store: str, rules: SecurityRules | None = None, room: JobLimits | None = None
) -> Iterator[int]:
    """Run a server in a thread, and yield its port."""
    app = create(settings, store, rules or SecurityRules(requests_per_minute=1e6, changes_per_minute=1e6), room)
    config = uvicorn.Config(
        app,
        port=0,
        http=Connection,
        log_level="error",
        server_header=False,
        lifespan="on",
        timeout_graceful_shutdown=2,
    )
    running = _Quiet(config)
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    while not running.started:
        assert thread.is_alive(), "the server did not start"
        time.sleep(0.01)
    try:
        yield int(running.servers[0].sockets[0].getsockname()[1])
    finally:
        app.let_go()
        running.should_exit = True
        thread.join(60)
        if thread.is_alive():
            for task in asyncio.all_tasks(running.loop):
                task.print_stack()
        assert not thread.is_alive(), "the server did not end; its tasks are printed above"


class Process:
    """`factscope serve` as a separate process."""

    def __init__(self, folder: Path, *arguments: str, module: str = "factscope", **environment: str) -> None:
        ours = {name: value for name, value in os.environ.items() if not name.startswith(("FACTSCOPE_", "OPENAI_"))}
        ours |= {
            "FACTSCOPE_STORE": str(folder / "runs.db"),
            "FACTSCOPE_CACHE": str(folder / "cache"),
            "PYTHONUTF8": "1",
            "TMPDIR": str(folder),  # so that a test that kills it leaves nothing elsewhere
        }
        command = [warm.python(), "-m", module, "serve", "--port", "0", "--no-browser", "--format", "json"]
        self._child = subprocess.Popen(
            [*command, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
            env=ours | environment,
        )
        assert self._child.stdout
        line = self._child.stdout.readline()
        assert line, self._child.communicate()[1]
        self.address = str(json.loads(line)["address"])
        self.port = int(self.address.rpartition(":")[2].partition("/")[0])

    def end(self, how: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        """Send a signal and wait; return the exit code and the output."""
        if how == signal.SIGKILL:
            warm.kill(self._child)
        else:
            self._child.send_signal(how)
        _, said = self._child.communicate()
        return self._child.returncode, said
