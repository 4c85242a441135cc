"""Equations of Word documents on one line: fractions with a slash, powers and indices in small figures.

python-docx passes over them.
"""

from __future__ import annotations

import re
from typing import Any

from factscope.claims.text.raised import on_the_line

MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_BETWEEN = {"d": "|", "eqArr": "; ", "func": " ", "m": "; ", "mr": " "}
"""Separators of the parts of an element."""
_SINGLE = re.compile(r"[\d.,]+|[^\W\d]+|\(.*\)")
"""Words that need no brackets below a fraction line or in a power."""


def equation_words(element: Any) -> str:
    """Return the text of an equation, or of an element in it."""
    name = element.tag.rpartition("}")[2]
    if name == "t":
        return element.text or ""
    if name == "br":
        return " "
    words = _BETWEEN.get(name, "").join(filter(None, map(equation_words, element.iterchildren("*"))))
    match name:
        case "sup" | "deg":
            return raised(words)
        case "sub":
            return raised(words, below=True)
        case "num":
            return bracketed(words)
        case "den":
            return f"/{bracketed(words)}"
        case "e" if element.getparent().tag == f"{MATH}rad":
            return f"√{bracketed(words)}"
        case "d":
            return _sign(element, "dPr/begChr", "(") + words + _sign(element, "dPr/endChr", ")")
        case "nary":
            return _sign(element, "naryPr/chr", "∫") + words
    return words


def raised(words: str, *, below: bool = False) -> str:
    """Return raised or lowered words; figures get small forms, and other words a mark before them."""
    written = on_the_line(words, "0", below=below)
    return written if written != words or not words else f"{'_' if below else '^'}{bracketed(words)}"


def bracketed(words: str) -> str:
    """Return words as they are written below a fraction line or in a power."""
    return words if not words or _SINGLE.fullmatch(words) else f"({words})"


def _sign(element: Any, path: str, default: str) -> str:
    """Return the sign that a property names."""
    sign = element.find("/".join(f"{MATH}{name}" for name in path.split("/")))
    return default if sign is None else sign.get(f"{MATH}val") or ""
