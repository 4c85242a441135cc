"""The chat-completions wire format: a call → the body to post; the answer → a reply or a failure."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple
from urllib.parse import quote

from factscope.core import asked_wait
from factscope.llm.model_errors import ModelError, StatusKind, status_kind
from factscope.llm.providers import Endpoint, Provider, Replies

from .call import Call, Message, Reply, TokenLogprob

_MAX_CHARACTERS = 200
"""Longest piece of a server's own words in a message."""
_DEEPEST = 5
"""Levels of a body in which these are looked for."""
_REPLY_FORM = re.compile(rb"response_?format|json_schema|json_object|guided|grammar|structured.output", re.IGNORECASE)
_NO_CREDIT = re.compile(rb"insufficient_quota|billing_hard_limit|credit balance is too low")
_WRONG_KEY = re.compile(rb"API_KEY_INVALID|API key (?:not valid|expired)|Incorrect API key")
"""Google's and others' words for a wrong key, which come with status 400."""
_FILTERED = re.compile(rb"content_filter|content_policy|flagged_input")
"""Words of a content filter, with status 400; OpenRouter's have status 403."""
_TOO_LONG = re.compile(rb"context.(?:length|size|window)|prompt is too long|maximum number of tokens", re.IGNORECASE)
"""Words for a question that the model has no room for; llama.cpp's may come with status 500."""


class Dialect(NamedTuple):
    """Features of the API that an endpoint is known to support."""

    replies: Replies
    limit_name: str
    """Name of the token limit."""
    seed_name: str | None
    """Name of the seed; None sends none."""
    logprobs: bool = True
    """Whether it can be asked for log-probabilities."""
    stream: Literal["with usage", "plain", "no"] = "with usage"
    """Whether replies are requested as a stream, and whether with their usage at the end."""
    bounded: bool = True
    """Whether replies are limited to the length that the question needs; never so for a model that thinks before it
    answers."""

    @classmethod
    def of(cls, provider: Provider) -> Dialect:
        """Return the dialect that is tried first."""
        return cls(provider.replies, provider.limit_name, provider.seed_name)

    def simpler(self, call: Call, status: int, content: bytes) -> Dialect | None:
        """Return a simpler dialect to try when a call was rejected for an optional feature, otherwise None.

        A schema can move into the prompt, a token limit has two names, and seed and log-probabilities can be left out.
        The temperature can't: it changes the answer.
        """
        if status not in (400, 404, 415, 422, 501):
            return None
        if call.schema is not None and self.replies != "prompt" and _REPLY_FORM.search(content):
            return self._replace(replies="json_object" if self.replies == "json_schema" else "prompt")
        if call.logprobs is not None and self.logprobs and b"logprobs" in content:
            return self._replace(logprobs=False)
        if call.seed is not None and self.seed_name and re.search(rb"\b(random_)?seed\b", content):
            return self._replace(seed_name=None)
        if call.max_tokens is not None and self.limit_name == "max_tokens" and b"max_completion_tokens" in content:
            return self._replace(limit_name="max_completion_tokens")
        if self.stream == "with usage" and b"stream_options" in content:
            return self._replace(stream="plain")
        if self.stream != "no" and re.search(rb"\bstream(ing)?\b", content):
            return self._replace(stream="no")
        return None

    def streaming(self) -> dict[str, Any]:
        """Return the values that request a streamed reply."""
        options = {"stream_options": {"include_usage": True}} if self.stream == "with usage" else {}
        return {} if self.stream == "no" else {"stream": True, **options}


def body(call: Call, endpoint: Endpoint, dialect: Dialect, max_tokens: int | None) -> dict[str, Any]:
    """Build the request body, for a reply of at most `max_tokens`.

    A schema goes into `response_format` where the dialect supports it, otherwise into the last message.
    """
    replies = dialect.replies
    values: dict[str, Any] = {"model": endpoint.name}
    messages = call.messages
    if call.schema is not None and replies != "json_schema":
        messages = (*messages[:-1], _with_schema(messages[-1], call.schema))
    values["messages"] = [{"role": message.role, "content": message.content} for message in messages]
    if call.temperature is not None:
        values["temperature"] = call.temperature
    if max_tokens is not None:
        values[dialect.limit_name] = max_tokens
    if call.seed is not None and dialect.seed_name:
        values[dialect.seed_name] = call.seed
    if call.logprobs is not None and dialect.logprobs:
        values["logprobs"] = True
        if call.logprobs:
            values["top_logprobs"] = call.logprobs
    if call.schema is not None and replies == "json_schema":
        values["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "reply", "strict": True, "schema": call.schema},
        }
    elif call.schema is not None and replies == "json_object":
        values["response_format"] = {"type": "json_object"}
    return values


