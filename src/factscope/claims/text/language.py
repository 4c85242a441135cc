"""Detection of the language of a text, by its script and its commonest words."""

from __future__ import annotations

import re
from collections import Counter

SAMPLE = 20_000
"""Characters that are examined."""
LEAST_SHARE = 0.06
"""Least share of a language's common words among all words for the text to be in that language."""
_CLEARLY = 1.3  # the best language must have this many times the matches of the next (our choice)

SCRIPTS = (
    ("ja", "\u3040", "\u30ff"), ("ko", "\uac00", "\ud7af"), ("zh", "\u3400", "\u9fff"), ("hi", "\u0900", "\u097f"),
    ("ar", "\u0600", "\u06ff"), ("he", "\u0590", "\u05ff"), ("el", "\u0370", "\u03ff"), ("th", "\u0e00", "\u0e7f"),
    ("ru", "\u0400", "\u04ff"), ("ka", "\u10a0", "\u10ff"), ("hy", "\u0530", "\u058f"), ("ta", "\u0b80", "\u0bff"),
    ("bn", "\u0980", "\u09ff"),
)  # fmt: skip
"""Languages by script, with the first and the last character of each."""
_COMMON = {
    "en": "the of and to in is that was for it with as on are be at by this from which have not or were",
    "de": "der die das und in den von zu mit ist des auf für nicht ein eine dem im sich auch als werden aus nach",
    "fr": "le la les de des et en un une du dans que est pour qui sur pas au par avec ce sont il plus ne",
    "es": "el la los las de y en que un una del por con para es se no al lo como más su fue son",
    "it": "il la le di e che in un una del della per con non è si dei alla da sono nel gli anche al più",
    "pt": "o a os as de e que em um uma do da no na para com não por se ao dos mais foi são como",
    "nl": "de het een van en in is dat op te zijn voor met niet die aan er om ook als bij door naar uit",
    "pl": "i w na z do się nie jest to że o za po od przez dla jak był są oraz ale który która",
    "sv": "och i att det som en på är av för med den till inte ett har de om vid från var kan",
    "da": "og i at det som en på er af for med den til ikke et har de om ved fra var kan blev",
    "no": "og i at det som en på er av for med den til ikke et har de om ved fra var kan ble",
    "cs": "a v na se je že s z do o k i ve za pro to jako by po které byl ale nebo",
    "tr": "ve bir bu da de için ile olarak daha çok en olan gibi kadar sonra ne ki olduğu",
    "fi": "ja on ei se että oli ovat joka kun mutta myös hän niin kuin sen tai jos ole",
}
_SETS = {code: frozenset(words.split()) for code, words in _COMMON.items()}
_LANGUAGES = {
    word: tuple(code for code, common in _SETS.items() if word in common) for word in frozenset().union(*_SETS.values())
}
"""The languages of each common word."""
_FUNCTION_WORDS = {
    "en": re.compile(r"\b(?:and|are|at|by|for|from|he|in|is|it|of|she|that|the|they|to|was|were|with)\b"),
    "de": re.compile(r"\b(?:der|die|das|und|ist|war|nicht|ein|eine|mit|dem|den)\b"),
    "fr": re.compile(r"\b(?:au|dans|de|des|du|est|et|la|le|les|pour|que|sur|une)\b"),
    "es": re.compile(r"\b(?:con|de|del|el|es|la|las|los|por|que|una|y)\b"),
    "it": re.compile(r"\b(?:che|della|di|gli|il|nel|nella|sono|una|è)\b"),
    "nl": re.compile(r"\b(?:aan|dat|de|een|het|hij|in|is|naar|niet|op|uit|van|voor|was|werd|wordt|zijn)\b"),
    "pl": re.compile(r"\b(?:był|była|dla|jest|nie|oraz|przez|roku|się|ul|został|została|że)\b"),
    "pt": re.compile(r"\b(?:ao|com|da|das|de|dos|em|foi|não|os|que|um|uma|é)\b"),
}
"""Words that tell languages of Latin script apart in a single sentence."""
_FIRST = min(low for _, low, _ in SCRIPTS)

NAMES = {
    "ar": "Arabic", "bn": "Bengali", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English",
    "es": "Spanish", "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi", "hy": "Armenian", "it": "Italian",
    "ja": "Japanese", "ka": "Georgian", "ko": "Korean", "nl": "Dutch", "no": "Norwegian", "pl": "Polish",
    "pt": "Portuguese", "ru": "Russian", "sv": "Swedish", "ta": "Tamil", "th": "Thai", "tr": "Turkish",
    "und": "an unknown language", "zh": "Chinese",
}  # fmt: skip
"""English names of the languages that are detected here."""


def language_of(text: str) -> str | None:
    """Return the language as two letters, as in ISO 639-1; `None` when it can't be determined."""
    sample = text[:SAMPLE]
    letters = [char for char in sample if char.isalpha()]
    if not letters:
        return None
    other = [char for char in letters if char >= _FIRST]
    counts = {code: sum(low <= char <= high for char in other) for code, low, high in SCRIPTS}
    if counts["ja"] > 0.05 * len(letters):
        return "ja"
    best = max(counts, key=lambda code: counts[code])
    if counts[best] > 0.3 * len(letters):
        return best
    words = Counter(re.findall(r"[^\W\d_]+", sample.lower()))
    results = Counter(dict.fromkeys(_SETS, 0))
    for word in words.keys() & _LANGUAGES.keys():
        results.update(dict.fromkeys(_LANGUAGES[word], words[word]))
    (first, most), (_, next_most) = results.most_common(2)
    return first if most >= LEAST_SHARE * words.total() and most > _CLEARLY * next_most and most > 1 else None


def common_words(language: str | None) -> frozenset[str]:
    """Return the commonest words of a language, in lower case; empty for an unknown language."""
    return _SETS.get(language or "", frozenset())


def latin_language(text: str) -> str:
    """Return a language of `_FUNCTION_WORDS`, by those among the first 4,000 characters; `en` when in doubt."""
    sample = text[:4000].lower()
    counts = {code: len(pattern.findall(sample)) for code, pattern in _FUNCTION_WORDS.items()}
    return max(counts, key=lambda code: (counts[code], code == "en"))
