"""Detection of text that gives instructions to the model that reads it. It is reported and shown, never removed.

This is a warning, not a protection: a judge must not obey evidence whether or not anything is detected.

The patterns are in `injection_patterns.toml`. Their families follow publications on prompt injection: BIPIA (Yi et al.
2023), AgentDojo (Debenedetti et al. 2024), JudgeDeceiver (Shi et al. 2024), PoisonedRAG (Zou et al. 2024), and pages
found in the wild. Each of the strong patterns is enough on its own. Features detect instructions in other words: they
address someone (a model, a judge, "you"), demand an action (answer, mark, ignore), and name the judge's task (the
claim, its label, its instructions). Prose has one or two of these in a sentence, seldom more.
"""

from __future__ import annotations

import base64
import codecs
import re
import unicodedata
from collections.abc import Iterator, Set
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote

from factscope.core import PatternFile, PatternGate
from factscope.evidence.decode import INVISIBLE, unmixed

# Set by hand, with the weights, on the orders of the tests, and checked on 15 MB of evidence texts and manuals: less
# than one sentence in a megabyte is flagged there.
ENOUGH = 4.5
"""Total weight from which a sentence counts as an instruction."""
ENOUGH_FOR_TWO = 5.0
"""Total weight from which two consecutive sentences do."""


@dataclass(frozen=True)
class _LazyPattern:
    """A regular expression compiled on first use: most texts need few of them."""

    expression: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The compiled expression."""
        return re.compile(self.expression)


@dataclass(frozen=True)
class InjectionPattern(_LazyPattern):
    """A pattern of text that gives an instruction."""

    family: str
    words: tuple[str, ...]
    """Pieces of text, one of which must occur before the slower pattern is tried."""
    asks: bool
    """Whether it counts only where an instruction can be: at the start of a sentence, or after "please" or "must"."""


@dataclass(frozen=True)
class InjectionFeature(_LazyPattern):
    """A feature of sentences that give instructions to a model."""

    weight: float
    needed: bool
    """Whether a sentence needs at least one feature with this mark."""


WORDINGS = PatternFile(__package__, "injection_patterns.toml")
STRONG = tuple(
    InjectionPattern(
        WORDINGS.any_of(entry["patterns"]),
        entry["family"],
        tuple(WORDINGS.text(entry["words"]).split("|")),
        entry.get("asks", False),
    )
    for entry in WORDINGS.values["strong"]
)
"""Patterns that each suffice by themselves."""
INGREDIENTS = tuple(
    InjectionFeature(WORDINGS.any_of(entry["patterns"]), entry["weight"], entry.get("needed", False))
    for entry in WORDINGS.values["feature"]
)
"""Features whose weights are added up for each sentence."""

_GATE = PatternGate([pattern.expression for pattern in (*STRONG, *INGREDIENTS)])

ABOUT = 600
"""Characters on each side in which it shows that a text is about such instructions."""
MOST_SPANS = 100
"""Most spans that are reported."""

_LONGEST_LINE = 4_000  # characters; longer lines are read in overlapping windows
_OVERLAP = 300  # characters that two windows share
_LONGEST_SENTENCE = 500  # characters; no instruction to a model is longer
_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n")
_NEEDED = frozenset(number for number, feature in enumerate(INGREDIENTS) if feature.needed)
_MOST_ENCODED = 200  # encoded parts of a line that are decoded
_FEWEST_ESCAPED = 8  # escaped characters of a part of a line that is decoded
_LEAD = 30  # characters before an instruction that may hold its lead-in
_QUOTED = re.compile(
    r"“[^”\n]{1,400}”|\"[^\"\n]{1,400}\"|«[^»\n]{1,400}»|„[^“”\n]{1,400}[“”]|`[^`\n]{1,400}`|「[^」\n]{1,400}」"
    r"|‘[^’\n]{1,400}’"
    r"|(?<!\w)'[^'\n]{3,300}'(?!\w)"
)
_SPACED = re.compile(r"(?<![^\W_])(?:[^\W\d_][ ._*|-]{1,3}){7,}[^\W\d_](?![^\W_])")
_DIGITS = str.maketrans("013457@$!", "oieastasi")
_LEET = re.compile(r"[a-z][013457@$!]+[a-z]|\b[013457@$!][a-z]{3,}")
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{20,}={0,2}(?![A-Za-z0-9+/=])")
_HEX = re.compile(r"(?<![0-9A-Fa-f])(?:[0-9A-Fa-f]{2}[ :]?){16,}(?![0-9A-Fa-f])")
_ESCAPED = re.compile(r"(?:%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|&#x?[0-9A-Fa-f]{1,6};|[\w ]){20,2000}")
_MARKS_ESCAPED = re.compile(r"%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|&#x?[0-9A-Fa-f]{1,6};")
_BACKWARDS = ("snoitcurtsni", "suoiverp", "erongi", "tpmorp", "tcidrev", "detroppus", "dragersid")
_ROT13 = ("vafgehpgvba", "cerivbhf", "vtaber", "cebzcg", "ireqvpg", "fhccbegrq", "qvfertneq")


class Instruction(NamedTuple):
    """A part of a text that gives an instruction to a model."""

    start: int
    """First character."""
    end: int
    """Character after the last."""
    family: str
    """Kind of attack."""


def instruction_spans(text: str) -> tuple[Instruction, ...]:
    """Return the instructions to a model in a text, in order, without overlaps.

    Quotations in a text about such instructions are left out.
    """
    instructions: list[Instruction] = []
    for start, line in _lines(text):
        instructions += [
            instruction._replace(start=start + instruction.start, end=start + instruction.end)
            for instruction in _in_line(line)
        ]
        if len(instructions) > 4 * MOST_SPANS:
            break
    instructions = [instruction for instruction in instructions if not _only_mentioned(text, instruction)]
    return _merged(instructions)[:MOST_SPANS]


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield paragraphs with their offsets; short ones with the next, as labels are often on a line of their own."""
    start = 0
    for match in re.finditer(r"\n\s*\n", text):
        if match.end() - start >= 200:
            yield from _pieces(start, text[start : match.start()])
            start = match.end()
    yield from _pieces(start, text[start:])


