"""Equations of pages (MathML) on one line, as those of Word documents are written; trafilatura leaves them out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from factscope.evidence.word_equations import bracketed, raised

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_BETWEEN = {"mtable": "; ", "mtr": " ", "mtd": ""}
"""Separators of the parts of an element."""
_SCRIPTS = {"msup": "^", "mover": "^", "msub": "_", "munder": "_", "msubsup": "_^", "munderover": "_^"}
"""For each element, where its parts after the first are set: below or above the line."""
_MAX_DEPTH = 100  # elements inside elements


def write_equations(tree: HtmlElement) -> None:
    """Replace equations by their text."""
    for equation in list(tree.iter("math")):
        words = " ".join(_words(equation).split())
        equation.clear(keep_tail=True)
        equation.text = words
        equation.drop_tag()


def _words(element: HtmlElement, depth: int = 0) -> str:
    if not len(element) or depth > _MAX_DEPTH:
        return "".join(element.itertext()).strip()
    pieces = [_words(child, depth + 1) for child in element]
    match element.tag:
        case "semantics":  # other forms of the same follow
            return pieces[0]
        case "mfrac":
            return "/".join(map(bracketed, pieces))
        case "msqrt":
            return f"√{bracketed(''.join(pieces))}"
        case "mroot" if len(pieces) > 1:
            return f"{raised(pieces[1])}√{bracketed(pieces[0])}"
        case "msup" | "mover" | "msub" | "munder" | "msubsup" | "munderover":
            return pieces[0] + _scripts(pieces[1:], _SCRIPTS[element.tag])
    return _BETWEEN.get(element.tag, "").join(filter(None, pieces))


def _scripts(pieces: Sequence[str], sides: str) -> str:
    return "".join(raised(words, below=side == "_") for words, side in zip(pieces, sides, strict=False))
