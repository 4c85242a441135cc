"""Claim items aligned with the items of one sentence: equal ones, and ones that were replaced."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from factscope.judging.verifiers.wording.lexicon import NEGATIVE_PREFIXES, OPPOSITES
from factscope.judging.verifiers.wording.text_items import AnalysedSentence, AnalysedText, TextItem


class MismatchNote(NamedTuple):
    """Note on a mismatch: its group, whether it supports the claim, and words for a person."""

    group: str
    agrees: bool
    text: str
    """The predicate of a sentence about the passage: "has 9, not 19"."""
    of_sentence: bool = False
    """Whether it is about the sentence that the claim was compared with, not about the whole passage."""


def in_words(phrases: Sequence[str]) -> str:
    """Return a sentence that says of the passage what the notes say; empty without one."""
    *others, last = phrases or ("",)
    joined = f"{', '.join(others)}, and {last}" if others else last
    return joined and f"the passage {joined}"


def excerpt(text: str, start: int, end: int) -> str:
    """Return `text[start:end]` for a note: on one line, cut when it is too long."""
    text_shown = " ".join(text[start:end].split())
    return text_shown if len(text_shown) <= 60 else text_shown[:59] + "…"


class ItemSlot(NamedTuple):
    """Items of the claim and the sentence's items in the same position."""

    claim: tuple[TextItem, ...]
    evidence: tuple[TextItem, ...]
    anchored: bool
    """Whether equal items surround them on both sides."""


class ItemAlignment(NamedTuple):
    """Alignment of a claim with a sentence."""

    matched: tuple[tuple[TextItem, TextItem], ...]
    """Equal items in the same order in both."""
    slots: tuple[ItemSlot, ...]
    """Short spans where one item replaces another."""
    added: int
    """Number of items that only the claim has, with no counterpart."""


class AlignedClaim(NamedTuple):
    """A part of a claim beside the passage that it is compared with."""

    claim: AnalysedText
    passage: AnalysedText
    at: int
    """Number of the passage's sentence that the claim is aligned with."""
    alignment: ItemAlignment
    notes: list[MismatchNote]
    """Notes for a person."""

    @property
    def sentence(self) -> AnalysedSentence:
        """The part of the claim."""
        return self.claim.stretches[0]

    @property
    def best(self) -> AnalysedSentence:
        """The sentence that it is aligned with."""
        return self.passage.stretches[self.at]

    @property
    def window(self) -> tuple[AnalysedSentence, ...]:
        """That sentence and its neighbours."""
        return self.passage.stretches[max(0, self.at - 2) : self.at + 3]

    def note(self, group: str, text: str, *, agrees: bool = False, of_sentence: bool = True) -> None:
        """Add a note, on that sentence or on the whole passage."""
        self.notes.append(MismatchNote(group, agrees, text, of_sentence))


def opposed(left: str, right: str) -> bool:
    """Tell whether two stems exclude each other: listed opposites, or a word and its negative (`happi`, `unhappi`)."""
    if right in OPPOSITES.get(left, ()):
        return True
    short, long = (left, right) if len(left) <= len(right) else (right, left)
    return len(short) > 3 and long.endswith(short) and long[: -len(short)] in NEGATIVE_PREFIXES


def same_word(left: str, right: str) -> bool:
    """Tell whether two different stems are likely forms of one word: `australia` and `australian`."""
    return (
        left[:5] == right[:5]
        and min(len(left), len(right)) >= 5
        and abs(len(left) - len(right)) <= 4
        and left[0].isalpha()
        and not (left[-1].isdigit() or right[-1].isdigit())  # BA2490 and BA2491 are two flights
    )


def align_items(claim: AnalysedSentence, sentence: AnalysedSentence) -> ItemAlignment:
    """Align the claim's items with the sentence's, longest common runs first (Ratcliff and Obershelp)."""
    left = [item.key for item in claim.items]
    right = _adopt(claim, sentence)
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    matched: list[tuple[TextItem, TextItem]] = []
    slots: list[ItemSlot] = []
    added = 0
    for operation, i1, i2, j1, j2 in matcher.get_opcodes():
        if operation == "equal":
            matched += zip(claim.items[i1:i2], sentence.items[j1:j2], strict=True)
        elif operation == "delete":
            added += i2 - i1
        elif operation == "replace":
            before, after = i1 > 0 and j1 > 0, i2 < len(left) and j2 < len(right)
            width = i2 - i1 + 1
            if i2 - i1 <= 4 and (before or after):
                items_replaced = (
                    sentence.items[j1 : min(j2, j1 + width)] if before else sentence.items[max(j1, j2 - width) : j2]
                )
                slots.append(ItemSlot(claim.items[i1:i2], items_replaced, before and after and j2 - j1 <= width))
            added += max(0, (i2 - i1) - (j2 - j1))
    return ItemAlignment(tuple(matched), tuple(slots), added)


def _adopt(claim: AnalysedSentence, sentence: AnalysedSentence) -> list[str]:
    """Return the keys of the sentence, with likely other forms of a claim's word replaced by the claim's form."""
    claim_keys = sentence.keys
    starts = {item.key[:5]: item.key for item in claim.items if item.key not in claim_keys and len(item.key) >= 5}
    keys = []
    for item in sentence.items:
        other = starts.get(item.key[:5])
        keys.append(other if other is not None and same_word(item.key, other) else item.key)
    return keys
