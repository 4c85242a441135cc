"""Pairs of our own for training: off-topic ones, edited sentences, and distractors around a passage."""

from __future__ import annotations

import random
from collections.abc import Sequence

from factscope.claims.text.segments import sentences
from factscope.claims.text.terms import terms, tokens
from factscope.judging.verifiers.wording.lexicon import OPPOSITE_GROUPS, STOP

from .data import SEED, SETS, Row

OFF_TOPIC = 0.25
"""Off-topic pairs, and as many silent ones, made for each labelled pair of a set."""
DRAWN = 200
"""Passages that a silent pair's is chosen from."""
CAPTIONS = frozenset({"cad_nli"})
"""A caption such as "a man is outdoors" may hold of another that shares its words, so no silent pairs are made."""
EDITED = 0.2
"""Edited pairs made for each labelled pair of a set, and most of one set."""
EDITED_MOST = 600

_OTHER = {
    word: [other for other in group.split("/") if other != word]
    for group in OPPOSITE_GROUPS.split()
    for word in group.split("/")
}
_TURNED = ("is", "was", "are", "were", "can", "will", "could", "should", "has been", "have been", "had been")


def off_topic(rows: Sequence[Row]) -> list[Row]:
    """Return pairs of a claim and a passage that was written for another claim.

    Drawn at random it is irrelevant; the one of many that shares most words is on the topic, but silent (not enough). A
    pair stays within its set and on its side of the split.
    """
    chance = random.Random(SEED)
    made: list[Row] = []
    for dataset in SETS:
        for side in (False, True):
            pool = [row for row in rows if row.dataset == dataset and row.held_out == side]
            vocabulary = [frozenset(terms(row.passage)) for row in pool]
            for number, row in enumerate(chance.sample(pool, int(2 * OFF_TOPIC * len(pool)))):
                drawn = [
                    at for at in chance.sample(range(len(pool)), min(DRAWN, len(pool))) if pool[at].group != row.group
                ]
                words = frozenset(terms(row.claim)) - STOP
                if number % 2 == 0:
                    made.append(row._replace(passage=pool[drawn[0]].passage, label="irrelevant", made="off_topic"))
                elif dataset not in CAPTIONS:
                    best = max(drawn, key=lambda at: len(words & vocabulary[at]))
                    made.append(row._replace(passage=pool[best].passage, label="not_enough_evidence", made="silent"))
    return made


def with_distractors(rows: Sequence[Row], share: float = 0.3, seed: int = SEED) -> list[Row]:
    """Return the same rows, some with another passage of their set before or after.

    In use, a passage says more than the one sentence that matters.
    """
    chance = random.Random(seed)
    passages: dict[str, list[str]] = {}
    for row in rows:
        passages.setdefault(row.dataset, []).append(row.passage)
    result = []
    for row in rows:
        if chance.random() < share and len(row.passage) < 400:
            other = chance.choice(passages[row.dataset])[:300]
            order = (other, row.passage) if chance.random() < 0.5 else (row.passage, other)
            result.append(row._replace(passage="\n".join(order)))
        else:
            result.append(row)
    return result


def edited(rows: Sequence[Row]) -> list[Row]:
    """Return pairs of a passage and one of its own sentences.

    Unchanged, it is supported; with a number, a word or the polarity changed in one of the two, contradicted; with the
    same change in both, supported, so that the claim alone is not informative; removed from the passage, not enough.
    """
    chance = random.Random(SEED)
    made: list[Row] = []
    for dataset in SETS:
        for side in (False, True):
            pool = [row for row in rows if row.dataset == dataset and row.held_out == side]
            wanted = min(EDITED_MOST, int(EDITED * len(pool)))
            for row in chance.sample(pool, len(pool)):
                pair = _edited(row.passage, chance) if wanted else None
                if pair is not None:
                    made.append(row._replace(claim=pair[0], passage=pair[1], label=pair[2], made="edited"))
                    wanted -= 1
    return made


def _edited(passage: str, chance: random.Random) -> tuple[str, str, str] | None:
    spans = [span for span in sentences(passage) if 6 <= len(tokens(span.of(passage))) <= 30]
    if not spans:
        return None
    span = chance.choice(spans)
    sentence = span.of(passage)
    draw = chance.random()
    if draw < 0.3:
        return sentence, passage, "supported"
    if draw < 0.42:
        rest = passage[: span.start] + passage[span.end :]
        return (sentence, rest.strip(), "not_enough_evidence") if len(rest) > 40 else None
    turns = [turn for turn in (change_number, change_opposite, change_polarity) if turn(sentence, chance) is not None]
    if not turns:
        return None
    turned = chance.choice(turns)(sentence, chance)
    assert turned is not None
    if draw < 0.6:
        return turned, passage[: span.start] + turned + passage[span.end :], "supported"
    if draw < 0.7:
        return sentence, passage[: span.start] + turned + passage[span.end :], "contradicted"
    return turned, passage, "contradicted"


def change_number(sentence: str, chance: random.Random) -> str | None:
    """Return the sentence with one whole number changed; None without one."""
    found = [token for token in tokens(sentence) if token.text.isdigit() and len(token.text) <= 6]
    if not found:
        return None
    token = chance.choice(found)
    value = int(token.text)
    step = chance.randint(1, max(2, min(40, value // 4)))
    return (
        sentence[: token.start]
        + str(value + step if chance.random() < 0.5 else abs(value - step))
        + sentence[token.end :]
    )


def change_opposite(sentence: str, chance: random.Random) -> str | None:
    """Return the sentence with one word replaced by its opposite; None without one."""
    found = [token for token in tokens(sentence) if token.text in _OTHER]
    if not found:
        return None
    token = chance.choice(found)
    return sentence[: token.start] + chance.choice(_OTHER[token.text]) + sentence[token.end :]


def change_polarity(sentence: str, chance: random.Random) -> str | None:
    """Return the sentence negated, or without its negation; None where no plain verb is found."""
    if " not " in sentence:
        return sentence.replace(" not ", " ", 1)
    for verb in chance.sample(_TURNED, len(_TURNED)):
        if f" {verb} " in sentence:
            first, *rest = verb.split()
            return sentence.replace(f" {verb} ", f" {' '.join([first, 'not', *rest])} ", 1)
    return None
