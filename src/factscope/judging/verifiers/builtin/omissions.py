"""Parts that may be left out of a sentence: asides, dates, agents, the other of two joined verbs, and some others.

Each kind is recognised by its words alone; a part that is not clearly of one of these kinds must stay.
"""

# ruff: noqa: SIM905  (a list of words is easier to read and to extend as text)
from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Literal, NamedTuple

from factscope.judging.verifiers.builtin.lexicon import BASE_FORMS, HEDGES, NEGATIONS, ORDINALS, SMALL_NUMBERS
from factscope.judging.verifiers.builtin.plain_cases import BOUNDS, TURNS
from factscope.judging.verifiers.builtin.verbatim import TURNING

Kind = Literal["aside", "date", "agent", "place", "of the subject", "adjective", "verb", "thing owned"]
_BENDING = (
    TURNS
    | NEGATIONS
    | HEDGES
    | frozenset(
        """or that like part partly effect theory theoretical principle paper novel film movie play opera poem book game
    fiction fictional fictitious scene script simulation model exercise luck permitting average virtually fake mock
    pretend""".split()
    )
)
"""Words that bend a statement wherever they stand in its sentence."""
_SCOPE = (
    BOUNDS
    | frozenset(ORDINALS)
    | frozenset(
        """all every each both either few fewer many much some any several half none alone than but nor as such when
    whenever where while which who whose whom what how why last sole main chief best worst next mainly mostly largely
    generally normally typically regularly there so he she it they we you i his her its their this these
    those""".split()
    )
)
"""Words that set how far a statement reaches, or point elsewhere."""
_SUPERLATIVE = re.compile(
    r"\b(?!(?:forest|priest|arrest|harvest|interest|request|protest|contest|conquest|invest|inquest)\b)[a-z]{3,}est\b"
)
_REPEATED = re.compile(
    r"\b(?:every|each)\s(?:\w+\s)?(?:day|night|morning|evening|week|month|year|spring|summer|autumn|winter)s?\b"
)
_MAY = re.compile(r"\bMay(?= \d)|(?<=\d )May\b|(?<=\b[Ii]n )May\b")
_BE = frozenset("is are was were been being be".split())
_PAST = frozenset(BASE_FORMS) | frozenset(
    "was were had did dug became laid hung shut fed fled swept bred dealt forbade forbidden sought sown".split()
)
_PAST -= frozenset(
    "am is are been men women children feet teeth people persons mice geese wives lives costs cuts goes".split()
)
_PRESENT = frozenset("has have do does stands lies runs works leads belongs flows contains holds serves".split())
_NO_VERBS = frozenset("hundred speed breed shred indeed sacred naked wicked".split())
_OWNING = frozenset("has have had contains contained".split())
_NOT_ONE_THING = frozenset(
    """men women children people police staff crew number amount level rate share price cost value risk chance danger
    population use sale supply quality rest majority""".split()
)
"""Words for several, and for a measure of something: "the risk of fire is low"."""
_PREPOSITION = re.compile(r"(?:of|in|at|on|from|near|with|by|over|under|behind|for|to|between|beside|during|after)\b")
_DAY = (
    r"(?:\d{4}s?|january|february|march|april|may|june|july|august|september|october|november|december"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b"
)
_DATE_WORD = (
    rf"(?:{_DAY}|\d\d?|the|early|late|mid|and|to|of|spring|summer|autumn|winter|morning|evening|night|noon|midnight)"
)
_DATE = re.compile(rf"(?=.*\b{_DAY})(?:in|on|at|by|since|from|between|during)(?:[ -]{_DATE_WORD})+", re.IGNORECASE)
_PLACE = re.compile(r"(?:in|at|near) (?:the )?[A-Z]\w+(?: [A-Z]\w+)*")
_EVENTS = frozenset(
    """born died married buried signed held built founded printed published painted written killed arrested met
    discovered invented""".split()
)
"""Verbs for events that happen once, where the place adds a detail and does not limit the statement."""
_ADJECTIVES = frozenset("small large big huge tiny tall wide narrow famous young old beautiful wealthy rich".split())
_ASIDE = re.compile(r"\(([^()]+)\)|, ([^,;:()—–]+),|[—–] ?([^,;:()—–]+)[—–]")
_APPOSITION = re.compile(r"(?:which|who|an?|the|\d[\d,.]*|\w+ed|born|built|known|made)\b")
_LIMITING = re.compile(rf"(?:{_PREPOSITION.pattern}|(?:as|so|but|yet|provided|given|when\w*|once)\b)")
_AGAINST = re.compile(r"(?:but|yet|though|although|however|as|so|provided|or)\b")
_RELATIVE = re.compile(r"\b(?:who|which|whose|whom|where|when|while|as)\b")


