"""Readers of the plain-text forms that the papers ask for.

They are pure functions, and refuse an unclear reply instead of guessing.

Each returns the content of the reply or raises UnreadableError with a reason that a model can act on. The caller passes
the allowed labels, from the same list that the prompt and the records use. Only `published_ids` reads a reply as
leniently as FELM's own code, to compare with its figures.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from factscope.llm.model_errors import UnreadableError

from .structured import after_thoughts

_AROUND = "*_`" + "".join(character for character in map(chr, range(0x3001)) if character.isspace())
"""Marks of emphasis, and the characters allowed between them and a word."""
_LEAD = {
    "so", "thus", "therefore", "hence", "the", "this", "my", "our", "final", "overall", "label", "verdict", "answer",
    "judgement", "judgment", "decision", "conclusion", "classification", "result", "of", "for", "statement",
    "claim", "is",
}  # fmt: skip
"""Words that may come before a label on its line. Any other word could negate it, in any language: `Opposite: […]`."""
_BULLET = re.compile(r"\s*(?:[-*+•–—]|\d{1,3}[.)])\s")


def typed_units(text: str, kinds: Sequence[str]) -> list[tuple[str, str]]:
    """Read VERIFY's `- unit: type` lines (FactBench): the type is after the last `: `, in any case.

    A unit may span several lines. Text before the first unit and after an empty line is ignored. A unit without an
    allowed type, one inside another, or one under another bullet makes the whole reply unreadable: if it were dropped,
    the score would be wrong without notice.
    """
    allowed = {kind.casefold(): kind for kind in kinds}

    def read_unit(line: str) -> tuple[str, str] | None:
        words, colon, kind = line.strip().rpartition(": ")
        matched_kind = allowed.get(kind.strip().casefold())
        return (words.strip(), matched_kind) if colon and matched_kind is not None and words.strip() else None

    units = []
    for block in re.split(r"\n\s*\n", "\n".join(_lines(text))):
        outside, *items = re.split(r"^- ", "\n" + block, flags=re.MULTILINE)
        lost = [line for line in outside.split("\n") if _BULLET.match(line) and read_unit(line)]
        lost += [line for item in items for line in item.strip().split("\n")[:-1] if read_unit(line)]
        if lost:
            raise UnreadableError(f"{lost[0].strip()[:80]!r} is not read as a unit: each begins a line with `- `.")
        for item in items:
            unit = read_unit(item)
            if unit is None:
                raise UnreadableError(
                    f"the unit {item.strip()[:80]!r} does not end in `: ` and one of {', '.join(kinds)}."
                )
            units.append(unit)
    if not units:
        raise UnreadableError("it holds no line of the form `- unit: type`.")
    return units


def fenced(text: str) -> str:
    """Return the content of a reply's fenced code block; several blocks must be equal."""
    blocks: list[str] = []
    inside: list[str] | None = None
    for line in _lines(text):
        stripped = line.strip()
        if "```" not in stripped:
            if inside is not None:
                inside.append(line)
        elif inside is None and (one_line := re.fullmatch(r"```([^`]+)```", stripped)):
            blocks.append(one_line[1].strip())
        elif inside is None and re.fullmatch(r"```[\w+-]*", stripped):
            inside = []
        elif inside is not None and stripped == "```":
            blocks.append("\n".join(inside).strip())
            inside = None
        else:
            raise UnreadableError("its code fence does not stand on a line by itself.")
    if inside is not None:
        raise UnreadableError("its code block is not closed.")
    if len(set(blocks)) > 1:
        raise UnreadableError("it holds more than one code block.")
    if not blocks or not blocks[0]:
        raise UnreadableError("it holds no text in a code block.")
    return blocks[0]


def bracketed_label(text: str, labels: Sequence[str]) -> str:
    """Return the bracketed label that ends a reply (FactBench), such as `Final label: [Supported]`.

    It must be one of `labels` (in any case) on the last line, alone or after a few words and a colon or `is`. Brackets
    and labels in the reasoning before it are ignored, unless another line states a different label in the same form:
    such a reply may only be listing the labels.
    """
    line_labels = [_label_of(line, labels) for line in _full_lines(text)]
    if not line_labels or line_labels[-1] is None:
        raise UnreadableError(f"its last line is not one of {', '.join(f'[{label}]' for label in labels)}.")
    if len(set(line_labels) - {None}) > 1:
        raise UnreadableError("it states more than one label.")
    return line_labels[-1]


