"""Sentence boundaries of prose: sentencex on a same-length view of the text, then corrections of its known errors.

Offsets can't drift, because sentencex reads a view with one character for each character of the text: white space of
every kind, unpaired surrogates, emphasis marks, quotation marks, brackets, emoji, tags and footnote marks become
spaces; code spans and link targets become filler letters. A boundary is then placed in the text itself, at the last
white space between a sentence's final mark and the next sentence's first letter, so closing quotes, brackets, footnote
marks and emoji stay with the sentence before them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from typing import Any

from factscope.claims.text.language import SCRIPTS, latin_language

# No possessive or atomic groups here: Python 3.11.2, which Debian 12 has, gets them wrong.
_NEWLINE = r"(?:\r\n|\r(?!\n)|[\n\v\x85\u2028])"
_BLANK_LINE = re.compile(rf"(?:\u2029|{_NEWLINE}[^\S\n\r\v\x85\u2028\u2029]*{_NEWLINE})\s*")
_LINE_END = re.compile(_NEWLINE)

# Masks. The two filler characters can also occur in a text: there they only count as a space and as a letter.
_SPACE_FILLER, _WORD_FILLER = "\ue000", "X"
_AS_SPACE = re.compile(
    r"</?[A-Za-z][^<>]{0,500}>"  # HTML tags
    r"|\[\^[^\]\s]{1,40}\]|\[\d{1,3}(?:[,–-] ?\d{1,3})*\](?!\()"  # footnote marks and citations
    r"|(?<=[.!?])[¹²³⁰-⁹]+"
)
_AS_WORD = re.compile(
    r"(?<!`)(`+)(?!`)[^`\n]{1,300}\1(?!`)"  # code
    r"|(?<=\])\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)"  # link targets
    r"|(?:https?://|www\.)[^\s<>]*[\w/]|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+"  # addresses
)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
# HTML tags between two lines. A small letter or a mark after a single one goes on with the line ("a <br> tag").
_LINE_TAGS = re.compile(
    r"(?:</?(?:br|li|ol|p|ul)(?![\w-])[^<>]{0,500}>\s*)+"
    r"|</(?:dd|div|dt|h[1-6]|section|table|tr)>\s*<(?:dd|div|dt|h[1-6]|ol|p|section|table|tr|ul)(?![\w-])[^<>]{0,500}>",
    re.IGNORECASE,
)
_NEW_LINE = re.compile(r">\s*<(?:br|dd|div|dt|li|p|tr)\b", re.IGNORECASE)
_SAME_LINE = re.compile(r"[.,;:!?)\]}]|[\"'”’»](?!\w)")

_EMOJI = [*range(0x1F000, 0x1FB00), *range(0x2600, 0x27C0), 0x200D, 0xFE0F, 0x20E3]
_MARKS = [ord(mark) for mark in '*_~`$"()[]{}“”„«»‹›']
_OTHER_SPACE = [*range(0x09, 0x0E), *range(0x1C, 0x20), 0x85, 0xA0, 0x2028, 0x2029, ord(_SPACE_FILLER)]
# sentencex sees no end of a sentence before one of these. U+202C and U+2069 end a stretch written in one direction; the
# marks that begin one belong to the sentence after them.
_INVISIBLE = "\u200b\u200e\u200f\ufeff\u061c\u2060\u202c\u2069"
_QUIET = dict.fromkeys([*_OTHER_SPACE, *range(0xD800, 0xE000), *_EMOJI, *_MARKS, *map(ord, _INVISIBLE)], " ")

_WINDOW = 4_000  # characters given to sentencex at once; its time grows faster than the text

_SPACELESS = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_WIDE_ENDS = "。！？｡؟۔।॥"  # these end a sentence without a space after them
_CLOSERS = re.compile(r"[\"'”’»)\]}」』）】》〉*_~\ue000]*")
_OPENERS_AT_END = re.compile(r"(?<=\s)(?:[«„“‹(\[{¿¡]\s*)+\Z")
_GOES_ON = re.compile(r"[,;:，、；：)\]」』）】》〉]")

# Abbreviations before a number, at which sentencex wrongly ends a sentence.
_BEFORE_NUMBER = re.compile(
    r"(?<!\w)(?:eqs?|figs?|vols?|nos?|nr|pp?|p[aá]g|blz|str|chap|chs?|secs?|sect|art|tab|ver|v|eds?|est|approx|incl|excl|ca?|circa|max|min|pt|op)\.\Z",
    re.IGNORECASE,
)
# Units before a word in small letters: "2 tbsp. olive oil" in a list, whose items begin in small letters.
_UNIT = re.compile(r"(?<!\w)(?:doz|gal|lbs?|oz|pkgs?|pts?|qts?|tbsps?|tsps?)\.\Z", re.IGNORECASE)
# Abbreviations before a capital letter, by language, that sentencex does not know.
_BEFORE_NAME = {
    "de": re.compile(
        r"(?<!\w)(?:de[rmns]|die|das|am|im|vom|zum|zur|beim|ab|seit|bis|und)\s+\d{1,2}\.\Z"
        r"|(?<!\w)(?:abs|ehem|exkl|frh|geb|gebr|gest|hl|inkl|tel)\.\Z",
        re.IGNORECASE,
    ),
    "es": re.compile(r"(?<!\w)(?:Cía|Dña|Fr|Mons)\.\Z"),
    "fr": re.compile(r"(?<![\w.-])(?:[A-Z]|Cie|Dr|MM|Me|Mgr|Mlles?|Mmes?|Pr|Ste?|bd)\.\Z"),
    "it": re.compile(r"(?<!\w)Ten\.\Z"),
    "nl": re.compile(r"(?<!\w)(?:d\.w\.z|dhr|ds|fam|mevr|mw|o\.a)\.\Z", re.IGNORECASE),
    "pl": re.compile(
        r"(?<!\w)(?:al|dr|gen|hr|im|inż|ks|m\.in|os|pl|pow|płk|tj|tzw|woj|św)\.\Z"
        r"|\A\s*(?:Do|Od|Po|Przed|W)\s\d{3,4}\s?r\.\Z",
        re.IGNORECASE,
    ),
    "pt": re.compile(r"(?<![\w.-])(?:[A-Z]|Arq|Av|Cel|Pe|Profa)\.\Z"),
    "ru": re.compile(r"(?<!\w)(?:им|ул|гг?|т|д)\.\Z", re.IGNORECASE),
}
_SENTENCE_OPENER = (
    r"(?:A|After|All|Although|An|And|As|At|Because|Before|Both|But|By|During|Each|For|From|He|Her|His|However|I|If|In|It"
    r"|Its|Many|Most|No|Nobody|Not|On|One|Our|She|Since|So|Some|That|The|Their|Then|There|These|They|This|Those|Today|Two"
    r"|Under|Until|We|What|When|Where|While|With|You)\b"
)
# "its 50. Anniversary", but not "in the 70. The town slept". "A" counts nothing: "They gave it a 10. Critics did not."
_ORDINAL = re.compile(r"(?<!\w)(?:the|its|his|her|their|our|my|your)\s+\d{1,3}\.\Z", re.IGNORECASE)
_NEXT_SENTENCE = re.compile(_SENTENCE_OPENER)
# Sentences without a space between: "in 1858.Electric light". Short numbers may count items or be versions.
_GLUED = re.compile(
    r"(?<=[\w,] )[($£€]?\d[\d,.–-]*\d{2}\.(?=(?!Alpha|Beta|Dev|Final|Preview|Release|Snapshot)[A-Z][a-z]+[\s,;'’])"
    rf"|(?<=[^\W\d_] )[($£€]?\d[\d,.–-]*\.(?={_SENTENCE_OPENER}[\s,])"
    rf"|(?<=[a-z]{{3}})[.?!](?={_SENTENCE_OPENER}[\s,])"
)
# sentencex takes the letter of a unit for an initial: "It weighs 560 g. It costs …", "2 Mbit/s. The …".
_AFTER_UNIT = re.compile(
    rf"(?:(?<=\d)|(?<=\d[ \u00a0\u202f])|(?<=\d sq\. )|(?<=\d cu\. ))[A-Za-zΩ]\.(?=\s+{_SENTENCE_OPENER}\s)"
    r"|(?<=[a-z]/)[a-z]\.(?=\s+[A-Z])"
)
# It takes a name of one letter for an initial, too: "cheaper than Plan A. Plan B is free". No initial stands before its
# own first name. The limit keeps the time linear in a text without spaces.
_BEFORE_NAMESAKE = re.compile(r"\b([^\W\d_][\w'’-]{1,40}) [A-Z]\.(?=\s+\1 [A-Z\d])", re.IGNORECASE)
# It takes a letter before a question for one, too: "He lacked vitamin C. Why did he die?"
_BEFORE_QUESTION = re.compile(
    r"(?<![^\W_])[A-Za-z]\.(?=\s+(?:Are|Can|Could|Did|Do|Does|How|Is|Was|Were|What|When|Where|Which|Who|Why|Will|Would)"
    r"\s[^.?!]{1,200}\?)"
)
_LETTER = re.compile(r"[^\W_]")
# "Мост построен в 1932 г. Он имеет длину …", "… и т. д. Сколько …"
_RUSSIAN = re.compile(
    r"(?:(?<=\d)|(?<=\d[ \u00a0])|(?<=т\.)|(?<=т\. ))[гдп]\."
    r"(?=\s+(?:А|В|Во|Где|Его|Её|За|Зачем|И|Из|Их|К|Как|Когда|Кто|На|Но|О|Он|Она|Они|Оно|По|После|Почему|При|С|Сколько|Со|Также|Что"
    r"|Эта|Эти|Это|Этот)[\s?])"
)
_INSIDE = (_GLUED, _AFTER_UNIT, _BEFORE_NAMESAKE, _BEFORE_QUESTION, _RUSSIAN)
"""Ends of sentences that sentencex does not see."""
_LIST_NUMBER = re.compile(r"\W*\d{1,4}[.)]\Z")
_INLINE_NUMBER = re.compile(r"[:;]\s+\d{1,2}[.)]\Z")

# Beginnings of lines that start something new, even after a single newline.
_MARKED_LINE = re.compile(
    r"\s*(?:[-*+•◦‣▪●○■]\s|[–—]\s*(?=[^\W\d_])|\||#{1,6}\s|\[[^\]\n]{1,40}\]:\s"
    r"|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)"  # the time in a log
)
# An entry of a list of sources, which a citation at the beginning of a line is not: those lists begin with an entry.
_ENTRY_LINE = re.compile(r"[ \t]*\[\^?[^\]\s]{1,40}\](?P<is_definition>:)?\s")
# An emoji or a keycap is a bullet where several lines begin with one.
EMOJI_BULLET = re.compile(r"(?:\d\ufe0f?\u20e3|[\U0001f000-\U0001faff\u2600-\u27bf\u2b50\ufe0f\u200d]{1,8})\s*(?=\S)")
_OWN_LINE = re.compile(r"\s*(?:\||#{1,6}\s)")
_NUMBERED_LINE = re.compile(
    r"\s*\(?(?:\d{1,3}|[A-Za-z]|[ivx]{2,4})[.)]\s"
    r"|\s*\d{1,2}(?:\.\d{1,2})+\.?\s+[A-Z(]|\s*\d{1,2}:\d\d(?:\s?[–-]\s?\d{1,2}:\d\d)?(?:\s?[ap]\.?m\.?)?:?\s+[^\W\d_a-zß-öø-ÿ]"
)
_SPEAKER_LINE = re.compile(r"\s*(?:\[[^\]\n]{1,20}\]\s*)?[*_]{0,2}[^\W\d_][\w .'’-]{0,29}[*_]{0,2}:[*_]{0,2}\s")
_UNFINISHED = re.compile(r"[,;–—-]\s*\Z|(?<!\w)[^\W\d_A-Z]{1,3}\s*\Z")
_UNWRAPPED = 120
"""Characters: nobody wraps lines that late, so next to a line of this length every line break is intended."""

# sentencex takes these words for abbreviations, which end no sentence: "It opened in May. Visitors came".
_WORDS = re.compile(r"\b(?:May|art|fed|fig|id|ID|ill|me|miss|mm|no|ore)(?=\. +(?:[A-Z][a-z]|[AI] ))")
# sentencex knows none of these abbreviations; it reads one of the same length instead.
_UNKNOWN = re.compile(
    r"\b(?:M[sx]|Mses|Mmes|Ft|[Ff]igs|[Vv]ols?|[Cc]hs?|approx|(?:in|ex)cl|(?<=[,\s] )eds?)(?=\. +[A-Z])"
)
_KNOWN = {2: "Mr", 3: "Gen", 4: "Capt", 6: "Messrs"}
# "9 a.m. Monday"
_HALF_DAY = re.compile(r"\b[ap]\.m\.\Z", re.IGNORECASE)
_DAY = re.compile(
    r"(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:Jan|Febr)uary|March|April|May(?= \d)|June|July|August|"
    r"(?:Septem|Octo|Novem|Decem)ber)\b"
)


def split(text: str, latin: str | None = None) -> list[tuple[int, int]]:
    """Return the sentences of `text` as half-open offsets.

    They are in order, do not overlap, have no white space at their ends, and contain everything else but tags of HTML
    that end a line.

    A blank line or such a tag ends a sentence; a single newline is a soft wrap unless the line after it starts an item,
    a table row or a speaker's turn, or the line before it is much too short to have been wrapped. `latin` is the
    language of Latin script; by default it is detected from the text.
    """
    latin = latin or latin_language(text)
    return [span for start, end in _paragraphs(text) for span in _split_paragraph(text, start, end, latin)]


def _language(paragraph: str, latin: str) -> str:
    """Return the language code for sentencex: by the commonest script of the first 500 characters.

    Any kana means Japanese.
    """
    if paragraph.isascii():
        return latin
    letters = [char for char in paragraph[:500] if char.isalpha()]
    foreign = [char for char in letters if char > "\u036f"]
    if 2 * len(foreign) < len(letters) or not foreign:
        return latin
    counts = {code: sum(low <= char <= high for char in foreign) for code, low, high in SCRIPTS}
    if counts["ja"]:
        return "ja"
    best = max(counts, key=lambda code: counts[code])
    return best if counts[best] else latin


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Yield the paragraphs between blank lines, and between tags that end a line."""
    edges = [0, *(edge for blank in _BLANK_LINE.finditer(text) for edge in blank.span()), len(text)]
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        block = text[start:end]
        at = 0
        for tags in _LINE_TAGS.finditer(_without_code(block)) if "<" in block else ():
            goes_on = block[tags.end() : tags.end() + 1].islower() or _SAME_LINE.match(block, tags.end())
            if goes_on and block[at : tags.start()].strip() and not _NEW_LINE.search(tags[0]):
                continue
            yield start + at, start + tags.start()
            at = tags.end()
        yield start + at, end


