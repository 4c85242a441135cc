"""A tree of elements → blocks: paragraphs, headings, list items, table rows, in reading order."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from factscope.evidence.page.regions import region_of

if TYPE_CHECKING:
    from lxml.html import HtmlElement

CELL = " | "
"""Stands between the cells of a table row."""

_BLOCK_NAMES = """
    address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure
    footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol option p plaintext pre search
    section summary table tbody td tfoot th thead tr ul xmp button amp-sidebar amp-ad amp-img
"""
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_KINDS = {
    **{f"h{level}": f"h{level}" for level in range(1, 7)},
    "li": "li", "dt": "dt", "dd": "dd", "pre": "pre", "listing": "pre", "xmp": "pre", "tr": "row", "p": "p",
    "figcaption": "caption", "caption": "caption", "blockquote": "quote", "summary": "h6",
}  # fmt: skip
_SILENT = frozenset({"script", "style", "meta", "link", "base"})
_LINKED_TO_THEMSELVES = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "dt"})
_SPACE = re.compile(r"[ \t\n\r\f\u00a0]+")
_NOTE = re.compile(r"(?<!\[)\[(?:\d{1,3}|[a-z]|note \d+|citation needed)\](?!\])", re.IGNORECASE)
_WORDY_CELL = 300


class Region(NamedTuple):
    """An element whose names or tag say that it is no part of the main text."""

    kind: str
    element: HtmlElement


class Block(NamedTuple):
    """A piece of text that stands on its own."""

    text: str
    kind: str
    """`p`, `h1` to `h6`, `li`, `dt`, `dd`, `row`, `pre`, `quote`, `caption`; `div` for all else."""
    linked: int
    """How many of its characters are links."""
    element: HtmlElement
    """What it is the text of."""
    regions: tuple[Region, ...]
    """Regions that it is in, the outermost first."""
    anchors: int = 0
    """How many links it has."""
    number: int = 0
    """Its place in a numbered list, from 1; 0 if it is in none."""
    soft: bool = False
    """Whether only a line break parts it from the one before."""

    @property
    def size(self) -> int:
        """Characters that are no link."""
        return len(self.text) - self.linked

    @property
    def links(self) -> float:
        """Share of its characters that are links."""
        return self.linked / max(1, len(self.text))


class _Writer:
    """Collects text until a block ends, while a page is walked through."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.size = 0
        self._pieces: list[str] = []
        self._linked = 0
        self._anchors = 0
        self._links = 0
        self._rows = 0
        self._verbatim = 0
        self._broken = False
        self._regions: tuple[Region, ...] = ()
        self._data_tables: set[HtmlElement] = set()

    def open(self, element: HtmlElement) -> None:
        """Come to an element."""
        tag = element.tag
        if tag in _BLOCKS and (not self._rows or tag == "table"):
            self.end(element.getparent() if element.getparent() is not None else element)
        if (kind := region_of(element)) is not None:
            self._regions = (*self._regions, Region(kind, element))
        if tag == "table" and not self._rows and _is_data(element):
            self._data_tables.add(element)
        self._rows += self._is_row(element)
        self._verbatim += _KINDS.get(tag) == "pre"
        if _is_link(element):
            self._links += 1
            self._anchors += 1
        if tag == "br":
            self._break(element)
        if tag not in _SILENT:
            self._add(element.text)

    def close(self, element: HtmlElement, last: bool) -> None:
        """Leave an element; `last`: what comes after it is no part of the page."""
        tag = element.tag
        if tag in _BLOCKS and (not self._rows or tag == "tr"):
            self.end(element)
        elif self._rows and tag in _BLOCKS:
            self._pieces.append(CELL if tag in {"td", "th"} else " ")
        self._rows -= self._is_row(element)
        self._verbatim -= _KINDS.get(tag) == "pre"
        self._links -= _is_link(element)
        if self._regions and self._regions[-1].element is element:
            self._regions = self._regions[:-1]
        if not last:
            self._add(element.tail)

    def end(self, element: HtmlElement) -> None:
        """Close the block that is being written, which is the text of `element`."""
        text = "".join(self._pieces)
        linked, anchors, soft = self._linked, self._anchors, self._broken
        self._pieces, self._linked, self._anchors, self._broken = [], 0, 0, False
        if not text.strip():
            return
        text = text.strip("\n") if self._verbatim else _SPACE.sub(" ", text).strip()
        text = _NOTE.sub("", text.removesuffix(CELL.rstrip()).rstrip())
        self.size += len(text)
        if any(char.isalnum() for char in text):
            kind, number = _kind(element)
            self.blocks.append(Block(text, kind, min(linked, len(text)), element, self._regions, anchors, number, soft))

    def _add(self, text: str | None) -> None:
        if text:
            self._pieces.append(text if self._verbatim else _SPACE.sub(" ", text))
            self._linked += len(text.strip()) if self._links else 0

    def _break(self, element: HtmlElement) -> None:
        """A line break parts blocks, but not within a link or a row."""
        self._pieces.append("\n" if self._verbatim else " ")
        if not self._rows and not self._verbatim and not self._links:
            self.end(_holder(element))
            self._broken = True

    def _is_row(self, element: HtmlElement) -> bool:
        return bool(element.tag == "tr") and _table_of(element) in self._data_tables


