"""The class of a request in FactBench's filter: a rule over its words, used when no model classifies requests.

A request counts as one about the world unless it contains a text to work on, or signs of code, computing, fiction,
games, small talk or the user's own affairs. English only. `rule_accuracy` measures it on requests that it was not
written on.
"""

from __future__ import annotations

import re
from typing import Literal, get_args

from factscope.core import PatternFile

Kind = Literal["Factual", "Faithful", "Neither"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""Classes of FactBench's filter; only the first is kept."""

_SIGNS = PatternFile(__package__, "request_rule.toml")
_ENOUGH_WORDS = 3  # fewer words make no request
_ASKS = re.compile(
    r"\b(?:who|whom|whose|what|when|where|which|why|how|capital|history|population|currency|origin|facts?|causes?"
    r"|of|vs|in)\b",
    re.IGNORECASE,
)
_DANGLING = re.compile(r"^\W*(?:it|this|that|these|those|they|he|she|them)\b(?!\s+(?:is|was)\s+said)", re.IGNORECASE)


def kind_by_rule(prompt: str) -> Kind:
    """Return the class of a request by the words that it holds."""
    if _SIGNS["to_the_model"].search(prompt) or (
        _SIGNS["code"].search(prompt) and not _SIGNS["text_supplied"].search(prompt)
    ):
        return "Neither"
    if _SIGNS["text_supplied"].search(prompt):
        return "Faithful"
    if any(_SIGNS[sign].search(prompt) for sign in ("made_up", "computed", "ones_own")):
        return "Neither"
    return "Factual" if len(prompt.split()) >= _ENOUGH_WORDS or _ASKS.search(prompt) else "Neither"


def ambiguous_by_rule(prompt: str) -> bool:
    """Return whether a request begins by referring to something that it does not contain."""
    return _DANGLING.match(prompt) is not None
