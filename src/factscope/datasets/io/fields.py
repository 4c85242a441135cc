"""Assignment of columns to fields, and the values of a row → a response."""

from __future__ import annotations

import ast
import difflib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeGuard
from uuid import UUID

from factscope.core.errors import InputError, UsageError
from factscope.core.records import Document, Response
from factscope.datasets.io.row import is_broken
from factscope.evidence.decode import clean
from factscope.evidence.text_documents import NotTextItemError, kind_word, text_documents

FIELDS: dict[str, tuple[str, ...]] = {
    "text": (
        "response.output", "response", "text", "output", "answer", "actual_output", "actualoutput", "completion",
        "generation", "outputs.answer", "outputs.output", "outputs.response", "messages", "conversation",
    ),
    "prompt": (
        "prompt", "question", "user_input", "instruction", "input", "query", "inputs.question", "inputs.input",
        "inputs.query", "vars.question", "vars.query", "vars.input", "messages", "conversation",
    ),
    "id": ("id", "uid", "sample_id", "record_id", "run_id"),
    "model": ("model", "model_name", "provider.id"),
    "system": ("system",),
    "contexts": (
        "contexts", "context", "retrieved_contexts", "retrieval_context", "retrievalcontext", "passages", "documents",
        "sources", "document", "outputs.contexts", "outputs.context", "outputs.documents", "outputs.sources",
        "inputs.contexts", "inputs.context", "vars.contexts", "vars.context", "vars.documents",
    ),
    "url": ("url",),
}  # fmt: skip
"""What a response is made of, and the columns that hold it unless the user names one; the first that exists.

Exports are among them: Ragas (`user_input`, `response`, `retrieved_contexts`; before 0.2 `question`, `answer`,
`contexts`), DeepEval (`input`, `actual_output`, `retrieval_context`), LangSmith (`inputs`, `outputs`), TruLens
(`record_id`, `input`, `output`, `contexts`) and promptfoo (`vars`, `response.output`)."""
_ALIASES = {"context": "contexts"}
"""Names that a field had before, and is still known by."""

_CHATS = ("messages", "conversation")
_CANDIDATES = frozenset(name.partition(".")[0] for names in FIELDS.values() for name in names)
_TEXT_HEADS = frozenset(name.partition(".")[0] for name in FIELDS["text"])
_TEXT_NAMES = tuple(name for name in FIELDS["text"] if "." not in name)
_SHOWN = 30
_LONGEST_ID = 200
_LONGEST_LIST = 1_000_000
"""Characters of a cell up to which it is read as a list of texts that was written into a CSV."""
_ABSENT = object()


class UnusableRowError(ValueError):
    """A row can't be made a response. Its message says why, to stand after the row's number."""


def known_fields(named: Mapping[str, str]) -> dict[str, str]:
    """The columns as they are named, by field. Raises UsageError for something that a response does not have."""
    given = {_ALIASES.get(field, field): column for field, column in named.items()}
    for field in given:
        if field not in FIELDS:
            near = difflib.get_close_matches(field, FIELDS, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(FIELDS)}."
            raise UsageError(f"{field!r} is nothing that a column could hold.", hint)
    if given.get("text") == "":
        raise UsageError("The text to check needs a column.", "Name one, or leave text out to have it found.")
    return given


def pick(header: Sequence[str], given: Mapping[str, str]) -> list[str]:
    """The columns of a table that responses are made of. Raises UsageError or InputError when one is not there."""
    for column in filter(None, given.values()):
        if column not in header and _head(column) not in header:
            raise no_column(header, given, column)
    if "text" not in given and not any(_plain(name) in _TEXT_HEADS for name in header):
        raise no_column(header, given)
    named = {name for column in given.values() for name in (column, _head(column))}
    return [name for name in header if name in named or _plain(name) in _CANDIDATES]


def no_column(names: Iterable[str], given: Mapping[str, str], column: str | None = None) -> InputError | UsageError:
    """The error for a column that is not there: one that the user named, or without that the text's."""
    there = [name for name in names if name]
    listed = ", ".join(repr(name[:60]) for name in there[:_SHOWN]) + (", …" if len(there) > _SHOWN else "")
    columns = f"Columns: {listed or 'none'}."
    if column is None:
        known = ", ".join(_TEXT_NAMES)
        return InputError(
            f"No column holds the text to check: none of {known}.", f"Name it: --column text=NAME. {columns}"
        )
    field = next(field for field, name in given.items() if name == column)
    near = difflib.get_close_matches(column, there, n=1)
    hint = f"Did you mean {near[0]!r}? " if near else ""
    return UsageError(f"There is no column {column!r}, which was named for {field}.", hint + columns)


def settle(values: Mapping[str, Any], given: Mapping[str, str], chosen: dict[str, str]) -> None:
    """Add to `chosen` the columns of this row that hold what has no column yet: the first row that has one decides."""
    wanted = [field for field in FIELDS if field not in chosen and given.get(field) != ""]
    if not wanted:
        return
    names = {_plain(name): name for name in reversed(tuple(values))}

    def at(candidate: str) -> str | None:
        """The column that a candidate stands for in this row."""
        head, dot, rest = candidate.partition(".")
        if head not in names:
            return None
        column = names[head] + dot + rest
        return column if not dot or _find(values, column) is not _ABSENT else None

    taken = {column for column in given.values() if column not in _CHATS}
    for field in wanted:
        if field in given:
            if _find(values, given[field]) is not _ABSENT:
                chosen[field] = given[field]
            continue
        columns = (at(name) for name in FIELDS[field])
        found = [column for column in columns if column is not None and column not in taken]
        if found:
            chosen[field] = found[0]


