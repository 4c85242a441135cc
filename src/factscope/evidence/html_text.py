"""HTML files → the text that a reader of the page sees. Runs in the child process: the markup is hostile."""

from __future__ import annotations

from typing import NamedTuple

from factscope.evidence.page.markup import MAX_TAGS
from factscope.evidence.page.page import MAX_BYTES, MAX_CHARACTERS, read_html

MAX_PAGE_BYTES = MAX_BYTES
"""Larger pages are not read."""
_SILENT = frozenset({"folded_text", "needs_javascript"})


class HtmlText(NamedTuple):
    """Text of a page."""

    text: str
    title: str | None
    published: str | None
    flags: tuple[str, ...]
    complaint: str | None
    """Content of the page that could not be used, for a person."""


def read_page(data: bytes) -> HtmlText:
    """Main text of a page, with paragraphs apart by empty lines; all its visible text when the main one can't be told.

    Raises NotTextError for bytes that are not text.
    """
    page, large = read_html(data, None, "")
    complaint = None
    if "truncated" in page.flags:
        complaint = (
            "is read in part: its tags are nested too deeply, or its text is longer than "
            f"{MAX_CHARACTERS:,} characters; what comes after that is left out. Save the page as plain text"
        )
    elif large:
        complaint = (
            f"is read line by line, as it has more than {MAX_TAGS:,} tags: menus and comments may be in its text. "
            "Save the part that matters as a page of its own"
        )
    return HtmlText(
        page.text, page.title, page.published, tuple(flag for flag in page.flags if flag not in _SILENT), complaint
    )