def _with_schema(message: Message, schema: Mapping[str, Any]) -> Message:
    form = json.dumps(schema, ensure_ascii=False, sort_keys=True)
    return message._replace(
        content=f"{message.content}\n\nReply with one JSON object that fits this JSON schema, and nothing else:\n{form}"
    )


def parsed_body(content: bytes, endpoint: Endpoint) -> object:
    """Return the values of a body with status 200. Raises ModelError of kind `bad_reply`."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):  # a broken encoding is a ValueError too
        size = f"{len(content):,} bytes" if content else "nothing"
        message = f"{endpoint.model} sent something that is not JSON, or only part of it: {size}."
        raise ModelError("bad_reply", message) from None


def reasoned(values: object) -> bool:
    """Return whether the model thought before it answered, as far as the server shows it."""
    try:
        message, usage = values["choices"][0]["message"], values.get("usage") or {}  # type: ignore[index,attr-defined]
        thoughts = message.get("reasoning_content") or message.get("reasoning")
        counted = (usage.get("completion_tokens_details") or {}).get("reasoning_tokens")
        text = message.get("content") or ""
        return bool(thoughts or counted or not text or str(text).lstrip().startswith("<think>"))
    except (KeyError, IndexError, TypeError, AttributeError):
        return False


def reply_in(values: object, endpoint: Endpoint, seconds: float = 0.0, *, cut_is_whole: bool = False) -> Reply:
    """Return the reply in a chat-completion object. Raises ModelError: `bad_reply`, `refusal` or `length`."""
    try:
        choice = values["choices"][0]  # type: ignore[index]
        message, reason = choice["message"], choice.get("finish_reason") or "stop"
        text, refusal = text_of(message.get("content")), message.get("refusal")
    except (KeyError, IndexError, TypeError, AttributeError):
        if isinstance(values, dict) and _code(values) is not None:
            raise stream_failure(values, endpoint) from None
        raise ModelError(
            "bad_reply",
            f"{endpoint.model} sent no chat completion: {_server_words(values, endpoint)}.",
            f"Is {endpoint.address} the base address of an OpenAI-compatible server? It usually ends in /v1.",
        ) from None
    usage = values.get("usage") if isinstance(values, dict) else None
    reply = Reply(
        text=sound(strike_secret(text, endpoint.key)),
        finish_reason=str(reason),
        tokens_in=_count(usage, "prompt_tokens"),
        tokens_out=_count(usage, "completion_tokens"),
        logprobs=_logprobs(choice.get("logprobs")),
        seconds=seconds,
    )
    if isinstance(refusal, str) and refusal.strip():
        raise ModelError("refusal", f"{endpoint.model} refused to answer.", reply=reply)
    if reply.finish_reason == "content_filter":
        raise ModelError("refusal", f"A content filter held back the reply of {endpoint.model}.", reply=reply)
    if reply.finish_reason in ("length", "max_tokens") and not cut_is_whole:
        raise ModelError(
            "length",
            f"The reply of {endpoint.model} was cut off at its longest allowed length.",
            "Raise max_tokens, or ask for less at a time.",
            reply=reply,
        )
    return reply


def text_of(content: object) -> str:
    """Return the text of a message or a part of it, which some servers send as a list of blocks."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = [block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
    return "".join(str(text or "") for text in texts)


def sound(text: str) -> str:
    """Return the text with each unpaired surrogate, which no file can hold, replaced by a question mark.

    The two halves of a pair become one character: a stream may bring them in two chunks.
    """
    if text.isascii():
        return text
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return joined.encode("utf-8", "replace").decode()


def _count(usage: object, name: str) -> int | None:
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _logprobs(values: object) -> tuple[TokenLogprob, ...] | None:
    if not isinstance(values, dict) or not isinstance(values.get("content"), list):
        return None
    try:
        return tuple(
            TokenLogprob(
                sound(str(item["token"])),
                float(item["logprob"]),
                tuple((sound(str(top["token"])), float(top["logprob"])) for top in item.get("top_logprobs") or ()),
            )
            for item in values["content"]
        )
    except (KeyError, TypeError, ValueError, OverflowError):
        return None


