"""Refusals of a model: their rate, their reasons, and the share that was unjustified.

FactBench classifies the refusals of one model and finds 25 of 41 unjustified. Only two of its category numbers are
public, 2 and 5; the others are ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from factscope.core.records import Record
from factscope.scoring.means import Proportion, proportion

CATEGORIES: dict[int, str] = {
    1: "safety",
    2: "misinformation",
    3: "privacy",
    4: "capability",
    5: "ethical and legal advice",
    6: "policy-sensitive topic",
}
"""Why a response refuses. 4: the model says that it can't do this or lacks the information; 5 holds medicine too."""
UNTYPED = "untyped"


class Refusal(NamedTuple):
    """One refusal."""

    category: int | None
    """One of `CATEGORIES`; `None` when it could not be determined."""
    justified: bool | None
    """Whether the prompt justified it; `None` when unknown."""


class RefusalMix(Record):
    """Refusals by type, reason and necessity."""

    rate: Proportion
    """Refusals among the responses with a known type, including withheld ones."""
    by_category: dict[str, int]
    """Number of refusals by the name of their category; `untyped` for unknown ones."""
    unjustified: Proportion
    """Unjustified ones among the refusals for which that is known."""
    unjustified_by_category: dict[str, Proportion]
    """The same for each category."""


def refusal_mix(refusals: Sequence[Refusal], n_known: int) -> RefusalMix:
    """Summarise the refusals among the responses whose type is known (FactBench, refusal study)."""
    groups: dict[str, list[Refusal]] = {word: [] for word in (*CATEGORIES.values(), UNTYPED)}
    for refusal in refusals:
        groups[CATEGORIES.get(refusal.category or 0, UNTYPED)].append(refusal)
    present = {word: group for word, group in groups.items() if group}
    return RefusalMix(
        rate=proportion(len(refusals), n_known),
        by_category={word: len(group) for word, group in present.items()},
        unjustified=_unjustified(refusals),
        unjustified_by_category={word: _unjustified(group) for word, group in present.items()},
    )


def _unjustified(refusals: Iterable[Refusal]) -> Proportion:
    justified_flags = [refusal.justified for refusal in refusals if refusal.justified is not None]
    return proportion(justified_flags.count(False), len(justified_flags))
