"""Connections only to addresses on the public net, however an address is spelt and whoever leads there."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

import pytest

from factscope.core import BoundaryError
from tests.evidence.fetch.door import Door, door
from tests.lab.many_cases import try_all
from tests.lab.pages import PUBLIC, PUBLIC_6, Net, Page, moved, only

# Written from the registries (IANA's special-purpose addresses; RFC 3056, 4291, 4380, 6052), not from the code.
V4 = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
    "192.0.0.0/29", "192.0.0.170/31", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24",
    "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4",
    "240.0.0.0/4", "255.255.255.255/32", "169.254.169.254/32", "100.100.100.200/32", "168.63.129.16/32",
]  # fmt: skip
V6 = [
    "::/128", "::1/128", "::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64",
    "100:0:0:1::/64", "2001::/32", "2001:1::1/128", "2001:2::/48", "2001:3::/32", "2001:4:112::/48", "2001:10::/28",
    "2001:20::/28", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20", "3ffe::/16", "5f00::/16",
    "fc00::/7", "fd00:ec2::254/128", "fe80::/10", "fec0::/10", "ff00::/8", "ff02::1/128", "400::/6", "4000::/3",
]  # fmt: skip
CODES = (301, 302, 303, 307, 308)


def places(network: str) -> list[str]:
    """Return the first, a middle and the last address of a network."""
    whole = ip_network(network)
    middle = whole.network_address + whole.num_addresses // 2
    return list(dict.fromkeys(str(ip) for ip in (whole.network_address, middle, whole.broadcast_address)))


BLOCKED_4 = list(dict.fromkeys(place for network in V4 for place in places(network)))
BLOCKED_6 = list(dict.fromkeys(place for network in V6 for place in places(network)))
BLOCKED = BLOCKED_4 + BLOCKED_6


def spellings_4(address: str) -> Iterator[str]:
    """Yield hosts that some program reads as an IPv4 address, or as leading to it."""
    number = int(IPv4Address(address))
    a, b, c, d = IPv4Address(address).packed
    high, low = f"{number >> 16:x}", f"{number & 0xFFFF:x}"
    yield from (address, f"{address}.", str(number), hex(number), f"0X{number:08X}", f"0{number:o}")
    yield from (f"0{a:o}.0{b:o}.0{c:o}.0{d:o}", f"{a:#x}.{b:#x}.{c:#x}.{d:#x}", f"{a}.{b:#x}.{c}.0{d:o}")
    yield from (f"{a}.{number & 0xFFFFFF}", f"{a}.{b}.{number & 0xFFFF}", f"000{a:o}.{b}.{c}.{d}")
    yield address.translate({ord(digit): 0xFF10 + int(digit) for digit in "0123456789"})
    yield address.replace(".", "\u3002")
    yield from (f"[::ffff:{address}]", f"[::ffff:{high}:{low}]", f"[::{address}]", f"[::ffff:0:{address}]")
    yield from (f"[64:ff9b::{address}]", f"[64:ff9b:1::{address}]", f"[2002:{high}:{low}::1]")
    yield f"[2001:0:4136:e378:8000:63bf:{(number >> 16) ^ 0xFFFF:x}:{(number & 0xFFFF) ^ 0xFFFF:x}]"
    yield from (f"[2a00:1450:4001:800:0:5efe:{high}:{low}]", f"[2a00:1450:4001:800:200:5efe:{high}:{low}]")


def spellings_6(address: str) -> Iterator[str]:
    whole = IPv6Address(address)
    yield from (f"[{whole}]", f"[{whole.exploded.upper()}]", f"[{whole}%25eth0]", f"[{whole}%1]")


async def refused(door: Door, urls: Sequence[str]) -> None:
    results = await asyncio.gather(*(door.fetcher.fetch(url) for url in urls), return_exceptions=True)
    wrong = [(url, result) for url, result in zip(urls, results, strict=True) if not isinstance(result, BoundaryError)]
    assert not wrong


def only_public(net: Net) -> bool:
    return all(address in {PUBLIC, PUBLIC_6} for address, _ in net.dialled)


def test_no_spelling_of_a_blocked_address_is_dialled(cases: Callable[[int], None]) -> None:
    hosts = [host for address in BLOCKED_4 for host in spellings_4(address)]
    hosts += [host for address in BLOCKED_6 for host in spellings_6(address)]
    assert len(V4) + len(V6) >= 31
    assert len(hosts) >= 1_500
    cases(len(hosts))

    async def run() -> None:
        async with door(only(Page())) as way:
            await refused(way, [f"http://{host}/latest/meta-data/" for host in hosts])
            assert not way.net.dialled
            assert not way.net.asked
            assert not way.site.log

    asyncio.run(run())


def test_no_host_with_a_blocked_address_is_dialled_even_if_it_has_public_ones(cases: Callable[[int], None]) -> None:
    cases(3 * len(BLOCKED))

    async def run() -> None:
        async with door(only(Page())) as way:
            urls = []
            for number, address in enumerate(BLOCKED):
                other = PUBLIC if number % 2 else PUBLIC_6
                for kind, found in {"a": [address], "b": [address, other], "c": [PUBLIC, other, address]}.items():
                    way.net.hosts[f"{kind}{number}.example"] = found
                    urls.append(f"https://{kind}{number}.example/page")
            assert len(urls) >= 300
            await refused(way, urls)
            assert not way.net.dialled

    asyncio.run(run())


@pytest.mark.medium
def test_no_redirect_leads_to_a_blocked_address() -> None:
    """Each of the five codes redirects to an address, an odd spelling of one, or a name with one."""
    wheres = {}
    for number, address in enumerate(BLOCKED):
        spelt = list(spellings_4(address) if "." in address and ":" not in address else spellings_6(address))
        for place, code in enumerate(CODES):
            host = (spelt[0], spelt[(number + place) % len(spelt)], f"to{number}.example")[(number + place) % 3]
            wheres[f"from{number}-{code}.example"] = moved(f"http://{host}/", code)

    async def run() -> None:
        async with door(lambda asked: wheres[asked.host] if asked.path != "/robots.txt" else Page(status=404)) as way:
            for number, address in enumerate(BLOCKED):
                way.net.hosts[f"to{number}.example"] = [address]
            assert len(wheres) >= 500
            await refused(way, [f"http://{host}/" for host in wheres])
            assert only_public(way.net)
            assert len(way.net.dialled) >= len(wheres)
            assert {asked.host for asked in way.site.log} == wheres.keys()

    asyncio.run(run())


def test_a_resolver_that_changes_its_mind_gains_nothing() -> None:
    """The checked address is the one connected to; the next connection checks again."""
    closing = Page(headers={"Connection": "close"})

    async def run() -> None:
        async with door(lambda asked: closing) as way:
            for number, address in enumerate(BLOCKED):
                answers = iter([[PUBLIC], [address], [PUBLIC], [address]] * 10)
                way.net.hosts[f"rebind{number}.example"] = lambda answers=answers: next(answers)
            urls = [f"http://rebind{number}.example/" for number in range(len(BLOCKED))]
            await refused(way, urls)
            assert [address for address, _ in way.net.dialled] == [PUBLIC] * len(BLOCKED)
            assert {asked.path for asked in way.site.log} == {"/robots.txt"}

    asyncio.run(run())


def test_a_redirect_chain_ends_where_it_leads_to_an_internal_host() -> None:
    hops = {f"/{number}": moved(f"http://hop{number + 1}.example/{number + 1}") for number in range(4)}
    hops["/4"] = moved("http://metadata.google.internal/computeMetadata/v1/")

    async def run() -> None:
        async with door(lambda asked: hops.get(asked.path, Page(status=404))) as way:
            why = await way.why("http://hop0.example/0")
            assert "metadata.google.internal is not a name of a public host" in why
            assert only_public(way.net)
            # A robots.txt does not get around this either.
            hops["/robots.txt"] = moved("http://169.254.169.254/")
            assert "169.254.169.254 is link-local" in await way.why("http://other.example/")
            assert only_public(way.net)

    asyncio.run(run())


def test_redirects_in_the_page_or_its_other_headers_are_not_followed() -> None:
    inner = "http://169.254.169.254/latest/"
    page = Page(
        f'<html><meta http-equiv="refresh" content="0;url={inner}"><iframe src="{inner}"></iframe>'.encode(),
        headers={"Refresh": f"0; url={inner}", "Link": f"<{inner}>; rel=preload", "Content-Location": inner},
    )

    async def run() -> None:
        async with door(only(page)) as way:
            found = await way.fetch("http://page.example/")
            assert (found.url, found.content) == ("http://page.example/", page.body)
            assert way.net.dialled == [(PUBLIC, 80)]
            assert len(way.site.log) == 2

    asyncio.run(run())


@try_all(
    ("url", "says"),
    [
        ("file:///etc/passwd", "not an http or https"),
        ("ftp://example.com/", "not an http or https"),
        ("gopher://example.com:70/", "not an http or https"),
        ("javascript:alert(1)", "not an http or https"),
        ("data:text/html,x", "not an http or https"),
        ("//example.com/", "not an http or https"),
        ("example.com", "not an http or https"),
        ("", "not an http or https"),
        ("http:example.com", "host can't be read"),
        ("http:///example.com", "host can't be read"),
        ("http://user:secret@example.com/", "user name"),
        ("http://example.com@10.0.0.1/", "user name"),
        ("http://example.com\\@10.0.0.1/", "user name"),
        ("http://10.0.0.1\\@example.com/", "user name"),
        ("http://example.com:22/", "port 22"),
        ("http://example.com:8080/", "port 8080"),
        ("http://example.com:0/", "port 0"),
        ("http://example.com:99999/", "port 99999"),
        ("http://example.com:80:80/", "host can't be read"),
        ("http://example.com:-80/", "host can't be read"),
        ("http://example.com:\uff18\uff10/", "can't be read"),
        ("http://exam\x00ple.com/", "control characters"),
        ("http://example.com/\r\nHost: localhost", "control characters"),
        ("http://exam\tple.com/", "control characters"),
        ("http://exam ple.com/", "host can't be read"),
        ("http://exam%70le.com/", "host can't be read"),
        ("http://127.0.0.1%00.example.com/", "host can't be read"),
        ("http://127.0.0.1%23.example.com/", "host can't be read"),
        ("http://[fe80::1%25eth0]/", "host can't be read"),
        ("http://[::1]example.com/", "can't be read"),
        ("http://[v1.x]/", "can't be read"),
        ("http://[12345::]/", "can't be read"),
        ("http://1.2.3.4.5/", "host can't be read"),
        ("http://256.1.1.1/", "host can't be read"),
        ("http://08.8.8.8/", "host can't be read"),
        ("http://example.0x/", "host can't be read"),
        ("http://a..example.com/", "host can't be read"),
        ("http://example.com../", "host can't be read"),
        ("http://.example.com/", "host can't be read"),
        ("http://-a.example.com/", "host can't be read"),
        (f"http://{'a' * 64}.example.com/", "host can't be read"),
        (f"http://{'a.' * 130}com/", "host can't be read"),
        ("http://ex\u00adample.com/", "can't be read"),
        ("http://example.com\u2100evil.org/", "can't be read"),
        ("http://localhost/", "not a name of a public host"),
        ("http://LOCALHOST./", "not a name of a public host"),
        ("http://db.localhost/", "not a name of a public host"),
        ("http://printer.local/", "not a name of a public host"),
        ("http://intranet/", "not a name of a public host"),
        ("http://router.home.arpa/", "not a name of a public host"),
        ("http://example.com/" + "a" * 4_000, "longer than"),
    ],
)
def test_an_address_of_no_public_page_is_refused_with_a_clear_reason(url: str, says: str) -> None:
    async def run() -> None:
        async with door(only(Page())) as way:
            failure = await way.failure(url)
            assert says in failure.message
            assert failure.boundary == "fetch"
            assert "secret" not in str(failure)
            assert len(failure.message) < 600
            assert failure.message.isprintable()
            assert not way.net.dialled
            assert not way.net.asked

    asyncio.run(run())


def public_forms(count: int) -> Iterator[tuple[str, str]]:
    """Yield public addresses as people and search engines write them, each with the IP address that it must lead to."""
    chance = random.Random(7)

    def address_4() -> str:
        while True:
            ip = IPv4Address(chance.getrandbits(32))
            special = any(ip in network for network in map(ip_network, V4) if isinstance(network, IPv4Network))
            if ip.is_global and not special:
                return str(ip)

    def address_6() -> str:
        while True:
            ip = IPv6Address((chance.choice([0x2600, 0x2A00, 0x2400, 0x2001]) << 112) + chance.getrandbits(112))
            special = any(ip in network for network in map(ip_network, V6) if isinstance(network, IPv6Network))
            if ip.is_global and not special:
                return str(ip)

    names = (
        "{n}.example.com", "WWW{n}.Example.COM", "b\u00fccher{n}.example", "xn--bcher-kva{n}.example",
        "a_b{n}.example.org", "\u4f8b\u3048{n}.example", "{n}.co.uk", "{n}.example.com.", "1{n}.2.example",
        "0x{n}.example", "a--b{n}.example.net", "{n}.xn--p1ai", "\uff37\uff37{n}.example",
        "m{n}.\u043f\u0440\u0438\u043c\u0435\u0440.example", "a{n}\u3002example",
    )  # fmt: skip
    tails = (
        "", "/", "/a/b.html", "/wiki/Z\u00fcrich_(city)", "/a%20b", "/a b", "/?q=1&q=2", "?q=caf\u00e9", "/x;y=1,2",
        "/@name/1", "/a#part", "/%E4%BD%A0", "/a/../b/./c", "//double", "/q?u=http://10.0.0.1/", "/[x]", "/100%",
        "/~me/'x'!",
    )  # fmt: skip
    for number in range(count):
        tail = tails[number % len(tails)]
        scheme, port = chance.choice([("http", ""), ("http", ":80"), ("HTTP", ":443"), ("http", ":")])
        kind = number % 5
        if kind == 0:
            ip = address_4()
            value = int(IPv4Address(ip))
            a, b, c, d = IPv4Address(ip).packed
            host = chance.choice([ip, f"{ip}.", str(value), hex(value), f"{a:#o}".replace("o", "") + f".{b}.{c}.{d}"])
        elif kind == 1:
            ip = address_6()
            host = chance.choice([f"[{ip}]", f"[{IPv6Address(ip).exploded}]", f"[{ip.upper()}]"])
        else:
            ip = chance.choice([address_4(), address_6()])
            host = names[number % len(names)].format(n=number)
        yield f"{scheme}://{host}{port}{tail}", ip


@pytest.mark.medium
def test_public_pages_pass_in_all_their_spellings(cases: Callable[[int], None]) -> None:
    cases(1_000)

    async def run() -> None:
        async with door(only(Page())) as way:
            missed = []
            for url, ip in public_forms(1_000):
                way.net.dialled.clear()
                way.net.others = [ip]
                try:
                    await way.fetch(url)
                except BoundaryError as error:
                    missed.append((url, ip, error.message))
                if {address for address, _ in way.net.dialled} != {str(ip_address(ip))}:
                    missed.append((url, ip, str(way.net.dialled)))
            assert len(missed) <= 1, missed

    asyncio.run(run())
