"""Years of birth and death taken for one another: "Maria Sol (1901–1980)" does not support "Maria Sol died in 1901"."""

from __future__ import annotations

import re

from factscope.judging.verifiers.wording.sentence_pair import SentencePair

_LIFE = re.compile(r"\([^()]{0,30}\b(?P<born>[12]\d{3})\s?[–—-]\s?[^()]{0,30}\b(?P<died>[12]\d{3})\)")
_EVENT = re.compile(r"\b(?P<event>born|died)\b[^.;:,()]{0,30}?\b(?P<year>[12]\d{3})\b", re.IGNORECASE)


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
