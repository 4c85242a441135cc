"""Prompts of FELM and of FavaBench's baselines: their values, and replies that can be read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from factscope.llm import claim_blocks, separated, wrong_ids

PARTS: dict[str, str | Mapping[str, str]] = {"prompt": "A question?", "claims": {"1": "One.", "2": "Two."}}
SHOWN = {**PARTS, "passages": {"p1": "P."}}
UNIT = {"one": "claim", "many": "claims", "whole": "They were drawn from the answer"}
DETECTING: dict[str, dict[str, str | Mapping[str, str]]] = {
    "fava/retrieved_self_check": SHOWN,
    "fava/self_check": PARTS,
    **{
        f"felm/{family}{mode}": {
            **(SHOWN if mode in ("_links", "_docs") else PARTS),
            **({"unit": UNIT} if family in ("detect", "science") else {}),
        }
        for family in ("detect", "math", "reasoning", "science")
        for mode in ("", "_cot", "_docs", "_links")
        if family in ("detect", "science") or mode in ("", "_cot")
    },
}
"""Prompts whose replies name the wrong parts."""
CUTTING: dict[str, dict[str, str | Mapping[str, str]]] = {
    **{f"felm/claims{end}": {"prompt": "A question?", "segments": {"s1": "A text."}} for end in ("", "_science")},
    **{f"felm/segment_{what}": {"prompt": "A question?", "response": "A text."} for what in ("items", "math")},
}
LISTED = {**DETECTING, **CUTTING}

LISTED_REPLIES: list[tuple[str, Callable[[str], Any], str, Any]] = [
    *((name, lambda text: wrong_ids(text, 2), "Thought: 2 is so.\nAnswer: 1", {1}) for name in DETECTING),
    *(
        (
            f"felm/claims{end}",
            lambda text: claim_blocks(text, ["s1"]).claims,
            "Segment s1:\nClaim 1. A.",
            (("s1", "A."),),
        )
        for end in ("", "_science")
    ),
    *(
        (f"felm/segment_{what}", lambda text: separated(text, "A. B."), "A.\n*****\nB.", [(0, 2), (3, 5)])
        for what in ("items", "math")
    ),
]