class Gap(NamedTuple):
    """A stretch that a claim leaves out, and the words of the sentence that it has on both sides."""

    before: Sequence[str]
    text: str
    """The stretch without spaces at its edges, and without the article of the word after it."""
    after: Sequence[str]
    article: str
    """The article before it or at its beginning."""


def is_bent(sentence: str) -> bool:
    """Tell whether a sentence reports, denies, plans or limits what it says, or tells of something made up."""
    text = _MAY.sub("month", sentence)
    words = _lower(text)
    return bool(TURNING.search(text)) or not _BENDING.isdisjoint(words) or any(word.endswith("n't") for word in words)


def has_scope(text: str) -> bool:
    """Tell whether there are words that set how far a statement reaches; "every five years" is none."""
    plain = _REPEATED.sub("yearly", text.casefold())
    return not _SCOPE.isdisjoint(_lower(plain)) or bool(_SUPERLATIVE.search(plain))


def kind_of(gap: Gap, claim: Sequence[str], passage: str) -> Kind | None:
    """Return what a claim leaves out with a gap, or None where it is not known to be safe."""
    if _is_aside(gap, claim):
        return "aside"
    if _is_verb_phrase(gap):
        return "verb"
    if has_scope(gap.text) or re.search(r"[,;:()—–?\"“”]", gap.text):
        return None
    if _is_thing_owned(gap):
        return "thing owned"
    if _is_adjective(gap, passage):
        return "adjective"
    if _states_count(claim):
        return None
    if _is_of_subject(gap, passage):
        return "of the subject"
    if gap.after and not _PREPOSITION.match(gap.after[0]):
        return None
    if is_date(gap.text):
        return "date" if is_past(claim) else None
    if _is_agent(gap):
        return "agent"
    return "place" if _is_place(gap) and is_past(claim) else None


def is_date(text: str) -> bool:
    """Tell whether a stretch only says when."""
    return bool(_DATE.fullmatch(text))


def is_past(words: Sequence[str]) -> bool:
    """Tell whether all verbs are in the past, and one does not stand for an adjective ("retired teachers")."""
    verbs = [word for word in words[1:] if _is_verb(word)]
    return bool(verbs) and all(word in _PAST or word.endswith("ed") or word in ("been", "being") for word in verbs)


def is_limiting(addition: str, claim: Sequence[str]) -> bool:
    """Tell whether what a sentence adds after its clause may limit it: "…, in winter", "…, but was closed again"."""
    start = addition.lstrip(" ,;:—–(").lower()
    return bool(_AGAINST.match(start)) or (bool(_LIMITING.match(start)) and not is_past(claim))


def _is_aside(gap: Gap, claim: Sequence[str]) -> bool:
    match = _ASIDE.fullmatch(gap.text)
    if not match:
        return False
    content = (match[1] or match[2] or match[3]).strip()
    if match[1]:
        return not _LIMITING.match(content) or is_past(claim)
    follows_subject = not any(map(_is_verb, gap.before)) and _is_verb(gap.after[0])
    verbs = _verbs(content.split())
    if _APPOSITION.match(content):
        plain = _RELATIVE.match(content) or verbs <= (content.split()[0].lower() in _PAST or "ed " in content)
        return bool(plain) and (follows_subject or bool(_PREPOSITION.match(gap.after[0])))
    return follows_subject and not verbs and bool(_PREPOSITION.match(content)) and is_past(claim)


def _is_verb_phrase(gap: Gap) -> bool:
    """Tell whether a gap is one of two joined verbs, "began on Monday and", with what belongs to it."""
    words = gap.text.split()
    if re.search(r"[;:()—–?\"“”]", gap.text) or _RELATIVE.search(gap.text) or _verbs(words) != 1:
        return False
    if not gap.after:
        is_shared = _is_verb(gap.before[-1]) or not {"between", "both"}.isdisjoint(gap.before)
        return words[0] == "and" and _is_verb(words[1]) and any(map(_is_verb, gap.before)) and not is_shared
    subject = gap.before[:-1] if gap.before[-1] in _BE | _OWNING else gap.before
    end = r",? and|," if gap.before[-1] in _BE else r",? and"
    return (
        bool(re.fullmatch(rf"[^,]+(?:{end})", gap.text))
        and _is_verb(words[0])
        and _is_verb(gap.after[0])
        and not any(map(_is_verb, subject))
        and _verbs(gap.after) == 1
        and (len(subject) == len(gap.before) or not {words[0], gap.after[0]} & (_BE | _OWNING))
    )


