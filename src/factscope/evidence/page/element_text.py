"""The text in and around an element of a page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.html import HtmlElement


def ancestors_up_to(element: HtmlElement, top: HtmlElement) -> Iterator[HtmlElement]:
    """Yield an element and its ancestors below `top`."""
    while element is not None and element is not top:
        yield element
        element = element.getparent()


def text_pieces(element: HtmlElement) -> Iterator[tuple[str, HtmlElement]]:
    """Yield the pieces of text in an element, each with the element that it is in."""
    for inner in element.iter():
        if inner.text:
            yield inner.text, inner
        if inner is not element and inner.tail:
            yield inner.tail, inner.getparent()


def text_length(element: HtmlElement) -> int:
    """Return the length of the text in an element, with single blanks."""
    return int(element.xpath("string-length(normalize-space())"))


def spaced_text(element: HtmlElement) -> str:
    """Return the text of an element with single blanks."""
    return " ".join("".join(element.itertext()).split())


def own_text(element: HtmlElement) -> str:
    """Return the text of an element outside its children."""
    return (element.text or "") + "".join(child.tail or "" for child in element)
