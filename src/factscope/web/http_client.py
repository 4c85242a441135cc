"""HTTP client behind the Python client: one connection at a time, errors as exceptions, events as they come."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from types import MappingProxyType, TracebackType
from typing import Any, NamedTuple, Self, TypeVar
from urllib.parse import urlencode, urlsplit

from pydantic import BaseModel, ValidationError

from factscope.core import FactscopeError, UsageError
from factscope.web.forms import Problem

M = TypeVar("M", bound=BaseModel)


class CallError(FactscopeError):
    """The server refused a call: its problem, with the fix."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail, problem.hint or "")
        self.problem = problem


class CheckEvent(NamedTuple):
    """One event of a check."""

    id: int | None
    """Its number; none for the last, `end`."""
    type: str
    """Type of a record, `state` or `end`."""
    data: dict[str, Any]
    """The record, or the new state."""


class HttpClient:
    """Access to a server. Use as a context manager, or call `close`."""

    def __init__(self, address: str, secret: str, timeout: float = 60.0) -> None:
        """`address` is such as `http://127.0.0.1:8642`; `secret` is your own secret, or the server's token.

        Raises UsageError for an invalid address, or a secret that can't be sent.
        """
        try:
            split_address = urlsplit(address)
            scheme, host, port = split_address.scheme, split_address.hostname, split_address.port
        except ValueError:  # brackets without their other half, or a port that is not a number up to 65,535
            scheme, host, port = "", None, None
        if scheme not in ("http", "https") or not host:
            raise UsageError(f"{address!r} is not an address of a server.", "Such as http://127.0.0.1:8642.")
        kind: type[HTTPConnection] = HTTPSConnection if scheme == "https" else HTTPConnection
        self._open = partial(kind, host, port, timeout=timeout)
        secret = secret.strip()
        if not secret.isprintable() or any(ord(character) > 255 for character in secret):  # RFC 9110, section 5.5
            raise UsageError(
                "The secret holds characters that can't be sent.", "Give the token as the server shows it."
            )
        self._headers = {"Authorization": f"Bearer {secret}"}
        self._connection = self._open()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def read(self, reply: type[M], method: str, path: str, body: BaseModel | None = None, **parameters: Any) -> M:
        """Make one call and read its reply as a record. Takes the parameters and raises the errors of `call`."""
        return reply.model_validate_json(self.call(method, path, body, **parameters))

    def call(
        self,
        method: str,
        path: str,
        body: BaseModel | None = None,
        *,
        query: Mapping[str, object] = MappingProxyType({}),
        **headers: str | None,
    ) -> bytes:
        """Make one call; values of `query` and headers that are None are left out.

        Raises CallError with the server's problem, and OSError when it can't be reached.
        """
        content = None if body is None else body.model_dump_json(exclude_unset=True).encode()
        supplied = {name.replace("_", "-"): value for name, value in headers.items() if value is not None}
        if content is not None:
            supplied["Content-Type"] = "application/json"
        try:
            self._connection.request(method, path + _query_of(query), content, {**self._headers, **supplied})
            answer = self._connection.getresponse()
            read = answer.read()
        except (HTTPException, OSError):
            self._connection.close()
            raise
        _must_be_good(answer, read)
        return read

    def watch(self, check_id: str, after: int = 0) -> Iterator[CheckEvent]:
        """Yield the events of a check after number `after`, until its end.

        A lost connection is reopened. Raises CallError, and OSError when the server can't be reached twice in a row.
        """
        lost = False
        while True:
            connection = self._open()
            try:
                connection.request("GET", f"/api/v1/checks/{check_id}/events?after={after}", headers=self._headers)
                answer = connection.getresponse()
                if answer.status != 200:
                    _must_be_good(answer, answer.read())
                for event in _events(answer):
                    lost, after = False, event.id or after
                    yield event
                    if event.type == "end":
                        return
            except (HTTPException, OSError):
                if lost:
                    raise
                lost = True
            finally:
                connection.close()


def _query_of(values: Mapping[str, object]) -> str:
    """Return parameters as the query of an address, without those that are None."""
    supplied = {n: str(v).lower() if isinstance(v, bool) else str(v) for n, v in values.items() if v is not None}
    return f"?{urlencode(supplied)}" if supplied else ""


def _must_be_good(answer: HTTPResponse, read: bytes) -> None:
    if answer.status < 400:
        return
    try:
        problem = Problem.model_validate_json(read)
    except ValidationError:
        problem = Problem(title=answer.reason, status=answer.status, detail=f"The server answered {answer.status}.")
    raise CallError(problem)


def _events(answer: HTTPResponse) -> Iterator[CheckEvent]:
    fields: dict[str, str] = {}
    for raw in answer:
        line = raw.decode("utf-8").rstrip("\r\n")
        name, _, value = line.partition(": ")
        if name:  # a comment has no name before its colon
            fields[name] = value
        elif not line and "data" in fields:
            number = fields.get("id")
            yield CheckEvent(
                int(number) if number else None, fields.get("event", "message"), json.loads(fields["data"])
            )
            fields = {}
