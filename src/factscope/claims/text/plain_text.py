"""The text of a segment without Markdown and HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from factscope.claims.text.raised import on_the_line
from factscope.core import PatternFile

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_LINE = re.compile(r"\\?(?:\r\n|[\r\n])")  # with the backslash of a forced break
_FENCE = re.compile(r"\s*(?P<mark>`{3,}|~{3,})[^\r\n]*(?:\r\n|[\r\n])?(?P<code>.*)", re.DOTALL)
_OPENING = re.compile(
    r"\s*(?:>\s*)*"  # quote
    r"(?:#{1,6}(?=\s|\Z)\s*|(?:[-*+•◦‣▪●○■∙]|\d{1,2}\))\s+(?:\[[ xX]\]\s+)?)?"  # heading, list item with its box
)
_NUMBER = re.compile(r"\d{1,2}\.\s+")
_FURTHER = re.compile(r"\s*(?:>\s*)*(?:#{1,6}\s+|[-*+•◦‣▪●○■∙]\s+(?:\[[ xX]\]\s+)?)?")
_CLOSING_HASHES = re.compile(r"\s+#+\s*\Z")
_ROW = re.compile(r"\s*\|(?P<cells>.*?)\|?\s*\Z", re.DOTALL)
_CELL_EDGE = re.compile(r"(?<!\\)\|")
_MARKS = PatternFile(__package__, "citation_marks.toml")
_CODE_BRACKET = "\ufdd0"
"""Stands for an opening bracket of code, which is not that of a footnote mark; not a character of any text."""
_TIMES = re.compile(r"(?<=\d)\*(?=\*?\d)")
_INLINE_TAGS = (
    "a abbr article aside audio b blockquote body button caption center cite code del details dfn dl em figcaption "
    "figure font footer form head header html i iframe img input ins kbd label link main mark meta nav ol option "
    "picture pre q s samp script section select small source span strong style sub summary sup svg table tbody "
    "textarea tfoot thead time title tt u ul var video wbr"
)
_TAG = re.compile(
    rf"</?(?:(?P<breaks>br|p|div|li|t[dhr]|dd|dt|hr|h[1-6])|{_INLINE_TAGS.replace(' ', '|')})"
    # "x <b and c> y" compares.
    r"(?:\s*/?>|\s+(?:[\w:@.-]+\s*=|(?:checked|controls|disabled|hidden|open|reversed)\b))",
    re.IGNORECASE,
)
_RAISED = re.compile(r"<(/?)(su[bp])\b", re.IGNORECASE)
_NOTE_LINK = re.compile(r"<a\b[^>]*\shref\s*=\s*[\"']?#", re.IGNORECASE)
_LEFT_OVER = re.compile(r"(?<!\w)[*_]{2,}(?=\S)|(?<=\S)[*_]{2,}(?!\w)|\A[*_](?=\w)|(?<=[.!?])[*_]\Z")
_WORDLIKE = re.compile(r"[^\W_]")

# Markdown-it reads a longer text in pieces, which bounds its time for unpaired marks.
_PIECE = 4_000


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("strikethrough")


def plain(text: str, *, numbered: bool = False) -> str:
    """Return the words of one segment without markup, white space collapsed.

    Emphasis, code marks, bullets, heading hashes, quote marks, HTML tags, footnote and citation marks go; a link keeps
    its text, an image its description, a table row its cells with commas between; entities become characters, and
    raised figures after a number small ones. "2)" at the beginning goes, but "2." only from titles (`numbered`):
    list numbers are outside a segment, and "12. Mai 1990" is a date. A segment that would become empty stays as it was.
    """
    if fence := _FENCE.match(text):
        code = fence["code"].rstrip()
        body = " ".join(code.removesuffix(fence["mark"]).split())
    else:
        words = "".join(_pieces(_MARKS["linked_note"].sub("", _without_block_marks(text, numbered))))
        words = _MARKS["author_year"].sub("", _MARKS["footnote"].sub("", words)).replace(_CODE_BRACKET, "[")
        body = " ".join(words.split())
        body = " ".join(_LEFT_OVER.sub("", body).split())
    if _WORDLIKE.search(body) or (body and not _WORDLIKE.search(text)):
        return body
    return " ".join(text.split())


def _without_block_marks(text: str, numbered: bool) -> str:
    lines = _LINE.split(text)
    first = lines[0][_end(_OPENING.match(lines[0])) :]
    if numbered:
        first = first[_end(_NUMBER.match(first)) :]
    heading = lines[0].lstrip(" >").startswith("#")
    if heading:
        first = _CLOSING_HASHES.sub("", first)
    joined = " ".join([first, *(line[_end(_FURTHER.match(line)) :] for line in lines[1:])])
    joined = _TIMES.sub(r"\\*", joined)
    if row := _ROW.match(joined):
        cells = [cell.strip() for cell in _CELL_EDGE.split(row["cells"])]
        return ", ".join(filter(None, cells))
    return joined


def _end(match: re.Match[str] | None) -> int:
    return match.end() if match else 0


def _pieces(text: str) -> Iterator[str]:
    at = 0
    while at < len(text):
        end = at + _PIECE
        end = len(text) if end >= len(text) else text.rfind(" ", at + 1, end) + 1 or end
        written = [" "] if at else []
        _write(_parser().parseInline(text[at:end]), written)
        # markdown-it drops spaces at the ends, but here they may separate two words.
        yield from (*written, " " if end < len(text) else "")
        at = end


def _write(tokens: Sequence[Token], written: list[str]) -> None:
    """Append the words of inline tokens to those written before them."""
    raised = ""  # "sup" or "sub" inside of such an element, "note" in a link to a footnote
    for token in tokens:
        before, words = written[-1] if written else "", ""
        if token.children:
            _write(token.children, written)
        elif token.type == "html_inline":
            if tag := _RAISED.match(token.content):
                raised = "" if tag[1] else tag[2].lower()
            elif raised == "sup" and _NOTE_LINK.match(token.content):
                raised = "note"
            words = _without_tag(token.content)
        elif token.type == "text" and raised:
            words = "" if raised == "note" else on_the_line(token.content, before, below=raised == "sub")
            if not words and written:
                written[-1] = before.rstrip()
        elif token.type == "text":
            words = token.content
        elif token.type in ("code_inline", "text_special"):
            words = token.content.replace("[", _CODE_BRACKET)
        if words:
            written.append(words)


def _without_tag(html: str) -> str:
    """Return nothing for a comment or a tag of HTML, a space for a tag that breaks the line, otherwise the text itself.

    "<your name>" is not a tag, although CommonMark reads it as one.
    """
    if html.startswith(("<!", "<?")):
        return ""
    tag = _TAG.match(html)
    if tag is None:
        return html
    return " " if tag["breaks"] else ""
