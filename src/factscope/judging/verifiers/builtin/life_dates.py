"""Years of a life in brackets: "Maria Sol (1901–1980)" does not support "Maria Sol died in 1901"."""

from __future__ import annotations

import re

_LIFE = re.compile(r"\([^()]{0,30}\b(?P<born>[12]\d{3})\s?[–—-]\s?[^()]{0,30}\b(?P<died>[12]\d{3})\)")
_EVENT = re.compile(r"\b(?P<event>born|died)\b[^.;:,()]{0,30}?\b(?P<year>[12]\d{3})\b", re.IGNORECASE)


def takes_birth_for_death(claim: str, passage: str) -> bool:
    """Tell whether a claim gives a year of death that the passage has only as one of birth, or the reverse."""
    lives = list(_LIFE.finditer(passage))
    rest = _LIFE.sub("", passage)
    for match in _EVENT.finditer(claim) if lives else ():
        event = match["event"].lower()
        years = {life[event] for life in lives}
        others = {life["died" if event == "born" else "born"] for life in lives}
        if match["year"] in others and match["year"] not in years and match["year"] not in rest:
            return True
    return False
