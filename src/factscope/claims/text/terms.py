"""Words of a text with their offsets, and the normalised terms that retrieval and the verifier compare."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import NamedTuple

# One token: a number with its separators, a word with its apostrophes, or one character of a script that writes without
# spaces.
SPACELESS = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
_TOKEN = re.compile(rf"\d+(?:[.,:/]\d+)*|[{SPACELESS}]|[^\W\d_{SPACELESS}]+(?:['’][^\W\d_{SPACELESS}]+)*|\d+")


class Token(NamedTuple):
    """A word or number: `text[start:end]` is `text`."""

    start: int
    end: int
    text: str


def tokens(text: str) -> list[Token]:
    """Return the words and numbers of `text`, in order; scripts without spaces are split into characters."""
    return [Token(match.start(), match.end(), match.group()) for match in _TOKEN.finditer(text)]


def words(text: str) -> list[str]:
    """Return the texts of the `tokens`, in a third of the time."""
    return _TOKEN.findall(text)


def has_words(text: str) -> bool:
    """Return whether `text` has any of the `tokens`."""
    return _TOKEN.search(text) is not None


def terms(text: str) -> list[str]:
    """Return the normalised words of `text`: compatibility-folded, lower-case, English words stemmed (Snowball)."""
    return list(map(term, words(text)))


@cache
def _stemmer() -> object:
    import Stemmer

    return Stemmer.Stemmer("english")


@lru_cache(maxsize=1 << 16)
def term(word: str) -> str:
    """Return the normalised form of one word; numbers lose their thousands separators."""
    folded = unicodedata.normalize("NFKC", word).casefold().replace("’", "'")
    if folded[0].isdigit():
        return re.sub(r",(?=\d{3}\b)", "", folded)
    folded = folded.removesuffix("'s")
    return str(_stemmer().stemWord(folded)) if folded.isascii() else folded  # type: ignore[attr-defined]
