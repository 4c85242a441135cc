"""Values that a passage gives to something else than the claim does, which a network that compares words overlooks.

"She moved in 1889 and held her first exhibition in 1897" does not say "Her first exhibition was held in 1889". As 1889
is there, `replacements` does not try another year. Here each value of the claim is replaced by those of its kind in the
passage, and all are read with the whole passage. Where the network finds one of them far better, and no clause joins
the claim's own value with its event, the claim is contradicted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from factscope.claims.text.terms import term
from factscope.judging.verifiers.builtin.accusations import is_row
from factscope.judging.verifiers.builtin.analysis import AnalysedSentence, TextItem, WordWeights, analyse
from factscope.judging.verifiers.builtin.claim_sentences import text_of
from factscope.judging.verifiers.builtin.clauses import (
    ADDING,
    marker,
    name_phrases,
    same_item,
    same_quantity,
    subject_of,
)
from factscope.judging.verifiers.builtin.cross_encoder import CrossEncoder, EncoderTexts
from factscope.judging.verifiers.builtin.derivable import is_limit
from factscope.judging.verifiers.builtin.features import AnalysedText
from factscope.judging.verifiers.builtin.mixture import supports
from factscope.judging.verifiers.builtin.numbered import is_about_another
from factscope.judging.verifiers.builtin.replacements import Replacement, replaced
from factscope.judging.verifiers.builtin.verbatim import TURNING

SURE = 0.75
"""Probability of support that the claim needs with another value in it, and `MARGIN` the log-odds by which that exceeds
its own. It decides little, and so far rightly: 6 of 461 pairs written to try it, 1 of 1,608 other pairs of our own, and
none of 6,000 of `training/written`; it also decides 3 of the 299 pairs of the behaviour suite."""
MARGIN = 1.5
MOST = 8
"""Replacements that are tried for one claim and passage; each costs the network one reading."""
LONGEST = 120
"""Words of a passage that is read as a whole."""
_KINDS = ("count", "percent", "year", "month")
_SPREAD = frozenset(("than", "some", "together", "total", "both", "either", "one", "also", "again", "each", "all"))
"""Words of a claim that may be true of several values."""
_GOES_ON = ADDING | {"when", "where", "took"}
"""Words by which a clause with the value may go on about the event."""
_UNTELLING = frozenset(map(term, "take place have make get go come do hold people person reach stand".split()))  # noqa: SIM905
"""Verbs and nouns that do not tell one event from another."""
_JOINT = re.compile(r"[;—–]\s|,\s(?:and|but|while|whereas)\s|,\s|\s(?:and|but|while|whereas|before|after)\s")
Items = tuple[TextItem, ...]


class Trial(NamedTuple):
    """A claim with a value of the passage in the place of its own."""

    ours: Items
    instead: Replacement


def trials(claim: AnalysedText, passage: AnalysedText, weights: WordWeights) -> list[Trial]:
    """Return the claim with each value of the passage that may replace its own; `MOST` at most."""
    (claimed,) = claim.stretches
    text = text_of(claim)
    if claimed.question or claimed.cues.negations or TURNING.search(text) or not _SPREAD.isdisjoint(claimed.lower):
        return []
    if len(passage.text.split()) > LONGEST or any(is_row(passage.text[s.start : s.end]) for s in passage.stretches):
        return []
    possible = [
        Trial(ours, replaced(claim, ours, passage, theirs, stretch))
        for stretch in passage.stretches
        if not is_about_another(text, passage.text[stretch.start : stretch.end])
        for ours, theirs in (*_numbers(claimed, stretch), *_names(claimed, stretch, passage.text))
    ]
    halves = _halves(passage, weights) if possible else []
    return [trial for trial in dict.fromkeys(possible) if not _joins(claimed, trial.ours, halves)][:MOST]


def misplaced(
    encoder: CrossEncoder, sides: Sequence[tuple[AnalysedText, AnalysedText]], tried: Sequence[Sequence[Trial]]
) -> list[tuple[Replacement, float] | None]:
    """Return for each claim and passage the replacement that the passage supports instead, with its probability."""
    as_it_is = [EncoderTexts(text_of(claim), passage.text) for claim, passage in sides]
    texts = [
        [EncoderTexts(trial.instead.claim, passage.text) for trial in these]
        for (_, passage), these in zip(sides, tried, strict=True)
    ]
    to_read = (text for first, row in zip(as_it_is, texts, strict=True) if row for text in (first, *row))
    different = list(dict.fromkeys(to_read))
    odds = dict(zip(different, supports(encoder.logits(different)), strict=True)) if different else {}
    results: list[tuple[Replacement, float] | None] = []
    for first, row, these in zip(as_it_is, texts, tried, strict=True):
        best = max(zip(row, these, strict=True), key=lambda pair: odds[pair[0]], default=None)
        chance = 1.0 / (1.0 + np.exp(-odds[best[0]])) if best else 0.0
        is_better = best is not None and chance >= SURE and odds[best[0]] - odds[first] >= MARGIN
        results.append((best[1].instead, float(chance)) if best and is_better else None)
    return results


def _numbers(claimed: AnalysedSentence, stretch: AnalysedSentence) -> Iterator[tuple[Items, Items]]:
    """Yield each number of the claim with each other one of the sentence that counts the same things."""
    keys = {item.key for item in claimed.items}
    for item in claimed.items:
        is_edition = item.kind == "year" and item.at > 0 and claimed.lower[item.at - 1] == "the"
        if item.kind not in _KINDS or is_limit(claimed, item) or is_edition:
            continue
        for other in stretch.items:
            is_alike = (other.kind, other.unit) == (item.kind, item.unit) and other.key not in keys
            if is_alike and not same_quantity(item, other) and not is_limit(stretch, other):
                yield (item,), (other,)


def _names(claimed: AnalysedSentence, stretch: AnalysedSentence, text: str) -> Iterator[tuple[Items, Items]]:
    """Yield each name of the claim with each other one after the same preposition; the subject's with other agents."""
    keys = {item.key for item in claimed.items}
    for ours in name_phrases(claimed):
        before = marker(claimed, ours[0])
        for theirs in name_phrases(stretch):
            is_owner = text[theirs[-1].end : theirs[-1].end + 1] in ("'", "’")
            if is_owner or any(item.key in keys for item in theirs):
                continue
            their_marker = marker(stretch, theirs[0])
            is_agent = theirs[0].at > 0 and stretch.lower[theirs[0].at - 1] == "by"
            if (before and before == their_marker) or (not before and is_agent):
                yield tuple(ours), tuple(theirs)


