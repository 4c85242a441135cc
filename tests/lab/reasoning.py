"""Reading rules of the laboratory's stand-in for a model: sentences, claims, pronouns, and support for a claim.

Rules that a person can follow, so that a test can predict the outcome:

- a sentence is split at ` and `, `;`, `, who ` and `, which ` before a verb;
- It, They, He and She at the beginning stand for the last thing or person mentioned;
- a text supports a claim when it holds all its content words, its numbers and names in sentences that share one of
  the others; it contradicts the claim when such a sentence has a different number or name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

VERBS = (
    "is|are|was|were|has|had|have|stands|stood|lies|carries|carried|holds|held|opened|closed|designed|built|serves|"
    "founded|moved|runs|won|wrote|employs|employed|grew|became|crosses|lists|takes|waddle|cost|costs|painted|burned"
)
_VERB = re.compile(rf"\b(?:{VERBS})\b")
_CUT = re.compile(rf";\s+|,?\s+and\s+(?=(?:\w+\s+){{0,5}}?(?:{VERBS})\b)|,\s+(?=(?:who|which)\s+(?:{VERBS})\b)")
_NAME = re.compile(r"[A-Z][\w'-]+(?:\s+[A-Z][\w'-]+)*")
_PRONOUN = re.compile(r"^(It|They|He|She|Its|Their|His|Her)\b", re.IGNORECASE)
_PERSON = re.compile(r"^(?:He|She|His|Her)\b", re.IGNORECASE)
_NO_NAME = re.compile(r"The|An?|Its?|They|Their|He|His|She|Her|In|On|At|Of|This|That|Let|Please|I|We|No")
_LIGHT = re.compile(
    r"an?|the|of|in|on|at|to|by|for|from|with|and|or|is|are|was|were|be|been|has|had|have|its?|they|their|he|his|she|"
    r"her|that|this|which|who|also|as|than|more|most|let|s"
)
_NUMBER = re.compile(r"\d.*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|hundred")


BY_HEART = (
    "The Marlow bridge was opened in 1931. It has four arches. The Marlow bridge has four arches. "
    "The town hall was finished in 1908. The sum is 4."
)
"""Facts that the stand-in knows without evidence."""


class Piece(NamedTuple):
    """A claim in a sentence."""

    quote: str
    """As written in the sentence."""
    text: str
    """With its subject."""
    child: bool
    """Whether it is about something that the piece before it introduces."""


class Finding(NamedTuple):
    """Relation of a text to a claim."""

    label: str
    quote: str
    gap: str


def sentences(text: str) -> list[str]:
    """Split a text into sentences; a line that begins with # is one."""
    parts = [part for line in text.split("\n") for part in re.split(r"(?<=[.!?])\s+(?=[^a-z])", line.strip())]
    return [part.strip() for part in parts if part.strip()]


def kind_of(sentence: str) -> str:
    """Return the type of a unit, as named in the records."""
    if sentence.endswith("?"):
        return "question"
    if sentence.startswith(("Let's", "Please", "Do ")):
        return "instruction"
    if sentence.startswith(("I think", "We think")):
        return "claim"
    if sentence.startswith(("As an AI", "I hope", "I can't")):
        return "meta"
    return "fact" if _words(sentence) and not sentence.startswith("#") else "other"


def pieces(sentence: str) -> list[Piece]:
    """Split a sentence into claims, each with its subject."""
    if kind_of(sentence) not in ("fact", "claim"):
        return [Piece(sentence, sentence, child=False)]
    cuts = list(_CUT.finditer(sentence))
    starts = [0, *(cut.end() for cut in cuts)]
    ends = [*(cut.start() for cut in cuts), len(sentence)]
    quotes = [sentence[start:end].strip().rstrip(".") for start, end in zip(starts, ends, strict=True)]
    subject = _subject(quotes[0])
    made = [Piece(quotes[0], quotes[0], child=False)]
    for quote in quotes[1:]:
        relative = re.match(r"(who|which)\s+", quote)
        if relative:
            rest, before = quote[relative.end() :], made[-1].text
            names = _names(before)
            about = names[-1] if relative[1] == "who" and names else f"the {before.split()[-1]} of {subject}"
            made.append(Piece(quote, f"{about[0].upper()}{about[1:]} {rest}", child=True))
        else:
            bare = re.sub(r"^(?:it|they|he|she)\s+", "", quote)
            text = f"{subject} {bare}" if _VERB.match(bare) else f"{quote[0].upper()}{quote[1:]}"
            made.append(Piece(quote, text, child=False))
    return made


def standalone(claim: str, before: str) -> str:
    """Replace a claim's leading pronoun with what `before` last mentioned."""
    pronoun = _PRONOUN.match(claim)
    if not pronoun:
        return claim
    name = _spoken_of(before, person=_PERSON.match(claim) is not None)
    if not name:
        return claim
    owner = f"{name}'s" if pronoun[1].casefold() in ("its", "their", "his", "her") else name
    return f"{owner}{claim[pronoun.end() :]}"