def failure_of(status: int, headers: Mapping[str, str], content: bytes, endpoint: Endpoint, now: float) -> ModelError:
    """Convert a status other than 200 to an error. `now` is the time in seconds since 1970, for headers with a date."""
    message = _error_text(content, endpoint)
    where = f"{endpoint.model} at {endpoint.address}"
    variable = endpoint.key_variable or "the key"
    kind = status_kind(status, no_credit=status in (400, 403, 429) and _NO_CREDIT.search(content) is not None)
    kind = "auth" if status == 400 and _WRONG_KEY.search(content) else kind
    if status in (400, 403) and _FILTERED.search(content):
        return ModelError("refusal", f"A content filter of {where} refused the question.")
    if status == 413 or (kind in ("bad_request", "server") and _TOO_LONG.search(content)):
        return ModelError(
            "length",
            f"The question is too long for {where} (HTTP {status}): {message}.",
            "Give the model more context, or ask another one.",
        )
    missing, moved = (
        (f"{where} knows no model {endpoint.name!r} (HTTP {status}): {message}.", "Check the model and the address."),
        (f"{where} redirects calls (HTTP {status}), which would pass on the key.", "Set its new address."),
    )
    accepts_no_temperature = 'If it takes none: FACTSCOPE_TEMPERATURE=none, or temperature = "none" in factscope.toml.'
    reasons: dict[StatusKind, tuple[str, str]] = {
        "auth": (
            f"{where} does not accept the key (HTTP {status}): {message}.",
            f"Check {variable}." if endpoint.key else f"Set {variable}.",
        ),
        "quota": (f"The account behind {variable} has no credit left for {where}: {message}.", "Top it up."),
        "not_found": moved if status < 400 else missing,
        "rate_limit": (f"{where} is busy (HTTP 429): {message}.", ""),
        "server": (f"{where} failed (HTTP {status}): {message}.", ""),
        "bad_request": (
            f"{where} rejected the call (HTTP {status}): {message}.",
            accepts_no_temperature if "temperature" in message.lower() else "",
        ),
    }
    wait = asked_wait(headers, now, content) if kind in ("rate_limit", "server") else None
    return ModelError(kind, *reasons[kind], wait=wait)


def stream_failure(chunk: Mapping[str, Any], endpoint: Endpoint) -> ModelError:
    """Convert an error after a status of 200, in a stream or a body, to a ModelError."""
    return failure_of(_code(chunk) or 500, {}, json.dumps(chunk).encode(), endpoint, 0.0)


def _code(values: Mapping[str, Any]) -> int | None:
    """Return the status that an error states, None when there is none."""
    error = values.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) and 400 <= code < 600 else None


def _error_text(content: bytes, endpoint: Endpoint) -> str:
    try:
        values = json.loads(content)
    except (ValueError, RecursionError):
        text = strike(content.decode("utf-8", "replace"), endpoint.key)  # first, so that no half of a key remains
        return _clean(text[: 4 * _MAX_CHARACTERS], endpoint) or "it gave no reason"
    return _server_words(values, endpoint)


def _server_words(values: object, endpoint: Endpoint) -> str:
    """Return the server's own error text, if it can be found."""
    for _ in range(_DEEPEST):
        if isinstance(values, list):  # as Google's, or all that is wrong with a request
            values = next((value for value in values if isinstance(value, dict)), None)
        elif isinstance(values, dict):
            values = next((values[name] for name in ("error", "message", "detail", "msg") if values.get(name)), None)
    if values is None or isinstance(values, dict | list):
        return "it gave no reason"
    return _clean(str(values), endpoint)


def _clean(text: str, endpoint: Endpoint) -> str:
    text = strike(text, endpoint.key)
    plain = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return (plain if len(plain) <= _MAX_CHARACTERS else plain[:_MAX_CHARACTERS] + "…").rstrip(".")


_SECRET = re.compile(r"(?=.*\d).{8,}|.{16,}", re.DOTALL)
"""A key that can't be a word of a text: vendors' keys have forty characters and digits."""


def strike_secret(text: str, key: str) -> str:
    """Remove the key from evidence or a model's words, unless it is a word: `none`, where a server needs no key."""
    return strike(text, key) if _SECRET.match(key) else text


def strike(text: str, key: str) -> str:
    """Remove the key from the text, also URL-encoded or in base64."""
    if len(key) < 4:
        return text
    coded = base64.b64encode(key.encode()).decode()
    for form in (key, quote(key, safe=""), coded, coded.rstrip("=")):
        if form in text:
            text = text.replace(form, "[key]")
    return text
