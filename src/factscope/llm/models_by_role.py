"""Models by role, over one client that all checks of an event loop share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Literal, TypeVar

from factscope.core import UsageError
from factscope.llm.model_client import ModelClient, Sender

from .call import Call, Message
from .cost import Ledger
from .structured import ParsedReply, ask
from .waiting import CallUnderWay

T = TypeVar("T")

ALL = "*"
"""Role of a model that answers for every role without a model of its own."""
Temperature = float | Literal["none"]
"""`none` sends no temperature, for models that don't accept one."""


class Models:
    """Models by role.

    The client opens with the first call and belongs to the event loop of that call; in another loop there is another.
    """

    def __init__(
        self,
        open_client: Callable[[], ModelClient],
        by_role: Mapping[str, str],
        temperature: Temperature | None = None,
        examine: Callable[[str], object] = str,
        done: Callable[[ModelClient], object] = bool,
        other_address: Callable[[str], str | None] = lambda model: None,
    ) -> None:
        """`temperature`, when given, overrides that of the methods.

        `examine` raises UsageError for a model that can't be called: no provider, no key, no address. `done` is called
        with each client that was closed. `other_address` returns the address of a model that is not called at its
        provider's own; None for any other model.
        """
        self._open, self._by_role, self._temperature = open_client, dict(by_role), temperature
        self.examine, self.other_address = examine, other_address
        self._done = done
        self.missing = 0
        """Calls that were written to batch files and wait for their replies."""
        self.refused: list[str] = []
        """Reasons why calls among these failed in the batch before."""
        self.n_calls = 0
        """Questions asked so far, including those that the cache answered."""
        self._client: ModelClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def client(self) -> ModelClient:
        """The client of the running event loop."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._client, self._loop = self._open(), loop
        return self._client

    @property
    def under_way(self) -> Collection[CallUnderWay]:
        """The calls in progress, each with its own progress."""
        return getattr(self._client.sender, "under_way", ()) if self._client else ()

    def drain(self) -> int:
        """Start no more calls, but let those in flight end (see `close`); return their number."""
        if self._client is None:
            return 0
        return self._client.drain()

    async def close(self, patience: float = 0.0) -> None:
        """Close the client of the running event loop, if it has one; this writes the batch files.

        Calls in progress have `patience` seconds to end, so that paid replies are kept.
        """
        if self._client and self._loop is asyncio.get_running_loop():
            client, self._client = self._client, None
            await client.close(patience)
            self.missing += getattr(client.sender, "missing", 0)
            self.refused += getattr(client.sender, "refused", ())
            self._done(client)

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles that have a model of their own."""
        return tuple(role for role in self._by_role if role != ALL)

    def of(self, role: str) -> str:
        """Return the model of a role, as `provider/model`. Raises UsageError when there is none."""
        model = self._by_role.get(role) or self._by_role.get(ALL)
        if model is None:
            configured = ", ".join(f"{role}={model}" for role, model in sorted(self._by_role.items())) or "none"
            raise UsageError(
                f"No model is configured for the role {role!r} (configured: {configured}).",
                f"Name one: --model provider/model for all roles, or --model {role}=provider/model (Python: model=…).",
            )
        return model

    def has(self, role: str) -> bool:
        """Return whether a role has a model."""
        return role in self._by_role or ALL in self._by_role

    def described(self, role: str) -> str:
        """Describe the model of a role, with the settings that change its calls. Raises UsageError."""
        changed = "" if self._temperature is None else f" at temperature {self._temperature}"
        return f"{self.of(role)}{changed}"

    def call(
        self,
        role: str,
        messages: Sequence[Message],
        *,
        temperature: float | None,
        max_tokens: int,
    ) -> Call:
        """Return the call that asks a role. Raises UsageError when it has no model."""
        default = self._temperature
        return Call(
            role=role,
            model=self.of(role),
            messages=tuple(messages),
            temperature=temperature if default is None else None if default == "none" else default,
            max_tokens=max_tokens,
        )

    def only(self, roles: Collection[str]) -> Models:
        """Return these models limited to some roles, and to the model for all others, over the same client.

        For a method that must not be given roles it does not know. The original closes the client.
        """
        selected = {role: model for role, model in self._by_role.items() if role in roles or role == ALL}
        return Models(lambda: self.client, selected, self._temperature, self.examine, other_address=self.other_address)

    def through(self, wrap: Callable[[Sender], Sender]) -> Models:
        """Return these models with every sender wrapped, to observe calls, as traces do."""

        def open_client() -> ModelClient:
            client = self._open()
            client.sender = wrap(client.sender)
            return client

        return Models(open_client, self._by_role, self._temperature, self.examine, self._done, self.other_address)

    async def ask(self, call: Call, read: Callable[[str], T], ledger: Ledger, again: int = 2) -> ParsedReply[T]:
        """Run `structured.ask` with the client of this loop. Raises the same errors."""
        self.n_calls += 1
        return await ask(self.client, call, read, ledger=ledger, again=again)
