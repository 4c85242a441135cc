"""Pairs made by rule from the passages of labelled sets, and distractor sentences around a passage.

In use a passage says more than the one sentence that matters, and most passages are about something else.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from .labelled import Pair

_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"'A-Z0-9])")
_NUMBER = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?![\w]|[.,]\d)")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+(?: [A-Z][a-z]+)*")
_VERBS = ("is", "was", "are", "were", "can", "will", "could", "should", "has been", "have been", "had been")
_PEOPLE_IN_PICTURES = frozenset({"snli", "cad_nli"})
"""Captions: "a man is outdoors" may hold of another caption too, so these give no pairs by rule."""


def sentences(text: str) -> list[str]:
    """Cut a clean training passage at sentence ends."""
    return [sentence for sentence in _SENTENCE.split(text) if sentence]


def with_distractors(pairs: Sequence[Pair], share: float, chance: random.Random) -> list[Pair]:
    """Surround a share of the passages by one to three sentences of other passages of the same source."""
    pools: dict[str, list[str]] = {}
    for pair in pairs:
        pools.setdefault(pair.source.split(":")[0], []).append(pair.passage)
    return [
        _surround(pair, pools[pair.source.split(":")[0]], chance) if chance.random() < share else pair for pair in pairs
    ]


def _surround(pair: Pair, pool: Sequence[str], chance: random.Random) -> Pair:
    if len(pair.passage.split()) > 70:
        return pair
    parts = [pair.passage]
    for _ in range(chance.choice((1, 1, 2, 3))):
        other = chance.choice(sentences(chance.choice(pool)) or [""])
        if 4 <= len(other.split()) <= 35:
            parts.insert(chance.choice((0, len(parts))), other)
    return pair._replace(passage=" ".join(parts))


_HEADINGS = ("History", "Overview", "Background", "Results", "Details", "Early life", "Operations", "Notes", "Summary")
_OPENING_NAME = re.compile(r"(?:[A-Z][\w'-]+)(?: (?:of |the )?[A-Z][\w'-]+)*")


def with_leads(pairs: Sequence[Pair], share: float, chance: random.Random) -> list[Pair]:
    """Put a page's title, and half the time a heading, before a share of the passages, as retrieval does.

    A title names what the page is about and states nothing, so the label stays.
    """
    return [
        pair._replace(passage=f"{_lead(pair, chance)} {pair.passage}") if chance.random() < share else pair
        for pair in pairs
    ]


def _lead(pair: Pair, chance: random.Random) -> str:
    names = [name for name in _OPENING_NAME.findall(pair.passage) if len(name) > 3]
    title = chance.choice(names) if names else chance.choice(_HEADINGS)
    return f"{title}. {chance.choice(_HEADINGS)}." if chance.random() < 0.5 else f"{title}."


def off_topic(pairs: Sequence[Pair], count: int, chance: random.Random) -> list[Pair]:
    """Pair claims with the passage that shares most words of sixty drawn from other rows: not enough."""
    made: list[Pair] = []
    pools: dict[str, list[Pair]] = {}
    for pair in pairs:
        if pair.source not in _PEOPLE_IN_PICTURES and not pair.source.startswith("family"):
            pools.setdefault(pair.source, []).append(pair)
    everything = [pair for pool in pools.values() for pair in pool]
    while len(made) < count:
        pair = chance.choice(everything)
        words = set(_WORD.findall(pair.claim.lower()))
        pool = pools[pair.source]
        drawn = [other for other in chance.sample(pool, min(60, len(pool))) if not _same_topic(pair, other)]
        if drawn and words:
            shared = [len(words.intersection(_WORD.findall(other.passage.lower()))) for other in drawn]
            best = drawn[max(range(len(drawn)), key=shared.__getitem__)]
            made.append(Pair("made:off_topic", pair.claim, best.passage, "not_enough", pair.held_out))
    return made


def _same_topic(left: Pair, right: Pair) -> bool:
    """Return whether two rows may be about the same thing: they share a rare-looking name of the claim."""
    names = set(re.findall(r"\b[A-Z][\w-]{2,}", left.claim))
    shared = sum(name in right.passage for name in names)
    return left.claim == right.claim or bool(names and shared >= max(1, len(names) * 0.6))


def from_sentences(pairs: Sequence[Pair], count: int, chance: random.Random) -> list[Pair]:
    """Make claims of passages' own sentences: as they stand, with one thing changed on either side, or taken out."""
    pool = [pair for pair in pairs if pair.source not in _PEOPLE_IN_PICTURES]
    made: list[Pair] = []
    while len(made) < count:
        pair = chance.choice(pool)
        context = [part for part in sentences(pair.passage) if 5 <= len(part.split()) <= 40]
        if not context:
            continue
        for _ in range(chance.choice((0, 1, 2, 3))):
            other = chance.choice(sentences(chance.choice(pool).passage) or [""])
            if 5 <= len(other.split()) <= 35:
                context.insert(chance.randint(0, len(context)), other)
        result = _from_sentence(context, chance.choice(pool).passage, chance)
        if result:
            claim, passage, label = result
            made.append(Pair("made:sentence", claim, passage, label, pair.held_out))  # type: ignore[arg-type]
    return made


