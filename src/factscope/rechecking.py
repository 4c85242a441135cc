"""A changed text checked again: what an earlier report still says of it, and what has to be asked anew.

Sentences that stand in both texts keep their claims, evidence, judgements and verdicts; they are handed to the engine as
the records of an earlier attempt, from which it carries on. What leans on a changed sentence is checked again with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from factscope.events import Event
from factscope.records import Report


@dataclass(frozen=True)
class Plan:
    """What of a new text is known from an earlier report. Ids are those of the new text's segments."""

    kept: Mapping[str, str]
    """Segments that keep what was found, with the id that each had before."""
    changed: tuple[str, ...]
    """Segments that are new or say something else."""
    depending: Mapping[str, str]
    """Segments that stand as before and lean on what changed, with what they lean on."""
    gone: tuple[str, ...]
    """Segments of the earlier text that are no longer there, by their ids in it."""


def plan(report: Report, new_text: str) -> Plan:
    """What can be kept of `report` for `new_text`: no model is asked. Raises InputError for a text without content."""
    raise NotImplementedError


def carried(report: Report, new_text: str, edited_claims: Mapping[str, str] | None = None) -> tuple[Event, ...]:
    """The records of `report` that hold for `new_text`, with the ids and places that they have there.

    Give them to `engine.batches` as what is done: it makes no call for them. `edited_claims` are new words for claims
    by their ids in `report`; such a claim alone is sought for and judged again. Raises InputError for a text without
    content, and UsageError for an edited claim that is not among those kept.
    """
    raise NotImplementedError