def _halves(passage: AnalysedText, weights: WordWeights) -> list[AnalysedSentence]:
    """Split the sentences at commas and conjunctions; items keep the kind that they have in the sentence."""
    halves: list[AnalysedSentence] = []
    for stretch in passage.stretches:
        kinds = {item.start: item.kind for item in stretch.items}
        text = passage.text[stretch.start : stretch.end]
        cuts = [0, *(match.end() for match in _JOINT.finditer(text)), len(text)]
        for low, high in pairwise(cuts):
            half = analyse(passage.text, stretch.start + low, stretch.start + high, weights)[0]
            items = tuple(item._replace(kind=kinds.get(item.start, item.kind)) for item in half.items)
            halves.append(half._replace(items=items))
    return halves


def _joins(claimed: AnalysedSentence, ours: Items, halves: Sequence[AnalysedSentence]) -> bool:
    """Tell whether a half sentence has the claim's own value with a word for its event, or may go on about it.

    Also where none has the value: then it may be the result of others.
    """
    aside = {*ours, *subject_of(claimed)}
    words = [item for item in claimed.items if item.kind in ("word", "ordinal") and item.key not in _UNTELLING]
    event = [item for item in words if item not in aside]
    with_value = [half for half in halves if all(any(same_item(item, other) for other in half.items) for item in ours)]
    return not with_value or any(
        not _GOES_ON.isdisjoint(half.lower) or any(same_item(item, other) for item in event for other in half.items)
        for half in with_value
    )
