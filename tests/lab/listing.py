"""Stand-in replies to the prompts of FELM and of FavaBench's baselines: numbers of wrong parts, claims, segments.

They follow from the passages shown; without any, or with addresses only, from what the stand-in knows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .reasoning import BY_HEART, compare, kind_of, pieces, sentences, standalone

if TYPE_CHECKING:
    from .brain import Asked


def _wrong(asked: Asked) -> str:
    """Answer felm/detect… and fava/…"""
    shown = [text for text in asked.many.get("passages", {}).values() if not text.startswith("http")]
    known = "\n".join([*shown, BY_HEART])
    wrong = [number for number, part in asked.many["claims"].items() if compare(part, known).label == "contradicted"]
    return f"Answer: {','.join(wrong) or 'ALL_CORRECT'}"


def _wrong_with_thought(asked: Asked) -> str:
    """Answer felm/…_cot."""
    return f"Thought: what is known says otherwise of some.\n{_wrong(asked)}"


def _blocks(asked: Asked) -> str:
    """Answer felm/claims…"""
    before, lines = "", []
    for key, segment in asked.many["segments"].items():
        claims = []
        for sentence in sentences(segment):
            cut = pieces(sentence) if kind_of(sentence) in ("fact", "claim") else []
            claims += [standalone(piece.text, before) for piece in cut]
            before = f"{before} {sentence}"
        if claims:
            lines += [f"Segment {key}:", *(f"Claim {number}. {claim}" for number, claim in enumerate(claims, 1))]
    return "\n".join(lines) or "NO_CLAIMS"


def _separated(asked: Asked) -> str:
    """Answer felm/segment_…"""
    return "\n*****\n".join(sentences(asked.one["response"]))


LISTING: dict[str, Callable[[Asked], str]] = {
    "fava/retrieved_self_check": _wrong,
    "fava/self_check": _wrong,
    **{f"felm/{name}{mode}": _wrong for name in ("detect", "science") for mode in ("", "_links", "_docs")},
    **{f"felm/{name}_cot": _wrong_with_thought for name in ("detect", "science", "math", "reasoning")},
    "felm/claims": _blocks,
    "felm/claims_science": _blocks,
    "felm/math": _wrong,
    "felm/reasoning": _wrong,
    "felm/segment_items": _separated,
    "felm/segment_math": _separated,
}
