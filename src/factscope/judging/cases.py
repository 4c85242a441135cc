"""Cases that are judged, and the names of judgements and judges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from factscope.core.records import Claim, Passage
from factscope.llm.models_by_role import Models

LONGEST_RATIONALE = 4000
"""Characters of a rationale in the report."""


class JudgeCase(NamedTuple):
    """A claim with the passages that it is judged against."""

    claim: Claim
    passages: tuple[Passage, ...]
    sources: Mapping[str, str]
    """Title and address of each passage's document, by passage id."""
    rounds_without: int = 0


PassageKeys = dict[tuple[str, int, int, str], str]
"""Keys of passages in a call, by document, span and text."""


def passage_key(passage: Passage, keys: PassageKeys) -> str:
    """Return the key of a passage in a call, the same for equal passages; a new one is added to `keys`."""
    where = (passage.document_id, passage.span.start, passage.span.end, passage.text)
    return keys.setdefault(where, f"p{len(keys) + 1}")


def judgement_id(base: str, first: int, sample: int = 1) -> str:
    """Return the id of a judgement on a claim or passage; numbers run through all samples of all judges."""
    return f"{base}.j{first + sample - 1}"


def judge_name(models: Models, role: str) -> str:
    """Return the name of the judge in a judgement: its model, and its role where that distinguishes judges."""
    model = models.of(role)
    return model if role == "judge" else f"{model} as {role}"