def _pieces(start: int, text: str) -> Iterator[tuple[int, str]]:
    for at in range(0, max(1, len(text)), _LONGEST_LINE):
        yield start + at, text[at : at + _LONGEST_LINE + _OVERLAP]


def _in_line(line: str) -> Iterator[Instruction]:
    folded, offsets = fold(line)
    yield from _matches(line, folded, offsets)
    for variant, where in _disguises(folded, offsets):
        yield from (_at(start, end, "disguised", variant, where) for _, start, end in _signs(variant))
    if any(word in folded for word in _BACKWARDS):
        yield from _elsewhere(folded[::-1], (0, len(line)), "reversed")
    if any(word in folded for word in _ROT13):
        yield from _elsewhere(codecs.encode(folded, "rot13"), (0, len(line)), "encoded")
    for span, decoded in _decoded(line):
        yield from _elsewhere(fold(decoded)[0], span, "encoded")


def _elsewhere(folded: str, span: tuple[int, int], family: str) -> Iterator[Instruction]:
    if next(_signs(folded), None) is not None:
        yield Instruction(*span, family)


def _matches(line: str, folded: str, offsets: list[int] | range) -> Iterator[Instruction]:
    for sign, start, end in _signs(folded):
        if (
            not sign.asks
            or line[offsets[start]].isupper()
            or WORDINGS["asked"].search(folded[max(0, start - _LEAD) : start])
        ):
            yield _at(start, end, sign.family, folded, offsets)
    for start, end in _composed(folded):
        yield _at(start, end, "wording", folded, offsets)


