"""A guard for tests of the fetcher: no socket connects except through the fake net."""

import os
import socket
import ssl
from collections.abc import Iterator

import pytest

_contexts: dict[str | None, ssl.SSLContext] = {}


@pytest.fixture(autouse=True)
def no_other_way(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail any attempt to connect a plain socket, and the test at its end."""
    tried: list[object] = []

    def connect(self: socket.socket, address: object) -> None:
        tried.append(address)
        raise OSError(f"a plain socket was told to connect to {address}")

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket.socket, "connect_ex", connect)
    yield
    assert not tried


@pytest.fixture(autouse=True)
def certificates_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read the system's certificates, which takes 20 ms, once instead of in each of hundreds of tests."""
    real = ssl.create_default_context

    def create() -> ssl.SSLContext:
        which = os.environ.get("SSL_CERT_FILE")
        if which not in _contexts:
            _contexts[which] = real()
        return _contexts[which]

    monkeypatch.setattr(ssl, "create_default_context", create)
