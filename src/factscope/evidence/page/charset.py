"""Bytes of a page → characters, by the stated encoding and by the bytes themselves."""

from __future__ import annotations

import codecs
import re

from factscope.evidence.decode import DecodedText, decode

LONGEST_NAME = 40
"""Characters of an encoding's name; longer values are not names."""

_META = re.compile(
    rb"""<(?:meta\b[^>]{0,300}?\bcharset|\?xml\b[^>]{0,100}?\bencoding)\s*=\s*["']?\s*([\w.:-]{1,40})""", re.IGNORECASE
)
_HEAD = 4_096  # bytes in which a page declares its encoding (HTML asks for 1024)
# Encodings whose bytes look like ASCII, so they must be stated.
_STATED_ONLY = frozenset({"iso2022_jp", "iso2022_jp_1", "iso2022_jp_2", "iso2022_kr", "hz"})
# Actual encodings behind the names that pages use (WHATWG Encoding Standard, section 4.2).
_ALIASES = {
    "x-sjis": "cp932", "shift_jis": "cp932", "shift-jis": "cp932", "sjis": "cp932", "gb2312": "gb18030",
    "gbk": "gb18030",
    "x-gbk": "gb18030", "gb_2312-80": "gb18030", "ks_c_5601-1987": "cp949", "euc-kr": "cp949", "iso-8859-9": "cp1254",
    "tis-620": "cp874", "iso-8859-11": "cp874", "unicode-1-1-utf-8": "utf-8", "x-cp1251": "cp1251",
    "x-cp1252": "cp1252",
}  # fmt: skip
_WIDE = frozenset({"utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"})


def page_text(content: bytes, charset: str | None) -> DecodedText:
    """Return the characters of a page.

    Tried in order: byte order mark, UTF-8, the server's encoding, the page's own, a guess.

    Valid UTF-8 is read as such whatever is stated: no longer page is valid by chance, and servers often state a
    default. Raises NotTextError for bytes that are not text.
    """
    within = _META.search(content, 0, _HEAD)
    names = [charset, within[1].decode("ascii", "replace") if within else None]
    charsets = [name for name in map(_codec, names) if name]
    for name in charsets:
        if name in _STATED_ONLY or (name in _WIDE and name == charsets[0] and charset and b"\0" in content[:_HEAD]):
            try:
                return DecodedText(content.decode(name))
            except (UnicodeError, ValueError):
                continue
    # A page whose `<meta>` is found by reading it as ASCII is not in a wide encoding.
    declared = next((name for name in charsets if name not in _WIDE), None)
    return decode(content, declared)


def _codec(name: str | None) -> str | None:
    if not name or len(name) > LONGEST_NAME:
        return None
    name = name.strip(" \"'").lower()
    try:
        return codecs.lookup(_ALIASES.get(name, name)).name
    except (LookupError, ValueError):
        return None
