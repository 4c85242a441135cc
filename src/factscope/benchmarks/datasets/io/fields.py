"""Assignment of columns to fields, and the values of a row → a response."""

from __future__ import annotations

import ast
import difflib
import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from importlib.resources import files
from typing import Any, TypeGuard
from uuid import UUID

from factscope.benchmarks.datasets.io.row import is_broken, message_text, plain_id
from factscope.core import Document, InputError, Response, UsageError, did_you_mean
from factscope.evidence import NotTextItemError, kind_word, text_documents

FIELDS: dict[str, list[str]] = tomllib.loads(files(__package__).joinpath("fields.toml").read_text("utf-8"))
"""Fields of a response, and the columns that may hold each."""
_ALIASES = {"context": "contexts"}
"""Former names of fields, which still work."""

_CHATS = ("messages", "conversation")
_CANDIDATES = frozenset(name.partition(".")[0] for names in FIELDS.values() for name in names)
_TEXT_HEADS = frozenset(name.partition(".")[0] for name in FIELDS["text"])
_TEXT_NAMES = tuple(name for name in FIELDS["text"] if "." not in name)
_MAX_COLUMNS = 30  # columns named in a message
_LONGEST_ID = 200  # characters; a longer id is replaced by the row's number
_LONGEST_LIST = 1_000_000
"""Characters of a cell up to which it is parsed as a list of texts, as written into a CSV."""
_ABSENT = object()


class UnusableRowError(ValueError):
    """A row can't be made a response. Its message says why, worded to follow the row's number."""


def known_fields(columns_named: Mapping[str, str]) -> dict[str, str]:
    """Return the columns that the user named, by field. Raises UsageError for a field that a response does not have."""
    field_columns = {_ALIASES.get(field, field): column for field, column in columns_named.items()}
    for field in field_columns:
        if field not in FIELDS:
            raise UsageError(f"{field!r} is nothing that a column could hold.", did_you_mean(field, FIELDS))
    if field_columns.get("text") == "":
        raise UsageError("The text to check needs a column.", "Name one, or leave text out to have it found.")
    return field_columns


def pick(header: Sequence[str], field_columns: Mapping[str, str]) -> list[str]:
    """Return the columns of a table that responses need.

    Raises UsageError or InputError when one is missing.
    """
    for column in filter(None, field_columns.values()):
        if column not in header and _head(column) not in header:
            raise no_column(header, field_columns, column)
    if "text" not in field_columns and not any(_plain(name) in _TEXT_HEADS for name in header):
        raise no_column(header, field_columns)
    column_names = {name for column in field_columns.values() for name in (column, _head(column))}
    return [name for name in header if name in column_names or _plain(name) in _CANDIDATES]


def no_column(
    names: Iterable[str], field_columns: Mapping[str, str], column: str | None = None
) -> InputError | UsageError:
    """Return the error for a missing column: the one that the user named, or without it the text's."""
    present = [name for name in names if name]
    more = ", …" if len(present) > _MAX_COLUMNS else ""
    listed = ", ".join(repr(name[:60]) for name in present[:_MAX_COLUMNS]) + more
    columns = f"Columns: {listed or 'none'}."
    if column is None:
        problem = f"No column holds the text to check: none of {', '.join(_TEXT_NAMES)}."
        return InputError(problem, f"Name it: --column text=NAME. {columns}")
    field = next(field for field, name in field_columns.items() if name == column)
    suggestions = difflib.get_close_matches(column, present, n=1)
    hint = f"Did you mean {suggestions[0]!r}? " if suggestions else ""
    return UsageError(f"Unknown column {column!r}, which was named for {field}.", hint + columns)


def settle(values: Mapping[str, Any], field_columns: Mapping[str, str], columns_chosen: dict[str, str]) -> None:
    """Add to `columns_chosen` the columns of this row for fields without one: the first row with a field decides."""
    fields_left = [field for field in FIELDS if field not in columns_chosen and field_columns.get(field) != ""]
    if not fields_left:
        return
    names = {_plain(name): name for name in reversed(tuple(values))}

    def at(candidate: str) -> str | None:
        """Return the column of this row that a candidate name means."""
        head, dot, remainder = candidate.partition(".")
        if head not in names:
            return None
        column = names[head] + dot + remainder
        return column if not dot or _find(values, column) is not _ABSENT else None

    columns_used = {column for column in field_columns.values() if column not in _CHATS}
    for field in fields_left:
        if field in field_columns:
            if _find(values, field_columns[field]) is not _ABSENT:
                columns_chosen[field] = field_columns[field]
            continue
        columns = (at(name) for name in FIELDS[field])
        columns_found = [column for column in columns if column is not None and column not in columns_used]
        if columns_found:
            columns_chosen[field] = columns_found[0]


