"""The log of a check that took several attempts → the records that count.

A log only grows, so that a watcher can be sent again what it missed. Two rules say what a later attempt takes back, and
they stand here alone (the page repeats them while it watches, and is held to `tests/vectors/attempts.json`):

1. A claim begins again with its own record: what hangs on it goes, but for its verdict, which stays until the next one.
2. An attempt begins with the state `running`: what an earlier attempt concluded from all claims no longer stands.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable

from pydantic import TypeAdapter

from factscope.core.events import Event, claim_id_of, record_key
from factscope.core.records import Claim, Document, Eligibility, Failure, Score, Usage, Verdict

STATE = "state"
"""Type of the entries of a log that are not records."""
RUNNING = json.dumps({"state": "running"})
"""Body of the entry with which an attempt begins."""
_HANGS_ON_A_CLAIM = frozenset({"query", "hit", "passage", "judgement", "finding", "failure", "correction"})
_EVENT: TypeAdapter[Event] = TypeAdapter(Event)


def standing_records(log: Iterable[tuple[str, str]]) -> list[Event]:
    """Return the records that count after these entries (type and JSON), in order of their first writing."""
    latest: dict[tuple[str, str], Event] = {}
    by_claim: dict[str, set[tuple[str, str]]] = {}
    for kind, body in log:
        if kind == STATE:
            if json.loads(body)["state"] == "running":
                latest = {key: event for key, event in latest.items() if not _concluded_from_all(event)}
            continue
        event = _EVENT.validate_json(body)
        key = (event.type, record_key(event))
        claim = claim_id_of(event)
        if isinstance(event, Claim):
            for other in by_claim.pop(event.id, ()):
                latest.pop(other, None)
        elif claim and event.type in _HANGS_ON_A_CLAIM:
            by_claim.setdefault(claim, set()).add(key)
        latest[key] = event
    return list(latest.values())


def reusable_records(events: Iterable[Event]) -> tuple[Event, ...]:
    """Return the records that a next attempt need not make again: all claims, and what hangs on those that ended.

    A claim has ended when it has a verdict and nothing failed for it, and so has a segment in which none was found.
    """
    events = tuple(events)
    with_claims = {e.segment_id for e in events if isinstance(e, Claim)}
    ended = {e.unit_id for e in events if isinstance(e, Verdict) and e.level == "claim" and e.outcome != "failed"}
    ended -= {e.unit_id for e in events if isinstance(e, Failure) and e.about is None}
    always = Document | Claim | Usage | Eligibility
    return tuple(
        e for e in events if claim_id_of(e) in ended or isinstance(e, always) or _of_a_bare_segment(e, with_claims)
    )


def _concluded_from_all(event: Event) -> bool:
    """Return whether a record was concluded from all claims, or is the failure of something above them."""
    if isinstance(event, Verdict):
        return event.level != "claim"
    return isinstance(event, Score) or (isinstance(event, Failure) and claim_id_of(event) is None)


def _of_a_bare_segment(event: Event, with_claims: Collection[str]) -> bool:
    """Return whether it is the verdict on a segment in which no claim was found."""
    if not isinstance(event, Verdict) or event.level != "segment":
        return False
    return event.outcome == "not_checkable" and event.unit_id not in with_claims
