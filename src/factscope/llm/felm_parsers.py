"""Readers for the replies to FELM's prompts: claims by segment, segments, and the ids of wrong units.

As in `parsers`, an unclear reply is refused, with a reason that a model can act on. Only `published_ids` reads a reply
as leniently as FELM's own code, to compare with its figures.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from factscope.llm.model_errors import UnreadableError

from .parsers import NO_CLAIMS, claim_lines
from .structured import after_thoughts

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
    lines = after_thoughts(text).splitlines()
    for line in lines[1:] if lines and _ANSWER.fullmatch(lines[0]) else lines:
        if match := _BLOCK.fullmatch(line):
            key = f"s{match[1]}" if f"s{match[1]}" in keys else match[1]
            blocks.append((key, [match[2]] if match[2].strip() else []))
        elif line.strip() and not blocks:
            if line.strip() == NO_CLAIMS and len(text.split()) == 1:
                return ClaimBlocks((), ())
            raise UnreadableError(f"the line {line.strip()[:80]!r} comes before the first `Segment …:`.")
        elif line.strip():
            blocks[-1][1].append(line)
    segment_keys = [key for key, _ in blocks]
    if twice := next((key for key in segment_keys if segment_keys.count(key) > 1), None):
        raise UnreadableError(f"segment {twice} comes twice.")
    if not blocks:
        raise UnreadableError("it holds no line of the form `Segment …:`.")
    claims = [(key, claim) for key, lines in blocks if key in keys for claim in _claims(lines)]
    return ClaimBlocks(tuple(claims), tuple(key for key in segment_keys if key not in keys))


def _claims(lines: Sequence[str]) -> list[str]:
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