def read_blocks(tree: HtmlElement, characters: int) -> list[Block]:
    """The blocks of a page from which what is not seen has been taken out, until they have so many characters."""
    from lxml import etree

    writer = _Writer()
    for event, element in etree.iterwalk(tree, events=("start", "end")):
        if writer.size > characters:
            break
        if not isinstance(element.tag, str) or element.tag in {"head", "title"}:
            continue
        if event == "start":
            writer.open(element)
        else:
            writer.close(element, element is tree)
    writer.end(tree)
    return writer.blocks


def written(blocks: list[Block]) -> str:
    """Blocks as text: paragraphs apart by an empty line, lists and tables line by line."""
    parts: list[str] = []
    last: Block | None = None
    for block in blocks:
        if last is not None:
            close = block.soft or {block.kind, last.kind} in ({"row"}, {"li"}, {"dt", "dd"}, {"dd"})
            close = close and (block.number != 1 or block.kind != last.kind) and not (last.number and not block.number)
            parts.append("\n" if close else "\n\n")
        mark = "" if block.kind != "li" else f"{block.number}. " if block.number else "- "
        parts.append(mark + block.text)
        last = block
    return "".join(parts)


def _kind(element: HtmlElement) -> tuple[str, int]:
    """What kind of block an element makes of its text, which may stand in a list."""
    for other in (element, element.getparent()):
        if other is None:
            break
        kind = _KINDS.get(other.tag)
        if kind == "li":
            owner = other.getparent()
            numbered = owner is not None and owner.tag == "ol"
            return "li", _place(other) if numbered and other.text is not None else 0
        if kind is not None and (other is element or kind in {"pre", "quote", "dd"}):
            return kind, 0
    return ("caption" if "caption" in (element.get("class") or "").lower() else "div"), 0


def _place(item: HtmlElement) -> int:
    count = 1
    for other in item.itersiblings("li", preceding=True):
        count += 1
        if count > 999:
            return 0
        del other
    return count


def _holder(element: HtmlElement) -> HtmlElement:
    while element.getparent() is not None and element.tag not in _BLOCKS:
        element = element.getparent()
    return element


def _is_link(element: HtmlElement) -> bool:
    """Whether an element leads elsewhere; headings and terms often link to themselves."""
    address = element.get("href") if element.tag == "a" else None
    if address is None:
        return False
    parent = element.getparent()
    return not (address.startswith("#") and parent is not None and parent.tag in _LINKED_TO_THEMSELVES)


def _table_of(row: HtmlElement) -> HtmlElement | None:
    parent = row.getparent()
    while parent is not None and parent.tag in {"tbody", "thead", "tfoot"}:
        parent = parent.getparent()
    return parent


def _is_data(table: HtmlElement) -> bool:
    """Whether a table holds data, and is not there to lay out the page."""
    if table.get("role") in {"presentation", "none"} or next(table.iterdescendants("table"), None) is not None:
        return False
    for cell in table.iter("td"):
        if next(cell.iterdescendants("h1", "h2", "h3", "p", "div", "ul"), None) is None:
            continue
        if sum(len(text) for text in cell.itertext()) > _WORDY_CELL:
            return False
    return True