def _composed(folded: str) -> Iterator[tuple[int, int]]:
    """Yield sentences, and pairs of sentences, that have the features of instructions."""
    if _weight(_features(folded)) < ENOUGH:
        return
    before: frozenset[int] = frozenset()
    began = 0
    for start, end in _sentences(folded):
        sentence = folded[start:end]
        possible = _features(sentence)
        features_found = _matching(possible & _NEEDED, sentence)
        if features_found or before & _NEEDED:
            features_found |= _matching(possible - _NEEDED, sentence)
        if _weight(features_found) >= ENOUGH:
            yield start, end
        elif features_found and _weight(features_found | before) >= ENOUGH_FOR_TWO and _weight(before) < ENOUGH:
            yield began, end
        before, began = features_found, start


def _features(folded: str) -> frozenset[int]:
    """Return the features that a text may have."""
    return frozenset(number - len(STRONG) for number in _possible(folded) if number >= len(STRONG))


def _matching(features: Set[int], sentence: str) -> frozenset[int]:
    return frozenset(number for number in features if INGREDIENTS[number].pattern.search(sentence))


def _weight(features_found: frozenset[int]) -> float:
    return sum(INGREDIENTS[number].weight for number in features_found) if features_found & _NEEDED else 0.0


def _sentences(folded: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of sentences; long ones in pieces."""
    start = 0
    for match in _END.finditer(folded):
        yield from _short(start, match.start())
        start = match.end()
    yield from _short(start, len(folded))


def _short(start: int, end: int) -> Iterator[tuple[int, int]]:
    for at in range(start, end, _LONGEST_SENTENCE):
        yield at, min(end, at + _LONGEST_SENTENCE)


def _signs(folded: str) -> Iterator[tuple[InjectionPattern, int, int]]:
    """Yield the strong patterns in folded text, each with the start and end of its matches."""
    for sign in (STRONG[number] for number in _possible(folded) if number < len(STRONG)):
        if any(word in folded for word in sign.words):
            yield from ((sign, *match.span()) for match in sign.pattern.finditer(folded))


@lru_cache(maxsize=2)  # asked twice for each line
def _possible(folded: str) -> list[int]:
    """Return the numbers of the strong patterns that may occur, and of the features, which follow them."""
    return sorted(_GATE.numbers(folded))


def _at(start: int, end: int, family: str, folded: str, offsets: list[int] | range) -> Instruction:
    """Return a match in folded text as a span of the original, without the blanks and marks before it."""
    while start < end - 1 and not (folded[start].isalnum() or folded[start] in "<[{#*=-~_\"'"):
        start += 1
    return Instruction(offsets[start], offsets[end - 1] + 1, family)


def fold(text: str) -> tuple[str, list[int] | range]:
    """Fold to lower case, plain letters and single blanks; return the text with each character's offset in `text`."""
    if text.isascii() and "\t" not in text and "  " not in text:
        return text.lower(), range(len(text))
    letters = [*map(_folded, unmixed(text))]
    joined = "".join(letters)
    if "" not in letters and len(joined) == len(text) and "  " not in joined:
        return joined, range(len(text))
    folded: list[str] = []
    offsets: list[int] = []
    for offset, letter_group in enumerate(letters):
        for letter in letter_group:
            if letter == " " and folded and folded[-1] == " ":
                continue
            folded.append(letter)
            offsets.append(offset)
    return "".join(folded), offsets


@lru_cache(maxsize=20_000)
def _folded(char: str) -> str:
    if INVISIBLE.match(char):
        return ""
    if char in "‘’‚‛′´`":
        return "'"
    if char in "“”„‟«»″":
        return '"'
    if char.isspace():
        return "\n" if char == "\n" else " "
    return "".join(letter for letter in unicodedata.normalize("NFKC", char).lower() if not INVISIBLE.match(letter))


def _disguises(folded: str, offsets: list[int] | range) -> Iterator[tuple[str, list[int] | range]]:
    """Yield the text with spaced-out letters joined, and with digits replaced by the letters they imitate."""
    # A wider gap separates words.
    dropped = {
        at
        for match in _SPACED.finditer(folded)
        for at in range(*match.span())
        if not (folded[at].isalpha() or folded[at : at + 2] in {"  ", "| "})
    }
    if dropped:
        left = [at for at in range(len(folded)) if at not in dropped]
        yield _words_apart("".join(folded[at] for at in left), [offsets[at] for at in left])
    if len(_LEET.findall(folded)) > 1:
        yield folded.translate(_DIGITS), offsets


_RUN_WORDS = re.compile(
    r"ignore|disregard|forget|all|any|the|previous|prior|above|instructions?|prompts?|system|mark|label|this|claim|as"
    r"|supported|true|answer|output|verdict|is|and|your|you|are|now|of|say|reveal"
)


def _words_apart(joined: str, offsets: list[int]) -> tuple[str, list[int]]:
    """Insert blanks between the known words of a run of letters."""
    letters, where = [*joined], [*offsets]
    for match in reversed([*_RUN_WORDS.finditer(joined)]):
        if joined[match.end() : match.end() + 1].isalpha():
            letters.insert(match.end(), " ")
            where.insert(match.end(), offsets[match.end() - 1])
    return "".join(letters), where


def _decoded(line: str) -> Iterator[tuple[tuple[int, int], str]]:
    """Decode the encoded parts of a line that contain text."""
    for match in islice(_BASE64.finditer(line), _MOST_ENCODED):
        coded = match[0].rstrip("=")
        with suppress(ValueError):  # letters that are not encoded text
            yield from _readable(match.span(), base64.urlsafe_b64decode(coded + "=" * (-len(coded) % 4)))
    for match in _HEX.finditer(line):
        yield from _readable(match.span(), bytes.fromhex(re.sub("[ :]", "", match[0])))
    n_marks = sum(map(line.count, ("%", "\\", "&#")))
    for match in _ESCAPED.finditer(line) if n_marks >= _FEWEST_ESCAPED else ():
        if len(_MARKS_ESCAPED.findall(match[0])) >= _FEWEST_ESCAPED:
            yield match.span(), _MARKS_ESCAPED.sub(_instruction, unquote(match[0]))


def _readable(span: tuple[int, int], coded: bytes) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield the decoded text, if most of it is readable."""
    text = coded.decode("utf-8", "ignore")
    if len(text.encode()) >= 0.9 * len(coded) and sum(char.isprintable() for char in text) >= 0.9 * len(text):
        yield span, text


def _instruction(match: re.Match[str]) -> str:
    digits = re.sub(r"[^0-9A-Fa-fx]", "", match[0].replace("\\u", "").replace("\\x", "").replace("&#x", "x"))
    code = int(digits.lstrip("x"), 16) if not match[0].startswith("&#") or "x" in digits else int(digits)
    return chr(code) if code < 0x110000 else "\ufffd"


def _only_mentioned(text: str, instruction: Instruction) -> bool:
    """Return whether an instruction is quoted or mentioned in a text about such instructions."""
    if instruction.family in {"encoded", "reversed", "disguised"}:
        return False
    low = max(0, instruction.start - ABOUT)
    statement = text[instruction.start : instruction.end]
    unquoted = _QUOTED.sub(" ", statement) if instruction.family == "wording" else ""
    around = f"{text[low : instruction.start]} | {unquoted} | {text[instruction.end : instruction.end + ABOUT]}".lower()
    if not WORDINGS["topic"].search(around):
        return False
    if instruction.family == "wording":
        return unquoted != statement and next(_composed(fold(unquoted)[0]), None) is None
    before = max(0, instruction.start - 400)
    quoted = any(
        match.start() <= instruction.start + 1 and instruction.end <= match.end() + 1
        for match in _QUOTED.finditer(text, before, min(len(text), instruction.end + 400))
    )
    lead = fold(text[max(0, instruction.start - 40) : instruction.start])[0].rstrip(" ")
    return quoted or WORDINGS["mention"].search(lead) is not None


def _merged(instructions: list[Instruction]) -> tuple[Instruction, ...]:
    merged: list[Instruction] = []
    for instruction in sorted(instructions):
        if merged and instruction.start <= merged[-1].end:
            last = merged[-1]
            merged[-1] = last._replace(end=max(last.end, instruction.end))
        else:
            merged.append(instruction)
    return tuple(merged)
