"""Layout that carries meaning, written into a page's tree: struck text, ruby, quotations, dates, raised figures, cells.

Text alone would lose it: a price that no longer holds would stand beside the new one, 10 with a raised 6 would become
106, and a figure would slide under another column's name.
"""

from __future__ import annotations

import re
from collections.abc import Set
from typing import TYPE_CHECKING

from factscope.claims.text.raised import on_the_line
from factscope.evidence.page.hidden_text import MOST_OF_PAGE
from factscope.evidence.page.visible_lines import own_text, text_length, visible_lines

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_LONGEST_NOTE = 20
"""Characters of a link to a footnote."""
_NOTE_ADDRESS = re.compile(r"#|[^#]*#[^#]*(?:cite|note|fn|ref)", re.IGNORECASE)
_WRAPPERS = frozenset({"a", "b", "em", "font", "i", "span", "strong"})
_CELLS = frozenset({"td", "th"})
_ENTRIES = frozenset({"dd", "dt", *_CELLS})
_NOTE_IN_CELL = re.compile(
    r".*(?:[^\W\d_]{3}|(?:\d[.,]?){3}|[)%](?!\n\d))\n[(\[]?(?:\d\d?|[a-z](?:, ?[a-z])*)[)\]]?", re.DOTALL
)
"""The end of a cell and the mark of a note there: not a power, as after the 10 of 10⁶ and the unit of km²."""
_STRUCK = frozenset({"del", "s", "strike"})
_ROWS = frozenset({"table", "tbody", "td", "tfoot", "th", "thead", "tr"})
_PARAGRAPHS = ("p", "h1", "h2", "h3", "h4", "h5", "h6")
NUMBERED = "number"
"""Begins the attribute `rend` of a list item; its number follows."""
_CAPTION, _DIGITS = "\ufdd0", {ord(str(digit)): 0xFDD1 + digit for digit in range(10)}
"""Characters of a caption's mark, at its ends and for its number: none is one of a script, so that nothing of a mark is
left where trafilatura removes such characters."""
CAPTION_MARK = re.compile(rf"{_CAPTION}[\ufdd1-\ufdda]+{_CAPTION}")
"""The mark of a caption."""
MAX_CAPTION = 10_000
"""Characters from which the rest of a caption is left out."""
_NUMBER = re.compile(r"\s*([-+]?\d{1,9})(?!\d)", re.ASCII)


def drop_struck(tree: HtmlElement, by_style: Set[HtmlElement]) -> None:
    """Remove struck out text; `by_style` are elements that a style strikes out."""
    _drop(tree, by_style | {*tree.iter(*_STRUCK)})


def drop_readings(tree: HtmlElement) -> None:
    """Replace words that their pronunciation is written above (ruby) by the words alone."""
    _drop(tree, {*tree.xpath("//ruby//rt | //ruby//rtc")})
    for element in list(tree.iter("ruby", "rb")):
        element.drop_tag()  # trafilatura takes them for paragraphs


def write_quotations(tree: HtmlElement) -> None:
    """Write the quotation marks that browsers show around `q`."""
    for element in list(tree.iter("q")):
        opening, closing = "“”" if next(element.iterancestors("q"), None) is None else "‘’"
        element.text = opening + (element.text or "")
        if len(element):
            element[-1].tail = (element[-1].tail or "") + closing
        else:
            element.text += closing
    for element in list(tree.iter("q")):
        element.drop_tag()  # trafilatura takes them for paragraphs


def keep_dates(tree: HtmlElement) -> None:
    """Take dates out of their `time` where they are part of a sentence, an entry or a cell.

    Trafilatura removes the others, as those of bylines.
    """
    has_words: dict[HtmlElement, bool] = {}  # of each block: it may hold thousands of dates
    for element in list(tree.iter("time")):
        block = next((outer for outer in element.iterancestors() if outer.tag not in _WRAPPERS), None)
        if block is None:
            continue
        if block not in has_words:
            has_words[block] = block.tag in _ENTRIES or any(map(str.isalnum, own_text(block)))
        if has_words[block]:
            element.drop_tag()


def number_items(tree: HtmlElement) -> None:
    """Note the number of each item of a numbered list in `rend`, its only attribute that trafilatura keeps."""
    for element in tree.iter("ol"):
        number = _stated_number(element, "start", 1)
        for item in element.iterchildren("li"):
            number = _stated_number(item, "value", number)
            item.set("rend", f"{NUMBERED}{number}")
            number += 1


