"""Fetched bytes → the text that a person would read there. Pure; run it in the child process: pages are hostile."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from factscope.claims.text.language import language_of
from factscope.core import Category
from factscope.evidence.decode import NotTextError, clean_letters, page_text
from factscope.evidence.formats import BadPart, kind_of
from factscope.evidence.page.injection import Instruction, instruction_spans
from factscope.evidence.page.page_type import Kind

if TYPE_CHECKING:
    from factscope.evidence.page.markup import ParsedMarkup

MAX_BYTES = 20_000_000
"""Larger pages are not read: their tree would take many times as much memory."""
MAX_CHARACTERS = 1_000_000
"""Most characters of the text of one page; the rest is cut off and flagged."""
PDF_SECONDS = 6.0
"""Seconds for the pages of a PDF; pages not read by then are left out and flagged."""

_HTML_TYPES = re.compile(r"\b(?:html|xhtml|xml)\b")
_TAGS = re.compile(rb"<(?:!doctype\s+html|html|head|body|title|meta|div|p|article|table|script)\b", re.IGNORECASE)
_HEAD = 2_048  # bytes that show the type of a body


class ReadPage(NamedTuple):
    """Text and metadata of a page."""

    url: str
    text: str
    """Paragraphs separated by empty lines, items of lists and rows of tables line by line, cells by a bar."""
    kind: Kind
    title: str | None = None
    author: str | None = None
    """Several are separated by commas."""
    publisher: str | None = None
    published: str | None = None
    """Date in ISO 8601, as the page states it."""
    language: str | None = None
    """Two or three letters, as in ISO 639: as the page states it, otherwise guessed."""
    hints: tuple[Category, ...] = ()
    """Kinds of source that the page states, the most reliable first."""
    flags: tuple[str, ...] = ()
    """`hidden_text_removed`; `hidden_instruction_like`: that text contained instructions to a model;
    `instruction_like`: so does the remaining text or the title; `possibly_hidden`: some of the text may be invisible;
    `folded_text`: some is visible only after unfolding; `mixed_scripts`: letters of one alphabet imitate those of
    another; `truncated`; `boilerplate_only`: there is no main text, so this is all text of the page; `paywalled`;
    `needs_javascript`; `encoding_guessed`."""
    instructions: tuple[Instruction, ...] = ()
    """Spans of the text that give instructions to a model."""

    @property
    def file_flags(self) -> tuple[str, ...]:
        """The flags that also apply to a page that was saved as a file."""
        return tuple(flag for flag in self.flags if flag not in ("folded_text", "needs_javascript"))


def read_page(content: bytes, content_type: str | None, charset: str | None, url: str) -> ReadPage:
    """Read the page that was fetched from `url`, by its content and the type that the server states.

    Raises NotTextError for other content, with words that follow the address. Raises MemoryError.
    """
    if len(content) > MAX_BYTES:
        raise NotTextError(f"is larger than {MAX_BYTES // 1_000_000} MB")
    if not content.strip():
        return ReadPage(url, "", "empty")
    kind = _kind(content, (content_type or "").lower())
    if kind == "pdf":
        return _pdf(content, url)
    if kind == "html":
        return read_html(content, charset, url)[0]
    text, flags = page_text(content, charset)
    return _finished(ReadPage(url, text, "text"), flags)


def read_html(content: bytes, charset: str | None, url: str) -> tuple[ReadPage, ParsedMarkup]:
    """Read an HTML page; also return its parsed markup.

    Raises NotTextError for content that is not text. Raises MemoryError.
    """
    from factscope.evidence.page.markup import read_markup

    source, flags = page_text(content, charset)
    read = read_markup(source, url)
    page = ReadPage(url, read.text, read.kind, *read.about[:6])
    return _finished(page, (*flags, *read.flags), read.prose, read.labels), read


def _kind(content: bytes, content_type: str) -> str:
    kind = kind_of("", content[:1_024])
    if isinstance(kind, BadPart):
        raise NotTextError(kind.message)
    if kind in {"pdf", "html"}:
        return kind
    if _HTML_TYPES.search(content_type) or (
        not content_type.startswith("text/plain") and _TAGS.search(content[:_HEAD])
    ):
        return "html"
    if content_type and not re.match(r"text/|application/(?:json|[\w.+-]*json|octet-stream|x-\w*text)", content_type):
        raise NotTextError(f"is of the type {content_type[:60]}, which is not read")
    return "txt"


def _pdf(content: bytes, url: str) -> ReadPage:
    from factscope.evidence.page.pdf import read_pdf

    pdf = read_pdf(content, PDF_SECONDS, MAX_CHARACTERS)
    page = ReadPage(url, pdf.text, "pdf", pdf.title, pdf.author, None, pdf.published, pdf.language)
    return _finished(page, pdf.flags, pdf.removed)


def _finished(page: ReadPage, flags: Iterable[str], removed_text: str = "", labels: str = "") -> ReadPage:
    """Return the page with cleaned letters and all its flags.

    `removed_text` and `labels` are the prose and labels that were removed.
    """
    text, hidden, mixed = clean_letters(page.text)
    # A tab at the end of a line stands for an empty cell.
    text = re.sub(r"\n{3,}", "\n\n", re.sub(r"(?:(?<![^\n])[ \t]+| +)(?=\n|$)", "", text)).strip("\n")
    names = [clean_letters(name).text.strip() or None if name else None for name in page[3:6]]
    message = instruction_spans(text[:MAX_CHARACTERS])
    in_names = any(instruction_spans(name) for name in names if name)
    flags_found = {
        *flags,
        *flags_of_removed(removed_text, labels),
        *(["hidden_text_removed"] if hidden else []),
        *(["mixed_scripts"] if mixed else []),
        *(["truncated"] if len(text) > MAX_CHARACTERS else []),
        *(["instruction_like"] if message or in_names else []),
    }
    text = text[:MAX_CHARACTERS]
    return page._replace(
        text=text,
        kind=page.kind if text.strip() or page.kind in {"captcha", "cookie_wall", "error_page", "paywall"} else "empty",
        title=names[0],
        author=names[1],
        publisher=names[2],
        language=page.language or language_of(text),
        flags=tuple(sorted(flags_found)),
        instructions=message,
    )


def flags_of_removed(text: str, labels: str = "") -> tuple[str, ...]:
    """Return the flags of a page from which invisible prose and labels were removed."""
    if instruction_spans(f"{text}\n\n{labels}"):
        return ("hidden_text_removed", "hidden_instruction_like")
    return ("hidden_text_removed",) if text.strip() else ()