def _label_of(line: str, labels: Sequence[str]) -> str | None:
    """Return the label that makes up a line, apart from the marks allowed around it."""
    lead, _, remainder = line.partition("[")
    value, closed, tail = remainder.partition("]")
    lead, tail = lead.casefold().strip(_AROUND), tail.strip(_AROUND)
    words = re.findall(r"[^\s,:*_`]+", lead)
    if lead and not (words and _LEAD.issuperset(words) and (lead.endswith(":") or words[-1] == "is")):
        return None
    return _allowed(value.strip(_AROUND), labels) if closed and tail in ("", ".", "!") else None


def marked_label(text: str, marker: str, labels: Sequence[str]) -> str:
    """Return the label after `marker` and a colon: `Final Verdict: yes` (Facts&Evidence), `Final Answer: …` (FACTS).

    The marker must begin a line, and the reply must end with the label, because later text could revoke it. When the
    marker occurs more than once, the label must be the same each time.
    """
    labels_found = set()
    for answer_text in _after(text, marker):
        value = re.sub(r"^\[(.*?)\](\.?)$", r"\1\2", answer_text).strip(_AROUND).removesuffix(".")
        labels_found.add(_allowed(value, labels))
    if len(labels_found) != 1 or None in labels_found:
        reason = "contradicts itself" if len(labels_found) > 1 else f"does not end with a line `{marker}: …`"
        raise UnreadableError(f"it {reason}; the label is one of {', '.join(labels)}.")
    return next(filter(None, labels_found))


NO_CLAIMS = "NO_CLAIMS"


def claim_lines(text: str) -> list[str]:
    """Return the claims of `Claim_1: text` lines (Facts&Evidence, section 3.4), numbered from 1 without a gap.

    An empty list for the single line `NO_CLAIMS`, which our prompts ask for when a sentence states nothing.
    """
    claims: list[str] = []
    lines = [line.strip() for line in _lines(text) if line.strip()]
    if len(lines) == 1 and _plain(lines[0]) == NO_CLAIMS:
        return claims
    for line in lines:
        match = re.fullmatch(r"(?:[-*]\s+)?\**Claim[_ ](\d{1,4})\**\s*:\**\s*(.*)", line)
        if not match:
            raise UnreadableError(f"the line {line[:80]!r} is not of the form `Claim_1: text`.")
        if int(match[1]) != len(claims) + 1:
            raise UnreadableError(f"Claim_{len(claims) + 1} is missing, or the claims are out of order.")
        claim = match[2].strip()
        if not claim or NO_CLAIMS in claim:
            raise UnreadableError(f"Claim_{match[1]} is empty.")
        if re.search(r"Claim(?:_\d| \d+\**\s*:)", claim):
            raise UnreadableError(f"the line of Claim_{match[1]} holds another claim.")
        claims.append(claim)
    if not claims:
        raise UnreadableError("it holds no claim.")
    return claims


_NONE_WRONG = re.compile(r"all[ _]correct|none|\[ *\]|\( *\)", re.IGNORECASE)
_IDS = re.compile(r"[0-9]{1,6}(?:[ \t]*(?:,|;|,?[ \t]+and)[ \t]*[0-9]{1,6})*")
_NAMED = re.compile(r"(?:segment|claim|part)s?[ \t]+(?=[0-9])", re.IGNORECASE)
_CLOSING = re.compile(r"it means (?:segments?|claims?|parts?) (.+?) contains? (?:factual )?errors?\.?", re.IGNORECASE)


