"""Texts that a caller passes, as documents: strings, and what retrievers and vector stores return."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from hashlib import sha256
from numbers import Integral
from pathlib import PurePath
from typing import Any

from factscope.core.records import Document
from factscope.evidence.addresses import web_url
from factscope.evidence.decode import SURROGATE, clean
from factscope.evidence.formats import FILE_ENDINGS

TEXT_KEYS = ("text", "page_content", "content", "passage", "body")
"""Keys that may hold the text of an object; the first that is not blank is used. `page_content` is LangChain's."""
_ABOUT_KEYS = ("id", "title", "url", "metadata", "meta")  # Haystack calls its metadata `meta`
_FILE_KEYS = ("source", "file_path", "file_name")
"""Keys of metadata that may name the file of a text: of LangChain's loaders, LlamaIndex and Haystack."""
_LONGEST_NAME = 200  # characters of a document's name
_LONGEST_TITLE = 300  # characters of a title
_LONGEST_KEY, _MOST_KEYS = 40, 5  # characters and number of an object's keys in a message


class NotTextItemError(ValueError):
    """An item is not text. Its message names the key, worded to follow the name of the list that contains the item."""


def text_documents(items: object, called: str | None = None) -> tuple[Document, ...]:
    """Read one item, or a list of them, as documents; equal texts once, blank ones left out.

    An item without a name gets `called` and its number as its name.

    An item is a text, an address (a document without text), or has fields (see `fields_of`): `text` and optionally
    `id`, `title`, `url` and `metadata`, or `url` alone. Raises NotTextItemError.
    """
    documents: dict[str, Document] = {}
    contents: set[str] = set()
    listed = items if isinstance(items, list | tuple) and fields_of(items) is None else [items]
    for number, item in enumerate(listed, 1):
        try:
            document = _document(item, f"{called}-{number}" if called else None)
        except NotTextItemError as error:
            raise NotTextItemError(f"{error} (number {number:,} of {len(listed):,})") from None
        if document is None or (content := document.sha256 or document.url or document.id) in contents:
            continue
        if document.id in documents:
            raise NotTextItemError(f"has two texts with the id {document.id!r}")
        documents[document.id] = document
        contents.add(content)
    return tuple(documents.values())


def fields_of(item: object) -> Mapping[Any, Any] | None:
    """Return the fields of a text, of a mapping, or of an object that has a text as an attribute; `None` for others.

    Such objects are the documents of LangChain and Haystack, nodes of LlamaIndex (with or without a score), and data
    classes.
    """
    if isinstance(item, str):
        return {"text": item}
    if isinstance(item, Mapping):
        return item
    for each in (item, _attribute(item, "node")):
        values = {key: _attribute(each, key) for key in (*TEXT_KEYS, *_ABOUT_KEYS)}
        fields = {
            key: value
            for key, value in values.items()
            if isinstance(value, str | Mapping) or (key == "id" and isinstance(value, Integral))
        }
        if any(key in fields for key in TEXT_KEYS):
            return fields
    return None


def is_blank(value: object) -> bool:
    """Return whether a value is `None` or a string without a word."""
    return value is None or (isinstance(value, str) and not value.strip())


def text_document(
    text: str, *, name: str | None = None, title: str | None = None, url: str | None = None, flags: Iterable[str] = ()
) -> Document:
    """Make the document of a text; its id is `name`, otherwise derived from the text."""
    digest = _hash(text)
    return Document(
        id=name or f"d-{digest[:16]}", text=text, url=url, title=title, sha256=digest, flags=tuple(sorted(set(flags)))
    )


def _document(item: object, called: str | None) -> Document | None:
    if item is None or isinstance(item, Document):
        return item
    fields = fields_of(item)
    if fields is None:
        raise NotTextItemError(f"holds {kind_word(item)}, not a text")
    has_text = any(name in fields for name in TEXT_KEYS)
    link = item if isinstance(item, str) else None if has_text else fields.get("url")
    if address := web_url(link.strip() if isinstance(link, str) else None):
        return Document(id=f"d-{_hash(address)[:16]}", text=None, url=address, sha256=_hash(address))
    if fields and not has_text:
        keys = ", ".join(repr(str(name)[:_LONGEST_KEY]) for name in list(fields)[:_MOST_KEYS])
        raise NotTextItemError(f"holds an object without text: it has {keys}, and none of {', '.join(TEXT_KEYS)}")
    key = next((name for name in TEXT_KEYS if not is_blank(fields.get(name))), "text")
    text, flags = clean(_string(fields.get(key), key) or "")
    if not text.strip():
        return None
    more = next((more for name in ("metadata", "meta") if isinstance(more := fields.get(name), Mapping)), {})
    source = next((url for url in map(web_url, (fields.get("url"), more.get("url"), more.get("source"))) if url), None)
    names = [name for key in _FILE_KEYS if isinstance(name := more.get(key), str) and not web_url(name)]
    file = next((name for name in names if PurePath(name).suffix.lower() in FILE_ENDINGS), "")
    title = _string(fields.get("title") or more.get("title"), "title") or PurePath(file).name or next(iter(names), "")
    name = fields.get("id")
    has_name = isinstance(name, str | Integral) and not isinstance(name, bool) and bool(str(name).strip())
    return text_document(
        text,
        name=_line(str(name), _LONGEST_NAME) if has_name else None if title or source else called,
        title=_line(title, _LONGEST_TITLE),
        url=source or _line(file, _LONGEST_NAME),
        flags=flags,
    )


def _attribute(item: object, key: str) -> object:
    with suppress(Exception):  # a property of the caller's may raise anything
        return getattr(item, key, None)
    return None


def _string(value: object, key: str) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise NotTextItemError(f"holds {kind_word(value)} as {key}, not text")
    if not value.isascii() and SURROGATE.search(value):
        raise NotTextItemError(f"contains half a character (a lone surrogate) as {key}, which is not text")
    return value


def kind_word(value: object) -> str:
    """Name the type of a value for a person: `a number`, `an int64`."""
    kinds: dict[type, str] = {bool: "true or false", int: "a number", float: "a number", list: "a list"}
    kinds |= {dict: "an object", str: "a string", bytes: "bytes", type(None): "None"}
    name = type(value).__name__
    return kinds.get(type(value), f"{'an' if name.startswith(tuple('aeioAEIO')) else 'a'} {name}")


def _line(text: str, limit: int) -> str | None:
    return " ".join(clean(text).text.split())[:limit] or None


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()
