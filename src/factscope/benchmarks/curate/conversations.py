"""One row of a log → the user's first prompt, and the answer to it.

Supported are LMSYS-Chat-1M (Zheng et al. 2024), WildChat (Zhao et al. 2024), dumps like those of ShareGPT, and plain
rows:

    {"conversation_id": "…", "model": "vicuna-13b", "conversation": [{"role": "user", "content": "…"}, …],
     "language": "English", "redacted": false}
    {"conversation_hash": "…", "model": "gpt-4-0314", "timestamp": "…", "conversation": [{"role": "user",
     "content": "…", "redacted": false, …}, …], …}
    {"id": "…", "conversations": [{"from": "human", "value": "…"}, {"from": "gpt", "value": "…"}]}
    {"prompt": "…", "response": "…", "model": "…"}

The format of each row is recognised by its own columns, so that one file may mix several formats.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any, Literal, NamedTuple

from factscope.benchmarks.datasets.io.row import is_broken, message_text
from factscope.core import many

Source = Literal["lmsys", "wildchat", "sharegpt", "plain"]

_CHATS = ("conversation", "conversations", "messages")
_PROMPTS = ("prompt", "instruction", "question", "query", "input")
_RESPONSES = ("response", "answer", "completion", "output")
_IDS = ("conversation_hash", "conversation_id", "id", "uid", "question_id")
_MODELS = ("model", "model_name")
_DATES = ("timestamp", "tstamp", "date", "created_at")
_OTHERS = ("language", "redacted")
COLUMNS = frozenset((*_CHATS, *_PROMPTS, *_RESPONSES, *_IDS, *_MODELS, *_DATES, *_OTHERS))
"""Every column that is read, in lower case."""
FORMS = (
    "a chat in the column conversation, conversations or messages (role and content, or from and value),"
    " or a column prompt"
)
"""Columns that a row needs, for a message."""

_USER = ("user", "human", "prompter")
_ASSISTANT = ("assistant", "gpt", "chatgpt", "bard", "bing", "model", "bot")
_EMPTY_CELLS = frozenset({"nan", "<na>"})
"""Cell values that stand for missing text."""
_JSON_LIST = re.compile(r"\s*\[\s*\{")
_LONGEST_NAME = 200  # a longer name of a model is not a name
_SECONDS = re.compile(r"1[0-9]{9}(?:[0-9]{3})?(?:\.[0-9]*)?")
"""Seconds or milliseconds since 1970, from 2001 to 2033, as text in a CSV file; `202405171230` is not one."""
_MILLISECONDS = 1e11
"""Times above this are in milliseconds; seconds since 1970 stay below it for three thousand years."""


class Opening(NamedTuple):
    """The opening of a conversation."""

    source: Source
    conversation: str | None
    """Its id in the log; `None` if it has none."""
    prompt: str
    """The first prompt."""
    response: str | None
    """The reply to it; `None` where there was none, or none that is text."""
    model: str | None
    """The model that answered."""
    language: str | None
    """The language that the log states."""
    date: str | None
    """Of the conversation, as in 2023-04-09."""
    redacted: bool
    """Whether the log marks something personal as removed."""


class NoPromptError(ValueError):
    """A row without a prompt."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.reason, self.detail = reason, detail


def read_opening(values: Mapping[str, Any]) -> Opening:
    """Return the opening of the conversation in a row. Raises NoPromptError."""
    row = {name.strip().lower(): cell for name, cell in values.items()}
    prompt = _first(row, _PROMPTS)
    chats = [chat for cell in (*map(row.get, _CHATS), prompt) if (chat := _turns(cell)) is not None]
    turns = next(filter(None, chats), chats[0] if chats and prompt is None else None)
    if turns is None and prompt is None:
        _need_prompt(row, values)
    prompt, response = (prompt, _first(row, _RESPONSES)) if turns is None else _opening(turns)
    return Opening(
        source=_source(row, turns),
        conversation=_name(_first(row, _IDS)),
        prompt=_prompt(prompt),
        response=_response(response),
        model=_name(_first(row, _MODELS)),
        language=_name(row.get("language")),
        date=_date(_first(row, _DATES)),
        redacted=any(str(cells.get("redacted")).casefold() == "true" for cells in (row, *(turns or ()))),
    )


