"""Groups of claims that are worked on together."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from math import ceil

from factscope.core.records import Claim
from factscope.llm.session import judges_of
from factscope.methods import Judge, Method, Panel

Group = Sequence[Claim]


def group_size(method: Method) -> int:
    """Return the number of claims that a method can work on together, at most."""
    judges = judges_of(method.judge) if not isinstance(method.judge, Panel) else [*method.judge.judges]
    sizes = [judge.claims_per_call or sys.maxsize for judge in judges if isinstance(judge, Judge)]
    return max([1, *sizes, method.evidence.queries.claims_per_call if method.evidence.queries else 1])


def grouped(claims: Sequence[Claim], size: int) -> Iterator[Group]:
    """Yield the claims to check in groups of equal size, at most `size`, in order; skipped claims one by one."""
    group: list[Claim] = []
    checkable = sum(claim.skipped is None for claim in claims)
    size = ceil(checkable / max(1, ceil(checkable / size)))
    for claim in claims:
        if claim.skipped is not None:
            yield [claim]
            continue
        group.append(claim)
        if len(group) == size:
            yield group
            group = []
    if group:
        yield group
