"""Sentences that only tell the reader what to do: they begin with a verb in its base form.

English has no mark for the imperative, so a verb counts only before a word that follows verbs but not nouns ("Visit the
…", not "Visit numbers …"), and only when its clause has no other verb ("Call for papers was …").
"""

from __future__ import annotations

from factscope.core.pattern_file import PatternFile

_WORDINGS = PatternFile(__package__, "imperatives.toml")


def is_advice(text: str) -> bool:
    """Return whether a sentence only tells the reader to do something."""
    if _WORDINGS["relative_clause"].search(text):
        return False
    if _WORDINGS["request"].match(text) or _WORDINGS["do"].match(text):
        return True
    match = _WORDINGS["imperative"].fullmatch(text)
    if match is None:
        return False
    clause = _WORDINGS["clause"].split(match["rest"], maxsplit=1)[0]
    if match["sure"]:
        return _WORDINGS["be"].search(clause) is None
    if match["noun"] and _WORDINGS["third_person"].search(clause):
        return False
    return _WORDINGS["finite"].search(clause) is None