def _split_paragraph(text: str, start: int, end: int, latin: str) -> Iterator[tuple[int, int]]:
    paragraph = text[start:end]
    if not paragraph.strip():
        return
    language = _language(paragraph, latin)
    solid = _masked(paragraph)
    inside = (match.end() for pattern in _INSIDE for match in pattern.finditer(solid))
    edges = [0, *sorted({*_line_cuts(solid, paragraph), *inside}), len(solid)]
    cuts = edges[1:-1]
    for low, high in pairwise(edges):
        cuts += [low + cut for cut in _sentence_cuts(solid[low:high], language)]
    for low, high in pairwise([0, *_with_words(solid, sorted(cuts)), len(solid)]):
        raw = paragraph[low:high]
        if piece := raw.strip():
            at = start + low + len(raw) - len(raw.lstrip())
            yield at, at + len(piece)


def _with_words(solid: str, cuts: list[int]) -> list[int]:
    """Return the cuts without those that would leave a piece without words.

    An emoji or a tag stays with its neighbour.
    """
    cuts_left: list[int] = []
    for low, cut in pairwise([0, *cuts]):  # a piece before `low` that was not cut off has no words
        if _LETTER.search(solid, low, cut):
            cuts_left.append(cut)
    if cuts_left and not _LETTER.search(solid, cuts_left[-1]):
        cuts_left.pop()
    return cuts_left


