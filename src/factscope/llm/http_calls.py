"""Calls over HTTP: attempts with their limits, and what a failed one leads to."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple
from urllib.request import getproxies, proxy_bypass

from factscope.core.backoff import back_off
from factscope.llm.budget import Allowance, Budget
from factscope.llm.call import Call, Reply
from factscope.llm.cost import Price, Prices, estimate_tokens, known_prices, question_tokens
from factscope.llm.limits import CallLimits, Gate, Ticket
from factscope.llm.model_client import Settle
from factscope.llm.model_errors import ModelError
from factscope.llm.providers import Endpoint, endpoint
from factscope.llm.wire import Dialect, body, failure_of, read_reply

if TYPE_CHECKING:
    import aiohttp

_LARGEST_REPLY = 16 * 2**20  # bytes; with log-probabilities a reply has some megabytes
_CONNECT_SECONDS = 10.0  # an endpoint that does not accept by then is unreachable
_OTHER_FILES = 256
"""Open files that the rest of the program may need."""


class _HttpReply(NamedTuple):
    status: int
    headers: Mapping[str, str]
    content: bytes


class HttpSender:
    """Sends calls to their endpoints. Belongs to one event loop; close it when done."""

    def __init__(
        self,
        environment: Mapping[str, str],
        limits: CallLimits | None = None,
        allowance: Allowance | None = None,
        prices: Prices | None = None,
        budget: Budget | None = None,
    ) -> None:
        """`budget` is one that others share; without it there is one for `allowance`."""
        self._environment = environment
        self._limits = limits or CallLimits()
        self._prices = prices or known_prices()
        self.budget = budget or Budget(allowance or Allowance())
        self._landing = False
        self._endpoints: dict[str, Endpoint] = {}
        self._gates: dict[str, Gate] = {}
        self._dialects: dict[str, Dialect] = {}
        self._proxies: dict[str, str | None] = {}
        self._session: aiohttp.ClientSession | None = None

    def address(self, model: str) -> str:
        """The base address of a model. Raises UsageError when it can't be told."""
        return self._endpoint(model).address

    async def send(self, call: Call, settle: Settle) -> Reply:
        """Make the call, with further attempts where they can help. Raises ModelError, UsageError."""
        where = self._endpoint(call.model)
        gate = self._gates.setdefault(where.address, Gate(self._limits, where.provider.in_flight))
        limits, began, last = self._limits, 0.0, None
        for attempt in range(1, limits.tries + 1):
            ticket = await self._enter(gate, call, began, last)
            began = began or ticket.begun
            try:
                reply, tokens = await self._attempt(call, where, began)
                await settle(reply)
                gate.leave(ticket, ok=True, tokens=tokens)
                return reply
            except ModelError as failure:
                last = _unreachable(failure, where) if gate.doubtful(where.model) else failure
                gate.leave(ticket, last)
            except BaseException:
                gate.leave(ticket)
                raise
            if not last.again or attempt == limits.tries:
                break
            pause = max(min(last.wait or 0.0, limits.longest_wait), back_off(attempt, limits.first_wait, 30.0))
            if asyncio.get_running_loop().time() + pause > began + limits.deadline:
                break
            await asyncio.sleep(pause)
        if last is None:
            raise ValueError("tries must be at least 1")
        raise _final(last, attempt, limits)

    def drain(self) -> int:
        """Begin no further attempt; returns how many are under way."""
        self._landing = True
        for gate in self._gates.values():
            gate.shut(_drained())
        return sum(gate.flying for gate in self._gates.values())

    async def close(self) -> None:
        """Close the connections."""
        if self._session:
            await self._session.close()
            self._session = None

    def _endpoint(self, model: str) -> Endpoint:
        if model not in self._endpoints:
            self._endpoints[model] = endpoint(model, self._environment)
        return self._endpoints[model]

    async def _enter(self, gate: Gate, call: Call, began: float, last: ModelError | None) -> Ticket:
        """A ticket; for a further attempt only within the deadline."""
        if self._landing:
            raise _drained()
        tokens = question_tokens(call) + (call.max_tokens or 0)
        if not began:
            return await gate.enter(call.model, tokens)
        try:
            async with asyncio.timeout_at(began + self._limits.deadline):
                return await gate.enter(call.model, tokens, again=True)
        except TimeoutError:
            pass
        raise ModelError("timeout", f"No time was left for another attempt. The last: {last.message if last else ''}")

    async def _attempt(self, call: Call, where: Endpoint, began: float) -> tuple[Reply, int]:
        """One attempt within the budget: the reply, and the tokens that it used."""
        price = self._prices.of(call.model, at_home=where.address == where.provider.address)
        held = self.budget.hold(call.model, question_tokens(call), price)
        tokens: int | None = None  # unknown: a call that was cut short may have been paid for
        money: float | None = None
        try:
            answer = await self._exchange(call, where, began)
            now = asyncio.get_running_loop().time()
            if answer.status != 200:
                tokens, money = 0, 0.0
                raise failure_of(answer.status, answer.headers, answer.content, where, time.time())
            try:
                reply = read_reply(answer.content, where, now - began)
            except ModelError as failure:
                if failure.reply:
                    failure.reply, tokens, money = _counted(failure.reply, call, price)
                raise
            reply, tokens, money = _counted(reply, call, price)
            return reply, tokens
        finally:
            self.budget.settle(held, tokens, money)

    async def _exchange(self, call: Call, where: Endpoint, began: float) -> _HttpReply:
        """Post the call; again in a simpler dialect as long as the server rejects what can be said otherwise."""
        while True:
            dialect = self._dialects.setdefault(where.model, Dialect.of(where.provider))
            data = json.dumps(body(call, where, dialect), ensure_ascii=False).encode("utf-8", "replace")
            answer = await self._post(where, data, began)
            simpler = None if answer.status == 200 else dialect.simpler(call, answer.status, answer.content)
            if simpler is None:
                return answer
            if self._dialects[where.model] == dialect:  # else another call has found out in the meantime
                self._dialects[where.model] = simpler

    async def _post(self, where: Endpoint, data: bytes, began: float) -> _HttpReply:
        import aiohttp

        session = self._open()
        left = began + self._limits.deadline - asyncio.get_running_loop().time()
        seconds = max(0.001, min(self._limits.timeout, left))
        timeout = aiohttp.ClientTimeout(total=seconds, sock_connect=min(_CONNECT_SECONDS, seconds))
        failure: ModelError
        try:
            async with session.post(
                where.url,
                data=data,
                headers=where.headers,
                timeout=timeout,
                allow_redirects=False,
                proxy=self._proxy(where.url),
            ) as response:
                return _HttpReply(response.status, response.headers, await _read(response, where))
        except aiohttp.ConnectionTimeoutError as error:
            failure = _broken(error, where)
        except TimeoutError:
            failure = ModelError("timeout", f"{where.model} at {where.address} did not answer within {seconds:g} s.")
        except (aiohttp.ClientError, OSError, ValueError) as error:
            failure = _broken(error, where)
        raise failure  # outside the block: what aiohttp raises holds the headers, and with them the key

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            import aiohttp

            _allow_open_files((self._limits.in_flight or 256) + _OTHER_FILES)
            # Our own gate limits the calls; cookies and redirects have no place here.
            connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=60)
            self._session = aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar())
        return self._session

    def _proxy(self, url: str) -> str | None:
        """The proxy that the environment names for a host, looked up once: it costs more than a call of ours."""
        if url not in self._proxies:
            scheme, _, remainder = url.partition("://")
            host = remainder.partition("/")[0]
            local = host.startswith(("127.", "localhost", "[::1]"))
            self._proxies[url] = None if local or proxy_bypass(host) else getproxies().get(scheme)
        return self._proxies[url]


