"""Characters that hide or reorder text, or make it look like other text."""

from __future__ import annotations

import re
from typing import NamedTuple

from factscope.evidence.decode import SURROGATE

INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
"""Invisible characters: controls, zero-width marks, fillers, variation selectors, tags."""
# Of these, joiners and selectors after certain characters belong to some languages and to emoji.
_JOINER = re.compile(r"(?<=[^\x00-\u02ff])[\u200c\u200d](?=[^\x00-\u02ff])")
_SELECTOR = re.compile(
    r"(?<=[#*0-9\u00a9\u00ae\u2000-\u3300\U0001f000-\U0001faff\u3400-\u9fff])[\ufe00-\ufe0f](?![\ufe00-\ufe0f])"
)
# Tags, overrides of direction, long runs: no script needs them. A regional flag is a black flag with tags.
_TELLING = re.compile(
    "[\U000e0020-\U000e007f]{3,}|[\u202d\u202e]|[\U000e0100-\U000e01ef]{2,}|[\ufe00-\ufe0f]{2,}"
    "|(?:[\u200b-\u200f\u2060-\u2064\ufeff\u180e]){8,}|[\u3164\uffa0\u115f\u1160\u2800]{4,}"
)
_FLAG_EMOJI = re.compile("\U0001f3f4[\U000e0030-\U000e007a]{1,6}\U000e007f")

# Letters of other alphabets that look like Latin ones (Unicode Technical Standard 39, "confusables"; the common part).
_LOOKALIKES = dict(
    zip(
        "аеорсухіјѕһԁԛԝкмтвнзьбАВЕКМНОРСТХУІЈЅЗԌԚԜοανρτυικχγωΑΒΕΖΗΙΚΜΝΟΡΤΥΧɑɡɩｏ",
        "aeopcyxijshdqwkmtbh3b6ABEKMHOPCTXYIJS3GQWoavptuikxywABEZHIKMNOPTYXagio",
        strict=True,
    )
)
_WORD = re.compile(r"[^\W\d_]{3,}")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")


class CleanedText(NamedTuple):
    """A text without its invisible characters."""

    text: str
    hidden: bool
    """Whether the removed characters could carry a message, or change the order in which text is read."""
    mixed: bool
    """Whether some words mix Latin letters with similar-looking letters of other alphabets."""


def clean_letters(text: str) -> CleanedText:
    """Return the text with ` ` line ends and without invisible characters."""
    text = SURROGATE.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))
    if text.isascii() and not INVISIBLE.search(text):
        return CleanedText(text, False, False)
    text = _FLAG_EMOJI.sub("\U0001f3f4", text)
    hidden = _TELLING.search(text) is not None
    protected = _JOINER.sub(lambda match: chr(0xF8F0 + ord(match[0]) - 0x200C), text)
    protected = _SELECTOR.sub("\uf8f2", protected)
    protected = INVISIBLE.sub("", protected)
    protected = protected.replace("\uf8f0", "\u200c").replace("\uf8f1", "\u200d").replace("\uf8f2", "\ufe0f")
    return CleanedText(protected, hidden, any(_mixes(match[0]) for match in _WORD.finditer(protected)))


def unmixed(text: str) -> str:
    """Replace Latin look-alikes in words that mix alphabets; the length stays the same."""
    if text.isascii():
        return text
    return _WORD.sub(lambda match: _latin(match[0]) if _mixes(match[0]) else match[0], text)


def _latin(word: str) -> str:
    return "".join(_LOOKALIKES.get(letter, letter) for letter in word)


def _mixes(word: str) -> bool:
    """Return whether a word has Latin letters, and apart from them only look-alikes."""
    if word.isascii() or not _LATIN.search(word):
        return False
    foreign = [letter for letter in word if not _LATIN.match(letter)]
    return bool(foreign) and all(letter in _LOOKALIKES for letter in foreign)
