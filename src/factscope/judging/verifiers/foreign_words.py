"""Signs that a text is not English: its script, words of another language, letters that English words don't have.

A short sentence has too few common words for a share of them to mean anything ("Bron öppnades 1931."), and an English
one may be full of foreign names ("Der Spiegel was founded in 1947."). So only words that are hardly names count, and
the foreign ones must outweigh the English ones. Of some 200,000 English passages, claims and single sentences none is
taken for another language, except two scraps of a sentence with a name in its own script. Of 65 short sentences in the
13 listed languages, which were written after the lists, 51 are recognised (9 before), and of 14 in others 10 (2).
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from importlib.resources import files
from typing import NamedTuple

from factscope.claims.text.language import common_words, language_of
from factscope.judging.verifiers.builtin.wordpiece import is_whole_word
from factscope.judging.verifiers.wording.lexicon import STOP

UNKNOWN = "und"
"""A language that is not English, and that the words don't tell, as in ISO 639-2."""
_OUTWEIGH = 2
"""Foreign words must outnumber English ones by more than this factor, since an English sentence may contain a foreign
title without quotation marks."""
_LEAST_UNKNOWN = 6
"""Words outside the vocabulary that are a sign without any other; three are not, as English about biology has them."""
_WORD = re.compile(r"(?<![\w.@/-])[^\W\d_]+(?![\w@/-]|\.\w)")
"""A word, not a bit of an address or of a compound such as `Hyun-kun`."""
_FIRST_WORD = re.compile(r"(?:^|[.!?:]\s+)[\"“„«(¿¡]*([^\W\d_]{2,})")
_QUOTED = re.compile(r'"[^"]*"|“[^”]*”|«[^»]*»|„[^“”]*[“”]')
_LATIN = re.compile(r"[a-zß-öø-ſơưșț\u1e00-\u1eff]*[ß-öø-ſơưșț\u1e00-\u1eff][a-zß-öø-ſơưșț\u1e00-\u1eff]*")
"""A word with a Latin letter outside English; a phonetic transcript has others."""
_OTHER_SCRIPT = "\u0370"
"""The first letter that is not Latin."""

_LISTS = tomllib.loads(files(__package__).joinpath("foreign_words.toml").read_text("utf-8"))
_WORDS = {code: common_words(code) | frozenset(words.split()) for code, words in _LISTS["stated"].items()}
"""By language, the common words and those of short statements."""
_ENGLISH_TOO = STOP | frozenset(_LISTS["english_too"].split())
"""Words, units and abbreviations that are not a sign of another language in a text without any English word."""
_PARTICLES = frozenset(_LISTS["particles"].split())
"""Words of names ("Vincent van Gogh"): between two capitals they don't count, and elsewhere not on their own; nor does
`est`, which English abbreviates."""
_LOANS = frozenset(_LISTS["loans"].split())
"""Words that English has with their foreign letters."""
_LETTER_WORDS = frozenset("àáèéíóúåö")
"""Words of a single letter in French, Italian, Spanish, Portuguese, Icelandic and Swedish."""
_ONLY_ENGLISH = frozenset(word for word in STOP if len(word) > 1).difference(*_WORDS.values())


class PlainWords(NamedTuple):
    """The different words of a text, in lower case, that are hardly names."""

    small: frozenset[str]
    """Those that begin with a small letter."""
    first: frozenset[str]
    """Those that begin a sentence: a name may, so they only add to small ones."""
    whole: frozenset[str]
    """The small ones that the vocabulary has."""


class WordSigns(NamedTuple):
    """The different words of a text that speak for a language or for English."""

    language: str
    listed: frozenset[str]
    """On the list of this language, and not English too."""
    first: frozenset[str]
    """Likewise, at the beginning of a sentence."""
    lettered: frozenset[str]
    """With a letter outside English."""
    function_words: frozenset[str]
    """Function words of English that this language does not have."""
    english: frozenset[str]
    """These, and other words of the vocabulary that this language does not have."""
    unknown: frozenset[str]
    """Neither in the vocabulary nor on the list of this language."""


