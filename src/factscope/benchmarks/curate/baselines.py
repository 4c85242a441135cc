"""Rules that stand in for models where none is configured: coarse, honest about it, and always the same. English only.

What they say is marked `baseline` wherever it goes. They look at words, not at meaning.
"""

from __future__ import annotations

import re
from typing import Literal, get_args

BASELINE = "baseline"
"""Who said it, where a rule did."""
Kind = Literal["Factual", "Faithful", "Neither"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""Classes of FactBench's filter; only the first is kept."""

CRITERIA = ("clarity", "generalizability", "relevance", "feasibility")
"""Of usefulness (FactBench)."""
TOP = 5
"""Best score of a criterion; the worst is 0."""

_MADE_UP = re.compile(
    r"\b(?:role-?play|pretend|imagine (?:that )?you|act as|you are (?:now )?(?:a|an|my|the)\b|in the style of"
    r"|(?:write|tell|compose|make|create|give)\b.{0,30}\b(?:story|stories|poem|song|lyrics|joke|haiku|limerick|rap"
    r"|fan ?fiction|dialogue|screenplay|slogan|riddle))\b",
    re.IGNORECASE | re.DOTALL,
)
_CODE = re.compile(
    r"```|\b(?:python|javascript|typescript|java|html|css|sql|c\+\+|rust|bash|regex)\b|\bdef \w+\(|</?\w+>"
    r"|\b(?:write|fix|debug)\b.{0,30}\b(?:code|function|script|program|query)\b",
    re.IGNORECASE | re.DOTALL,
)
_GIVEN = re.compile(
    r"\b(?:summari[sz]e|translate|paraphrase|rewrite|rephrase|shorten|proofread|reword|(?:fix|correct) the grammar"
    r"|based on the (?:text|passage|article|context)"
    r"|(?:following|this|below) (?:text|passage|article|paragraph|email))\b",
    re.IGNORECASE,
)
_SEEKS = re.compile(
    r"\b(?:who|whom|whose|what|when|where|which|why|how|explain|describe|list|name|compare|define|difference|history"
    r"|cause[sd]?|facts?|tell me about|information|overview|discuss|recommend|suggest|elaborate|elucidate|illustrate"
    r"|outline|detail|delve|expound|explanation|concept|process|role|impact|is|are|was|were|do|does|did)\b",
    re.IGNORECASE,
)
_OWN = re.compile(r"\b(?:I|me|my|mine|myself|we|our|us)\b")
_DANGLING = re.compile(r"^\W*(?:it|this|that|these|those|they|he|she|them)\b(?!\s+(?:is|was)\s+said)", re.IGNORECASE)
_FRESH = re.compile(
    r"\b(?:today|tonight|tomorrow|right now|currently|latest|this (?:week|month|year)|weather|stock price|score of"
    r"|predict|will win|image|photo|picture|draw|link to|download)\b",
    re.IGNORECASE,
)
_GREETING = re.compile(r"^\W*(?:hi|hello|hey|thanks|thank you|good (?:morning|evening)|how are you)\b", re.IGNORECASE)
_LONG, _SHORT, _TINY = 80, 4, 2
"""Words."""


def kind_by_rule(prompt: str) -> Kind:
    """The class of a prompt by the words that it holds."""
    if _CODE.search(prompt) or _MADE_UP.search(prompt):
        return "Neither"
    if _GIVEN.search(prompt):
        return "Faithful"
    if len(prompt.split()) <= _TINY or (_GREETING.match(prompt) and len(prompt.split()) <= _SHORT):
        return "Neither"
    return "Factual" if _SEEKS.search(prompt) else "Neither"


def ambiguous_by_rule(prompt: str) -> bool:
    """Whether a prompt begins by pointing at something that is not there."""
    return _DANGLING.match(prompt) is not None


def useful_by_rule(prompt: str) -> dict[str, int]:
    """Scores by length and by a few words that speak against each criterion, each 0 to 5."""
    words = len(prompt.split())
    unclear = 2 * ambiguous_by_rule(prompt) + 2 * (words < _SHORT) + (words > _LONG)
    return {
        "clarity": TOP - unclear,
        "generalizability": TOP - min(3, len(_OWN.findall(prompt))) - (words > _LONG),
        "relevance": TOP - 3 * (words <= _TINY) - (kind_by_rule(prompt) != "Factual"),
        "feasibility": TOP - min(4, 2 * len(_FRESH.findall(prompt))),
    }