def _need_prompt(row: Mapping[str, Any], columns: Iterable[str]) -> None:
    """Raise NoPromptError that says why a row without a prompt has none, unless its cell is merely empty."""
    if not any(name in row for name in (*_CHATS, *_PROMPTS)):
        raise NoPromptError("unknown form", f"columns: {', '.join(columns)}"[:_LONGEST_NAME])
    if unreadable := next((name for name in _CHATS if not is_nothing(row.get(name))), None):
        form = "a list of turns with role and content, or from and value"
        raise NoPromptError("unknown form", f"the column {unreadable} is not {form}")


def _turns(cell: Any) -> list[Mapping[str, Any]] | None:
    """Return the turns in a cell, also when they are written as JSON there; `None` when it holds none."""
    if isinstance(cell, str) and _JSON_LIST.match(cell):
        try:
            cell = json.loads(cell)
        except (ValueError, RecursionError):  # of brackets within brackets
            return None
    if isinstance(cell, list) and all(
        isinstance(turn, Mapping) and ("role" in turn or "from" in turn) for turn in cell
    ):
        return cell
    return None


def _opening(turns: Sequence[Mapping[str, Any]]) -> tuple[Any, Any]:
    """Return the user's first message and the reply to it. Raises NoPromptError."""
    messages = [(_role(turn), turn.get("content", turn.get("value"))) for turn in turns]
    messages = [(author, text) for author, text in messages if author]
    if not any(author == "user" for author, _ in messages):
        raise NoPromptError("no user turn", many(len(turns), "turn"))
    if messages[0][0] != "user":
        raise NoPromptError("begins with an answer")
    answered = messages[1][1] if len(messages) > 1 and messages[1][0] == "assistant" else None
    return messages[0][1], answered


def _role(turn: Mapping[str, Any]) -> str:
    role = str(turn.get("role", turn.get("from"))).strip().lower()
    return "user" if role in _USER else "assistant" if role in _ASSISTANT else ""


def _source(row: Mapping[str, Any], turns: Iterable[Mapping[str, Any]] | None) -> Source:
    if turns is None:
        return "plain"
    if any("from" in turn for turn in turns):
        return "sharegpt"
    return "wildchat" if "conversation_hash" in row else "lmsys" if "conversation_id" in row else "plain"


def _first(row: Mapping[str, Any], names: Iterable[str]) -> Any:
    return next((row[name] for name in names if not is_nothing(row.get(name))), None)


def _prompt(cell: Any) -> str:
    """Return the prompt of a cell. Raises NoPromptError."""
    text = message_text(cell)
    if is_nothing(text):
        raise NoPromptError("empty prompt")
    if not isinstance(text, str):
        raise NoPromptError("no text", f"the prompt is a {type(text).__name__}")
    if is_broken(text):
        raise NoPromptError("no text", "the prompt contains half a character (a lone surrogate)")
    return text.strip()


def _response(cell: Any) -> str | None:
    text = message_text(cell)
    return text.strip() if isinstance(text, str) and not is_nothing(text) and not is_broken(text) else None


def is_nothing(cell: Any) -> bool:
    """Return whether a cell is empty: None, NaN, or a text without visible characters."""
    if isinstance(cell, str):
        return cell.strip().casefold() in _EMPTY_CELLS or not any(
            sign.isprintable() and not sign.isspace() for sign in cell
        )
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def _name(cell: Any) -> str | None:
    """Return a short text on one line, such as an id, a model or a language."""
    if is_nothing(cell) or isinstance(cell, bool | list | Mapping) or (isinstance(cell, str) and is_broken(cell)):
        return None
    return " ".join(str(cell).split())[:_LONGEST_NAME] or None


def _date(cell: Any) -> str | None:
    """Return the day of a time, in any of the formats found in logs."""
    try:
        if isinstance(cell, date):
            return cell.isoformat()[:10]
        if isinstance(cell, str) and re.match(r"\d{4}-\d\d-\d\d", cell):
            return date.fromisoformat(cell[:10]).isoformat()
        if isinstance(cell, str) and _SECONDS.fullmatch(cell.strip()):
            cell = float(cell)
        if isinstance(cell, int | float) and not isinstance(cell, bool):
            return datetime.fromtimestamp(cell / 1000 if cell > _MILLISECONDS else cell, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return None
    return None
