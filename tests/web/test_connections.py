"""Connections that stay silent, drip or come by the thousand, and guessed tokens."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from factscope.engine import Settings
from factscope.web import Connection, rules_for
from tests.web.served import Client, server

TOKEN = "a-token-of-this-test"
HEAD = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n"


@pytest.fixture
def port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Run a server that waits half a second for a request's head and accepts eight connections."""
    monkeypatch.setattr(Connection, "head_seconds", 0.5)
    monkeypatch.setattr(Connection, "most", 8)
    settings = Settings(store=tmp_path / "runs.db", cache=tmp_path / "cache")
    with server(settings, str(tmp_path / "server.db")) as port:
        yield port


def everything(connection: socket.socket) -> bytes:
    """Read until the other side closes."""
    parts = []
    try:
        while part := connection.recv(65_536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


@pytest.mark.parametrize("first", [b"", b"G", HEAD])
def test_a_connection_without_a_whole_head_is_closed(port: int, first: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as silent:
        silent.sendall(first)
        assert everything(silent).startswith(b"HTTP/1.1 408 ")


def test_a_dripping_head_gains_no_time(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as slow:
        sent = 0
        with suppress(ConnectionError):
            for sent, byte in enumerate(HEAD + b"X: " + b"y" * 10_000):  # noqa: B007 - looked at after
                slow.sendall(bytes([byte]))
                time.sleep(0.02)
        assert sent < 1_000


def test_a_second_request_on_a_connection_has_the_same_timeout(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as twice:
        twice.sendall(HEAD + b"\r\n")
        answered = twice.recv(65_536)
        assert answered.startswith(b"HTTP/1.1 200 ")
        twice.sendall(b"G")
        assert b"HTTP/1.1 408 " in everything(twice)


def test_excess_connections_are_refused_and_the_others_are_served(port: int) -> None:
    held = [socket.create_connection(("127.0.0.1", port), timeout=30) for _ in range(8)]
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=30) as one_more:
            assert everything(one_more).startswith(b"HTTP/1.1 503 ")
    finally:
        for connection in held:
            connection.close()
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            assert Client(port).get("/healthz").status == 200
            break
        except (AssertionError, OSError):
            time.sleep(0.05)
    else:
        pytest.fail("the server did not take connections again")


def test_a_client_guessing_tokens_is_blocked_and_one_with_a_token_is_not(tmp_path: Path) -> None:
    settings = Settings(store=tmp_path / "runs.db", cache=tmp_path / "cache")
    with server(settings, str(tmp_path / "server.db"), rules_for("0.0.0.0", [TOKEN])) as port:
        guesses = [Client(port, f"not-the-token-{n:04}").get("/api/v1/setup") for n in range(40)]
        assert {reply.status for reply in guesses[:15]} == {401}
        assert {reply.status for reply in guesses[20:]} == {429}
        assert int(guesses[-1].headers["retry-after"]) >= 1
        assert Client(port, TOKEN).get("/api/v1/setup").status == 429, "an address that guesses learns nothing"
        assert Client(port).get("/healthz").status == 200
    with server(settings, str(tmp_path / "second.db"), rules_for("0.0.0.0", [TOKEN])) as port:
        assert Client(port, TOKEN).get("/api/v1/setup").status == 200
        for n in range(40):
            Client(port, f"not-the-token-{n:04}").get("/api/v1/setup")
        assert Client(port, TOKEN).get("/api/v1/setup").status == 200, "others behind the same address work on"
