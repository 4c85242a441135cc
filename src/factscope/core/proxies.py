"""How a message describes a connection that failed: the reason, and the proxy without its password."""

from __future__ import annotations

import os
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass


def proxy_of(url: str) -> str | None:
    """Return the proxy that the environment names for the host of a URL; none for the user's own machine."""
    url_parts = urlsplit(url)
    host = url_parts.hostname or ""
    if host in ("localhost", "::1") or host.startswith("127.") or proxy_bypass(url_parts.netloc.rpartition("@")[2]):
        return None
    proxy = getproxies().get(url_parts.scheme)
    return proxy if not proxy or "://" in proxy else f"http://{proxy}"


def by_proxy(proxy: str | None) -> str:
    """Return words such as `, through the proxy 10.0.0.1:3128`, without user and password; empty for no proxy."""
    if proxy is None:
        return ""
    try:
        proxy_parts = urlsplit(proxy)
        host, port = proxy_parts.hostname or "", proxy_parts.port
    except ValueError:
        host, port = "", None
    return f", through the proxy {host}{f':{port}' if port else ''}" if host else ", through the environment's proxy"


def proxy_hint(url: str) -> str:
    """Return how to change the proxy for a URL."""
    scheme = urlsplit(url).scheme.upper()
    return f"The environment names the proxy in {scheme}_PROXY. Is it running? NO_PROXY lists hosts that need none."


def connection_reason(error: Exception, url: str) -> str:
    """Describe why a connection to a URL failed, without headers and addresses: the error's own words may hold them."""
    import aiohttp

    if isinstance(error, aiohttp.ClientConnectorCertificateError | aiohttp.ClientSSLError):
        return "its certificate is not trusted or the secure connection failed"
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return "its host name is not known"
    if isinstance(error, aiohttp.ClientConnectorError):
        return refusal(error.os_error) or f"no {urlsplit(url).scheme} connection can be made"
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return "it refuses the connection"
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return f"the connection is refused (HTTP {error.status})"
    if isinstance(error, aiohttp.ClientPayloadError | aiohttp.ServerDisconnectedError | OSError):
        return "the connection broke off"
    return f"the connection failed ({type(error).__name__})"


def refusal(error: OSError) -> str:
    """Return the system's words for an error, such as `connection refused`; empty for one without a number."""
    return os.strerror(error.errno).lower() if error.errno else ""  # `strerror` would be asyncio's, with the address
