"""The text of a BibTeX field: accents as letters, without the commands of LaTeX; so names compare with those of a text.

Only the usual notation of names and titles is read, not mathematics.
"""

from __future__ import annotations

import re
import unicodedata

_ACCENTS = dict(
    zip(
        "\"'`^~=.uvHcdbrk",
        "\u0308\u0301\u0300\u0302\u0303\u0304\u0307\u0306\u030c\u030b\u0327\u0323\u0331\u030a\u0328",
        strict=True,
    )
)
"""Commands that put an accent on the next letter, and the combining characters that do."""
_LETTERS = {
    "ss": "ß", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å",
    "i": "ı", "textasciitilde": "~",
}  # fmt: skip
_ACCENTED = re.compile(
    r"""\\(?:(["'`^~=.])\s*|([uvHcdbrk])(?:\s+|(?={)))\{?(?:\\([ij])(?![a-zA-Z])\s?|([A-Za-z]))\}?"""
)
_LETTER = re.compile(rf"\\({'|'.join(_LETTERS)})(?![a-zA-Z])\s?")
_ESCAPED = re.compile(r"\\(?:([&%$#_])|(~)\{\})")


def plain_latex(value: str) -> str:
    """Return the text of a field, in one line."""
    text = _ACCENTED.sub(_accented, value)
    text = _LETTER.sub(lambda match: _LETTERS[match[1]], text)
    text = _ESCAPED.sub(lambda match: match[1] or match[2], text)
    return " ".join(re.sub(r"[{}]|\\[a-zA-Z]+\s?", "", text).split())


def plain_prose(value: str) -> str:
    """Return the text of a title or a name, in which `~` is a space."""
    return plain_latex(re.sub(r"(?<!\\)~", " ", value))


def author_names(value: str) -> list[tuple[str, bool]]:
    """Return the names in a list of authors, and whether each is a single word to LaTeX, as of an organisation."""
    names = re.split(r"\s+and\s+(?![^{}]*\})", value)
    braced = re.compile(r"\s*\{(?:[^{}]|\{[^{}]*\})*\}\s*")
    return [(plain, bool(braced.fullmatch(name))) for name in names if (plain := plain_prose(name))]


def _accented(match: re.Match[str]) -> str:
    letter = match[3] or match[4]
    return unicodedata.normalize("NFC", letter + _ACCENTS[match[1] or match[2]])