def to_response(values: Mapping[str, Any], chosen: Mapping[str, str], number: int) -> Response:
    """The response that a row holds; its id is `r` and `number` when the row has none. Raises UnusableError.

    Of a chat the last turn of the assistant is the text, and the last turn of the user before it the prompt.
    """
    if "text" not in chosen:
        raise UnusableRowError(f"has none of the columns {', '.join(_TEXT_NAMES)}")
    cells = {field: _found(values, column) for field, column in chosen.items()}
    if chosen.get("prompt") == chosen["text"]:
        del cells["prompt"]
    text, prompt = cells["text"], cells.get("prompt")
    turns: Sequence[dict[str, Any]] = ()
    if _is_chat(text):
        said = [at for at, turn in enumerate(text) if turn["role"] == "assistant"]
        turns, text = (text[: said[-1]], _content(text[said[-1]])) if said else ((), None)
    if _is_chat(prompt):
        turns, prompt = prompt, None
    checked = _text(text, chosen["text"])
    if checked is None:
        raise UnusableRowError(f"column {chosen['text']!r} holds no text")
    asked = [_content(turn) for turn in turns if turn["role"] == "user"]
    ruled = [_content(turn) for turn in turns if turn["role"] == "system"]
    return Response(
        id=_id(cells.get("id"), number),
        text=checked,
        prompt=_text(prompt, chosen.get("prompt", "")) or _text(asked[-1] if asked else None, "the chat"),
        context=_context(cells.get("contexts"), chosen.get("contexts", "")),
        system=_text(cells.get("system"), chosen.get("system", "")) or _text(ruled[0] if ruled else None, "the chat"),
        model=_text(cells.get("model"), chosen.get("model", "")),
        url=_text(cells.get("url"), chosen.get("url", "")),
    )


def _plain(name: str) -> str:
    return name.strip().lower()


def _head(column: str) -> str:
    return column.partition(".")[0]


def _find(values: Mapping[str, Any], column: str) -> Any:
    """The cell of a column, or what lies at a path with dots, such as `choices.0.text`; else `_ABSENT`."""
    if column in values:
        return values[column]
    cell: Any = values
    for step in column.split("."):
        if isinstance(cell, Mapping) and step in cell:
            cell = cell[step]
        elif isinstance(cell, list) and re.fullmatch(r"\d{1,9}", step, re.ASCII) and int(step) < len(cell):
            cell = cell[int(step)]
        else:
            return _ABSENT
    return cell


def _found(values: Mapping[str, Any], column: str) -> Any:
    cell = _find(values, column)
    return None if cell is _ABSENT else cell


def _is_chat(cell: Any) -> TypeGuard[list[dict[str, Any]]]:
    return isinstance(cell, list) and bool(cell) and all(isinstance(turn, dict) and "role" in turn for turn in cell)


def _content(turn: dict[str, Any]) -> Any:
    """Return the content of a turn: its text, or the texts among its items."""
    content = turn.get("content")
    if isinstance(content, list) and all(isinstance(part, dict) for part in content):
        texts = [part["text"] for part in content if isinstance(part.get("text"), str)]
        return "\n".join(texts)
    return content


def _text(cell: Any, column: str) -> str | None:
    """The cell as text, `None` when it is blank. Raises UnusableError for anything else."""
    if isinstance(cell, bytes):
        try:
            cell = cell.decode()
        except UnicodeDecodeError:
            raise UnusableRowError(f"column {column!r} is not UTF-8") from None
    if cell is None:
        return None
    if not isinstance(cell, str):
        raise UnusableRowError(f"column {column!r} holds {kind_word(cell)}, not text")
    if is_broken(cell):
        raise UnusableRowError(f"column {column!r} holds half a character (a lone surrogate), which is no text")
    return cell if cell.strip() else None


def _id(cell: Any, number: int) -> str:
    """The id of the row as one that a response may have: on one line, and unlike a segment's."""
    if isinstance(cell, int | float | UUID) and not isinstance(cell, bool):
        cell = str(cell)
    text = _text(cell, "id")
    name = " ".join(clean(text).text.split()) if text else ""
    if len(name) > _LONGEST_ID:
        raise UnusableRowError(f"its id is longer than {_LONGEST_ID} characters")
    return f"r-{name}" if re.match(r"s\d+(\.|$)", name) else name or f"r{number}"


def _context(cell: Any, column: str) -> tuple[Document, ...]:
    """The documents in a cell: a text, an object with a text, or a list of these, also as written into a CSV."""
    try:
        return text_documents(_listed(cell), "context")
    except NotTextItemError as error:
        raise UnusableRowError(f"column {column!r} {error}") from None


def _listed(cell: Any) -> Any:
    """A cell that holds a list in JSON, or as Python prints one (pandas writes it so into a CSV), as that list."""
    if not isinstance(cell, str) or not cell.lstrip().startswith("[") or len(cell) > _LONGEST_LIST:
        return cell
    for read in (json.loads, ast.literal_eval):  # literals alone: nothing in it is run
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            found = read(cell.strip())
            if isinstance(found, list) and all(isinstance(one, str | dict) for one in found):
                return found
    return cell
