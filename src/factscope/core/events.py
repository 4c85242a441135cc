"""Records as events, as `stream` yields them and the store appends them, and the key that identifies each."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Annotated

from pydantic import Field

from factscope.core import records

Event = Annotated[
    records.Response | records.Segment | records.Claim | records.Query | records.SearchHit | records.Document
    | records.Passage | records.Judgement | records.Finding | records.Eligibility | records.Verdict | records.Correction
    | records.Citation | records.CitedSource | records.Quotation | records.Repair | records.Score | records.Failure
    | records.Usage,
    Field(discriminator="type"),
]  # fmt: skip
"""Event that `stream` yields and the store appends."""

FIELDS: dict[str, str] = {
    "response": "responses", "segment": "segments", "claim": "claims", "query": "queries", "hit": "hits",
    "document": "documents", "passage": "passages", "judgement": "judgements", "finding": "findings",
    "eligibility": "eligibility", "verdict": "verdicts", "correction": "corrections", "failure": "failures",
    "usage": "usage", "citation": "citations", "source": "sources", "quotation": "quotations", "repair": "repairs",
    "score": "scores",
}  # fmt: skip
"""The field of a report that holds the records of each type; of responses there is one."""


def record_key(event: Event) -> str:
    """Return the identity of a record among those of its type: its id, or the unit that it is about."""
    match event:
        case records.Verdict():
            return f"{event.unit_id}.{event.level}"
        case records.Correction():
            return event.unit_id
        case records.Failure():
            return f"{event.unit_id}.{event.stage}" + (
                f".{sha256(event.about.encode()).hexdigest()[:8]}" if event.about else ""
            )
        case records.Usage():
            return f"{event.role}.{event.model}"
        case records.Score():
            return event.name
        case _:
            return event.id


def claim_id_of(event: Event) -> str | None:
    """Return the claim that a record belongs to, read from its id; `None` for records above the claims."""
    return claim_id_in(event.type, record_key(event))


def claim_id_in(kind: str, key: str) -> str | None:
    """Return the claim that a record of this type and key belongs to; `None` for records above the claims."""
    match = re.match(r"s\d+\.c\d+(?![^.])", key)
    return match[0] if match and kind != "response" else None
