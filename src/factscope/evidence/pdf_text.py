"""PDF → text. Runs in the child process: streams may claim to unpack to anything."""

from __future__ import annotations

import re
import time
from io import BytesIO
from typing import NamedTuple

from factscope.evidence.decode import NotTextError

_BROKEN_WORD = re.compile(r"(?<=[a-z])-\n(?=[a-z])")


_NO_TITLES = frozenset({"anonymous", "untitled", "unknown", "none", "title", "document"})
"""Titles that programs write into a PDF without one: the file's name says more."""


class PdfText(NamedTuple):
    """Text of a PDF."""

    text: str
    title: str | None
    flags: tuple[str, ...]
    complaint: str | None
    """Content that could not be used, for a person."""


def read_pdf(data: bytes, seconds: float, characters: int) -> PdfText:
    """Text of the pages, apart by empty lines, until `seconds` of processor time or `characters` are used up.

    Raises NotTextError for a broken or protected file, or one without text.
    """
    from pypdf import PdfReader

    stop = time.process_time() + seconds
    try:
        reader = PdfReader(BytesIO(data), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            raise NotTextError("is protected by a password; save a copy without one")
        total = len(reader.pages)
        title = str((reader.metadata and reader.metadata.title) or "").strip() or None
        if title and is_no_title(title):
            title = None
    except NotTextError:
        raise
    except Exception as error:  # noqa: BLE001 - on broken files pypdf raises nearly anything
        raise NotTextError(f"is a broken PDF ({_name(error)}); open it and save it again") from None
    pages: list[str] = []
    n_unreadable = 0
    size = 0
    for number in range(total):
        if time.process_time() > stop or size > characters:
            n_unreadable += total - number
            break
        try:
            page = reader.pages[number].extract_text()
        except Exception:  # noqa: BLE001 - one broken page, or one that unpacks to gigabytes, costs that page
            n_unreadable += 1
            continue
        pages.append(_BROKEN_WORD.sub("", page).strip())
        size += len(pages[-1])
    text = "\n\n".join(page for page in pages if page)
    if not text:
        reason = "its pages can't be read" if n_unreadable else "has no text: its pages are pictures"
        raise NotTextError(f"{reason}; run it through text recognition (OCR) or save it again")
    if not n_unreadable:
        return PdfText(text, title, (), None)
    complaint = f"is read in part: {n_unreadable} of its {total} pages could not be read in time or at all; split it"
    return PdfText(text, title, ("truncated",), complaint)


def is_no_title(title: str) -> bool:
    """Return whether a title is a program's placeholder for a file without one."""
    return title.strip("() ").casefold() in _NO_TITLES


def _name(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:120]