def foreign_language(text: str) -> str | None:
    """Return the language of a text that is certainly not English; None if it is, or may be.

    It is `und` where nothing tells which: there is a single word of a list, or only letters or unknown words.
    """
    text = unicodedata.normalize("NFC", text)  # Korean may be written in parts of its syllables
    language = language_of(text)
    if language not in (None, "en", *_WORDS) and _is_mostly_in_its_script(text):
        return language
    words = _plain_words(text)
    every = [_signs(words, code) for code in _WORDS]
    most = max(len(signs.listed | signs.first) for signs in every)
    likeliest = [signs for signs in every if len(signs.listed | signs.first) == most]
    if not all(map(_is_foreign, likeliest)):
        return None
    return likeliest[0].language if most > 1 and len(likeliest) == 1 else UNKNOWN


def has_english(text: str) -> bool:
    """Tell whether a text has a function word that no other language listed here has."""
    return not _ONLY_ENGLISH.isdisjoint(word.lower() for word in _WORD.findall(text))


def _is_mostly_in_its_script(text: str) -> bool:
    """Tell whether letters of other scripts outnumber those of English words: English may quote a Japanese title."""
    english = sum(len(word) for word in _WORD.findall(text) if word[0].islower() and is_whole_word(word))
    return sum(char.isalpha() and char >= _OTHER_SCRIPT for char in text) > english


def _plain_words(text: str) -> PlainWords:
    """Read the words outside quotation marks, where there are some: a title in quotes may be in any language."""
    outside = _QUOTED.sub(" ", text)
    text = outside if len(_WORD.findall(outside)) > 1 else text
    words = _WORD.findall(text)
    small = frozenset(
        word.lower()
        for at, word in enumerate(words)
        if word[0].islower() and _tells(word) and not _is_in_name(words, at)
    )
    first = frozenset(word.lower() for word in _FIRST_WORD.findall(text))
    return PlainWords(small, first, frozenset(filter(is_whole_word, small)))


def _tells(word: str) -> bool:
    """Tell whether a word is more than a letter that may be a unit, a variable or the debris of an encoding."""
    return len(word) > 1 or word in _LETTER_WORDS


def _is_in_name(words: list[str], at: int) -> bool:
    """Tell whether a word is a particle, or in a run of them, with a capital on either side."""
    if words[at] not in _PARTICLES:
        return False
    before = next((word for word in reversed(words[:at]) if word not in _PARTICLES), "")
    after = next((word for word in words[at + 1 :] if word not in _PARTICLES), "")
    return before[:1].isupper() and after[:1].isupper()


def _signs(words: PlainWords, language: str) -> WordSigns:
    listed = _WORDS[language]
    lettered = frozenset(word for word in words.small - words.whole - _LOANS if _LATIN.fullmatch(word))
    function_words = ((words.small | words.first) & STOP) - listed
    others = words.small - listed - lettered - _LOANS
    english = others & words.whole
    return WordSigns(
        language,
        (words.small & listed) - _ENGLISH_TOO,
        (words.first & listed) - _ENGLISH_TOO,
        lettered,
        function_words,
        english | function_words,
        others - english,
    )


def _is_foreign(signs: WordSigns) -> bool:
    """Tell whether the foreign words of a text outweigh its English ones.

    Two listed words are enough where English has hardly a function word and few others ("La tour est rouge."), and
    three whatever the others: content words may look English. Otherwise a word that is not a particle must be listed or
    lettered, or many be unknown.
    """
    listed = len(signs.listed | signs.first)
    if signs.listed and listed > max(1, _OUTWEIGH * len(signs.function_words)) and listed >= min(3, len(signs.english)):
        return True
    foreign = (signs.listed - _PARTICLES) | signs.lettered
    enough = foreign or len(signs.unknown) >= _LEAST_UNKNOWN
    return bool(enough) and len(foreign | signs.unknown) > _OUTWEIGH * len(signs.english)