def _allow_open_files(requested: int) -> None:
    """Each call in flight is an open file, and many systems allow 256 or 1,024 until a program asks for more."""
    try:
        import resource
    except ImportError:  # a system without such limits
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < requested:
        most = requested if hard == resource.RLIM_INFINITY else min(requested, hard)
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))


async def _read(response: aiohttp.ClientResponse, where: Endpoint) -> bytes:
    chunks, size = [], 0
    async for chunk in response.content.iter_any():
        chunks.append(chunk)
        size += len(chunk)
        if size > _LARGEST_REPLY:
            raise ModelError("bad_reply", f"{where.model} sent more than {_LARGEST_REPLY >> 20} MB.")
    return b"".join(chunks)


def _counted(reply: Reply, call: Call, price: Price | None) -> tuple[Reply, int, float | None]:
    """The reply with its cost, the tokens that it used (estimated if the server does not say), and their price."""
    is_counted = reply.tokens_in is not None and reply.tokens_out is not None
    tokens_in = question_tokens(call) if reply.tokens_in is None else reply.tokens_in
    tokens_out = estimate_tokens(reply.text) if reply.tokens_out is None else reply.tokens_out
    money = price.of(tokens_in, tokens_out) if price else None
    return replace(reply, cost=money if is_counted else None), tokens_in + tokens_out, money


def _broken(error: Exception, where: Endpoint) -> ModelError:
    """Describe a connection error, in words that hold no header and no address but the base."""
    import aiohttp

    if isinstance(error, aiohttp.ClientConnectorCertificateError | aiohttp.ClientSSLError):
        reason = "its certificate is not trusted or the secure connection failed"
    elif isinstance(error, aiohttp.ClientConnectorDNSError):
        reason = "its host name is not known"
    elif isinstance(error, aiohttp.ClientConnectorError):
        reason = (error.os_error.strerror or f"no {where.url.partition(':')[0]} connection can be made").lower()
    elif isinstance(error, aiohttp.ConnectionTimeoutError):
        reason = "it does not take the connection"
    elif isinstance(error, aiohttp.ClientPayloadError):
        reason = "the reply broke off"
    elif isinstance(error, aiohttp.ServerDisconnectedError | ConnectionError | aiohttp.ClientOSError):
        reason = "the connection broke off"
    else:
        reason = f"the connection failed ({type(error).__name__})"
    return ModelError("connection", f"{where.model} at {where.address}: {reason}.")


def _unreachable(failure: ModelError, where: Endpoint) -> ModelError:
    """A server that has never answered, and now has failed twice to say anything in our language: no use going on."""
    if failure.kind not in ("connection", "bad_reply"):
        return failure
    variable = (where.provider.addresses or ("the address",))[0]
    return ModelError("unreachable", failure.message, f"Is the server running? Its address can be set with {variable}.")


def _drained() -> ModelError:
    return ModelError("budget", "The run was stopped.", "Run the same command again: finished work is kept.")


def _final(failure: ModelError, attempts: int, limits: CallLimits) -> ModelError:
    message = failure.message
    if failure.wait is not None and failure.wait > limits.longest_wait:
        message += (
            f" It asked to wait {failure.wait:,.0f} s, longer than the {limits.longest_wait:g} s that we wait at most."
        )
    if attempts > 1:
        message += f" Gave up after {attempts} attempts."
    return ModelError(failure.kind, message, failure.hint, wait=failure.wait, reply=failure.reply)
