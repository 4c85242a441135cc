"""The text in and around an element of a page, and the visible text of a page line by line.

The lines are for pages whose main text cannot be determined. They also show the type of page: the amount of text, and
the share of links to other pages.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from lxml.html import HtmlElement


def text_length(element: HtmlElement) -> int:
    """Return the length of the text in an element, with single blanks."""
    return int(element.xpath("string-length(normalize-space())"))


def spaced_text(element: HtmlElement) -> str:
    """Return the text of an element with single blanks."""
    return " ".join("".join(element.itertext()).split())


def own_text(element: HtmlElement) -> str:
    """Return the text of an element outside its children."""
    return (element.text or "") + "".join(child.tail or "" for child in element)


CELL = " | "
"""Separates the cells of a table row."""

_BLOCK_NAMES = """
    address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure
    footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol p plaintext pre search
    section summary table tbody tfoot thead tr ul xmp button
"""
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_CELLS = frozenset({"td", "th"})
_ROWS = frozenset({"tbody", "tfoot", "thead", "tr"})
_SILENT = frozenset({"script", "style", "meta", "link", "base", "title"})
_HEADINGS = frozenset({"h1", "h2"})
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]{2}|[^\W_]+")


class VisibleLine(NamedTuple):
    """Text between two block boundaries of a page."""

    text: str
    heading: bool
    """Whether it is a heading of the first or second level."""
    linked: int
    """Number of its characters that are links."""
    under_row: bool = False
    """Whether it is a row of a table below another."""

    @property
    def is_link(self) -> bool:
        """Whether most of it is links."""
        return 2 * self.linked >= len(self.text)


def visible_lines(tree: HtmlElement, max_characters: int) -> list[VisibleLine]:
    """Return the lines of a page without its hidden text, until they have `max_characters`."""
    from lxml import etree

    writer = _Writer()
    for event, element in etree.iterwalk(tree, events=("start", "end")):
        tag = element.tag
        if event == "start":
            if tag in _BLOCKS:
                writer.end_line(heading=False)
                writer.in_rows &= tag in _ROWS
            elif tag == "a":
                writer.link_depth += 1
            if element.text and tag not in _SILENT:
                writer.add(element.text)
            continue
        if tag in _BLOCKS:
            before = len(writer.lines)
            writer.end_line(heading=tag in _HEADINGS)
            writer.in_rows = tag in _ROWS and (writer.in_rows or len(writer.lines) > before)
            if writer.size > max_characters:
                break
        elif tag == "a":
            writer.link_depth -= 1
        elif tag in _CELLS:
            writer.pieces.append(CELL)
        if element.tail:
            writer.add(element.tail)
    writer.end_line(heading=False)
    return writer.lines


def count_words(text: str) -> int:
    """Count words, and pairs of characters in scripts without spaces."""
    return len(_WORD.findall(text))


class _Writer:
    """Collects text until a line ends."""

    def __init__(self) -> None:
        self.lines: list[VisibleLine] = []
        self.size = 0
        self.link_depth = 0
        self.in_rows = False
        self.pieces: list[str] = []
        self._linked = 0

    def add(self, text: str) -> None:
        """Add text to the line."""
        self.pieces.append(text)
        if self.link_depth:
            self._linked += len(text.strip())

    def end_line(self, heading: bool) -> None:
        """End the line, and keep it if it has a letter or digit."""
        if not self.pieces:
            return
        text = " ".join("".join(self.pieces).split())
        bar = CELL.strip()
        if CELL in self.pieces:
            # Each cell is followed by a bar. An empty one at an end keeps a bar outside, as in Markdown.
            text = text if text.endswith(f"{bar} {bar}") else text.removesuffix(bar).rstrip()
            text = f"{bar} {text}" if text.startswith(bar) else text
        linked = self._linked
        self.pieces, self._linked = [], 0
        if any(map(str.isalnum, text)):
            self.size += len(text)
            self.lines.append(VisibleLine(text, heading, min(linked, len(text)), self.in_rows))
