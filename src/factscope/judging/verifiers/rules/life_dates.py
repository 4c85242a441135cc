"""Events taken for one another: "Maria Sol (1901–1980)" does not support "Maria Sol died in 1901".

The network reads an event into another of the same thing and date: into a resignation a death.
"""

from __future__ import annotations

import re

from factscope.judging.verifiers.wording.clauses import Clause, ClauseAlignment, align_clause, neighbours
from factscope.judging.verifiers.wording.lexicon import EVENTS
from factscope.judging.verifiers.wording.sentence_pair import SentencePair
from factscope.judging.verifiers.wording.tense import is_past_form
from factscope.judging.verifiers.wording.text_items import NUMERIC, AnalysedSentence, TextItem

_LIFE = re.compile(r"\([^()]{0,30}\b(?P<born>[12]\d{3})\s?[–—-]\s?[^()]{0,30}\b(?P<died>[12]\d{3})\)")
_EVENT = re.compile(r"\b(?P<event>born|died)\b[^.;:,()]{0,30}?\b(?P<year>[12]\d{3})\b", re.IGNORECASE)

_PAST = frozenset(("born", "fled", "quit"))
_PARTICLES = frozenset(("away", "on", "out", "over", "up"))


def takes_birth_for_death(pair: SentencePair) -> bool:
    """Tell whether a claim gives a year of death that the passage has only as one of birth, or the reverse."""
    lives = list(_LIFE.finditer(pair.passage.text))
    rest = _LIFE.sub("", pair.passage.text)
    for match in _EVENT.finditer(pair.claim.text) if lives else ():
        event = match["event"].lower()
        years = {life[event] for life in lives}
        others = {life["died" if event == "born" else "born"] for life in lives}
        if match["year"] in others and match["year"] not in years and match["year"] not in rest:
            return True
    return False


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
