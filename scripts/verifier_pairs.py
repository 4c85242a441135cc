"""Pairs made by rule for the cross-encoder's first pass: sentences of permissive passages, as they stand and edited."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from verifier_data import SEED, Row
from verifier_made import change_number, change_opposite, change_polarity

from factscope.claims.text.segments import sentences
from factscope.claims.text.terms import tokens

TEXTS = ("halueval_general", "factscore")
"""Sets of responses whose sentences serve as passages; no label of theirs is used, only FActScore's lists of facts."""
WORDS = (6, 32)
"""A sentence that may be a claim."""
AROUND = 70
"""Words of a made passage at most, about; keeps training quick."""

_NAME = re.compile(r"(?<=[a-z,] )(?:[A-Z][a-z]+)(?: [A-Z][a-z]+)*")


class Source(NamedTuple):
    """A passage as its sentences, and where it is from."""

    dataset: str
    sentences: tuple[str, ...]
    facts: tuple[tuple[int, str], ...] = ()
    """Atomic facts that people or a checked prompt drew from a sentence, with that sentence's place."""


def read_sources(folder: Path, rows: Sequence[Row]) -> list[Source]:
    """Passages of the training rows and of the response sets, each once. Raises OSError."""
    sources = [Source(*key) for key in dict.fromkeys((row.dataset, _cut(row.passage)) for row in rows)]
    lines = (folder / "resp_halueval_general.jsonl").read_text(encoding="utf-8").splitlines()
    sources += [Source("halueval_general", _cut(json.loads(line)["response"])) for line in lines]
    for line in (folder / "facts_factscore.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        parts = [part for part in entry["sentences"] or () if part["text"]]
        facts = [(at, fact["text"]) for at, part in enumerate(parts) for fact in part["facts"]]
        sources.append(Source("factscore", tuple(part["text"] for part in parts), tuple(facts)))
    return [source for source in sources if source.sentences]


def made_pairs(sources: Sequence[Source], wanted: dict[str, int]) -> list[Row]:
    """About `wanted[dataset]` pairs from the passages of each set, in mixed order."""
    chance = random.Random(SEED)
    made: list[Row] = []
    for dataset, count in wanted.items():
        pool = [source for source in sources if source.dataset == dataset]
        drawn = 0
        while drawn < count:
            pair = _pair(chance.choice(pool), pool, chance)
            if pair is not None:
                claim, passage, label = pair
                made.append(Row(dataset, claim, passage, label, "", held_out=False, made="rule"))
                drawn += 1
    chance.shuffle(made)
    return made


def _cut(text: str) -> tuple[str, ...]:
    return tuple(span.of(text) for span in sentences(text))


def _pair(source: Source, pool: Sequence[Source], chance: random.Random) -> tuple[str, str, str] | None:
    """One pair: claim, passage, label. None when the drawn kind does not fit the drawn passage."""
    at, claim = _claim(source, chance)
    if not WORDS[0] <= len(tokens(claim)) <= WORDS[1]:
        return None
    draw = chance.random()
    if draw < 0.16:  # easy: another passage altogether
        return claim, _window(chance.choice(pool).sentences, None, chance), "not_enough_evidence"
    if draw < 0.26:  # the sentences around it, without it, or the most alike passage of a few
        rest = (*source.sentences[:at], *source.sentences[at + 1 :])
        if rest and len(" ".join(rest).split()) > 8:
            return claim, _window(rest, None, chance), "not_enough_evidence"
        return claim, " ".join(_alike(claim, pool, source, chance).sentences), "not_enough_evidence"
    context = source.sentences if len(source.sentences) > 1 else _surrounded(source, pool, chance)
    at = context.index(source.sentences[at])
    if draw < 0.50:  # as it stands, or a clause of it
        return (_clause(claim) if chance.random() < 0.5 else claim), _window(context, at, chance), "supported"
    if draw < 0.56:  # a detail taken out of the passage
        short = _clause(context[at])
        if short == context[at] or claim != context[at]:
            return None
        return claim, _window((*context[:at], short, *context[at + 1 :]), at, chance), "not_enough_evidence"
    return _turned(claim, context, at, pool, chance)


def _turned(
    claim: str, context: tuple[str, ...], at: int, pool: Sequence[Source], chance: random.Random
) -> tuple[str, str, str] | None:
    """One thing turned: in the claim or in the passage (contradicted), or in both alike (supported)."""
    other = chance.choice(chance.choice(pool).sentences)
    edits: list[Callable[[str], str | None]] = [
        lambda text: change_number(text, chance),
        lambda text: change_opposite(text, chance),
        lambda text: _change_name(text, other),
        _move_name,
    ]
    if chance.random() < 0.35:
        edits = [lambda text: change_polarity(text, chance)]
    state = chance.choice(range(1 << 30))
    for edit in chance.sample(edits, len(edits)):
        sentence = _seeded(edit, context[at], chance, state)
        turned = sentence if claim == context[at] else _seeded(edit, claim, chance, state)
        if turned is None:
            continue
        draw = chance.random()
        if draw < 0.5:
            return turned, _window(context, at, chance), "contradicted"
        if claim != context[at] or sentence is None:
            continue
        changed = (*context[:at], sentence, *context[at + 1 :])
        if draw < 0.75:
            return turned, _window(changed, at, chance), "supported"
        return claim, _window(changed, at, chance), "contradicted"
    return None


def _seeded(edit: Callable[[str], str | None], text: str, chance: random.Random, state: int) -> str | None:
    chance.seed(state)
    return edit(text)


def _claim(source: Source, chance: random.Random) -> tuple[int, str]:
    if source.facts and chance.random() < 0.6:
        return chance.choice(source.facts)
    at = chance.randrange(len(source.sentences))
    return at, source.sentences[at]


def _clause(sentence: str) -> str:
    """The sentence without what follows a comma far enough on; itself when there is no such comma."""
    cuts = [found.start() for found in re.finditer(r", ", sentence) if len(sentence[: found.start()].split()) >= 6]
    return sentence[: cuts[-1]].rstrip() + "." if cuts else sentence


def _window(context: Sequence[str], at: int | None, chance: random.Random) -> str:
    """Sentences in a row that hold number `at`, up to a random length."""
    most = chance.randint(15, AROUND)
    low = high = chance.randrange(len(context)) if at is None else at
    while True:
        grown = [
            (left, right)
            for left, right in ((low - 1, high), (low, high + 1))
            if left >= 0 and right < len(context) and len(" ".join(context[left : right + 1]).split()) <= most
        ]
        if not grown:
            return " ".join(" ".join(context[low : high + 1]).split()[: 2 * AROUND])
        low, high = chance.choice(grown)


def _surrounded(source: Source, pool: Sequence[Source], chance: random.Random) -> tuple[str, ...]:
    """A lone sentence with up to two of other passages around it, so that the one that matters must be found."""
    others = [chance.choice(chance.choice(pool).sentences) for _ in range(chance.choice((0, 0, 1, 2)))]
    place = chance.randint(0, len(others))
    return (*others[:place], *source.sentences, *others[place:])


def _alike(claim: str, pool: Sequence[Source], source: Source, chance: random.Random) -> Source:
    """The passage that shares most words with the claim, of sixty drawn."""
    words = set(claim.lower().split())
    drawn = [other for other in chance.sample(range(len(pool)), min(60, len(pool))) if pool[other] != source]
    return max(
        (pool[at] for at in drawn), key=lambda other: len(words.intersection(" ".join(other.sentences).lower().split()))
    )


def _change_name(sentence: str, other: str) -> str | None:
    """A name of the sentence, not its first word, replaced by one of another passage with as many words."""
    for found in _NAME.finditer(sentence):
        for name in map(str, _NAME.findall(other)):
            if len(name.split()) == len(found.group().split()) and name not in sentence:
                return sentence[: found.start()] + name + sentence[found.end() :]
    return None


def _move_name(sentence: str) -> str | None:
    """The last two names of the sentence in each other's place, when both are within one list or phrase."""
    names = list(_NAME.finditer(sentence))
    if len(names) < 2 or names[-1].group() == names[-2].group():
        return None
    left, right = names[-2], names[-1]
    between = sentence[left.end() : right.start()]
    if re.search(r"\b(?:and|or)\b|,", between) or not any(
        word in between.split() for word in ("to", "from", "by", "for", "over")
    ):
        return None
    return sentence[: left.start()] + right.group() + between + left.group() + sentence[right.end() :]
