"""Rules that replace models where none is configured: coarse, deterministic, and for English only.

Their decisions are marked `baseline` everywhere. They look at words, not at meaning.
"""

from __future__ import annotations

import re

from factscope.benchmarks.rules.request_rule import ambiguous_by_rule, kind_by_rule

BASELINE = "baseline"
"""Name of the rater for decisions by a rule."""
CRITERIA = ("clarity", "generalizability", "relevance", "feasibility")
"""Criteria of usefulness (FactBench)."""
TOP = 5
"""Highest score of a criterion; the lowest is 0."""

_OWN = re.compile(r"\b(?:I|me|my|mine|myself|we|our|us)\b")
_FRESH = re.compile(
    r"\b(?:today|tonight|tomorrow|right now|currently|latest|this (?:week|month|year)|weather|stock price|score of"
    r"|predict|will win|image|photo|picture|draw|link to|download)\b",
    re.IGNORECASE,
)
_LONG, _SHORT, _TINY = 80, 4, 2
"""Words."""


def useful_by_rule(prompt: str) -> dict[str, int]:
    """Score each criterion from 0 to 5, by length and by a few words that count against it."""
    words = len(prompt.split())
    unclear = 2 * ambiguous_by_rule(prompt) + 2 * (words < _SHORT) + (words > _LONG)
    return {
        "clarity": TOP - unclear,
        "generalizability": TOP - min(3, len(_OWN.findall(prompt))) - (words > _LONG),
        "relevance": TOP - 3 * (words <= _TINY) - (kind_by_rule(prompt) != "Factual"),
        "feasibility": TOP - min(4, 2 * len(_FRESH.findall(prompt))),
    }
