"""Text → word pieces for the pretrained encoder: lower-case, without accents, greedy longest match.

As the encoder's own tokenizer does it (Devlin et al. 2019; Wu et al. 2016, section 4.1), except that text that looks
like a special token, such as `[SEP]`, is read as plain text.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from importlib.resources import files

VOCABULARY = "vocab.txt"
CLS, SEP = 101, 102
_UNKNOWN = 100  # id of [UNK] in BERT's vocabulary
_LONGEST = 100
"""A word of more characters is unknown."""
_PLAIN = re.compile(r"[ -~\s]*", re.ASCII)
_CJK = re.compile(
    "([\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f\U0002b920-\U0002ceaf"
    "\uf900-\ufaff\U0002f800-\U0002fa1f])"
)
_ASCII_MARKS = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def pieces(text: str) -> list[int]:
    """Return the numbers of the word pieces of a text, without special tokens."""
    return [piece for word in _plain(text).split() for piece in _word(word)]


def is_whole_word(word: str) -> bool:
    """Tell whether the vocabulary has a word as one piece, as it has the common English ones."""
    return word.casefold() in _vocabulary()


@cache
def _vocabulary() -> dict[str, int]:
    lines = files(__package__).joinpath(VOCABULARY).read_text(encoding="utf-8").split("\n")
    return {piece: number for number, piece in enumerate(lines) if piece}


def _plain(text: str) -> str:
    """Control characters out, white space as spaces, ideographs apart, accents off, lower case."""
    if _PLAIN.fullmatch(text):
        return re.sub("[\x0b\x0c]", "", text).lower()
    kept_text = "".join(_clean_character(character) for character in text)
    decomposed = unicodedata.normalize("NFD", _CJK.sub(r" \1 ", kept_text))
    return "".join(_lower(character) for character in decomposed)


@lru_cache(maxsize=4096)
def _clean_character(character: str) -> str:
    if character in "\t\n\r":
        return " "
    if character == "\ufffd" or unicodedata.category(character) in ("Cc", "Cf", "Co", "Cs"):
        return ""
    return " " if character.isspace() else character


@lru_cache(maxsize=4096)
def _lower(character: str) -> str:
    """Return one character in lower case, whatever follows it; empty for an accent."""
    return "" if unicodedata.category(character) == "Mn" else character.lower()


@lru_cache(maxsize=4096)
def _marks(character: str) -> bool:
    return character in _ASCII_MARKS or unicodedata.category(character)[0] == "P"


@lru_cache(maxsize=1 << 15)
def _word(word: str) -> tuple[int, ...]:
    """Return the pieces of a word without spaces; every punctuation mark is a word of its own."""
    piece_ids: list[int] = []
    start = 0
    for at, character in enumerate(word):
        if _marks(character):
            piece_ids += [*_greedy(word[start:at]), *_greedy(character)]
            start = at + 1
    return (*piece_ids, *_greedy(word[start:]))


def _greedy(word: str) -> list[int]:
    vocabulary, piece_ids, start = _vocabulary(), list[int](), 0
    while start < len(word):
        mark = "##" if start else ""
        ends = range(len(word), start, -1) if len(word) <= _LONGEST else ()
        end = next((end for end in ends if mark + word[start:end] in vocabulary), None)
        if end is None:
            return [_UNKNOWN]
        piece_ids.append(vocabulary[mark + word[start:end]])
        start = end
    return piece_ids