def _line_cuts(solid: str, paragraph: str) -> list[int]:
    """Return the offsets of lines that begin something new; the marks in brackets that open a line are not masked."""
    ends = list(_LINE_END.finditer(solid))
    if not ends:
        return []
    starts = [0, *(end.end() for end in ends)]
    edges = list(zip(starts, [*starts[1:], len(solid)], strict=True))
    lines = [solid[low:high].strip() for low, high in edges]
    entries = [_ENTRY_LINE.match(paragraph, low, high) for low, high in edges]
    width = max(map(len, lines))
    turns = [bool(_SPEAKER_LINE.match(line + " ")) for line in lines]
    numbered = [bool(_NUMBERED_LINE.match(line)) for line in lines]
    bulleted = [bool(EMOJI_BULLET.match(line)) for line in lines]
    many_turns, many_numbered, many_bulleted = sum(turns) > 1, sum(numbered) > 1, sum(bulleted) > 1
    cuts = []
    for i in range(1, len(lines)):
        before, line, entry = lines[i - 1], lines[i], entries[i]
        if (
            (entry and (entries[0] or entry["is_definition"]))
            or (_MARKED_LINE.match(line) and not (line[0] in "–—" and line.lstrip("–— ")[:1].islower()))
            or (before and _OWN_LINE.match(before))
            or (many_turns and turns[i])
            or (many_numbered and numbered[i])
            or (many_bulleted and bulleted[i])
            or (
                width >= 40
                and 2 * len(before) < width
                and not line[:1].islower()
                and (width >= _UNWRAPPED or not _UNFINISHED.search(before))
            )
        ):
            cuts.append(starts[i])
    return cuts


