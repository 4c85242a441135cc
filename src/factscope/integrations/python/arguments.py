"""Parsing of the caller's arguments: texts, contexts and evidence; each mistake is a `UsageError` with its fix."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import NamedTuple, Protocol

from pydantic import BaseModel

from factscope.core import UsageError, matching_paths
from factscope.core.records import Document
from factscope.evidence.addresses import web_url
from factscope.evidence.file_list import is_archive
from factscope.evidence.formats import KINDS
from factscope.evidence.text_documents import TEXT_KEYS, NotTextItemError, fields_of, kind_word, text_documents


class HasText(Protocol):
    """A node of LlamaIndex, or an object of the caller's own."""

    @property
    def text(self) -> str:
        """The text."""


class HasPageContent(Protocol):
    """A document of LangChain."""

    @property
    def page_content(self) -> str:
        """The text."""


class HasContent(Protocol):
    """A document of Haystack."""

    @property
    def content(self) -> str | None:
        """The text, if it has one."""


Text = str | Mapping[str, object] | Document | HasText | HasPageContent | HasContent
"""A text from the caller: a string, a dict with `text` (and optionally `id`, `title`, `url`), or a document, also of
a library that retrieves documents."""
Contexts = Text | Sequence[Text]
EvidenceItem = Path | Text
"""A file or folder, a pattern of files such as `docs/*.md`, an address on the web, or a text."""
Evidence = EvidenceItem | Sequence[EvidenceItem]

_FEWEST_WORDS = 4
"""Words from which a string that names no file counts as a text; paths rarely have that many."""


def must_be(value: object, kinds: type | tuple[type, ...], argument: str, example: str) -> None:
    """Raise UsageError if a value has none of these types; `None` means the default."""
    if value is not None and not isinstance(value, kinds):
        raise UsageError(f"{argument} is {kind_word(value)}.", f"Such as {argument}={example}.")


def must_be_share(value: object, argument: str) -> None:
    """Raise UsageError for a least score or coverage that is not a share."""
    if not isinstance(value, int | float) or not 0 <= value <= 1:
        words = f"{value:g}" if isinstance(value, int | float) else kind_word(value)
        raise UsageError(f"{argument} is {words}.", f"A share from 0 to 1, such as {argument}=0.8.")


def must_be_rows(limit: object) -> None:
    """Raise UsageError for a limit that is not a number of rows."""
    if limit is not None and (not isinstance(limit, int) or isinstance(limit, bool) or limit < 1):
        raise UsageError(f"limit is {limit!r:.40}, not a number of rows.", "Give 1 or more, or leave it out for all.")


def must_be_draws(resamples: object, seed: object, *, fewest: int) -> None:
    """Raise UsageError for settings of a bootstrap that nothing can be drawn with; `fewest` are the least draws."""
    for argument, value, least in (("resamples", resamples, fewest), ("seed", seed, 0)):
        if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
            raise UsageError(f"{argument} is {value!r:.40}, not a whole number.", f"Give {least} or more.")


def file_path(path: object) -> Path:
    """Return the path of a file. Raises UsageError for anything else than a string or a path."""
    if not isinstance(path, str | PathLike):
        raise UsageError(f"A file is named by a string or a path, not by {kind_word(path)}.", 'Such as "report.html".')
    return Path(path)


class EvidenceParts(NamedTuple):
    """Evidence, sorted by kind."""

    paths: tuple[Path, ...]
    urls: tuple[str, ...]
    documents: tuple[Document, ...]


def checked_text(text: object, call: str) -> str:
    """Return the text to check. Raises UsageError for anything else than a string, and for the name of a file."""
    if not isinstance(text, str):
        raise UsageError(
            f"{call}() checks one text, a string; this is {kind_word(text)}.",
            'For many texts: factscope.Checker(…).run(rows, text="answer").',
        )
    if len(text.split()) == 1 and _is_file(text):
        raise UsageError(f"{text!r} is a file, and {call}() takes the text itself.", "Read it: Path(…).read_text().")
    return text


