"""Titles in plain text: short lines in title case, which state nothing but have no mark of a heading."""

from __future__ import annotations

import re

from factscope.claims.text.plain_text import plain
from factscope.core import PatternFile

_TITLES = PatternFile(__package__, "titles.toml")
_IMPERATIVES = PatternFile("factscope.claims", "imperatives.toml")
_MOST_WORDS = 8  # a longer line is a sentence more often than a title (our choice)
_LONGEST = 200  # characters; bounds the cost of reading a line that is not a title anyway
# Words and nothing else: a figure, a colon, a comma or a full stop may make a statement ("Capital: Paris").
_WORDS = re.compile(r"[^\W\d_]+(?:['’&-]+[^\W\d_]+)*(?: (?:&|[^\W\d_]+(?:['’&-]+[^\W\d_]+)*))*")
_BOLD = re.compile(r"\s*(\*\*|__)(?!\s)(?:(?!\1).)+\1:?\s*")

_NUMBER = re.compile(r"\A\d{1,2}[.)]\s+")
_LINE_END = re.compile(r"\r\n|[\r\n]")
_SOURCE = r"\[[^\]\n]{1,80}\](?:\([^()\s]{1,500}\))?|\((?=\[)|\)|[¹²³⁰⁴-⁹☀-➿\U0001F300-\U0001FAFF]"
"""Marks that may follow the full stop of a sentence: "[1]", "([site](https://…))", "¹", an emoji."""
_ENDS_SENTENCE = re.compile(rf"[.!?:…。！？।؟][\"'”’»)\]*_]*+(?:\s*(?:{_SOURCE}))*+\s*\Z")

_ASKING = re.compile(r"(?:what|how|why|when|where|which|who)\b")
"""The first word of a title such as "What happens next", which has a verb and states nothing."""


def is_title(line: str) -> bool:
    """Return whether a paragraph of this one line is surely a title.

    Each word has a capital, but for articles, prepositions and the like, and none may be a finite verb. A title in
    small letters ("History of the bridge") can't be told from a short statement, and is not called a title unless all
    of it is bold.
    """
    if len(line) > _LONGEST or "\n" in line or "\r" in line:
        return False
    bold = _BOLD.fullmatch(line) is not None
    text = plain(line, numbered=True).rstrip(":" if bold else "")
    text = _NUMBER.sub("", text) if bold else text
    words = text.split()
    if not 0 < len(words) <= _MOST_WORDS or not _WORDS.fullmatch(text) or not text[0].isupper():
        return False
    if not bold and not all(
        word == "&" or word[0].isupper() or _TITLES["function_word"].fullmatch(word) for word in words
    ):
        return False
    small = text.casefold()
    return _ASKING.match(small) is not None or not any(
        pattern.search(small) for pattern in (_IMPERATIVES["finite"], _IMPERATIVES["third_person"], _TITLES["verb"])
    )


def title_end(paragraph: str) -> int:
    """Return where the sentences begin below a first line that is a bold title; 0 without such a line.

    A line that is not a sentence is the value of the line above it: "Height", then "300 metres".
    """
    first = _LINE_END.search(paragraph)
    line = paragraph[: first.start()] if first else ""
    is_above = first and _BOLD.fullmatch(line) and is_title(line) and _ENDS_SENTENCE.search(paragraph)
    return first.end() if first and is_above else 0
