"""Connections: checked three times, by name, with verified certificates, bypassing proxies, never hanging."""

from __future__ import annotations

import asyncio
import shutil
import socket
import ssl
import subprocess
import threading
from pathlib import Path

import pytest

from factscope.core import BoundaryError
from factscope.evidence.fetch import Fetcher, FetchTarget, NotFetchedError, Requests, system_addresses
from tests.evidence.fetch.door import QUICK, door
from tests.lab.pages import PUBLIC, PUBLIC_6, Led, Net, Page, moved, only, paths


def test_the_socket_itself_is_guarded_even_without_an_earlier_check() -> None:
    """An address as host bypasses the resolver, and a resolver could be replaced by mistake."""

    async def run() -> None:
        net = Net()
        requests = Requests(net.resolve, net.open_socket)
        for host in ("10.0.0.1", "::1", "169.254.169.254"):
            with pytest.raises(NotFetchedError, match=r"private|loopback|link-local"):
                await requests.get(FetchTarget("http", host, 80, "/"), {}, lambda status, headers: None)
        await requests.close()
        assert not net.dialled

    asyncio.run(run())


@pytest.mark.parametrize("peer", ["10.0.0.1", "127.0.0.1", "fe80::1%eth0", "::ffff:10.0.0.1"])
def test_nothing_is_sent_if_the_peer_has_a_different_address(peer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Led, "getpeername", lambda self: (peer, 80))

    async def run() -> None:
        async with door(only(Page())) as way:
            assert peer in await way.why("http://page.example/")
            assert not way.site.log

    asyncio.run(run())