def wrong_ids(text: str, count: int) -> frozenset[int]:
    r"""Return FELM's `Answer: 1,3` or `Answer: ALL_CORRECT` (FELM, detection prompt): which of `count` units are wrong.

    Other spellings are read too: `1 and 3`, `[1, 3]`, `segments 1; 3`, `None`, `ALL\_CORRECT` in any case and
    alone, and the line `It means segment 1,3 contain errors.` by which the paper's example ends. Ids are 1 to `count`;
    0, a higher one, a range, other words among them, or ids beside ALL_CORRECT are refused: the published parser takes
    the last unit for id 0, counts digits of explanations, and lets ALL_CORRECT win.
    """
    whole = after_thoughts(text).replace("\\_", "_")
    *before, last = _full_lines(whole) or [""]
    closing = _CLOSING.fullmatch(last)
    body = "\n".join(before) if closing else whole
    if _NONE_WRONG.fullmatch(_bare(body)) and "correct" in body.casefold():
        return frozenset()
    answers = {_ids(said, count) for said in _after(body, "Answer")}
    if len(answers) != 1:
        raise UnreadableError("it contradicts itself." if answers else "it does not end with a line `Answer: …`.")
    found = answers.pop()
    if closing and _ids(closing[1], count) != found:
        raise UnreadableError("it contradicts itself.")
    return found


def _ids(answer: str, count: int) -> frozenset[int]:
    """Return the ids in an answer; an empty set where it says that nothing is wrong."""
    answer = _NAMED.sub("", _bare(answer), count=1)
    if _NONE_WRONG.fullmatch(answer):
        return frozenset()
    if (answer[:1], answer[-1:]) in (("[", "]"), ("(", ")")):
        answer = answer[1:-1].strip()
    if not _IDS.fullmatch(answer):
        raise UnreadableError(
            "after `Answer:` there must be ids with commas between them and nothing else, or ALL_CORRECT."
        )
    ids = frozenset(int(number) for number in re.findall("[0-9]+", answer))
    if out := [number for number in ids if not 1 <= number <= count]:
        raise UnreadableError(f"there is no id {min(out)}: they go from 1 to {count}.")
    return ids


def _bare(answer: str) -> str:
    """Return an answer without surrounding marks and full stop."""
    return answer.strip().strip(_AROUND).strip().removesuffix(".").strip()


def _after(text: str, marker: str) -> list[str]:
    """Return the texts after each `marker:` at the start of a line, on that line or the next."""
    words = r"\s+".join(re.escape(word) for word in marker.split())
    begins = re.compile(rf"{words}\s*:(.*)", re.IGNORECASE | re.DOTALL)
    lines = [*_full_lines(text), ""]
    texts, end = [], -1
    for number, line in enumerate(lines):
        if match := begins.fullmatch(line):
            inline = match[1].strip(_AROUND)
            end = number + (1 if inline else 2)
            texts.append(inline or lines[number + 1])
    return texts if end >= len(lines) - 1 else []


def _lines(text: str) -> list[str]:
    """Return the lines of the answer, split only where every reader shows a line break: not at form feeds or U+2028."""
    return re.split(r"\r\n|\r|\n", after_thoughts(text))


def _full_lines(text: str) -> list[str]:
    return [plain for line in _lines(text) if (plain := _plain(line))]


def _plain(line: str) -> str:
    """Return the line without surrounding marks of emphasis and headings.

    Inside a quotation they stay, because they are not the model's.
    """
    return line.strip().lstrip(f"#{_AROUND}").rstrip(_AROUND).replace("**", "").replace("__", "")


def _allowed(value: str, labels: Sequence[str]) -> str | None:
    return {label.casefold(): label for label in labels}.get(value.strip().casefold())


_SEPARATED = re.compile(r"[^\S\n]*\n?[^\S\n]*\*{5,}[^\S\n]*\n?")
_BLOCK = re.compile(r"[*#\s]*Segment[ _]+(\S+?)\**\s*:\**\s*(.*)")
_ANSWER = re.compile(r"[*#\s]*Answer\**\s*:\**\s*")
_CLAIM = re.compile(r"\s*\**Claim[ _](\d{1,4})\**\s*[.:]\**\s*")


