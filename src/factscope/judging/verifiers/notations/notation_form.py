"""The form of a notation, a way of writing something that another text may write otherwise."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

_Write = Callable[[re.Match[str], str], str | None]


class Notation(NamedTuple):
    """A way of writing something, that is put into other words if the other text of a pair has those."""

    pattern: re.Pattern[str]
    sign: re.Pattern[str]
    """Sign of those words in the other text."""
    write: _Write
    """Returns the words for a match and the other text; None where they are not certain."""


def notation(pattern: str, *, sign: str) -> Callable[[_Write], Notation]:
    """Make a notation of the function below, which writes a match of the pattern in other words."""
    return partial(Notation, re.compile(pattern), re.compile(sign))


def alternatives(words: Iterable[str]) -> str:
    """Return a pattern of words, the longest first."""
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


def has_words(text: str, words: str) -> bool:
    """Tell whether a text has some words as they stand, and not as a part of others."""
    return bool(re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text))
