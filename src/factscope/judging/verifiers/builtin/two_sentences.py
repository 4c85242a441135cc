"""Claims that two neighbouring sentences of a passage say: each a half of it, or the second with "them" for a noun."""

from __future__ import annotations

import re

from factscope.claims.text.segments import sentences
from factscope.core.records import Span
from factscope.judging.verifiers.builtin.omissions import has_scope, is_bent
from factscope.judging.verifiers.builtin.shortening import find_shortened
from factscope.judging.verifiers.builtin.verbatim import find_statement

_JOINT = re.compile(r",? and ")
_SHARED_LEAD = re.compile(
    r"[^,]*,|(?:in|on|at|by|since|from|between|during|after|before|for|with|as|both)\b", re.IGNORECASE
)
"""Beginning of a claim that may hold for both halves: "In 1990 the mill burned down and the church was built"."""
_SHARE = re.compile(r"(\w+) of the ([a-z]+s) (.+)", re.DOTALL)
_PLURAL = re.compile(
    r"\b(?!(?:has|was|its|this|does|plus|always)\b)[a-z]+(?<!s)s\b|\b(?:people|men|women|children|and)\b"
)
"""Words that "them" may mean; present verbs like "stands" are among them, so that the rule is silent too often."""


def find_in_two(claim: str, passage: str) -> Span | None:
    """Find two neighbouring sentences that say the claim, and return the one that says more of it."""
    return _find_halves(claim, passage) or _find_share(claim, passage)


def _find_halves(claim: str, passage: str) -> Span | None:
    if is_bent(claim) or has_scope(claim) or _SHARED_LEAD.match(claim):
        return None
    starts = [span.start for span in sentences(passage)]
    for joint in _JOINT.finditer(claim):
        first, second = (_find(half, passage) for half in (claim[: joint.start()], claim[joint.end() :]))
        if first and second and starts.index(second.start) - starts.index(first.start) in (0, 1):
            return first
    return None


def _find(half: str, passage: str) -> Span | None:
    match = find_statement(half, passage)
    return match.sentence if match else find_shortened(half, passage)


def _find_share(claim: str, passage: str) -> Span | None:
    """Find "Some of them face the sea" for "Some of the rooms face the sea", after a sentence on rooms alone."""
    share = _SHARE.fullmatch(claim.strip())
    match = find_statement(f"{share[1]} of them {share[3]}", passage) if share else None
    if not share or not match:
        return None
    before = [span for span in sentences(passage) if span.end <= match.sentence.start]
    named = before[-1].of(passage) if before else ""
    return match.sentence if set(_PLURAL.findall(named)) == {share[2]} and not is_bent(named) else None
