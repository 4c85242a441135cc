"""The laboratory's HTTP, written by hand so that it can break off, drip and lie wherever a script says."""

from __future__ import annotations

import asyncio
import json
import time
import zlib
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, NamedTuple

from .sse import events

REASONS = {200: "OK", 301: "Moved", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}


class Asked(NamedTuple):
    """One request."""

    path: str
    headers: dict[str, str]
    body: bytes
    method: str = "GET"


class Answer(NamedTuple):
    """An answer when nothing is wrong."""

    body: bytes
    type: str = "application/json"
    status: int = 200


Respond = Callable[[Asked, dict[str, Any]], Answer]
"""The well-behaved answer to a request, given the script's `do`."""


class Lab:
    """Rules and the requests so far."""

    def __init__(self, respond: Respond) -> None:
        self.respond = respond
        self.rules: list[dict[str, Any]] = []
        self.forget()

    def forget(self) -> None:
        self.began = time.monotonic()
        self.log: list[tuple[float, Asked]] = []
        self.calls = self.now = self.most = 0
        self.gathered: list[Callable[[], None]] = []

    def rule(self, number: int, asked: Asked) -> dict[str, Any]:
        """Return the action of the first matching rule."""
        for rule in self.rules:
            when = rule.get("when", {})
            fits = (
                number < when.get("first", number + 1)
                and ("calls" not in when or number in when["calls"])
                and ("every" not in when or number % when["every"] == when["every"] - 1)
                and all(text.encode() in asked.body + asked.path.encode() for text in _texts(when.get("contains", [])))
                and ("model" not in when or json.loads(asked.body).get("model") == when["model"])
            )
            if fits:
                return dict(rule["do"])
        return {}

    def control(self, asked: Asked) -> Answer:
        """Answer on the laboratory's own paths."""
        if asked.path == "/_lab/script":
            self.rules = json.loads(asked.body) or []
            self.forget()
            return Answer(b"null")
        if asked.path == "/_lab/log":
            rows = [
                {
                    "time": when,
                    "path": each.path,
                    "body": each.body.decode("utf-8", "replace"),
                    "authorization": each.headers.get("authorization", ""),
                }
                for when, each in self.log
            ]
            return Answer(json.dumps(rows).encode())
        return Answer(json.dumps(self.most if asked.path == "/_lab/most" else self.calls).encode())


def _texts(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


class Connection(asyncio.Protocol):
    """One keep-alive connection; requests come one after another."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.waiting = b""
        self.tasks: set[asyncio.Task[None]] = set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: asyncio.Transport = transport  # type: ignore[assignment]

    def connection_lost(self, exc: Exception | None) -> None:
        for task in self.tasks:
            task.cancel()

    def data_received(self, data: bytes) -> None:
        if data.startswith(b"\x16"):  # the first byte of a secure connection, not supported here
            self.transport.close()
            return
        self.waiting += data
        head, blank, rest = self.waiting.partition(b"\r\n\r\n")
        if not blank:
            return
        lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        length = int(headers.get("content-length", 0))
        if len(rest) < length:
            return
        self.waiting = rest[length:]
        method, path, *_ = lines[0].split(" ")
        self.answer(Asked(path, headers, rest[:length], method))

    def answer(self, asked: Asked) -> None:
        lab = self.lab
        if asked.path.startswith("/_lab/"):
            self.send(lab.control(asked), {})
            return
        number = lab.calls
        lab.calls += 1
        lab.log.append((time.monotonic() - lab.began, asked))
        do = lab.rule(number, asked)
        lab.now += 1
        lab.most = max(lab.most, lab.now)
        if "gather" in do:
            lab.gathered.append(lambda: self.finish(asked, do))
            if len(lab.gathered) == do["gather"]:
                lab.gathered, ready = [], lab.gathered
                for finish in ready:
                    finish()
        elif do.get("delay") and not {"drip", "hang"} & do.keys():
            share = zlib.crc32(asked.body) / 2**32 if do.get("uneven") else 1.0
            asyncio.get_running_loop().call_later(share * do["delay"], self.finish, asked, do)
        else:
            self.finish(asked, do)

    def finish(self, asked: Asked, do: dict[str, Any]) -> None:
        self.lab.now -= 1
        if do.get("hang") or self.transport.is_closing():
            return
        if do.get("reset"):
            self.transport.abort()
            return
        if "json" in do or "body" in do:
            body = json.dumps(do["json"]).encode() if "json" in do else do["body"].encode()
            made = Answer(body, do.get("type", "application/json"), do.get("status", 200))
        elif do.get("status", 200) != 200:
            made = Answer(b'{"error": {"message": "as the script says"}}', status=do["status"])
        else:
            made = self.lab.respond(asked, do)
        stream = events(asked.body, made, do)
        if stream is None:
            self.send(made, do, with_body=asked.method != "HEAD")
        else:
            self.begin(self.stream(stream, do))

    def send(self, made: Answer, do: dict[str, Any], *, with_body: bool = True) -> None:
        extra = "".join(f"{name}: {value}\r\n" for name, value in do.get("headers", {}).items())
        reason = REASONS.get(made.status, "Other")
        head = (
            f"HTTP/1.1 {made.status} {reason}\r\nContent-Type: {made.type}\r\n"
            f"Content-Length: {len(made.body)}\r\n{extra}\r\n"
        )
        if not with_body:
            self.transport.write(head.encode())
        elif "cut" in do:
            self.transport.write(head.encode() + made.body[: do["cut"]])
            self.transport.close()
        elif "drip" in do:
            self.begin(self.drip(head.encode(), made.body, do["drip"]))
        else:
            self.transport.write(head.encode() + made.body)

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def stream(self, chunks: Iterator[bytes], do: dict[str, Any]) -> None:
        """Send chunks as they become ready; the end may never come."""
        extra = "".join(f"{name}: {value}\r\n" for name, value in do.get("headers", {}).items())
        coding = "Connection: close" if do.get("unframed") else "Transfer-Encoding: chunked"
        self.transport.write(f"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{coding}\r\n{extra}\r\n".encode())
        for number, chunk in enumerate(chunks):
            if number == do.get("silent_after"):
                return
            if number == do.get("cut_after"):
                self.transport.close()
                return
            await asyncio.sleep(do.get("drip", 0))
            self.transport.write(chunk if do.get("unframed") else b"%x\r\n%b\r\n" % (len(chunk), chunk))
        if do.get("unframed"):
            self.transport.close()
        elif not do.get("left_open"):
            self.transport.write(b"0\r\n\r\n")

    async def drip(self, head: bytes, body: bytes, seconds: float) -> None:
        self.transport.write(head)
        for byte in body:
            await asyncio.sleep(seconds)
            self.transport.write(bytes([byte]))


def serve(respond: Respond) -> None:
    """Serve on a free port, which is printed, until the process ends."""

    async def forever() -> None:
        lab = Lab(respond)
        server = await asyncio.get_running_loop().create_server(lambda: Connection(lab), "127.0.0.1", 0, backlog=4096)
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()

    asyncio.run(forever())
