"""The form of a notation, a way of writing something that another text may write otherwise."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple


class Notation(NamedTuple):
    """A way of writing something, that is put into other words if the other text of a pair has those."""

    short: re.Pattern[str]
    words: re.Pattern[str]
    """Its sign in the other text."""
    write: Callable[[re.Match[str], str], str | None]
    """Returns the words for a match and the other text; None where they are not certain."""


def alternatives(words: Iterable[str]) -> str:
    """Return a pattern of words, the longest first."""
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


def has_words(text: str, words: str) -> bool:
    """Tell whether a text has some words as they stand, and not as a part of others."""
    return bool(re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text))
