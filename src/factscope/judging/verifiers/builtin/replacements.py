"""Claims with a number or name replaced by one of the passage: if that is supported, the original is contradicted.

A network paraphrases well and reads digits poorly. "She collected 1,300 plants" beside "She brought back 3,100 plants"
leaves it in doubt; that the passage supports "She collected 3,100 plants" does not. Where the passage neither states
the claim's own number nor yields it, the claim must then be false.
"""

# ruff: noqa: SIM905  (a list of words is easier to read and to extend as text)
from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple

from factscope.core.records import Span
from factscope.judging.verifiers.builtin.cross_encoder import CrossEncoder, EncoderTexts
from factscope.judging.verifiers.builtin.reading import share_of
from factscope.judging.verifiers.notations.rates import LIMITING, frequencies
from factscope.judging.verifiers.protocol import LabelProbabilities, Prediction
from factscope.judging.verifiers.rules.accusations import is_row
from factscope.judging.verifiers.rules.derivable import follows_nearby, is_limit
from factscope.judging.verifiers.rules.number_ranges import lies_in_period, lies_in_range
from factscope.judging.verifiers.rules.signs import is_conversion
from factscope.judging.verifiers.rules.totals import RECKONED, is_difference, is_total
from factscope.judging.verifiers.wording.alignment import excerpt
from factscope.judging.verifiers.wording.bounds import is_capped
from factscope.judging.verifiers.wording.clauses import has, marker, name_phrases, same_quantity, with_subject
from factscope.judging.verifiers.wording.name_forms import may_be_one
from factscope.judging.verifiers.wording.numbered import is_about_another, is_label
from factscope.judging.verifiers.wording.sentence_pair import SentencePair
from factscope.judging.verifiers.wording.text_items import NUMERIC, AnalysedSentence, AnalysedText, TextItem

SURE = 0.65
"""Probability of support from which a replacement counts. Of 831 pairs of our own, 17 of 17 to which the small network
gives .6 or more are contradicted; between .4 and .6 it is 3 of 5."""
MOST = 3
"""Replacements that are tried for one claim and passage; each costs the network one reading."""
_FURTHER = 2
"""Sentences that are tried beside the closest one, those first that share most with the claim."""
_KINDS = ("count", "percent", "year", "month")
_FAR = 10
"""Largest factor between a number and one that may replace it; millimetres and centimetres differ by ten."""
_ALIKE = 0.25
"""Share of the claim's words that may be missing from a sentence that gives another date or period."""
_STATES = frozenset(("had", "has", "have", "is", "are", "there"))
"""Words of a state, which may hold in several years."""

_ROLES = frozenset(
    """agency board borrower buyer client club company contractor customer employee employer insured insurer landlord
    lender lessee lessor licensee licensor party provider purchaser seller supplier tenant trust user vendor""".split()
)
"""Names of roles in contracts, which may be those of anybody: "the Landlord"."""
_RATES = frozenset(("each", "every", "per"))
"""Words of a sentence that make its number a rate, from which many others follow."""

Items = Sequence[TextItem]


class Replacement(NamedTuple):
    """A claim with something that a sentence of the passage has in the place of its own."""

    claim: str
    sentence: Span
    ours: str
    theirs: str


def replacements(claim: AnalysedText, passage: AnalysedText, nearest: Span) -> list[Replacement]:
    """Return the claim with possible replacements, those of the closest sentence first; `MOST` at most."""
    (claimed,) = claim.stretches
    if claimed.question or claimed.cues.negations:
        return []
    text = claim.text[claimed.start : claimed.end]
    closest = [stretch for stretch in passage.stretches if stretch.start <= nearest.start < stretch.end]
    others = [stretch for stretch in passage.stretches if stretch not in closest]
    others = sorted(others, key=lambda stretch: -_shared(claimed, stretch))[:_FURTHER]
    tried = [
        replacement
        for stretch in (*closest, *others)
        if not is_row(passage.part(stretch))
        if not is_about_another(text, passage.part(stretch))
        for replacement in (
            *(
                replaced(claim, ours, passage, theirs, stretch)
                for ours, theirs in (*_numbers(claim, stretch, passage), *_names(claimed, stretch, passage))
            ),
            *_periods(claim, stretch, passage),
        )
    ]
    return list(dict.fromkeys(tried))[:MOST]


