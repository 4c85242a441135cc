"""A chat-completions server whose replies follow from the question alone.

A question that begins with a shipped prompt is answered as a competent model would (`tests.lab.brain`). Any other gets
`reply` and a number, or with a schema a matching value, chosen by a hash of the question.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from .http import Answer, Asked, serve


class _Chance:
    """Numbers derived from a text."""

    def __init__(self, text: str) -> None:
        self._seed, self._turn = text.encode(), 0

    def below(self, limit: int) -> int:
        self._turn += 1
        digest = hashlib.sha256(self._seed + self._turn.to_bytes(4, "big")).digest()
        return int.from_bytes(digest[:4], "big") % limit


def made(schema: dict[str, Any], chance: _Chance, top: dict[str, Any] | None = None) -> Any:
    """Make a value that fits a schema."""
    top = top or schema
    if "$ref" in schema:
        return made(top["$defs"][schema["$ref"].rpartition("/")[2]], chance, top)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][chance.below(len(schema["enum"]))]
    for name in ("anyOf", "oneOf"):
        if name in schema:
            return made(schema[name][chance.below(len(schema[name]))], chance, top)
    kind = schema.get("type")
    if kind == "object":
        return {name: made(inner, chance, top) for name, inner in schema.get("properties", {}).items()}
    if kind == "array":
        low = schema.get("minItems", 0)
        count = low + chance.below(schema.get("maxItems", low + 3) - low + 1)
        return [made(schema["items"], chance, top) for _ in range(count)]
    if kind in ("integer", "number"):
        low, high = int(schema.get("minimum", 0)), int(schema.get("maximum", 100))
        return low + chance.below(high - low + 1)
    if kind == "boolean":
        return chance.below(2) == 1
    return None if kind == "null" else f"words {chance.below(1000)}"


def respond(asked: Asked, do: dict[str, Any]) -> Answer:
    """Answer with a chat completion, changed as the script asks."""
    try:
        question = json.loads(asked.body)
        last = question["messages"][-1]["content"]
    except (ValueError, KeyError, IndexError, TypeError):
        return Answer(b'{"error": {"message": "no chat completion asked for"}}', status=400)
    known = _known(question["messages"])
    text = do["text"] if "text" in do else known or _said(question, last, _Chance(json.dumps(question["messages"])))
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if do.get("wrong_label"):
        other, labels = _LABEL.subn("perhaps", text)
        message["content"] = other if labels else "perhaps"
    if do.get("wrong_row"):
        message["content"] = _with_wrong_rows(text, do["wrong_row"])
    if do.get("wrong_type"):
        message["content"] = _of_wrong_type(text)
    if do.get("quote"):
        message["content"] = _QUOTE.sub(json.dumps(do["quote"])[1:-1].replace("\\", r"\\"), text)
    if do.get("refusal"):
        message["refusal"] = do["refusal"]
    if do.get("thoughts"):
        message["reasoning_content"] = do["thoughts"]
    choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": do.get("finish_reason", "stop")}
    if question.get("logprobs"):
        choice["logprobs"] = {"content": _logprobs(text) if known else [{"token": "reply", "logprob": -0.25}]}
    values = {"id": "c", "object": "chat.completion", "model": question.get("model"), "choices": [choice]}
    if not do.get("no_usage"):
        values["usage"] = {"prompt_tokens": len(asked.body) // 4, "completion_tokens": len(text) // 4 + 1}
    return Answer(json.dumps(values).encode())


_LABEL = re.compile(r'(?<="label": ")[^"]*|(?<=\[)[A-Z][A-Za-z ]*(?=\]\Z)|(?<=^Final Verdict: ).*', re.MULTILINE)

_QUOTE = re.compile(r'(?<="quote": ")(?:[^"\\]|\\.)+(?=")')


def _with_wrong_rows(text: str, claim: str) -> str:
    """Return the reply with an invented label in each judgement of this claim."""
    rows = json.loads(text)["judgements"]
    return json.dumps({"judgements": [row | ({"label": "perhaps"} if row["claim"] == claim else {}) for row in rows]})


def _known(messages: list[dict[str, str]]) -> str | None:
    if messages[0].get("role") != "system":
        return None
    from .brain import answer  # here, because most tests of the client need no prompts

    return answer(messages)


def _logprobs(text: str) -> list[dict[str, Any]]:
    from .brain import logprobs

    return logprobs(text)


def _of_wrong_type(text: str) -> str | int:
    """Replace the values of a JSON object with words, and any other text with a number."""
    try:
        return json.dumps({name: f"none of {name}" for name in json.loads(text)})
    except ValueError:
        return 7


def _said(question: dict[str, Any], last: str, chance: _Chance) -> str:
    form = question.get("response_format", {})
    schema = form.get("json_schema", {}).get("schema")
    if schema is None and "JSON schema, and nothing else:\n" in last:
        schema = json.loads(last.partition("nothing else:\n")[2])
    return f"reply {chance.below(10**9)}" if schema is None else json.dumps(made(schema, chance))


if __name__ == "__main__":
    serve(respond)