class ClaimBlocks(NamedTuple):
    """Claims, each with the segment that it is from."""

    claims: tuple[tuple[str, str], ...]
    """Key of the segment, text of the claim; in the order of the reply."""
    dropped: tuple[str, ...]
    """Keys of blocks whose segments do not exist."""


def claim_blocks(text: str, keys: Sequence[str]) -> ClaimBlocks:
    """Read FELM's `Segment s1:` lines, each with `Claim 1. text` below it, numbered in each or throughout.

    `Segment 1:` is `Segment s1:`, and a line `Answer:` may come first, as in the authors' own example. A segment that
    makes no claim has no block, or the line `NO_CLAIMS`. A block of a segment that does not exist is dropped; one that
    comes twice makes the reply unreadable.
    """
    blocks: list[tuple[str, list[str]]] = []
    lines = _lines(text)
    for line in lines[1:] if lines and _ANSWER.fullmatch(lines[0]) else lines:
        if match := _BLOCK.fullmatch(line):
            key = f"s{match[1]}" if f"s{match[1]}" in keys else match[1]
            blocks.append((key, [match[2]] if match[2].strip() else []))
        elif line.strip() and not blocks:
            if _plain(line) == NO_CLAIMS and len(_full_lines(text)) == 1:
                return ClaimBlocks((), ())
            raise UnreadableError(f"the line {line.strip()[:80]!r} comes before the first `Segment …:`.")
        elif line.strip():
            blocks[-1][1].append(line)
    segment_keys = [key for key, _ in blocks]
    if twice := next((key for key in segment_keys if segment_keys.count(key) > 1), None):
        raise UnreadableError(f"segment {twice} comes twice.")
    if not blocks:
        raise UnreadableError("it holds no line of the form `Segment …:`.")
    claims = [(key, claim) for key, lines in blocks if key in keys for claim in _numbered_claims(lines)]
    return ClaimBlocks(tuple(claims), tuple(key for key in segment_keys if key not in keys))


def _numbered_claims(lines: Sequence[str]) -> list[str]:
    numbered = [_CLAIM.sub(f"Claim_{number}: ", line, count=1) for number, line in enumerate(lines, 1)]
    return claim_lines("\n".join(numbered)) if numbered else []


def separated(text: str, full_text: str) -> list[tuple[int, int]]:
    """Locate the segments that a reply separates by five asterisks; return the start and end of each in `full_text`.

    Together they must equal `full_text` except for white space (FELM, section 3.2); any change, omission or addition
    makes the reply unreadable. A reply without asterisks is one segment.
    """
    black = [at for at, character in enumerate(full_text) if not character.isspace()]
    letters = "".join(full_text[at] for at in black)
    reply = after_thoughts(text)
    pieces = ["".join(piece.split()) for piece in _SEPARATED.split(reply)]
    spans, at = [], 0
    for number, piece in enumerate((piece for piece in pieces if piece), 1):
        if not letters.startswith(piece, at):
            raise UnreadableError(
                f"segment {number} does not go on where the one before it ends, to the letter:"
                f" there stands {full_text[black[at] :][:60]!r}."
                if at < len(black)
                else f"segment {number} is too much."
            )
        spans.append((black[at], black[at + len(piece) - 1] + 1))
        at += len(piece)
    if at < len(black):
        raise UnreadableError(f"the segments end too early: {full_text[black[at] :][:60]!r} is in none.")
    return spans


def published_ids(text: str, count: int) -> frozenset[int]:
    r"""Return the numbers of the units that a reply calls wrong, as FELM's published code reads it.

    `ALL_CORRECT` anywhere means none, even as `ALL\_CORRECT`, as Vicuna writes it; otherwise all valid ids after the
    first `Answer: ` count. Id 0 is ignored, where the published code takes it for the last unit. Raises UnreadableError
    when there is no `Answer: `.
    """
    if "ALL_CORRECT" in text.replace("\\", ""):
        return frozenset()
    _, marker, answer = text.partition("Answer: ")
    if not marker:
        raise UnreadableError("it holds no `Answer: `.")
    return frozenset(number for number in map(int, re.findall(r"(?<!\d)\d{1,6}(?!\d)", answer)) if 1 <= number <= count)