def _stated_number(element: HtmlElement, name: str, otherwise: int) -> int:
    match = _NUMBER.match(element.get(name) or "")
    return int(match[1]) if match else otherwise


def mark_captions(tree: HtmlElement) -> dict[str, list[str]]:
    """Put a mark in place of each caption, and return the lines of each by its mark.

    Trafilatura removes figures with all that they hold. Marks are too short to change the text that it finds, as whole
    captions do on some pages. A caption that is a link is the teaser of another page.
    """
    captions: dict[str, list[str]] = {}
    for caption in tree.xpath("//figcaption[not(ancestor::figcaption or ancestor::a)]"):
        tail, caption.tail = caption.tail, None
        lines = [line.text for line in visible_lines(caption, MAX_CAPTION) if line.linked < len(line.text)]
        caption.tail = tail
        if not lines:
            continue
        for figure in caption.iterancestors("figure"):
            figure.attrib.clear()
            figure.tag = "div"
        mark = f"{_CAPTION}{str(len(captions)).translate(_DIGITS)}{_CAPTION}"
        captions[mark] = lines
        _replace(caption, mark)
    return captions


def _replace(caption: HtmlElement, mark: str) -> None:
    """Replace a caption by a paragraph after the one around it, if any; in a list by an item of its own."""
    block = caption.makeelement("p", {})
    block.text = mark
    if next(caption.iterancestors("li", "dd", "dt"), None) is not None:
        block.tag, item = "li", block
        block = caption.makeelement("ul", {})
        block.append(item)
    paragraph = next(caption.iterancestors(*_PARAGRAPHS), None)
    if paragraph is None:
        caption.addprevious(block)
    else:
        paragraph.addnext(block)
    caption.drop_tree()


def _drop(tree: HtmlElement, elements: Set[HtmlElement]) -> None:
    """Remove elements unless they are nearly all of the page, as after a tag that is never closed."""
    outermost = [other for other in tree.iter() if other in elements and elements.isdisjoint(other.iterancestors())]
    body = tree.find("body")
    if sum(map(text_length, outermost)) >= MOST_OF_PAGE * text_length(tree if body is None else body):
        return
    for element in outermost:
        if element.tag not in _ROWS:
            element.drop_tree()
        for cell in element.iter("td", "th") if element.tag in _ROWS else ():  # cells beside and below keep their place
            cell.text = None
            del cell[:]


def write_raised(tree: HtmlElement) -> None:
    """Write figures in `sup` and `sub` so that they do not join the number before them, and remove links to notes."""
    for element in list(tree.iter("sup", "sub")):
        content = "".join(element.itertext())
        if not content or element.getparent() is None:
            continue
        written = (
            "" if _is_note(element, content) else on_the_line(content, _before(element), below=element.tag == "sub")
        )
        if not written:
            element.drop_tree()
        elif written != content:
            for child in list(element):
                element.remove(child)
            element.text = written


def _is_note(element: HtmlElement, content: str) -> bool:
    """Return whether a raised text is nothing but links to places in the page, or the mark of a note on a cell."""
    if element.tag != "sup" or len(content) > _LONGEST_NOTE:
        return False
    if _ends_cell(element) and _NOTE_IN_CELL.fullmatch(f"{_before(element).strip()}\n{content.strip()}"):
        return True
    links = [link for link in [element.getparent(), *element.iter("a")] if link.tag == "a"]
    linked = "".join("".join(link.itertext()) for link in links if _NOTE_ADDRESS.match(link.get("href") or ""))
    return _letters(content) != "" and _letters(linked) == _letters(content)


def _ends_cell(element: HtmlElement) -> bool:
    """Return whether nothing follows an element in its cell."""
    while element.tag not in _CELLS:
        parent = element.getparent()
        if parent is None or (element.tail or "").strip() or element.getnext() is not None:
            return False
        element = parent
    return True


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _before(element: HtmlElement) -> str:
    """Return the piece of text that ends where an element begins; empty at the beginning of a block."""
    while (before := element.getprevious()) is None:
        parent = element.getparent()
        if parent is None or parent.text or parent.tag not in _WRAPPERS:
            return (parent.text if parent is not None else None) or ""
        element = parent
    text = before.tail
    while not text and len(before):
        before = before[-1]
        text = before.tail
    return text or before.text or ""