def _is_thing_owned(gap: Gap) -> bool:
    verbs = [word for word in gap.before if _is_verb(word)]
    words = gap.text.split()
    starts_anew = bool(re.match(r"and (?:an?|\d+|[a-z]+) [a-z]+", gap.text)) and (
        words[1] in ("a", "an") or _is_number(words[1])
    )
    return not gap.after and starts_anew and len(verbs) == 1 and verbs[0] in _OWNING and not _verbs(words)


def _is_adjective(gap: Gap, passage: str) -> bool:
    if gap.text not in _ADJECTIVES or not gap.after or not gap.article:
        return False
    return gap.article != "the" or _is_unique(gap.after[0], passage)


def _is_of_subject(gap: Gap, passage: str) -> bool:
    """Tell whether a gap belongs to the subject: "of Marlow" in "The mayor of Marlow is elected"."""
    words = gap.text.split()
    if not gap.after or not _is_verb(gap.after[0]) or gap.after[0] in ("are", "were", "have"):
        return False
    if not _PREPOSITION.match(gap.text) or len(words) > 6 or _verbs([*gap.before, *words]):
        return False
    if re.search(r"['’]|\b(?:and|to)\b", gap.text):
        return False
    head = gap.before[-1]
    if any(_PREPOSITION.fullmatch(word) or word == "and" or "'" in word for word in gap.before):
        return False
    if len(gap.before) > 1 and all(word[0].isupper() for word in gap.before):
        return True
    return (
        head.islower() and head not in _NOT_ONE_THING and not re.search(r"[^s]s$", head) and _is_unique(head, passage)
    )


def _is_unique(noun: str, passage: str) -> bool:
    """Tell whether a passage has nothing else of this name."""
    name = rf"\b{re.escape(noun)}s?\b"
    told_apart = rf"(?<!\bthe ){name}|{name}(?= {_PREPOSITION.pattern})"  # "the north bridge", "the bridge of Orm"
    return len(re.findall(told_apart, passage, re.IGNORECASE)) <= 1


def _is_agent(gap: Gap) -> bool:
    if not gap.text.startswith("by ") or _verbs(gap.text.split()) or not _goes_on_with_date(gap):
        return False
    verb = max((at for at, word in enumerate(gap.before) if _is_verb(word)), default=0)
    since = " ".join(gap.before[verb + 1 :])
    if not is_past(gap.before) and (
        _REPEATED.search(gap.text) or re.search(rf" (?!of ){_PREPOSITION.pattern}", gap.text)
    ):
        return False  # "is blocked by snow in winter"
    return not _BE.isdisjoint(gap.before[:verb]) and (not since or is_date(since))


def _is_place(gap: Gap) -> bool:
    return gap.before[-1] in _EVENTS and bool(_PLACE.fullmatch(gap.text)) and _goes_on_with_date(gap)


def _goes_on_with_date(gap: Gap) -> bool:
    return not gap.after or any(is_date(" ".join(gap.after[:count])) for count in (2, 3, 4))


def _states_count(claim: Sequence[str]) -> bool:
    return any(_is_number(word) for word in _REPEATED.sub("", " ".join(claim)).split())


def _is_number(word: str) -> bool:
    return word.lower() in SMALL_NUMBERS or (word[0].isdigit() and not re.fullmatch(r"[12]\d{3}", word))


def _is_verb(word: str) -> bool:
    if word[:1].isupper() or word in _NO_VERBS:
        return False
    return word in _PAST or word in _PRESENT or word in _BE or (len(word) > 4 and word.endswith("ed"))


def _verbs(words: Sequence[str]) -> int:
    """Return the number of verbs; "was built" is one."""
    return sum(is_verb for is_verb, _ in groupby(_is_verb(word.strip(",")) for word in words))


def _lower(text: str) -> list[str]:
    return re.findall(r"[a-z]+(?:'[a-z]+)?", text.casefold().replace("’", "'"))