def to_response(values: Mapping[str, Any], columns_chosen: Mapping[str, str], number: int) -> Response:
    """Return the response that a row holds; its id is `r` and `number` when the row has none. Raises UnusableRowError.

    Of a chat the last turn of the assistant is the text, and the last turn of the user before it the prompt.
    """
    if "text" not in columns_chosen:
        raise UnusableRowError(f"has none of the columns {', '.join(_TEXT_NAMES)}")
    cells = {field: _find(values, column) for field, column in columns_chosen.items()}
    cells = {field: cell for field, cell in cells.items() if cell is not _ABSENT}
    if columns_chosen.get("prompt") == columns_chosen["text"]:
        cells.pop("prompt", None)
    turns: Sequence[dict[str, Any]] = ()
    if _is_chat(text := cells.get("text")):
        last = max((at for at, turn in enumerate(text) if turn["role"] == "assistant"), default=None)
        turns, cells["text"] = ((), None) if last is None else (text[:last], message_text(text[last].get("content")))
    if _is_chat(prompt := cells.get("prompt")):
        turns, cells["prompt"] = prompt, None

    def text_of(field: str) -> str | None:
        return _text(cells.get(field), columns_chosen.get(field, ""))

    def said_by(role: str) -> list[Any]:
        return [message_text(turn.get("content")) for turn in turns if turn["role"] == role] or [None]

    checked = text_of("text")
    if checked is None:
        raise UnusableRowError(f"column {columns_chosen['text']!r} contains no text")
    return Response(
        id=_id(cells.get("id"), number),
        text=checked,
        prompt=text_of("prompt") or _text(said_by("user")[-1], "the chat"),
        context=_context(cells.get("contexts"), columns_chosen.get("contexts", "")),
        system=text_of("system") or _text(said_by("system")[0], "the chat"),
        model=text_of("model"),
        url=text_of("url"),
    )


def model_of(values: Mapping[str, Any], columns_chosen: Mapping[str, str]) -> str | None:
    """Return the model that a row names, although the row may be unusable; `None` when it names none."""
    column = columns_chosen.get("model", "")
    cell = _find(values, column) if column else None
    try:
        return None if cell is _ABSENT else _text(cell, column)
    except UnusableRowError:
        return None


def _plain(name: str) -> str:
    return name.strip().lower()


def _head(column: str) -> str:
    return column.partition(".")[0]


def _find(values: Mapping[str, Any], column: str) -> Any:
    """Return the cell of a column, or the value at a path with dots, such as `choices.0.text`; otherwise `_ABSENT`."""
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


def _is_chat(cell: Any) -> TypeGuard[list[dict[str, Any]]]:
    return isinstance(cell, list) and bool(cell) and all(isinstance(turn, dict) and "role" in turn for turn in cell)


def _text(cell: Any, column: str) -> str | None:
    """Return the cell as text, `None` when it is blank. Raises UnusableRowError for anything else."""
    if isinstance(cell, bytes):
        try:
            cell = cell.decode()
        except UnicodeDecodeError:
            raise UnusableRowError(f"column {column!r} is not UTF-8") from None
    if cell is None:
        return None
    if not isinstance(cell, str):
        texts = [key for key, value in cell.items() if isinstance(value, str)] if isinstance(cell, Mapping) else []
        such_as = f" (name a text inside it, such as {f'{column}.{texts[0]}'!r})" if texts else ""
        raise UnusableRowError(f"column {column!r} holds {kind_word(cell)}, not text{such_as}")
    if is_broken(cell):
        raise UnusableRowError(f"column {column!r} contains half a character (a lone surrogate), which is not text")
    return cell if cell.strip() else None


def _id(cell: Any, number: int) -> str:
    """Return the id of the row as a valid id of a response: on one line, and unlike a segment's."""
    if isinstance(cell, int | float | UUID) and not isinstance(cell, bool):
        cell = str(cell)
    text = _text(cell, "id")
    name = plain_id(text or "")
    if len(name) > _LONGEST_ID:
        raise UnusableRowError(f"its id is longer than {_LONGEST_ID} characters")
    return name or f"r{number}"


def _context(cell: Any, column: str) -> tuple[Document, ...]:
    """Return the documents in a cell: a text, an object with a text, or a list of these, also as written into a CSV."""
    try:
        return text_documents(_listed(cell), "context")
    except NotTextItemError as error:
        raise UnusableRowError(f"column {column!r} {error}") from None


def _listed(cell: Any) -> Any:
    """Read a cell that holds a list: in JSON, or as Python prints one (pandas writes it so into a CSV)."""
    if not isinstance(cell, str) or not cell.lstrip().startswith("[") or len(cell) > _LONGEST_LIST:
        return cell
    for read in (json.loads, ast.literal_eval):  # only literals: no code in it is run
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            parsed = read(cell.strip())
            if isinstance(parsed, list) and all(isinstance(element, str | dict) for element in parsed):
                return parsed
    return cell
