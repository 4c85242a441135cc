"""Recall, which FactBench leaves out: the share of units that were extracted, or of facts that were stated.

Extraction recall asks how many units, listed exhaustively by people, are among the extracted ones. Coverage recall
asks how many facts of a reference set a response states, and states with support (cf. FactRBench, VeriFact).

A unit or fact is found when one of the texts it is sought in has `ENOUGH` of its content words, all of its numbers, and
a negation where it has one and none where it has none. Words are compared by their stems. Several may be found in one
text: a compound unit holds all of its parts. This rule misses paraphrases, so the recall is a lower bound. A person's
label on a match overrides it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pydantic import Field

from factscope.claims.text.terms import terms
from factscope.core.records import Record
from factscope.scoring.intervals import RESAMPLES
from factscope.scoring.means import Mean, Proportion, mean, proportion

ENOUGH = 0.8
"""Least share of the content words of a unit or fact that must occur."""
_MISSED = 20  # targets shown of those not found
_NEGATIONS = frozenset(terms("not no never none neither nor without cannot isn't wasn't doesn't didn't aren't won't"))
_FUNCTION = frozenset(
    terms(
        "a an the of in on at to from by for with as is are was were be been being and or but it its this that these "
        "those he she they his her their which who whom whose has have had do does did will would can could may might "
        "also into than then there about over under after before during between"
    )
)
"""Words without content of their own."""


class RecallTarget(NamedTuple):
    """One unit or fact to be found."""

    text: str
    is_found: bool | None = None
    """Whether people found it there; `None` when the rule decides."""


class Recall(Record):
    """Share of the targets that were found."""

    macro: Mean
    """Mean over responses of the share found, with equal weights, as in FactBench's recall study."""
    pooled: Proportion
    """Over all targets; Wilson's interval treats them as independent."""
    missed: tuple[tuple[str, str], ...]
    """Some that were not found: response and text."""
    judged_by_people: int = Field(ge=0)
    """Number of targets that people decided."""


def finds(target: str, text: str) -> bool:
    """Return whether `text` states the fact, by the rule of this module."""
    target_terms, text_terms = set(terms(target)), set(terms(text))
    content = target_terms - _FUNCTION - _NEGATIONS
    numbers = {word for word in content if word[0].isdigit()}
    if not content or not numbers <= text_terms or bool(target_terms & _NEGATIONS) != bool(text_terms & _NEGATIONS):
        return False
    return len(content & text_terms) >= ENOUGH * len(content) - 1e-9


def recall(
    targets_by_id: Mapping[str, Sequence[RecallTarget]],
    texts: Mapping[str, Sequence[str]],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Recall:
    """Compute the recall by response; a response without texts has a recall of 0.

    Responses without targets are left out.
    """
    found_by_id: dict[str, list[bool]] = {}
    missed: list[tuple[str, str]] = []
    for name, targets in targets_by_id.items():
        for target in targets:
            is_found = target.is_found
            if is_found is None:
                is_found = any(finds(target.text, text) for text in texts.get(name, ()))
            found_by_id.setdefault(name, []).append(is_found)
            if not is_found:
                missed.append((name, target.text))
    all_found = [present for result in found_by_id.values() for present in result]
    return Recall(
        macro=mean(
            (sum(result) / len(result) for result in found_by_id.values()), most=1, resamples=resamples, seed=seed
        ),
        pooled=proportion(sum(all_found), len(all_found)),
        missed=tuple(missed[:_MISSED]),
        judged_by_people=sum(entry.is_found is not None for targets in targets_by_id.values() for entry in targets),
    )
