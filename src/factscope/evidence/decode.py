"""Bytes → readable text: encodings, of files and of pages, and characters that a reader would not see or mistake."""

from __future__ import annotations

import codecs
import re
from io import BytesIO
from typing import NamedTuple

from factscope.evidence.alphabets import encoding_of_letters

GUESS_BYTES = 65_536
"""Bytes of a file without a stated encoding that are read to guess it."""

_FEW_BYTES, _FEW = 6, 0.05  # bytes beyond ASCII, and their share, below which no encoding can be guessed

# Codecs that Python counts as text encodings but that are escapes or could smuggle markup.
_NOT_FOR_FILES = {"utf-7", "unicode_escape", "raw_unicode_escape", "punycode", "idna", "undefined", "mbcs", "oem"}
# Without a byte order mark, any short text looks like these.
_MARKED_ONLY = ["utf_16", "utf_16_le", "utf_16_be", "utf_32", "utf_32_le", "utf_32_be"]
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Control characters, and zero-width marks that carry no meaning alone.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u200b\u2060\ufeff]")
SURROGATE = re.compile("[\ud800-\udfff]")
"""Unpaired surrogates. They are not valid text: a record with one can't be written to a file."""
# Characters with which text is hidden or shown in another order than it is read: tags, direction overrides.
_HIDDEN = re.compile("[\U000e0000-\U000e007f\u202a-\u202e\u2066-\u2069]+")
_ASCII = bytes(range(128))
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


class DecodedText(NamedTuple):
    """Text with notes for a reader on how it was decoded."""

    text: str
    flags: tuple[str, ...] = ()


class NotTextError(ValueError):
    """The bytes are not text, or their encoding is unknown. The message is written for users."""


def decode(data: bytes, declared: str | None = None) -> DecodedText:
    """Return the text of a file.

    Tried in order: byte order mark, UTF-8, `declared`, and a guess, which is flagged `encoding_guessed`.

    Raises NotTextError for bytes that are not text, rather than return garbage as evidence.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            try:
                return DecodedText(data[len(mark) :].decode(encoding))
            except UnicodeDecodeError:
                raise NotTextError(f"is marked as {encoding.upper()} but is not; save it as UTF-8") from None
    if len(_BINARY.findall(data, 0, GUESS_BYTES)) > min(len(data), GUESS_BYTES) // 1000:
        raise NotTextError("is binary, not text; give it as txt, md, html, pdf, jsonl or csv")
    for name in ("utf-8", declared):
        if name and (text := _decode_as(data, name)) is not None:
            return DecodedText(text)
    if text := _guess(data):
        return DecodedText(text, ("encoding_guessed",))
    raise NotTextError("is in an unknown encoding; save it as UTF-8")


def mostly_utf8(data: bytes, ascii_counts: bool) -> bool:
    """Return whether most lines of a file are UTF-8, so that one bad byte does not change how all are read.

    Lines of only ASCII are the same in most encodings; `ascii_counts` says whether they count as UTF-8. False for a
    file with the byte order mark of another encoding.
    """
    if any(data.startswith(mark) for mark, encoding in _BOMS if encoding != "utf-8"):
        return False
    valid = broken = 0
    for line in filter(bytes.strip, BytesIO(data)):
        if _BINARY.search(line) or _decode_as(line, "utf-8") is None:
            broken += 1
        elif ascii_counts or not line.isascii():
            valid += 1
    return broken <= valid


def clean(text: str) -> DecodedText:
    """Normalise line ends and remove control characters and text hidden by Unicode; flags say if any was removed."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    visible = _HIDDEN.sub("", text)
    flags = ("hidden_text_removed",) if len(visible) < len(text) else ()
    return DecodedText(SURROGATE.sub("\ufffd", _CONTROL.sub("", visible)), flags)


def _decode_as(data: bytes, name: str) -> str | None:
    try:
        encoding = codecs.lookup(name[:40]).name
        # Latin-1 means Windows-1252 on pages (WHATWG Encoding Standard, section 4.2).
        encoding = {"iso8859-1": "cp1252", "ascii": "cp1252"}.get(encoding, encoding)
        return None if encoding in _NOT_FOR_FILES else data.decode(encoding)
    except (LookupError, UnicodeError, ValueError):
        return None


def _guess(data: bytes) -> str | None:
    """Return the text in the likeliest encoding: one in which its letters are those of a language.

    Otherwise it is Windows-1252 if few letters suggest another one.
    """
    from charset_normalizer import from_bytes

    name = encoding_of_letters(data[:GUESS_BYTES])
    if name and (text := _decode_as(data, name)) is not None:
        return text
    guess = from_bytes(data[:GUESS_BYTES], cp_exclusion=_MARKED_ONLY)
    best = guess.best()
    if best is None:
        return None
    western = next((match for match in guess if match.encoding in {"cp1252", "latin_1"}), None)
    names = [best.encoding, *best.could_be_from_charset]
    fits = western is not None and western.chaos <= best.chaos and western.coherence >= best.coherence
    sample = data[:GUESS_BYTES]
    if fits or len(sample.translate(None, _ASCII)) <= max(_FEW_BYTES, _FEW * len(sample)):
        names.insert(0, "cp1252")
    return next((text for name in names if (text := _decode_as(data, name)) is not None), None)


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
_LOOKALIKE = re.compile(f"[{''.join(_LOOKALIKES)}]")
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
    mixed = _LOOKALIKE.search(protected) is not None and any(map(_mixes, _WORD.findall(protected)))
    return CleanedText(protected, hidden, mixed)


def unmixed(text: str) -> str:
    """Replace Latin look-alikes in words that mix alphabets; the length stays the same."""
    if not _LOOKALIKE.search(text):
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
