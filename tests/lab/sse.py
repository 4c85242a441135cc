"""A chat completion as a stream of server-sent events, chunk by chunk, as servers send it."""

from __future__ import annotations

import itertools
import json
import zlib
from collections.abc import Iterator
from typing import Any


def events(question: bytes, answer: Any, do: dict[str, Any]) -> Iterator[bytes] | None:
    """Return the chunks of an answer to a question that asks for a stream; None to send it whole.

    It is sent whole if no stream was asked for, if it is not a chat completion, or if the script says `whole` or has a
    fault in the body.
    """
    if {"whole", "cut", "body", "json"} & do.keys() or answer.status != 200 or not question.startswith(b"{"):
        return None
    try:
        asked = json.loads(question)
    except ValueError:  # such as the JSON lines sent to a hub
        return None
    if not asked.get("stream"):
        return None
    completion = json.loads(answer.body)
    completion.update({"wants_usage": bool(asked.get("stream_options", {}).get("include_usage"))})
    chunks = chunked(completion, seed=zlib.crc32(question), endless=do.get("endless"))
    if do.get("stream_error"):
        chunks = itertools.chain(itertools.islice(chunks, 2), [_event({"error": do["stream_error"]})])
    return chunks


def chunked(completion: dict[str, Any], seed: int = 0, endless: str | None = None) -> Iterator[bytes]:
    """Split a completion into chunks; with `endless`, repeat that text forever."""
    choice = completion["choices"][0]
    message, logprobs = choice["message"], (choice.get("logprobs") or {}).get("content")
    yield b": the connection is open\n\n"
    yield _event(_chunk({"role": "assistant", "content": ""}))
    while endless:
        yield _event(_chunk({"content": endless}))
    if logprobs is not None:
        yield from _by_token(message["content"], logprobs, seed)
    elif isinstance(message.get("content"), str):
        for piece in _pieces(message["content"], seed):
            yield _event(_chunk({"content": piece}))
    elif message.get("content") is not None:
        yield _event(_chunk({"content": message["content"]}))
    for name in ("refusal", "reasoning_content"):
        for piece in _pieces(message.get(name) or "", seed):
            yield _event(_chunk({name: piece}))
    yield _event(_chunk({}, choice.get("finish_reason")))
    if completion.get("wants_usage", True) and "usage" in completion:
        yield _event({"choices": [], "usage": completion["usage"]})
    yield b"data: [DONE]\n\n"


def _by_token(text: str, logprobs: list[dict[str, Any]], seed: int) -> Iterator[bytes]:
    """Yield a chunk for each of the first tokens, then for several; the first has the text if the tokens differ."""
    joined = "".join(token["token"] for token in logprobs) == text
    start = 0
    for number, size in enumerate(_sizes(seed)):
        tokens = logprobs[start : start + (1 if number < _AT_FIRST else size)]
        words = "".join(token["token"] for token in tokens) if joined else text if number == 0 else ""
        yield _event(_chunk({"content": words}, logprobs={"content": tokens}))
        start += len(tokens)
        if start == len(logprobs):
            return


def _chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> dict[str, Any]:
    return {
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish, **more}],
    }


def _event(values: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(values, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n\n"


def _pieces(text: str, seed: int) -> Iterator[str]:
    """Split a text into pieces of 1 to 24 characters and later of up to 384, the same for the same seed."""
    start = 0
    for number, size in enumerate(_sizes(seed)):
        if start >= len(text):
            return
        end = start + (size if number < _AT_FIRST else 16 * size)
        yield text[start:end]
        start = end


def _sizes(seed: int) -> Iterator[int]:
    while True:
        seed = (seed * 1_103_515_245 + 12_345) % 2**31
        yield 1 + (seed >> 16) % 24


_AT_FIRST = 8
"""Number of small chunks. A long reply in small chunks only costs more than everything else in its test."""