def _from_sentence(context: list[str], other: str, chance: random.Random) -> tuple[str, str, str] | None:
    place = chance.randrange(len(context))
    claim = context[place]
    draw = chance.random()
    if draw < 0.38:
        return claim, " ".join(context), "supported"
    if draw < 0.5:
        rest = " ".join(context[:place] + context[place + 1 :])
        return (claim, rest, "not_enough") if len(rest.split()) > 8 else None
    changed = _change(claim, other, chance)
    if changed is None:
        return None
    swapped = " ".join([*context[:place], changed, *context[place + 1 :]])
    if draw < 0.75:
        return changed, " ".join(context), "contradicted"
    if draw < 0.9:
        return claim, swapped, "contradicted"
    return changed, swapped, "supported"


def _change(sentence: str, other: str, chance: random.Random) -> str | None:
    edits = [_change_number, _change_number, _change_name, _change_polarity]
    chance.shuffle(edits)
    for edit in edits:
        changed = edit(sentence, other, chance)
        if changed and changed != sentence:
            return changed
    return None


def _change_number(sentence: str, _other: str, chance: random.Random) -> str | None:
    matches = list(_NUMBER.finditer(sentence))
    if not matches:
        return None
    match = chance.choice(matches)
    value = float(match[0].replace(",", ""))
    whole = "." not in match[0]
    step = max(1.0, round(abs(value) * chance.choice((0.02, 0.1, 0.3)))) if whole else max(0.1, abs(value) * 0.2)
    changed = value + step if chance.random() < 0.5 or value < step else value - step
    text = f"{changed:.0f}" if whole else f"{changed:.1f}"
    if whole and "," in match[0]:
        text = f"{changed:,.0f}"
    return sentence[: match.start()] + text + sentence[match.end() :]


def _change_name(sentence: str, other: str, chance: random.Random) -> str | None:
    mine, theirs = list(_NAME.finditer(sentence)), _NAME.findall(other)
    theirs = [name for name in theirs if name not in sentence]
    if not mine or not theirs:
        return None
    match = chance.choice(mine)
    alike: list[str] = [name for name in theirs if len(name.split()) == len(match[0].split())]
    if not alike:
        return None
    return sentence[: match.start()] + chance.choice(alike) + sentence[match.end() :]


def _change_polarity(sentence: str, _other: str, chance: random.Random) -> str | None:
    if " not " in sentence:
        return sentence.replace(" not ", " ", 1)
    for verb in chance.sample(_VERBS, len(_VERBS)):
        if f" {verb} " in sentence:
            first, *rest = verb.split()
            return sentence.replace(f" {verb} ", f" {' '.join([first, 'not', *rest])} ", 1)
    return None
