"""Claim → the text to search a local collection for."""

from __future__ import annotations

from collections.abc import Iterable

from factscope.claims.text.terms import tokens
from factscope.core.records import Claim, Query

LOOK_BACK = 8
"""Number of earlier claims whose names may be added to a query. Pronouns seldom refer further back (our choice)."""


def write_query(claim: Claim, before: Iterable[Claim]) -> Query:
    """Return the claim's own words, plus names from earlier claims if it refers back to them ("It opened …").

    `before` are the claims before it, nearest first. Names are the capitalised words of the nearest claim or heading
    that has any.
    """
    if claim.independent:
        return Query(id=f"{claim.id}.q1", claim_id=claim.id, text=claim.standalone)
    own_words = {token.text for token in tokens(claim.standalone)}
    for earlier in before:
        names = [token.text for token in tokens(earlier.text) if token.text[0].isupper() and len(token.text) > 1]
        fresh = [name for name in dict.fromkeys(names) if name not in own_words]
        if fresh:
            return Query(
                id=f"{claim.id}.q1",
                claim_id=claim.id,
                text=f"{claim.standalone} {' '.join(fresh)}",
                rationale="The claim refers back to earlier text, so names from there were added.",
                lender_id=earlier.segment_id,
            )
    return Query(id=f"{claim.id}.q1", claim_id=claim.id, text=claim.standalone)
