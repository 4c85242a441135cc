"""Encodings of short texts, told by the letters of one language: statistics need more text than a table has.

Spreadsheet programs save CSV in the old encoding of their country, in which "Łódź" has the bytes of "£ódŸ".
"""

from __future__ import annotations

import re
from functools import cache

_GERMAN, _SPANISH = "äöüß", "áéíóúñü¿¡ºª"
_FRENCH = "[àâéèêëîïôœùûüÿ]|ç(?=[aouâôû])"
_POLISH = "[ąęłóż]|[ćńśź](?![aeouyąęó])"
_CZECH = "[áčďéěíňóřšťúůýžäľô]|(?<={consonant})[ĺŕ](?={consonant})"
_HUNGARIAN, _CROATIAN = "áéíóöőúüű", "čćđšž"
_ALPHABETS = (
    # Letters that stand where they do in the language: others have the same bytes.
    ("cp1252", _GERMAN),
    ("cp1252", _FRENCH),
    ("cp1252", _SPANISH),
    ("cp1252", "[àèéìòù](?!{letter})"),  # Italian
    ("cp1252", "[áéíóúâêôàü]|ç(?=[aouãâáóõ])|ã(?=[oes]|n?s?(?!{letter}))|õ(?=e)"),  # Portuguese
    ("cp1252", "[àéíóúïüç·]|[èò](?![aeiou])"),  # Catalan
    ("cp1252", "åäöæøéü"),
    ("cp1252", "ëïéèêöü"),  # Dutch
    ("cp1252", "äöõüšž"),  # Estonian
    ("cp1254", "[çıöşüâ]|(?<=[aeıioöuüâ])ğ"),  # Turkish, before Icelandic, whose letters have the same bytes
    ("cp1252", "áéíóúýþæðö"),
    ("cp1250", _POLISH),
    ("cp1250", _CZECH),
    ("cp1250", _HUNGARIAN),
    ("cp1250", _CROATIAN),
    ("cp1250", "[âîşţ]|ă(?!o)"),
    ("cp1257", "ąčęėįšųūž"),
    ("cp1257", "āčēģīķļņšūž"),
    ("iso8859_2", _POLISH),
    ("iso8859_2", _CZECH),
    ("cp1255", "[אבגדהוזחטיכלמנסעפצקרשת]|[ךםןףץ](?!{letter})"),
    ("cp1253", "[αβγδεζηθικλμνξοπρτυφχψωάέήίόύώϊϋ]|ς(?!{letter})|σ(?={letter})"),
    ("mac_roman", _GERMAN),
    ("mac_roman", _FRENCH),
    ("mac_roman", _SPANISH),
    ("cp850", _GERMAN),
    ("cp850", _FRENCH),
    ("cp850", _SPANISH),
)
_ASCII_END = 0x80
_LETTER, _CONSONANT = r"[^\W\d_]", r"[^\W\d_aeiouyáéíóúý]"
_ROMANCE = frozenset({_FRENCH, _SPANISH, *(letters for _, letters in _ALPHABETS[3:6])})
_FOREIGN = re.compile("[kw]", re.IGNORECASE)
"""Letters that hardly any word of a Romance language has, unlike the words of those that have such bytes, too."""
_MOST_FOREIGN = 0.03
"""Share of these among the letters of a text."""
_OTHER_SCRIPTS = frozenset({"cp1253", "cp1255"})
"""Encodings of Greek and Hebrew: no word mixes their letters with Latin ones."""
_LEAST_LETTERS = 16
"""Letters beyond ASCII by which these differ from Cyrillic."""
_MARKS = rf"[\x00-\x7f\xa0§©®°·²³€–—‘’]|(?<!{_LETTER})[„“”«»…]|[„“”«»…](?!{_LETTER})"
"""Characters of texts in any language; marks that are not letters of another encoding, as in "Fl„che"."""
_PAIR = re.compile(rf"(?=({_LETTER})({_LETTER}))")


def encoding_of_letters(data: bytes) -> str | None:
    """Return the first encoding in which all letters beyond ASCII are of one language; None without one."""
    n_ascii = sum(chr(byte).isalpha() for byte in data if byte < _ASCII_END)
    n_others = sum(byte >= _ASCII_END for byte in data)
    foreign = len(_FOREIGN.findall(data.decode("ascii", "ignore")))
    for encoding, letters in _ALPHABETS:
        if n_others < _LEAST_LETTERS if encoding in _OTHER_SCRIPTS else n_others > n_ascii:
            continue
        if letters in _ROMANCE and foreign > _MOST_FOREIGN * n_ascii:
            continue
        if _has_only(data, encoding, letters):
            return encoding
    return None


def _has_only(data: bytes, encoding: str, letters: str) -> bool:
    """Tell whether data are text with no letters beyond ASCII but these, and whose words are written as usual."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return False
    if not _allowed(letters).fullmatch(text):
        return False
    pairs = [pair.groups() for pair in _PAIR.finditer(text)]
    if encoding in _OTHER_SCRIPTS and any(first.isascii() != second.isascii() for first, second in pairs):
        return False
    return not any(low.islower() and high.isupper() and not (low + high).isascii() for low, high in pairs)


@cache
def _allowed(letters: str) -> re.Pattern[str]:
    pattern = letters if "[" in letters else f"[{letters}]"
    pattern = pattern.replace("{letter}", _LETTER).replace("{consonant}", _CONSONANT)
    return re.compile(f"(?:{_MARKS}|(?i:{pattern}))*+")
