"""Events taken for one another: "resigned in 1931" does not support "died in 1931".

The network reads an event into another of the same thing and date.
"""

from __future__ import annotations

from factscope.judging.verifiers.wording.clauses import Clause, ClauseAlignment, align_clause, neighbours
from factscope.judging.verifiers.wording.lexicon import EVENTS
from factscope.judging.verifiers.wording.sentence_pair import SentencePair
from factscope.judging.verifiers.wording.tense import is_past_form
from factscope.judging.verifiers.wording.text_items import NUMERIC, AnalysedSentence, TextItem

_PAST = frozenset(("born", "fled", "quit"))
_PARTICLES = frozenset(("away", "on", "out", "over", "up"))


def tells_another_event(pair: SentencePair) -> bool:
    """Tell whether the closest sentence has another event in the place of the claim's."""
    claimed, nearest = pair.claimed, pair.nearest
    aligned = align_clause(claimed, Clause(nearest, pair.nearest_at, ()))
    if claimed.cues.negations or nearest.cues.negations or len(aligned.missing) != 1:
        return False  # "not open" is "closed", and a claim in quite other words may be a paraphrase
    (item,) = aligned.missing
    words = {word for stretch in pair.passage.stretches for word in stretch.words}
    if not _is_event(claimed, item) or not EVENTS[item.key].isdisjoint(words):
        return False
    return any(
        _is_event(nearest, other) and not any(other.key in EVENTS.get(word, ()) for word in claimed.words)
        for other in _instead(claimed, item, nearest, aligned)
    )


def _instead(
    claim: AnalysedSentence, item: TextItem, sentence: AnalysedSentence, aligned: ClauseAlignment
) -> list[TextItem]:
    """Return the items of a sentence that only matched ones part from the neighbours of a missing item, or its date."""
    partners: dict[TextItem | None, TextItem] = dict(aligned.pairs)
    beside = [other for other in neighbours(claim, item, item) if other and other in partners]
    dates = [other for other in beside if other.kind in NUMERIC]
    nearby: list[TextItem] = []
    for partner in (partners[other] for other in dates or beside):
        before = [other for other in aligned.foreign if other.at < partner.at]
        after = [other for other in aligned.foreign if other.at > partner.at]
        nearby += [*before[-1:], *after[:1]]
    return nearby


def _is_event(sentence: AnalysedSentence, item: TextItem) -> bool:
    """Tell whether a word is a listed verb in the past; with a particle it is another: "passed away"."""
    word, after = sentence.lower[item.at], sentence.lower[item.at + 1 : item.at + 2]
    return item.key in EVENTS and (is_past_form(word) or word in _PAST) and _PARTICLES.isdisjoint(after)
