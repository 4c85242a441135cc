"""Detection of evidence that is not independent: copies of one text, and several texts from one site.

A report that many sites copy is one witness, not many.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import ceil

from factscope.claims.text.terms import words
from factscope.evidence.addresses import own_site

WORDS = 5
"""Number of consecutive words that are compared."""
SAME = 0.8
"""Least overlap (Jaccard) of near-identical texts: one changed word in fifty is still above it, one in twenty no
longer."""

Run = tuple[str, ...]


def near_copies(texts: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """Group near-identical texts; return the groups as indices.

    Each text is in one group; groups and members are in order.

    Two texts belong together when the sets of their runs of `WORDS` words, in lower case and without punctuation, have
    a Jaccard similarity of at least `SAME`, or when other texts link them so. A text of fewer words is one run; one
    without words has no copies. A passage that is a small part of another one is not a copy.

    Exact for any number of texts: sets that overlap enough share one of the rarest runs of each (prefix filtering, Xiao
    et al. 2008), so only such pairs are compared. A thousand passages of 100 words take less than a second.
    """
    sets = [_runs(text) for text in texts]
    often = Counter(run for runs in sets for run in runs)
    leaders = list(range(len(texts)))
    owners: defaultdict[Run, list[int]] = defaultdict(list)

    def leader(index: int) -> int:
        while leaders[index] != index:
            index = leaders[index]
        return index

    for index, runs in enumerate(sets):
        rarest = sorted(runs, key=lambda run: (often[run], run))[: len(runs) - ceil(SAME * len(runs) - 1e-9) + 1]
        for other in sorted({other for run in rarest for other in owners[run]}):
            if leader(other) != leader(index) and _overlap(runs, sets[other]) >= SAME:
                first, second = sorted((leader(other), leader(index)))
                leaders[second] = first
        for run in rarest:
            owners[run].append(index)
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for index in range(len(texts)):
        groups[leader(index)].append(index)
    return tuple(map(tuple, groups.values()))


def one_domain(urls: Iterable[str | None]) -> str | None:
    """Return the registrable domain that all addresses belong to, such as `bbc.co.uk`.

    None when there are several or none, and also when one has no web address, like a file: its origin is unknown.
    """
    domains = {own_site(url) if url else None for url in urls}
    return domains.pop() if len(domains) == 1 else None


def _runs(text: str) -> frozenset[Run]:
    folded = [unicodedata.normalize("NFKC", word).casefold() for word in words(text)]
    count = max(1, len(folded) - WORDS + 1)
    return frozenset(tuple(folded[start : start + WORDS]) for start in range(count)) if folded else frozenset()


def _overlap(runs: frozenset[Run], other: frozenset[Run]) -> float:
    """Return Jaccard similarity of two sets that are not both empty."""
    both = len(runs & other)
    return both / (len(runs) + len(other) - both)
