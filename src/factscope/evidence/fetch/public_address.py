"""Test for addresses on the public internet. No other address is ever connected to."""

from __future__ import annotations

import socket
from contextlib import closing
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

# IANA special-purpose address registries (RFC 6890 and its updates), and ranges that they leave out. The first network
# that contains an address decides.
_SPECIAL = [
    (ip_network(network), kind)
    for kind, networks in {
        "unspecified": "0.0.0.0/32 ::/128",
        "loopback": "127.0.0.0/8 ::1/128",
        "private": "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7 fec0::/10",
        "shared by the customers of a carrier": "100.64.0.0/10",
        "link-local, where clouds keep their metadata": "169.254.0.0/16 fe80::/10",
        # Azure's internal service for its machines has an address that looks public.
        "a cloud's own service": "168.63.129.16/32",
        "for documentation": "192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 2001:db8::/32 3fff::/20",
        "for benchmarks": "198.18.0.0/15 2001:2::/48",
        "multicast": "224.0.0.0/4 ff00::/8",
        "a sink of the DNS": "192.31.196.0/24 192.175.48.0/24 2620:4f:8000::/48",
        "a relay": "192.52.193.0/24 192.88.99.0/24",
        # Relays and translators may reach the embedded IPv4 address, whatever it is.
        "an IPv4 address in disguise": "::ffff:0:0/96 ::ffff:0:0:0/96 ::/96 64:ff9b::/96 64:ff9b:1::/48 "
        "2001::/32 2002::/16",
        "reserved": "0.0.0.0/8 192.0.0.0/24 240.0.0.0/4 2001::/23 3ffe::/16",
    }.items()
    for network in networks.split()
]
_GLOBAL_UNICAST = ip_network("2000::/3")  # all other IPv6 addresses are special or unassigned (RFC 4291, section 2.4)
_UNUSED = IPv4Address("192.0.2.1")  # addresses for documentation belong to no machine
_ISATAP = 0x0000_5EFE  # with or without the bits for "universal" and "group" (RFC 5214, section 6.1)


def refusal(address: str) -> str | None:
    """Return why an address must not be connected to, as a phrase after "is"; None for one on the public net."""
    try:
        ip = ip_address(address)
    except ValueError:
        return "no address"
    if isinstance(ip, IPv6Address) and ip.scope_id is not None:
        return "tied to an interface of this machine"
    for network, kind in _SPECIAL:
        if ip in network:
            return kind
    if isinstance(ip, IPv6Address):
        if ip not in _GLOBAL_UNICAST:
            return "reserved"
        if (int(ip) >> 32) & 0xFCFF_FFFF == _ISATAP:
            return "an IPv4 address in disguise"
    return "this machine's own" if _is_own(ip) else None


def _is_own(ip: IPv4Address | IPv6Address) -> bool:
    """Return whether an interface of this machine has the address: a socket can be bound only to its own addresses.

    Some systems allow binding to any; there this test tells nothing, and the check that both ends of a connection are
    equal has to do.
    """
    return _binds(ip) and not _binds(_UNUSED)


def _binds(ip: IPv4Address | IPv6Address) -> bool:
    try:
        family = socket.AF_INET if ip.version == 4 else socket.AF_INET6
        with closing(socket.socket(family, socket.SOCK_DGRAM)) as probe:
            probe.bind((str(ip), 0))
    except OSError:
        return False
    return True
