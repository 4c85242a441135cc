"""Replies in a requested form: the schema that is sent, the reader that checks the reply, and the retries."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Generic, NamedTuple, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from factscope.core import first_problem, many
from factscope.llm.model_client import ModelClient
from factscope.llm.model_errors import ModelError, UnreadableError

from .call import Call, Message, Reply
from .cost import Ledger

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)

_MAX_CHARACTERS = 4000
"""Characters of an unreadable reply that its model is shown in the next question."""
_LONGEST = 2_000_000  # characters of a reply that is searched for JSON
_MOST_OBJECTS = 1000  # objects tried in one reply
_END_OF_THOUGHTS = re.compile(r"""(?<![ \t"'`“‘(])</think>|</think>(?=[ \t]*(?:\n|$))""")
"""The tag without its opening one. Within a line, after a space or a quotation mark, an answer only mentions it."""


class ParsedReply(NamedTuple, Generic[T]):
    """A parsed reply, with the reply it was read from."""

    value: T
    reply: Reply
    key: str | None = None
    """Of the call whose answer the reply is in the cache."""


async def ask(
    client: ModelClient, call: Call, read: Callable[[str], T], *, ledger: Ledger | None = None, again: int = 2
) -> ParsedReply[T]:
    """Make a call and read its reply; after an unreadable one, ask again with the reason, up to `again` times.

    `read` raises UnreadableError for an unreadable reply. An accepted reply is cached as the answer to `call`, also
    when it took a second question to get it, so that later runs and replays need none. Every reply that was paid for is
    counted in `ledger`. Raises ModelError (of kind `unreadable` when no reply could be read) and StoreError.
    """
    values: dict[str, T] = {}

    def keep_as(reply: Reply) -> Call | None:
        with suppress(UnreadableError):
            values[reply.text] = read(reply.text)
            return call
        return None

    request, reasons = call, ""
    for _ in range(again + 1):
        reply = await _complete(client, request, keep_as, ledger or Ledger())
        try:
            value = values[reply.text] if reply.text in values else read(reply.text)
            return ParsedReply(value, reply, client.key(call))
        except UnreadableError as error:
            reasons = str(error)
            request = _with_reason(call, reply.text, reasons)
    client.note(call, "unreadable")
    asked = many(again + 1, "time")
    raise ModelError("unreadable", f"The reply of {call.model} could not be read, asked {asked}: {reasons}")


async def _complete(
    client: ModelClient, call: Call, keep_as: Callable[[Reply], Call | None], ledger: Ledger, *, last: bool = False
) -> Reply:
    """Return the reply and count it.

    Asks a second time when the limit left too little room for its model's thoughts.
    """
    try:
        reply = await client.complete(call, keep_as)
    except ModelError as failure:
        if failure.reply:
            ledger.add(call, failure.reply)
        if last or not failure.more_room:
            raise
        return await _complete(client, call, keep_as, ledger, last=True)
    ledger.add(call, reply)
    return reply


def _with_reason(call: Call, text: str, reason: str) -> Call:
    shortened = text if len(text) <= _MAX_CHARACTERS else text[:_MAX_CHARACTERS] + " …"
    request = f"That reply can't be used: {reason} Answer the question again, in the form that was asked for."
    return replace(
        call, messages=(*call.messages, Message("assistant", shortened or "(empty)"), Message("user", request))
    )


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """Return a pydantic model's JSON schema as strict endpoints need it: all fields required, no others allowed."""
    strict: dict[str, Any] = _strict(model.model_json_schema())
    return strict


def _strict(node: Any) -> Any:
    if isinstance(node, list):
        return [_strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    strict: dict[str, Any] = {}
    for name, value in node.items():
        if name in ("properties", "$defs"):  # here the names are fields and models, not keywords
            strict[name] = {field: _strict(inner) for field, inner in value.items()}
        elif name not in ("title", "default"):
            strict[name] = _strict(value)
    if "properties" in strict:
        strict["required"], strict["additionalProperties"] = list(strict["properties"]), False
    return strict


def json_reader(model: type[M]) -> Callable[[str], M]:
    """Return a reader of replies that hold one JSON object of this model.

    Around the object there may be a fence, thoughts or prose, and in it trailing commas. Nothing else is repaired:
    labels must match the schema exactly, no name may occur twice, and when two different objects fit, neither is used.
    An object that fits is not used either when another one has a field of the model and does not fit: that one may be a
    correction.
    """
    names = "|".join(re.escape(name) for name in model.model_fields)
    field = re.compile(rf"\b(?:{names})[\"']?\s*:|\\u")  # an escape may spell a name

    def read(text: str) -> M:
        """Parse a reply into the model."""
        parsed: list[M] = []
        reason, misfit = "it holds no JSON object.", False
        for candidate in _objects(after_thoughts(text)):
            try:
                value = model.model_validate_json(_plain_json(candidate), strict=True)
            except (ValueError, RecursionError) as error:
                broken = f"it holds broken JSON ({str(error)[:100]})."
                reason = reason if misfit else first_error(error) if isinstance(error, ValidationError) else broken
                misfit = misfit or field.search(candidate) is not None
            else:
                if value not in parsed:
                    parsed.append(value)
        if len(parsed) > 1:
            raise UnreadableError("it holds more than one answer.")
        if not parsed or misfit:
            raise UnreadableError(reason)
        return parsed[0]

    return read


def after_thoughts(text: str) -> str:
    """Return the reply without the thoughts before it, which end with `</think>`. Raises UnreadableError.

    They begin with `<think>`, unless the server's template has written that into the request.
    """
    if len(text) > _LONGEST:
        raise UnreadableError("it is far too long.")
    text = text.strip()
    if not text.startswith("<think>"):
        return _END_OF_THOUGHTS.split(text)[-1].strip()
    _, end, remainder = text.rpartition("</think>")
    if not end:
        raise UnreadableError("it holds thoughts and no answer.")
    return remainder.strip()


def _objects(text: str) -> list[str]:
    """Return the outermost `{…}` of a text.

    Stops at one that is never closed: it was cut off, and its parts mean nothing.
    """
    objects, position = [], 0
    while (start := text.find("{", position)) >= 0:
        depth, quoted, end = 0, False, -1
        for match in _MARKS.finditer(text, start):
            mark = match.group()
            if mark == '"':
                quoted = not quoted
            elif not quoted and mark == "{":
                depth += 1
            elif not quoted and mark == "}":
                depth -= 1
                if depth == 0:
                    end = match.end()
                    break
        if end < 0:
            raise UnreadableError("its JSON object is not closed.")
        objects.append(text[start:end])
        position = end
        if len(objects) > _MOST_OBJECTS:
            raise UnreadableError("it holds far too many JSON objects.")
    return objects


_MARKS = re.compile(r'\\.|["{}]', re.DOTALL)
_STRING_OR_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])', re.DOTALL)


def _plain_json(text: str) -> str:
    """Return the text, without trailing commas, if it is JSON in which no name occurs twice. Raises ValueError."""
    try:
        _JSON.decode(text)
    except json.JSONDecodeError:
        text = without_trailing_commas(text)
        _JSON.decode(text)
    return text


def without_trailing_commas(text: str) -> str:
    """Return JSON without the commas before closing brackets, which some models write."""
    return _STRING_OR_COMMA.sub(lambda match: match[1] or "", text)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise ValueError("a name comes twice")
    return values


def _finite(number: str) -> float:
    if math.isinf(value := float(number)):
        raise ValueError(f"{number} is not finite")
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_JSON = json.JSONDecoder(object_pairs_hook=_once, parse_float=_finite, parse_constant=_no_constant)
"""Reads JSON by the letter: no name twice, no NaN, no number that is too large."""


def first_error(error: ValidationError) -> str:
    """Return the first error without the input, which is outside text."""
    if error.errors(include_url=False)[0]["type"] == "extra_forbidden":  # its name is outside text too
        return "it holds a field that was not asked for."
    return ": ".join(filter(None, first_problem(error, ""))) + "."