def _is_file(name: str) -> bool:
    try:
        return Path(name.strip()).is_file()
    except (OSError, ValueError):  # no name that a file could have
        return False


def read_contexts(contexts: Contexts | None) -> tuple[Document, ...]:
    """Return the contexts as documents. Raises UsageError for one that is not text."""
    return _documents(as_list(contexts), "contexts")


def read_evidence(evidence: Evidence | None) -> EvidenceParts:
    """Return the evidence by kind. Raises UsageError for a missing path and for anything but evidence."""
    paths: list[Path] = []
    urls: list[str] = []
    texts: list[object] = []
    for item in as_list(evidence):
        if isinstance(item, str) and not item.strip():
            raise UsageError("evidence names an empty string.", "Name a file or folder, an address, or give a text.")
        if isinstance(item, str) and web_url(item.strip()):
            urls.append(item.strip())
        elif isinstance(item, PathLike) or (isinstance(item, str) and _is_path(item)):
            paths += _existing(Path(item))
        else:
            texts.append(item)
    return EvidenceParts(tuple(paths), tuple(urls), _documents(texts, "evidence"))


def must_be_outside_a_loop(call: str, instead: str) -> None:
    """Raise UsageError inside a running event loop, which a blocking call would hold up."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise UsageError(
        f"{call}() blocks, and an event loop is running here (an async function, or a notebook).",
        f"Write instead: {instead}",
    )


def as_list(value: object) -> list[object]:
    """Return the items of a list, none for `None`; anything else is one item, as a data frame would yield columns.

    What has a text is one item, too: a pydantic model, a named tuple or a row of a data frame would yield its fields.
    """
    if value is None:
        return []
    lone = isinstance(value, bytes | PathLike | BaseModel) or hasattr(value, "columns") or fields_of(value) is not None
    return [value] if lone or not isinstance(value, Iterable) else list(value)


def _documents(items: Sequence[object], argument: str) -> tuple[Document, ...]:
    for number, item in enumerate(items):
        fields = {"text": item} if isinstance(item, Document) else fields_of(item)
        if fields is None:
            raise UsageError(
                f"{argument}[{number}] is {kind_word(item)}, not a text.",
                'Give strings, dicts such as {"text": "…"}, factscope.Document records, or objects with one of the'
                f" attributes {', '.join(TEXT_KEYS)}.",
            )
        if not any(fields.get(key) is not None for key in TEXT_KEYS):
            keys = ", ".join(repr(key) for key, value in fields.items() if value is not None) or "nothing"
            raise UsageError(
                f"{argument}[{number}] has no 'text'; it has {keys}.",
                'Such as {"text": "…", "id": "doc-7", "title": "…", "url": "https://…"}; only text is needed.',
            )
    try:
        return text_documents(list(items), "context" if argument == "contexts" else "text")
    except NotTextItemError as error:
        raise UsageError(f"{argument} {error}.", "Give each a text, and a unique id or none.") from None


def _is_path(item: str) -> bool:
    """Return whether a string names a file: an existing one, or one that looks like a path and not like a sentence."""
    if "\n" in item:
        return False
    try:
        if _with_home(Path(item)).exists():
            return True
    except (OSError, ValueError):  # too long for a name, or a NUL character
        return False
    if Path(item).suffix.lower() in KINDS or is_archive(Path(item)):
        return True
    return len(item.split()) < _FEWEST_WORDS and not re.search(r"[.!?]$", item.strip())


def _with_home(path: Path) -> Path:
    """Expand a leading `~` or `~user`, but not the "~" of "~5 million people", which names no user."""
    try:
        return path.expanduser()
    except RuntimeError:
        return path


def _existing(path: Path) -> list[Path]:
    """Return the path, or the files that it names as a pattern. Raises UsageError when there are none."""
    path = _with_home(path)
    paths = matching_paths(path)
    if not paths[0].exists():
        raise UsageError(
            f"Evidence {str(path)!r} does not exist.",
            "Name a file or folder that exists; to give the evidence itself, write contexts=[text] or"
            ' evidence=[{"text": "…"}].',
        )
    return paths
