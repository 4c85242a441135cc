"""Requests to a Hugging Face hub: one address, a token that goes nowhere else, bounded sizes and times.

Only `https` is spoken, but for a hub on this machine. Redirects are followed by hand: the hub sends large files from
other hosts, and these must not see the token.
"""

from __future__ import annotations

import os
import shutil
import ssl
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from socket import gaierror
from typing import IO, NamedTuple, TypeVar
from urllib.error import HTTPError, URLError
from urllib.parse import urljoin, urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, ProxyHandler, Request, build_opener

from pydantic import BaseModel, Field

from factscope.core.backoff import asked_wait, back_off
from factscope.core.errors import FactscopeError, InputError, StoreError, UsageError, system_reason
from factscope.core.version import __version__

_LARGEST_LISTING = 64 * 2**20  # bytes; a longer list of files is not one
_TIMEOUT = 30.0
"""Seconds to wait for a connection, and for each piece of an answer."""
_SLOWEST = 10_000
"""Bytes a second; a download that is slower, after the first minute, is given up."""
_TRIES = 3  # of a request that failed in passing
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 60.0  # seconds before another attempt
_HOPS = 5  # redirects that are followed
_MOVED = (301, 302, 303, 307, 308)
_CHUNK = 1 << 18  # bytes read at once

T = TypeVar("T")


class _Lfs(BaseModel):
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    size: int = Field(ge=0)


class HubFile(BaseModel):
    """A file as a hub lists it."""

    rfilename: str
    size: int | None = Field(default=None, ge=0)
    lfs: _Lfs | None = None


class Hub(NamedTuple):
    """Address of a hub, and the access token."""

    address: str
    """Base address, without a slash at the end."""
    token: str
    """The secret; empty for none."""

    def __repr__(self) -> str:
        return f"Hub({self.address!r})"


class RefusedError(Exception):
    """The hub answers with a status of failure."""

    def __init__(self, status: int, code: str) -> None:
        super().__init__(status, code)
        self.status = status
        self.code = code
        """The hub's own word for it, such as `GatedRepo`; empty when it has none."""


