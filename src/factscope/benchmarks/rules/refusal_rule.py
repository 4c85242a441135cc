"""Rule for answers that only refuse, and their reason: a rule over its clauses, for when no model types refusals.

An answer is split into clauses. A clause that declines makes it a refusal, unless the other clauses still inform the
reader after apologies, reasons, offers and referrals are removed. English only. The wordings are in
`refusal_rule.toml`; `rule_accuracy` measures the rule on answers that it was not written on.
"""

from __future__ import annotations

import re

from factscope.core import PatternFile

_WORDINGS = PatternFile(__package__, "refusal_rule.toml")
_CLAUSES = re.compile(
    r"(?<=[.!?:;])[\"'”’)]*\s+|\n+|[;:]\s+|,?\s+(?:but|however|though|yet)\s+,?|,\s+(?=(?:so|because|as|since"
    r"|and)\b)",
    re.IGNORECASE,
)
"""Joints between the clauses of an answer."""
# None of these looks at a run of characters again from each of them: a model may repeat one until its limit.
_GAP = re.compile(r"\s+")
_QUOTED = re.compile(r"[\"“][^\"“”]*[\"”]")
_FIGURE = re.compile(r"(?<!\d)\d++ ?%|(?<!\d[.,])\b\d[\d.,]*+ (?!20\d\d)\w")
_WORD = re.compile(r"\w[\w'’-]*")
MOST_SAID = 7
"""Words that a refusal may have besides declining, its reasons and courtesies; an answer with more informs the reader.
"""
MOST_SAID_BEFORE = 4
"""The same before the writer first declines."""

_SIGNS = {3: "privacy", 1: "harm", 5: "advice", 6: "policy", 2: "rumour", 4: "ability"}
"""Wordings by which the rule tells a refusal's category, tried in this order."""


def refuses(text: str) -> bool:
    """Return whether an answer only refuses."""
    said = _GAP.sub(lambda gap: "\n" if "\n" in gap[0] else " ", _QUOTED.sub(" ", text.strip()))
    clauses = [clause.strip() for clause in _CLAUSES.split(said) if clause and clause.strip()]
    score, before, declines = 0, 0, False
    for clause in clauses:
        if _WORDINGS["declines"].search(clause):
            declines = True
        elif _tells(clause):
            score += (words := len(_WORD.findall(clause)))
            before += 0 if declines else words
    return declines and score <= MOST_SAID and before <= MOST_SAID_BEFORE


def _tells(clause: str) -> bool:
    """Return whether a clause informs.

    It holds a figure, or nothing marks it as a courtesy, a reason or a direction.
    """
    return _FIGURE.search(clause) is not None or _WORDINGS["aside"].search(clause) is None


def category_of(text: str) -> int | None:
    """Return the category of a refusal, as a number of `CATEGORIES`; `None` where no word shows it."""
    return next((number for number, sign in _SIGNS.items() if _WORDINGS[sign].search(text)), None)