def supported(
    encoder: CrossEncoder,
    pairs: Sequence[SentencePair],
    tried: Sequence[Sequence[Replacement]],
) -> list[tuple[Replacement, float] | None]:
    """Return for each claim and passage the replacement that is supported best with its probability, if that is `SURE`.

    Each is read with its sentence alone.
    """
    texts = [
        [
            EncoderTexts(each.claim, with_subject(pair.claim, pair.passage, each.sentence, pair.weights))
            for each in these
        ]
        for pair, these in zip(pairs, tried, strict=True)
    ]
    support = (share_of(logits, 0) for logits in encoder.logits([text for row in texts for text in row]))
    best = [max(zip(these, support, strict=False), key=itemgetter(1), default=None) for these in tried]
    return [surest if surest and surest[1] >= SURE else None for surest in best]


def contradicted_by(replacement: Replacement, chance: float) -> Prediction:
    """Return the prediction for a claim that is supported only with something else in it."""
    reason = f"the passage says {replacement.theirs}, not {replacement.ours}"
    probabilities = LabelProbabilities(0.0, chance, 1.0 - chance)
    return Prediction("contradicted", round(chance, 4), replacement.sentence, reason, probabilities)


def _shared(claimed: AnalysedSentence, stretch: AnalysedSentence) -> float:
    keys = stretch.keys
    return sum(item.weight for item in claimed.items if item.key in keys)


def replaced(
    claim: AnalysedText, ours: Items, passage: AnalysedText, theirs: Items, stretch: AnalysedSentence
) -> Replacement:
    """Return the claim with items of a sentence in the place of its own."""
    (claimed,) = claim.stretches
    start, end = ours[0].start, ours[-1].end
    instead = passage.text[theirs[0].start : theirs[-1].end]
    return Replacement(
        claim.text[claimed.start : start] + instead + claim.text[end : claimed.end],
        stretch.span,
        excerpt(claim.text, start, end),
        excerpt(instead, 0, len(instead)),
    )


def _numbers(claim: AnalysedText, stretch: AnalysedSentence, passage: AnalysedText) -> Iterator[tuple[Items, Items]]:
    """Yield each number of the claim that can't be meant, with each of the sentence that counts the same things."""
    (claimed,) = claim.stretches
    if not RECKONED.isdisjoint(claimed.lower) or lies_in_period(claimed, passage.text, stretch):
        return
    if _RATES.isdisjoint(claimed.lower) and not _RATES.isdisjoint(stretch.lower):
        return  # "this amounts to €1,470" beside "for each day, €210"
    numbers = [item for item in claimed.items if item.kind in _KINDS and claimed.lower[item.at] != "one"]
    free = [
        other
        for other in stretch.items
        if other.kind in _KINDS
        and not is_label(stretch.lower, other.at)
        and (is_capped(stretch, other) or not is_limit(stretch, other))
        and not any(same_quantity(other, item) for item in numbers)
    ]
    is_same_event = _STATES.isdisjoint((*claimed.lower, *stretch.lower)) and _has_words(stretch, claimed.items)
    for item in numbers:
        if item.kind in ("year", "month") and not is_same_event:
            continue
        if lies_in_range(claim.text, claimed, item, passage.text, stretch) or is_total(claimed, item, stretch):
            continue
        if is_difference(claimed, item, passage):
            continue
        is_cap = is_capped(claimed, item)
        if is_cap and _may_allow(stretch, item.amount):
            continue
        if (is_cap or not is_limit(claimed, item)) and not follows_nearby(item, stretch, passage):
            alike = [other for other in free if is_capped(stretch, other) == is_cap]
            others = [other for other in alike if not is_conversion(claim.text, item, passage.text, other)]
            yield from (((item,), (other,)) for other in others if _may_stand_for(other, item))