def _sentence_cuts(solid: str, language: str) -> list[int]:
    """Return offsets in a masked line at which a new sentence begins."""
    quiet = solid.translate(_QUIET)
    if language == "en":
        quiet = _UNKNOWN.sub(lambda match: _KNOWN[len(match[0])], _WORDS.sub(lambda match: len(match[0]) * "x", quiet))
    first = next((char for char in quiet if char.isalpha()), "")
    cuts: list[int] = []
    last = 0
    for start, end in _proposed(quiet, language):
        stop = start + len(quiet[start:end].rstrip())
        begin = _skip_spaces(quiet, end)
        if stop <= last or begin >= len(solid):
            continue
        cut = _boundary(solid, stop, begin)
        if cut is None or _joined(quiet, last, stop, begin, language, bool(first) and not first.islower()):
            continue
        if _LIST_NUMBER.match(solid, last, stop):
            continue
        cuts.append(cut)
        last = cut
    return cuts


def _proposed(quiet: str, language: str) -> Iterator[tuple[int, int]]:
    """Yield all sentences but the last, as sentencex splits them.

    The text is read in windows, because sentencex's time is quadratic where punctuation has no spaces.
    """
    boundaries = _sentencex()
    at, size = 0, len(quiet)
    while at < size:
        end = at + _WINDOW
        end = size if end >= size else quiet.rfind(" ", at + _WINDOW // 2, end) + 1 or end
        sentence_ends = boundaries(language, quiet[at:end])
        for boundary in sentence_ends[:-1]:
            yield at + boundary["start_index"], at + boundary["end_index"]
        if end == size:
            return
        # The last sentence may continue beyond the window. One without an end is skipped, except for some context.
        at = at + sentence_ends[-1]["start_index"] if len(sentence_ends) > 1 else end - _WINDOW // 8


def _skip_spaces(text: str, at: int) -> int:
    while at < len(text) and text[at] == " ":
        at += 1
    return at


def _boundary(solid: str, stop: int, begin: int) -> int | None:
    """Return the boundary between a sentence's last word and the next one's first; None if there is none."""
    low = max(stop, begin - 100)  # no text has a hundred marks between two sentences; this bounds the search
    region = solid[low:begin]
    if opening := _OPENERS_AT_END.search(region):
        region = region[: opening.start()]
    for at in range(len(region) - 1, -1, -1):
        # A mark may stand where a space is missing: "opened in May.[1]The ferry".
        if region[at].isspace() or (region[at] in _INVISIBLE + _SPACE_FILLER and solid[begin].isupper()):
            return low + at + 1
    if solid[stop - 1] in _WIDE_ENDS or solid[stop - 1] in "」』" or _SPACELESS.match(solid[begin]):
        closers = _CLOSERS.match(solid, stop, begin)
        return closers.end() if closers else stop
    return None


def _joined(quiet: str, last: int, stop: int, begin: int, language: str, capitals: bool) -> bool:
    """Return whether the words on both sides of a proposed cut belong to one sentence."""
    after = quiet[begin]
    if _GOES_ON.match(after):
        return True
    # A text that begins with a capital begins every sentence so, except with names like iPhone.
    if capitals and after.islower() and not quiet[begin + 1 : begin + 2].isupper():
        return True
    before = quiet[max(last, stop - 24) : stop]
    if _HALF_DAY.search(before) and _DAY.match(quiet, begin):
        return True
    if after.islower() and _UNIT.search(before):
        return True
    if (after.isdigit() and _BEFORE_NUMBER.search(before)) or _INLINE_NUMBER.search(before):
        return True
    if language == "en" and _ORDINAL.search(before) and not _NEXT_SENTENCE.match(quiet, begin):
        return True
    if before[-1] in "」』":
        return quiet.startswith(("と", "って"), begin)
    names = _BEFORE_NAME.get(language)
    return names is not None and names.search(before) is not None


def _masked(line: str) -> str:
    """Return the text with tags and footnote marks as space filler, code, addresses and link targets as word filler."""
    return _AS_SPACE.sub(lambda match: _SPACE_FILLER * len(match[0]), _without_code(line))


def _without_code(line: str) -> str:
    """Return the text with comments as space filler, code, addresses and link targets as word filler."""
    if (closed := line.rfind("-->")) >= 0:
        head = _COMMENT.sub(lambda match: _SPACE_FILLER * len(match[0]), line[: closed + 3])
        line = head + line[closed + 3 :]
    if "`" in line or "](" in line or "@" in line or "://" in line or "www." in line:
        line = _AS_WORD.sub(lambda match: _WORD_FILLER * len(match[0]), line)
    return line


@cache
def _sentencex() -> Callable[[str, str], list[dict[str, Any]]]:
    import sentencex

    boundaries: Callable[[str, str], list[dict[str, Any]]] = sentencex.get_sentence_boundaries
    return boundaries