def test_this_machines_own_public_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A socket can be bound to the address, which reveals it before any connection."""

    def bind(self: socket.socket, address: tuple[str, int]) -> None:
        if address[0] not in allowed:
            raise OSError("cannot assign requested address")

    allowed = {PUBLIC}
    own = PUBLIC, 80

    async def run() -> None:
        async with door(only(Page())) as way:
            monkeypatch.setattr(socket.socket, "bind", bind)
            assert "is this machine's own" in await way.why("http://me.example/")
            assert "is this machine's own" in await way.why(f"http://{PUBLIC}/")
            assert not way.net.dialled
            # Where a socket can be bound to any address, both ends of the connection reveal it.
            allowed.add("192.0.2.1")
            monkeypatch.setattr(Led, "getsockname", lambda self: own)
            assert "is this machine's own" in await way.why("http://me-too.example/")
            assert not way.site.log
            allowed.clear()
            monkeypatch.undo()

    asyncio.run(run())


def test_a_host_is_requested_by_name_and_resolved_once_per_connection() -> None:
    async def run() -> None:
        async with door(only(Page())) as way:
            way.net.hosts["b\u00fccher.example".encode("idna").decode()] = [PUBLIC_6, PUBLIC]
            await way.fetch("http://B\u00dcCHER.example./x")
            await way.fetch("http://b\u00fccher.example/y")
            assert {asked.host for asked in way.site.log} == {"xn--bcher-kva.example"}
            assert way.net.asked == ["xn--bcher-kva.example"]
            assert len(way.net.dialled) == 1

    asyncio.run(run())


def test_another_address_is_tried_when_the_first_is_dead() -> None:
    async def run() -> None:
        async with door(only(Page())) as way:
            way.net.hosts["two.example"] = [PUBLIC_6, PUBLIC]
            way.net.dead = {PUBLIC_6}
            assert (await way.fetch("http://two.example/")).status == 200
            assert [address for address, _ in way.net.dialled] == [PUBLIC_6, PUBLIC]

    asyncio.run(run())


def test_proxies_and_passwords_from_the_environment_are_not_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    (tmp_path / "netrc").write_text("default login me password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))

    async def run() -> None:
        async with door(only(Page())) as way:
            await way.fetch("http://page.example/")
            assert "authorization" not in way.site.log[-1].headers
            assert way.net.dialled == [(PUBLIC, 80)]

    asyncio.run(run())


def test_no_cookie_is_stored() -> None:
    async def run() -> None:
        async with door(lambda asked: Page(headers={"Set-Cookie": "id=1; Path=/"})) as way:
            await way.fetch("http://page.example/1")
            await way.fetch("http://page.example/2")
            assert all("cookie" not in asked.headers for asked in way.site.log)

    asyncio.run(run())


def test_the_system_resolver_gets_the_fully_qualified_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def getaddrinfo(host: str, port: object, **_: object) -> list[tuple[object, ...]]:
        if host == "nowhere.example.":
            raise socket.gaierror(-2, "Name or service not known")
        if host == "hangs.example.":
            hanging.wait()
        return [(0, 0, 0, "", (PUBLIC, 0)), (0, 0, 0, "", (PUBLIC_6, 0, 0, 0)), (0, 0, 0, "", (PUBLIC, 0))]

    hanging = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)

    async def run() -> None:
        assert await system_addresses("page.example") == [PUBLIC, PUBLIC_6]
        async with Fetcher(limits=QUICK._replace(seconds=0.2)) as fetcher:
            with pytest.raises(BoundaryError, match="host name is not known") as caught:
                await fetcher.fetch("http://nowhere.example/")
            assert caught.value.boundary == "fetch"
            with pytest.raises(BoundaryError, match=r"took longer than 0\.2 s") as caught:
                await fetcher.fetch("http://hangs.example/")
            assert caught.value.boundary == "timeout"

    asyncio.run(run())  # returns: a hanging look-up does not delay the end of the program
    hanging.set()


def certificate(folder: Path, name: str) -> tuple[Path, ssl.SSLContext]:
    """Create a self-signed certificate for a host, and a server context with it."""
    openssl = shutil.which("openssl")
    if not openssl:
        pytest.skip("no openssl program to make a certificate with")
    key, made = folder / f"{name}.key", folder / f"{name}.pem"
    command = [openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days"]
    command += [
        "2",
        "-subj",
        "/CN=test",
        "-addext",
        f"subjectAltName=DNS:{name}",
        "-keyout",
        str(key),
        "-out",
        str(made),
    ]
    subprocess.run(command, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made, key)
    return made, context


def test_a_certificate_must_be_trusted_and_name_the_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made, context = certificate(tmp_path, "page.example")
    names: list[str | None] = []
    context.sni_callback = lambda socket, name, context: names.append(name)

    async def run() -> None:
        async with door(only(Page()), tls=context) as way:
            assert "its certificate is not trusted" in await way.why("https://page.example/")
            assert not way.site.log
        monkeypatch.setenv("SSL_CERT_FILE", str(made))
        async with door(only(Page()), tls=context) as way:
            assert (await way.fetch("https://page.example/")).url == "https://page.example/"
            assert names[-1] == "page.example"
            assert way.net.dialled == [(PUBLIC, 443)]
            assert "its certificate is not trusted" in await way.why("https://other.example/")
            assert "its certificate is not trusted" in await way.why(f"https://{PUBLIC}/")
            assert {asked.host for asked in way.site.log} == {"page.example"}

    asyncio.run(run())


def test_a_server_without_tls_is_reported_as_a_failed_secure_connection() -> None:
    async def run() -> None:
        async with door(only(Page())) as way:
            assert "the secure connection failed" in await way.why("https://plain.example/")

    asyncio.run(run())


def test_a_redirect_can_lead_up_to_https_but_not_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made, context = certificate(tmp_path, "page.example")
    monkeypatch.setenv("SSL_CERT_FILE", str(made))
    up = {"/up": moved("https://page.example/down", 301)}
    down = {"/down": moved("/here"), "/here": Page(b"here")}

    async def run() -> None:
        async with door(paths(up)) as plain, door(paths(down), tls=context) as secure:
            plain.net.ports[443] = secure.site.port
            found = await plain.fetch("http://page.example/up")
            assert found.url == "https://page.example/here"
            assert found.redirects == ("http://page.example/up", "https://page.example/down")
            down["/down"] = moved("http://page.example/end")
            assert "from https to plain http" in await plain.why("http://page.example/up")
            assert not plain.site.asked("/end")

    asyncio.run(run())