class _PassingError(Exception):
    """A transient error: its text says what went wrong, `wait` how long the hub asks to wait."""

    def __init__(self, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


def hub_of(environment: Mapping[str, str]) -> Hub:
    """Return the hub that HF_ENDPOINT names, or huggingface.co, and HF_TOKEN.

    Raises UsageError when one can't be right.
    """
    address = environment.get("HF_ENDPOINT", "").strip().rstrip("/") or "https://huggingface.co"
    token = environment.get("HF_TOKEN", "").strip()
    try:
        address_parts = urlsplit(address)
        well_formed = (
            bool(address_parts.hostname)
            and (address_parts.port or 1) > 0
            and not (address_parts.query or address_parts.fragment)
        )
    except ValueError:
        well_formed = False
    if not well_formed or "@" in address or not _may_visit(address, address):
        raise UsageError(
            "HF_ENDPOINT is not an address that can be used.",
            "It looks like https://HOST; http only works on 127.0.0.1.",
        )
    if any(not 33 <= ord(character) <= 126 for character in token):
        raise UsageError("HF_TOKEN contains characters that are not allowed in a token.", "Copy the token again.")
    return Hub(address, token)


def fetch(hub: Hub, path: str) -> bytes:
    """Read a path of the hub. Raises RefusedError and InputError."""

    def read_whole(reply: HTTPResponse) -> bytes:
        return b"".join(_pieces(reply, _LARGEST_LISTING))

    return _tried(hub, path, read_whole)


def download(hub: Hub, path: str, target: Path, size: int | None, digest: str | None, *, resume: bool = False) -> None:
    """Bring a file of the hub to `target`, whole or not at all.

    `size` in bytes and `digest` (SHA-256) are what the hub says of it, as far as it does; another file is not taken.
    With `resume`, what came of a file with a digest before it broke off is kept, and the next attempt goes on there.
    Raises RefusedError, InputError when the download fails, and StoreError when the file can't be written.
    """
    with _store_errors(target.parent):
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if digest and resume:
            partial = target.parent / f".part-{digest[:16]}"
            file: IO[bytes] = partial.open("r+b" if partial.exists() else "w+b")
        else:
            handle, name = tempfile.mkstemp(prefix=".part-", dir=target.parent)
            partial, file = Path(name), os.fdopen(handle, "w+b")
    try:
        with file:
            _tried(
                hub,
                path,
                lambda reply: _save(reply, file, target.parent, size, digest),
                lambda: _resume_offset(file, size),
            )
        with _store_errors(target.parent):
            partial.replace(target)
    finally:
        if not (digest and resume) or (partial.exists() and not partial.stat().st_size):
            partial.unlink(missing_ok=True)


def _resume_offset(file: IO[bytes], size: int | None) -> int:
    """Return from where on a file is still to come; the last byte is asked for again, so that there is always one."""
    return min(file.seek(0, os.SEEK_END), (size or 1) - 1)


def _save(reply: HTTPResponse, file: IO[bytes], folder: Path, size: int | None, digest: str | None) -> None:
    declared = reply.headers.get("Content-Length", "")
    count = 0
    if reply.status == 206:
        offset = reply.headers.get("Content-Range", "").removeprefix("bytes ").partition("-")[0]
        count = _resume_offset(file, size)
        if offset != str(count):
            raise InputError(f"The hub sends another part of a file than the one asked for: {offset[:40]!r}.")
    expected = size if size is not None else int(declared) + count if declared.isdecimal() else None
    if expected is None:
        raise InputError("The hub does not say how large a file is.")
    with _store_errors(folder):
        free = shutil.disk_usage(folder).free
        if expected - count > free:
            raise InputError(
                f"A file of {expected / 1e9:,.1f} GB is to be fetched, and {free / 1e9:,.1f} GB are free.", "Make room."
            )
        file.seek(0)
        file.truncate(count)
        hasher = sha256()
        while piece := file.read(_CHUNK):
            hasher.update(piece)
    for piece in _pieces(reply, expected - count):
        hasher.update(piece)
        count += len(piece)
        with _store_errors(folder):
            file.write(piece)
    with _store_errors(folder):
        file.flush()
    if count < expected:
        raise _PassingError(f"a file came with {count:,} of the {expected:,} bytes that the hub lists for it")
    if digest and hasher.hexdigest() != digest:
        with _store_errors(folder):
            file.truncate(0)
        raise _PassingError("a file came with another content than the hub lists for it")


def _pieces(reply: HTTPResponse, most: int) -> Iterator[bytes]:
    began, count = time.monotonic(), 0
    while piece := reply.read1(_CHUNK):
        count += len(piece)
        if count > most:
            raise InputError(f"The hub sends more than the {most:,} bytes that were to come.")
        if time.monotonic() - began > 60 + count / _SLOWEST:
            raise InputError(f"The hub sends too slowly: {count:,} bytes in {time.monotonic() - began:,.0f} s.")
        yield piece
    if reply.length:
        raise _PassingError(f"the answer broke off after {count:,} bytes")


def _tried(hub: Hub, path: str, use: Callable[[HTTPResponse], T], start: Callable[[], int] = int) -> T:
    """Apply `use` to the hub's answer, with further tries where they can help.

    `start` tells from which byte on a file is wanted.
    """
    for attempt in range(1, _TRIES + 1):
        try:
            with _visit(hub, path, start()) as reply:
                return use(reply)
        except _PassingError as error:
            failure = error
        except (OSError, HTTPException, ValueError) as error:
            failure = _PassingError(_broken(error))
        if attempt < _TRIES:
            time.sleep(min(failure.wait or back_off(attempt, _FIRST_WAIT, _LONGEST_WAIT), _LONGEST_WAIT))
    raise InputError(f"The hub at {hub.address}: {failure}. Gave up after {_TRIES} tries.", "Try again later.")


@contextmanager
def _visit(hub: Hub, path: str, start: int) -> Iterator[HTTPResponse]:
    """Provide the answer of the hub, or of the host that it sends us to."""
    opener, url = _opener(hub), hub.address + path
    for _ in range(_HOPS):
        if not _may_visit(url, hub.address):
            raise InputError(f"The hub at {hub.address} sends us to an address that is not https.")
        request = Request(url, headers={"User-Agent": f"factscope/{__version__}"})  # noqa: S310 - looked at above
        if start:
            request.add_header("Range", f"bytes={start}-")
        at_hub = _origin(url) == _origin(hub.address)
        if hub.token and at_hub:
            request.add_unredirected_header("Authorization", f"Bearer {hub.token}")
        try:
            reply = opener.open(request, timeout=_TIMEOUT)
        except HTTPError as error:
            with error:
                if error.code in _MOVED and error.headers.get("Location"):
                    url = urljoin(url, error.headers["Location"])
                    continue
                raise _refused(error, at_hub) from None
        with reply:
            yield reply
            return
    raise InputError(f"The hub at {hub.address} sends us around in circles.")


def _refused(error: HTTPError, at_hub: bool) -> RefusedError | _PassingError:
    headers = {name.lower(): value for name, value in error.headers.items()}
    if error.code == 429 or error.code >= 500:
        return _PassingError(f"it answers with {error.code}", asked_wait(headers, time.time()))
    if not at_hub:
        return _PassingError(f"the host that keeps the file answers with {error.code}")
    return RefusedError(error.code, headers.get("x-error-code", ""))


class _Stay(HTTPRedirectHandler):
    """Follows nothing by itself."""

    def redirect_request(self, *_: object) -> None:
        """Make no request: the redirect comes back as an error with its status."""


def _opener(hub: Hub) -> OpenerDirector:
    """Return an opener; for a hub on this machine no proxy is asked."""
    local = _is_local(urlsplit(hub.address).hostname or "")
    return build_opener(_Stay, *([ProxyHandler({})] if local else []))


def _may_visit(url: str, hub_address: str) -> bool:
    target, hub = urlsplit(url), urlsplit(hub_address)
    local = _is_local(target.hostname or "") and _is_local(hub.hostname or "")
    return bool(target.hostname) and (target.scheme == "https" or (target.scheme == "http" and local))


def _is_local(host: str) -> bool:
    return host == "localhost" or host == "::1" or host.startswith("127.")


def _origin(url: str) -> tuple[str, str | None, int | None]:
    url_parts = urlsplit(url)
    return url_parts.scheme, url_parts.hostname, url_parts.port or {"https": 443, "http": 80}.get(url_parts.scheme)


def _broken(error: Exception) -> str:
    """Describe a connection error, in words that hold no header."""
    cause = error.reason if isinstance(error, URLError) else error
    if isinstance(cause, ssl.SSLError):
        return "its certificate is not trusted, or the secure connection failed"
    if isinstance(cause, gaierror):
        return "its host name is not known"
    if isinstance(cause, TimeoutError):
        return f"no answer within {_TIMEOUT:g} s"
    if isinstance(cause, OSError) and cause.strerror:
        return cause.strerror.lower()
    return f"the connection broke off ({type(cause).__name__})"


@contextmanager
def _store_errors(folder: Path) -> Iterator[None]:
    """Turn what the system says of a folder into a StoreError."""
    try:
        yield
    except OSError as error:
        reason = system_reason(error)
        raise StoreError(
            f"The cache folder {folder} can't be written: {reason}.", "Make room, or choose another."
        ) from None


def explained(error: RefusedError, hub: Hub, model: str, revision: str) -> FactscopeError:
    """Explain the refusal of a model to a person."""
    absent = f"There is neither a folder {model} nor, at {hub.address}, such a model."
    return explain_refusal(error, hub, model, revision, subject=f"The model {model}", absent=absent)


def explain_refusal(
    error: RefusedError, hub: Hub, path: str, revision: str, *, subject: str, absent: str
) -> FactscopeError:
    """Explain a refusal to a person; `path` is the page of `subject` on the hub, `absent` says that there is none."""
    page = f"{hub.address}/{path}"
    if error.code == "GatedRepo" or error.status == 403:
        hint = "Check that the HF_TOKEN account has access." if hub.token else "Then set HF_TOKEN."
        return InputError(f"{subject} is gated: its owners approve each account.", f"Request access at {page}. {hint}")
    if error.status == 401 and hub.token:
        return InputError(f"{hub.address} does not accept HF_TOKEN.", "Set it to a token that is valid.")
    if error.code == "RevisionNotFound":
        return UsageError(f"{subject} has no revision {revision!r}.", f"See {page}.")
    if error.status in (401, 404):
        hint = "" if hub.token else " If it is private or gated, set HF_TOKEN."
        return UsageError(absent, f"Check the name.{hint}")
    return InputError(f"{hub.address} answers with {error.status}.", "Try again later.")
