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
_COMMAND = re.compile(r"[{}]|\\[a-zA-Z]+\s?")
_TIE = re.compile(r"(?<!\\)~")
_AND = re.compile(r"\s+and\s+(?![^{}]*\})")
_BRACED = re.compile(r"\s*\{(?:[^{}]|\{[^{}]*\})*\}\s*")


def plain_latex(value: str) -> str:
    """Return the text of a field, in one line."""
    text = _ACCENTED.sub(_accented, value)
    text = _LETTER.sub(lambda match: _LETTERS[match[1]], text)
    text = _ESCAPED.sub(lambda match: match[1] or match[2], text)
    return " ".join(_COMMAND.sub("", text).split())


def plain_prose(value: str) -> str:
    """Return the text of a title or a name, in which `~` is a space."""
    return plain_latex(_TIE.sub(" ", value))


def author_names(value: str) -> list[tuple[str, bool]]:
    """Return the names in a list of authors, and whether each is a single word to LaTeX, as of an organisation."""
    names = ((plain_prose(name), _BRACED.fullmatch(name) is not None) for name in _AND.split(value))
    return [(name, is_whole) for name, is_whole in names if name]


def _accented(match: re.Match[str]) -> str:
    letter = match[3] or match[4]
    return unicodedata.normalize("NFC", letter + _ACCENTS[match[1] or match[2]])
