"""The rules that decide which records of a check's log count after several attempts.

A log is append-only, so that a watcher that lost its connection can be sent the entries it missed. Two rules say which
earlier entries a later attempt replaces. They are written only here; the page repeats them while it watches, and both
are tested against `tests/vectors/attempts.json`:

1. A claim's own record starts that claim again: its other records are dropped, except the verdict, which stays until
   the next one.
2. The state `running` starts an attempt: everything that an earlier attempt concluded from all claims is dropped.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from pydantic import TypeAdapter, ValidationError

from factscope.core.events import FIELDS, Event, claim_id_in, claim_id_of, record_key
from factscope.core.records import (
    CitedSource,
    Claim,
    Document,
    Eligibility,
    Failure,
    Judgement,
    Passage,
    Usage,
    Verdict,
)

STATE = "state"
"""Type of the entries of a log that are not records."""
_HANGS_ON_A_CLAIM = frozenset({"query", "hit", "passage", "judgement", "finding", "failure", "correction", "repair"})
_EVENT: TypeAdapter[Event] = TypeAdapter(Event)


class LogEntry(NamedTuple):
    """One entry of a log."""

    type: str
    key: str
    """Distinguishes a record from others of its type (see `core.events.record_key`); for a state, its name."""
    body: str
    """JSON."""

    @classmethod
    def of(cls, event: Event) -> LogEntry:
        """Return the log entry for a record."""
        return cls(event.type, record_key(event), event.model_dump_json())

    @classmethod
    def of_state(cls, state: str, **more: object) -> LogEntry:
        """Return the log entry for a state; `running` starts an attempt."""
        return cls(STATE, state, json.dumps({"state": state, **more}, ensure_ascii=False))

    @classmethod
    def of_json(cls, kind: str, body: str) -> LogEntry:
        """Return the entry with this type and body. Raises ValueError for a body that can't be read."""
        key = json.loads(body)["state"] if kind == STATE else record_key(_EVENT.validate_json(body))
        return cls(kind, key, body)

    def event(self) -> Event:
        """Return the record. Raises ValueError when it can't be read."""
        return _EVENT.validate_json(self.body)


def current_entries(log: Iterable[LogEntry]) -> list[LogEntry]:
    """Return the records that count after these entries, in order of their first writing. No body is read."""
    latest: dict[tuple[str, str], LogEntry] = {}
    by_claim: dict[str, set[tuple[str, str]]] = {}
    for entry in log:
        kind, key, _ = entry
        if kind == STATE:
            if key == "running":
                latest = {name: other for name, other in latest.items() if not _concluded_from_all(*name)}
            continue
        if kind == "claim":
            for name in by_claim.pop(key, ()):
                latest.pop(name, None)
        elif kind in _HANGS_ON_A_CLAIM and (claim := claim_id_in(kind, key)):
            by_claim.setdefault(claim, set()).add((kind, key))
        latest[kind, key] = entry
    return list(latest.values())


def readable_records(entries: Iterable[LogEntry]) -> tuple[list[Event], dict[LogEntry, ValidationError]]:
    """Return the records of those entries that can be read, and the damaged entries with what is wrong with them."""
    events, damaged = [], {}
    for entry in entries:
        try:
            events.append(entry.event())
        except ValidationError as error:
            damaged[entry] = error
    return events, damaged


def current_records(log: Iterable[LogEntry]) -> list[Event]:
    """Return the records that count after these entries. Raises ValueError when one can't be read."""
    return [entry.event() for entry in current_entries(log)]


def reusable_records(events: Iterable[Event]) -> tuple[Event, ...]:
    """Return the records that the next attempt can reuse: all claims, and everything else about finished claims.

    A claim is finished when it has a verdict and nothing failed for it, and so is a segment in which no claim was
    found.
    """
    events = tuple(events)
    with_claims = {e.segment_id for e in events if isinstance(e, Claim)}
    ended = {e.unit_id for e in events if isinstance(e, Verdict) and e.level == "claim" and e.outcome != "failed"}
    ended -= {e.unit_id for e in events if isinstance(e, Failure) and e.about is None}
    always = Document | Claim | Usage | Eligibility
    return tuple(
        e for e in events if claim_id_of(e) in ended or isinstance(e, always) or _of_a_bare_segment(e, with_claims)
    )


def records_to_build_on(events: Sequence[Event], damaged: Collection[LogEntry]) -> list[Event]:
    """Return the readable records of a log without those that an attempt must make again because of damaged ones.

    A claim with a damaged record loses its verdict, and so is checked again; the response loses its verdict, and so is
    not finished. So it is where a record that another one rests on is missing: a repaired store lacks the damaged ones,
    and an attempt that was cut short leaves a verdict whose judgements it had dropped. Without a claim's own record
    nothing is left, since it is not known how its segment was cut. Damaged scores and usage don't matter, since scores
    are computed and usage can't be made again; nor do records of a kind that only another version knows.
    """
    claims = {event.id for event in events if isinstance(event, Claim)}
    claims_needed = {claim for event in events if (claim := claim_id_of(event))}
    if claims_needed - claims or any(entry.type == "claim" for entry in damaged):
        return []
    damaged = [entry for entry in damaged if entry.type in FIELDS.keys() - {"score", "usage", "document"}]
    again = {claim_id_in(entry.type, entry.key) for entry in damaged}
    present = {(event.type, record_key(event)) for event in events}
    again |= {claim_id_of(event) for event in events if not present.issuperset(_records_below(event))}
    if not again:
        return list(events)
    return [
        event
        for event in events
        if not isinstance(event, Verdict) or not (event.level == "response" or event.unit_id in again)
    ]


def _records_below(event: Event) -> Iterator[tuple[str, str]]:
    """Yield type and key of each record that this one rests on."""
    match event:
        case Passage() | CitedSource():
            if event.document_id:
                yield "document", event.document_id
            if isinstance(event, Passage) and event.query_id:
                yield "query", event.query_id
        case Judgement():
            yield from (("passage", name) for name in event.passage_ids)
        case Verdict(level="claim"):
            yield from (("judgement", name) for name in event.judgement_ids)


def _concluded_from_all(kind: str, key: str) -> bool:
    """Return whether a record was concluded from all claims, or is the failure of something above them."""
    if kind == "verdict":
        return not key.endswith(".claim")
    return kind == "score" or (kind == "failure" and claim_id_in(kind, key) is None)


def _of_a_bare_segment(event: Event, with_claims: Collection[str]) -> bool:
    """Return whether this is the verdict on a segment in which no claim was found."""
    if not isinstance(event, Verdict) or event.level != "segment":
        return False
    return event.outcome == "not_checkable" and event.unit_id not in with_claims
