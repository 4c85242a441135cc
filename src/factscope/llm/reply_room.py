"""Room for a reply: the tokens that it can need, estimated from the question.

A method's `max_tokens` must suffice for its longest question. A small model that loses its way writes until it reaches
that limit, which takes minutes on a slow machine; so each call asks for no more than its own question can need. The
bounds are two to five times the usual length. A model that reasons before it answers needs room for that too, and gets
the method's limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_REASONS = re.compile(
    r"(?:^|[/_:-])(?:o[1-9](?:-|$)|gpt-[5-9]|gpt-oss|deepseek-r|r1(?:[-:.]|$)|qwq|qwen-?3|magistral|gemini-(?:2\.5|[3-9])"
    r"|grok-(?:[4-9]|3-mini)|glm-(?:4\.[5-9]|[5-9])|minimax-m|smollm3|exaone-deep|nemotron)|reason|think|deep-?research",
    re.IGNORECASE,
)
"""Names of model families that think before they answer, as of November 2026. Others are detected by their replies."""
_BASE = 256
"""Tokens for the text around the units of a reply."""
_BYTES_A_TOKEN = 2.5
"""Fewest bytes of UTF-8 per token in ordinary text of any language; English has about four."""


def reasons(model: str) -> bool:
    """Return whether a model is known, by its name, to think before it answers."""
    return _REASONS.search(model) is not None


def room_for(units: Iterable[str], each: int, times: float = 1.0) -> int:
    """Return the tokens of a reply with `each` tokens per unit, plus the units' own words `times` over."""
    words = [len(unit.encode("utf-8", "replace")) / _BYTES_A_TOKEN for unit in units]
    return _BASE + round(each * len(words) + times * sum(words))
