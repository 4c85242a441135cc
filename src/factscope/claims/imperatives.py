"""Sentences that tell the reader what to do: they begin with a verb in its bare form, and state nothing beside.

English has no mark for it, so a verb counts only before a word that follows a verb and no noun ("Visit the …", not
"Visit numbers …"), and only when its clause has no other verb ("Call for papers was …").
"""

from __future__ import annotations

import re

from factscope.core.pattern_file import PatternFile

_WORDINGS = PatternFile(__package__, "imperatives.toml")


def _any_of(name: str) -> str:
    return "|".join(_WORDINGS.values["words"][name].split())


_AFTER_VERB, _PREPOSITION = f"(?:{_any_of('after_verb')})", f"(?:{_any_of('prepositions')})"
_NAME = r"(?: [A-Z][\w'’-]*)"
_CONDITION = (
    r"(?:(?i:if|when|whenever|whatever|once|before|after|while|unless|for|to|in|on|at|during|as soon as|in case)\b"
    r"[^,;:.]{2,90}, )?"
)
_JOINED = r"(?:(?i:please|kindly|just|simply|also|then|first|next|finally|now|and|or|but|so|instead|otherwise),? )*"
_ONLY, _ALSO = (f"(?i:{_any_of(name)})" for name in ("only_verbs", "also_nouns"))
_IMPERATIVE = re.compile(
    rf"{_CONDITION}{_JOINED}(?:(?i:always|never) )?(?:"
    rf"(?P<sure>(?:{_ONLY}|{_ALSO})(?= {_AFTER_VERB}\b|[.!]+\Z|,? (?:and|or|then) [a-z]))"
    rf"|(?P<named>(?i:{_any_of('transitive_verbs')})(?={_NAME}+(?: (?:{_PREPOSITION}|before|after|if|and) |[.,!]|$)))"
    rf"|(?P<verb>{_ONLY}(?= [a-z\d]))"
    rf"|(?P<noun>{_ALSO}(?= {_PREPOSITION} ))) ?(?P<rest>.*)",
    re.DOTALL,
)
_DO = re.compile(
    rf"{_CONDITION}{_JOINED}(?:[Dd]o not|[Dd]on['’]t|[Dd]o|[Nn]ever)"
    rf" (?:{_any_of('only_verbs')}|{_any_of('also_nouns')})\b"
)
_REQUEST = _WORDINGS.compiled("request")
_CLAUSE = _WORDINGS.compiled("clause")
_BE = _WORDINGS.compiled("be")
_FINITE = _WORDINGS.compiled("finite")
_THIRD_PERSON = re.compile(r"\b[a-z]+[^s\W]s\b")
_RELATIVE_CLAUSE = _WORDINGS.compiled("relative_clause", re.IGNORECASE)


def is_advice(text: str) -> bool:
    """Whether a sentence tells the reader to do something, and states nothing beside it."""
    if _RELATIVE_CLAUSE.search(text):
        return False
    if _REQUEST.match(text) or _DO.match(text):
        return True
    match = _IMPERATIVE.fullmatch(text)
    if match is None:
        return False
    clause = _CLAUSE.split(match["rest"], maxsplit=1)[0]
    if match["sure"]:
        return _BE.search(clause) is None
    if match["noun"] and _THIRD_PERSON.search(clause):
        return False
    return _FINITE.search(clause) is None
