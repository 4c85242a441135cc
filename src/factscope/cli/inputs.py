"""The text to check: a file, standard input, or the words themselves."""

from __future__ import annotations

import errno
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from factscope.cli.output import log
from factscope.core import InputError, UsageError, many, system_reason

if TYPE_CHECKING:
    from factscope.core.records import Document
    from factscope.evidence.formats import BadPart


def read_text(source: str) -> str:
    """Read the text from FILE, `-` or TEXT.

    Raises UsageError when it looks like a file that is not there, and InputError when the content is not text.
    """
    if source == "-":
        return _decode(sys.stdin.buffer.read(_MOST_BYTES), "Standard input")
    if not source.strip():
        return source
    path, one_word = Path(source), len(source.split()) < _FEWEST_WORDS and not _UNSPACED.search(source)
    try:
        if path.is_dir():
            raise UsageError(f"{source} is a folder.", "Name one text file, or give the folder as --evidence.")
        if path.exists():
            with path.open("rb") as file:
                return _decode(file.read(_MOST_BYTES), source)
    except OSError as error:
        # No file has a name that is too long for one: these are words, of which some may hold a slash.
        if error.errno != errno.ENAMETOOLONG and ("/" in source or one_word):
            raise InputError(f"{source[:200]} can't be read: {system_reason(error)}.") from None
    except ValueError:  # a NUL character: no name of a file
        pass
    from factscope.evidence.formats import FILE_ENDINGS

    if path.suffix.lower() in FILE_ENDINGS or (one_word and "/" in source):
        raise UsageError(
            f"File not found: {source[:200]}.",
            "To check words, give a sentence in quotes, or send them to: factscope check -",
        )
    return source


def names_file(source: str) -> bool:
    """Return whether an argument that `read_text` has read is the name of a file, and not the text itself."""
    try:
        return Path(source).is_file()
    except (OSError, ValueError):  # longer than a name can be, or with a NUL character
        return False


def read_contexts(paths: Sequence[Path]) -> tuple[Document, ...]:
    """Return the texts in files of any kind that evidence may have, as documents named after them.

    Rows and parts of a file that can't be used are listed on standard error. Raises UsageError for a file that is not
    there, and InputError for one without a text, or with one id for two texts.
    """
    from factscope.evidence.file_reader import FileReader
    from factscope.evidence.formats import TextRow
    from factscope.evidence.text_documents import NotTextItemError, text_documents

    items = []
    with FileReader() as reader:
        for path in paths:
            if path.is_dir():
                raise UsageError(f"{path} is a folder.", "Name its files, or give the folder as --evidence.")
            if not path.is_file():
                problem = "is not a plain file" if path.exists() else "does not exist"
                raise UsageError(f"Context {path} {problem}.", "Name files that exist.")
            try:
                rows = list(reader.read(path))
            except OSError as error:
                raise InputError(
                    f"{path} can't be read: {system_reason(error)}.", "Name a file with text in it."
                ) from None
            texts = [row for row in rows if isinstance(row, TextRow)]
            problems = [row for row in rows if not isinstance(row, TextRow)]
            if not texts:
                raise InputError(f"{_first_of(path, problems)}.", "Name a file with text in it.")
            if problems:
                log(f"Not used as context: {_first_of(path, problems)}", "yellow")
            items += [
                {"text": row.text, "id": f"{path}{row.place}", "title": row.title or path.name, "url": row.url}
                for row in texts
            ]
    try:
        return text_documents(items)
    except NotTextItemError as error:
        raise InputError(f"--context {error}.", "Give each text an id of its own, or none.") from None


def _first_of(path: Path, problems: Sequence[BadPart]) -> str:
    """Name the first problem of a file with its line, and the number of others."""
    first, *others = problems
    place = f"{path}, line {first.line}:" if first.line else f"{path}"
    return f"{place} {first.message}" + (f"; and {many(len(others), 'more problem')}" if others else "")


_FEWEST_WORDS = 2  # an argument of one word that names no file is a mistyped path
_UNSPACED = re.compile("[。！？｡]")
"""Ends of sentences in languages that put no space between words."""
_MARKUP = re.compile(r"\s*(?:(?P<pdf>%PDF-)|<!doctype html|<html[\s>])", re.IGNORECASE)
"""The beginning of a file whose text has to be taken out of it first."""
_MOST_BYTES = 4 * 2_000_000 + 4
"""Enough to hold the longest text that is checked, and to see that one is longer."""


def _decode(content: bytes, name: str) -> str:
    if len(content) == _MOST_BYTES:
        raise InputError(f"{name} is larger than 8 MB; at most 2,000,000 characters are checked.", "Split it.")
    marks = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
    encoding = next((encoding for mark, encoding in marks if content.startswith(mark)), "utf-8")
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name} is not UTF-8 text (byte {error.start:,}).",
            "If it is text, save it as UTF-8; if it is a PDF or a page, give it as --evidence and check its text.",
        ) from None
    if "\x00" in text:
        raise InputError(f"{name} is a binary file, not text.", "Give a plain-text or Markdown file in UTF-8.")
    if markup := _MARKUP.match(text):
        kind = "PDF" if markup["pdf"] else "web page"
        raise InputError(
            f"{name} is a {kind}, not text: its markup would be checked as if it were words.",
            "Save its text as a plain-text or Markdown file; to search it, name it with --evidence.",
        )
    return text