def before_claim(claim: str, text: str) -> str:
    """Return the text before the sentence that a claim comes from."""
    wanted = set(_words(claim))
    listed = sentences(text)
    best = max(listed, key=lambda one: len(wanted & set(_words(one))), default="")
    return text[: text.find(best)] if best else ""


def compare(claim: str, text: str) -> Finding:
    """Return whether a text supports or contradicts a claim, or neither, and by which sentence."""
    wanted, there = _content(claim), _known(text)
    plain = [word for word in wanted if not _is_detail(word)]
    subject = [word for word in _content(_subject(claim)) if word in wanted]
    shared = sum(word.casefold() in there for word in wanted) / max(len(wanted), 1)
    open_ = Finding("not_enough_evidence", "", "partial" if shared >= 0.5 else "insufficient")
    if not plain or any(word.casefold() not in there for word in (*plain, *subject)):
        return open_  # the text may be about another thing of the same kind
    near = [one for one in sentences(text) if _shared(plain, one)]
    details = [word for word in wanted if _is_detail(word) and word not in subject]
    lacking = [word for word in details if not any(word.casefold() in _known(one) for one in near)]
    if not lacking:
        return Finding("supported", max(near, key=lambda one: _shared(plain, one) + _shared(details, one)), "")
    against = [one for one in near if _other(lacking[0], one, wanted)[0]]
    if not against:
        return open_
    best = max(against, key=lambda one: _shared(plain, one) + _other(lacking[0], one, wanted).nearest / 2)
    return Finding("contradicted", best, "")


def query(claim: str, turn: int) -> str:
    """Make the query of a round, from 1: content words, then without numbers, then names, then the other words."""
    words = _content(claim)
    ways = [
        words,
        [word for word in words if not _is_number(word)],
        [word for word in words if word[0].isupper()],
        [word for word in words if not _is_detail(word)],
        words[::-1],
    ]
    return " ".join(ways[(turn - 1) % len(ways)] or [*words, "facts"])


def corrected(segment: str, claim: str, passage: str) -> tuple[str, str]:
    """Correct the segment by the passage, and return it with the sentence of the passage used."""
    quote, wanted = compare(claim, passage).quote, _content(claim)
    for detail in wanted:
        other = _other(detail, quote, wanted).word
        if _is_detail(detail) and detail.casefold() not in _known(quote) and other:
            return re.sub(rf"\b{re.escape(detail)}\b", other, segment), quote
    return "", quote


class _Other(NamedTuple):
    word: str
    nearest: bool
    """Whether the next word is the same as in the claim."""


def _other(lack: str, sentence: str, claim: Sequence[str]) -> _Other:
    """Return a sentence's counterpart to a number or name of a claim, or an empty word if it has none."""
    known = {word.casefold() for word in claim}
    words = _words(sentence)
    after = {following for at, following in pairwise([*claim, ""]) if at == lack}
    same_sort = [
        _Other(word, following in after)
        for word, following in pairwise([*words, ""])
        if _is_detail(word) and word.casefold() not in known and _is_number(word) == _is_number(lack)
    ]
    return max(same_sort, key=lambda other: other.nearest, default=_Other("", nearest=False))


def _spoken_of(before: str, *, person: bool) -> str:
    for sentence in reversed(sentences(before)):
        names = _names(sentence)
        if person and names:
            return names[-1]
        subject = _subject(sentence)
        if not person and subject and not _PRONOUN.match(subject) and not sentence.startswith("#"):
            return subject
    return ""


def _subject(sentence: str) -> str:
    verb = _VERB.search(sentence)
    return sentence[: verb.start()].strip() if verb else ""


def _names(sentence: str) -> list[str]:
    found = [match.split() for match in _NAME.findall(sentence)]
    kept = [" ".join(word for word in words if not _NO_NAME.fullmatch(word)) for words in found]
    return [name for name in kept if name]


def _words(text: str) -> list[str]:
    return re.findall(r"\w[\w.,]*\w|\w", text)


def _content(claim: str) -> list[str]:
    return [word for word in dict.fromkeys(_words(claim)) if not _LIGHT.fullmatch(word.casefold())]


def _is_number(word: str) -> bool:
    return _NUMBER.fullmatch(word.casefold()) is not None


def _is_detail(word: str) -> bool:
    return _is_number(word) or (word[0].isupper() and not _NO_NAME.fullmatch(word))


def _known(text: str) -> set[str]:
    return {word.casefold() for word in _words(text)}


def _shared(words: Sequence[str], sentence: str) -> int:
    return sum(word.casefold() in _known(sentence) for word in words)
