"""Streamed replies: server-sent events → the chat completion that the server would send in one piece."""

from __future__ import annotations

import json
from typing import Any

from pydantic_core import from_json

from factscope.llm.call import Reply
from factscope.llm.model_errors import ModelError
from factscope.llm.providers import Endpoint
from factscope.llm.wire import sound, stream_failure, strike_secret, text_of

_LARGEST_STREAM = 256 * 2**20  # bytes; with log-probabilities, the chunk of a token is many times its text
_LONGEST_EVENT = 1 << 15  # bytes of an event of several lines, which may be parsed again with each
_LOOK_EVERY = 256  # characters between two checks for a text that repeats itself
_LONGEST_PERIOD, _REPEATS, _LEAST_TAIL = 400, 6, 800
"""A text loops when its last 800 characters, or six rounds where that is more, repeat one passage exactly. In a list of
similar rows each row has another id, so it does not count."""


class StreamedCompletion:
    """The chunks of one reply, put together as they come."""

    def __init__(self, endpoint: Endpoint, *, stop_loops: bool = False) -> None:
        """With `stop_loops`, a text that repeats itself endlessly raises ModelError of kind `length`."""
        self.ended = self.done = False
        """Whether the server gave a finish reason, and whether it said that nothing follows."""
        self.tokens = 0
        """Tokens so far, including thoughts; chunks are counted until the server states the number."""
        self._endpoint, self._stop_loops = endpoint, stop_loops
        self._rest, self._event = b"", b""
        self._size = self._new = 0
        self._text: list[str] = []
        self._refusal: list[str] = []
        self._logprobs: list[Any] | None = None
        self._values: dict[str, Any] = {}
        self._finish: str | None = None
        self._chose = self._thought = False

    def feed(self, data: bytes) -> None:
        """Process data from the connection.

        Raises ModelError for anything but a stream of chunks, for an error that the server puts into it, and for a
        reply that is too large or repeats itself endlessly.
        """
        self._size += len(data)
        if self._size > _LARGEST_STREAM:
            raise ModelError("bad_reply", f"{self._endpoint.model} sent more than {_LARGEST_STREAM >> 20} MB.")
        whole = self._rest + data
        held = whole.endswith(b"\r")  # the rest of a line break may follow
        lines = whole[: len(whole) - held].replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._rest = lines.pop() + b"\r" * held
        for line in lines:
            if line or self._event:
                self._line(line)
        if self._stop_loops and self._new >= _LOOK_EVERY:
            self._new = 0
            text = "".join(self._text)
            if runs_on(text[-_LONGEST_PERIOD * (_REPEATS + 1) :]):
                raise ModelError(
                    "length",
                    f"{self._endpoint.model} repeated itself without end and was stopped after {self.tokens:,} tokens.",
                    "Ask a larger model, or for less at a time.",
                    reply=Reply(sound(strike_secret(text, self._endpoint.key)), "length", tokens_out=self.tokens),
                )

    def completion(self) -> dict[str, Any]:
        """Return the chat completion as if sent in one piece. Raises ModelError when the stream was cut off."""
        if self._rest.strip():
            self._line(self._rest)
        if not self.ended:
            raise ModelError("connection", f"{self._endpoint.model} at {self._endpoint.address}: the reply broke off.")
        if not self._chose:
            return self._values
        message: dict[str, Any] = {"content": "".join(self._text), "refusal": "".join(self._refusal)}
        if self._thought:
            message["reasoning_content"] = "…"  # only whether the model thought matters
        choice: dict[str, Any] = {"message": message, "finish_reason": self._finish}
        if self._logprobs is not None:
            choice["logprobs"] = {"content": self._logprobs}
        return {**self._values, "choices": [choice]}

    def _line(self, line: bytes) -> None:
        if not line.startswith(b"data:"):  # a comment that keeps the connection open, a blank line, another field
            if not line:
                raise self._nonsense()
            return
        data = line[5:].strip()
        if data == b"[DONE]":
            self.ended = self.done = True
            return
        # An event may have several lines, and some servers leave out the blank line between events.
        has_several = bool(self._event)
        self._event = self._event + b"\n" + data if has_several else data
        is_too_long = has_several and len(self._event) > _LONGEST_EVENT
        if is_too_long or (self._event and not self._event.startswith(b"{")):
            raise self._nonsense()
        if not data.endswith(b"}"):
            return
        try:
            chunk = self._parsed()
        except ValueError:
            return
        except RecursionError:
            raise self._nonsense() from None
        self._event = b""
        self._take(chunk)

    def _parsed(self) -> Any:
        """Parse the event so far. Raises ValueError, RecursionError."""
        try:
            return from_json(self._event)  # three times as fast
        except ValueError:
            return json.loads(self._event)  # takes halves of surrogate pairs

    def _take(self, chunk: dict[str, Any]) -> None:
        if chunk.get("error"):
            raise stream_failure(chunk, self._endpoint)
        if isinstance(usage := chunk.get("usage"), dict):
            self._values["usage"] = usage
            written = usage.get("completion_tokens")
            self.tokens = max(self.tokens, written) if isinstance(written, int) else self.tokens
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict) or choice.get("index", 0) != 0:
            return
        self._chose = True
        delta = choice.get("delta")
        self._take_delta(delta if isinstance(delta, dict) else {})
        logprobs = choice.get("logprobs")
        if isinstance(logprobs, dict) and isinstance(logprobs.get("content"), list):
            self._logprobs = self._logprobs or []
            self._logprobs.extend(logprobs["content"])
        if choice.get("finish_reason"):
            self._finish, self.ended = str(choice["finish_reason"]), True

    def _take_delta(self, delta: dict[str, Any]) -> None:
        text = text_of(delta.get("content"))
        thought = delta.get("reasoning_content") or delta.get("reasoning")
        self._text.append(text)
        if refusal := delta.get("refusal"):
            self._refusal.append(text_of(refusal))
        self._new += len(text)
        self._thought = self._thought or bool(thought)
        self.tokens += 1 if text or thought else 0

    def _nonsense(self) -> ModelError:
        return ModelError("bad_reply", f"{self._endpoint.model} sent something that is not JSON in its stream.")


def runs_on(text: str) -> bool:
    """Return whether the end of a text repeats one passage of up to 400 characters."""
    mark = text[-24:]
    start = text.rfind(mark, 0, len(text) - 1)
    period = len(text) - len(mark) - start
    tail = max(_LEAST_TAIL, _REPEATS * period)
    if start < 0 or period > _LONGEST_PERIOD or len(text) < tail:
        return False
    end = text[-tail:]
    return end[period:] == end[:-period]