def _may_allow(stretch: AnalysedSentence, limit: float) -> bool:
    """Tell whether a sentence has the number of a limit, or limits that add up to it: "up to 100, large ones 300"."""
    caps = [item.amount for item in stretch.amounts if is_capped(stretch, item)]
    return sum(caps) == limit or any(item.amount == limit for item in stretch.amounts)


def _has_words(stretch: AnalysedSentence, items: Items) -> bool:
    """Tell whether a sentence has the words of the claim: an event of one year may be reported in the next."""
    words = [item for item in items if item.kind not in NUMERIC]
    missing = [item for item in words if not has(stretch.items, item)]
    return sum(item.weight for item in missing) <= _ALIKE * sum(item.weight for item in words)


def _may_stand_for(other: TextItem, item: TextItem) -> bool:
    """Tell whether two numbers count the same things and are of like size: a slip, not another measure."""
    low, high = sorted((abs(item.amount), abs(other.amount)))
    return (other.kind, other.unit) == (item.kind, item.unit) and high <= _FAR * low


def _periods(claim: AnalysedText, stretch: AnalysedSentence, passage: AnalysedText) -> Iterator[Replacement]:
    """Yield the claim with another period of the sentence for one that the passage lacks: "a day" for "a week"."""
    (claimed,) = claim.stretches
    if stretch.question:
        return
    text, sentence = claim.text[claimed.start : claimed.end], passage.part(stretch)
    present = {each.period for each in frequencies(passage.text)}
    instead = {each.period: each for each in frequencies(sentence)}
    absent = [each for each in frequencies(text) if each.period not in present]
    if len(absent) != 1 or len(instead) != 1:
        return
    (ours,), (theirs,) = absent, instead.values()
    others = [item for item in claimed.items if not ours.start <= item.start - claimed.start < ours.end]
    is_limited = any(marker(stretch, item) in LIMITING and not has(claimed.items, item) for item in stretch.items)
    if is_limited or not _has_words(stretch, others):
        return
    yield Replacement(
        text[: ours.start] + ours.in_this_form(theirs.period) + text[ours.end :],
        stretch.span,
        text[ours.start : ours.end],
        sentence[theirs.start : theirs.end],
    )


def _is_of_another(claimed: AnalysedSentence, ours: TextItem, stretch: AnalysedSentence, theirs: TextItem) -> bool:
    """Tell whether a sentence has what the claim's name belongs to, but not before its own: "pans in a deed of Ost"."""
    thing = _before_of(claimed, ours)
    return thing in stretch.lower and _before_of(stretch, theirs) != thing


def _before_of(sentence: AnalysedSentence, name: TextItem) -> str | None:
    ends = [at for at in range(1, name.at) if sentence.lower[at] == "of"]
    return sentence.lower[ends[-1] - 1] if ends else None


def _names(
    claimed: AnalysedSentence, stretch: AnalysedSentence, passage: AnalysedText
) -> Iterator[tuple[Items, Items]]:
    """Yield each name of the claim that the passage lacks, with each of the sentence after the same preposition.

    The name of the claim's subject follows none.
    """
    mentioned = passage.keys
    claim_keys = claimed.keys
    for ours in name_phrases(claimed):
        before = marker(claimed, ours[0])
        if not before or any(item.key in mentioned for item in ours):
            continue
        for theirs in name_phrases(stretch):
            if before == "of" and _is_of_another(claimed, ours[0], stretch, theirs[0]):
                continue
            is_listed = {"and", "or"}.intersection(stretch.lower[max(0, theirs[0].at - 1) : theirs[-1].at + 2])
            if is_listed or marker(stretch, theirs[0]) != before or any(item.key in claim_keys for item in theirs):
                continue
            # "The Landlord" may be Ms Hale; "the Vik Rowing Club" is not.
            is_role = len(theirs) == 1 and stretch.lower[theirs[0].at] in _ROLES
            if not is_role and not may_be_one(claimed, ours, stretch, theirs):
                yield ours, theirs
