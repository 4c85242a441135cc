"""A log of events → the records that stand: a check may have taken several attempts.

The log only grows, so that a watcher can be told again what it missed. A claim begins anew with its own record, and an
attempt with the state `running`: what an earlier attempt had concluded from all claims then no longer stands.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from pydantic import TypeAdapter

from factscope.core.events import Event, claim_id_of, record_key
from factscope.core.labels import Outcome
from factscope.core.records import Claim, Failure, Report, Score, Segment, Verdict
from factscope.engine import Basis, fold
from factscope.engine.fold import unscored
from factscope.web.forms import Progress

_EVENT: TypeAdapter[Event] = TypeAdapter(Event)
STATE = "state"
"""Type of the events of a log that are no records."""
_OF_A_CLAIM = ("query", "hit", "passage", "judgement", "failure", "correction")


def standing(log: Iterable[tuple[str, str]]) -> list[Event]:
    """The records that stand after these events, given as type and JSON, in order of their writing."""
    kept: dict[tuple[str, str], Event] = {}
    by_claim: dict[str, set[tuple[str, str]]] = {}
    for kind, body in log:
        if kind == STATE:
            if json.loads(body)["state"] != "running":
                continue
            for key in [key for key, event in kept.items() if _concluded(event)]:
                del kept[key]
            continue
        event = _EVENT.validate_json(body)
        key = (event.type, record_key(event))
        claim = claim_id_of(event)
        if isinstance(event, Claim):
            for other in by_claim.pop(event.id, ()):
                kept.pop(other, None)
        elif claim and event.type in _OF_A_CLAIM:
            by_claim.setdefault(claim, set()).add(key)
        kept[key] = event
    return list(kept.values())


def _concluded(event: Event) -> bool:
    """Whether a record was concluded from all claims, or is the failure of something above them."""
    if isinstance(event, Verdict):
        return event.level != "claim"
    return isinstance(event, Score) or (isinstance(event, Failure) and claim_id_of(event) is None)


def report_of(events: Iterable[Event], basis: Basis) -> Report | None:
    """The report on a check: whole when it came to its end, else with what there is; None before the first record.

    A report on part of a check has no scores, and its units may lack a verdict.
    """
    events = tuple(events)
    if not any(event.type == "response" for event in events):
        return None
    if any(isinstance(event, Verdict) and event.level == "response" for event in events):
        return fold(events, basis)
    so_far = unscored(events, basis)
    return so_far.model_copy(update={"counts": _counts(so_far)})


def _counts(report: Report) -> dict[Outcome, int]:
    units = set(report.unit_ids())
    found: dict[Outcome, int] = {}
    for verdict in report.verdicts:
        if verdict.level != "response" and verdict.unit_id in units:
            found[verdict.outcome] = found.get(verdict.outcome, 0) + 1
    return found


class Count:
    """How far a check has come, kept up with its events."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self._segments: set[str] = set()
        self._outcomes: dict[str, Outcome | None] = {}
        self.take(events)

    def take(self, events: Iterable[Event]) -> None:
        """Count these too."""
        for event in events:
            if isinstance(event, Segment):
                self._segments.add(event.id)
            elif isinstance(event, Claim):
                self._outcomes[event.id] = None
            elif isinstance(event, Verdict) and re.match(r"s\d+\.c", event.unit_id):
                self._outcomes[event.unit_id] = event.outcome

    @property
    def progress(self) -> Progress:
        """So far."""
        ended = [outcome for outcome in self._outcomes.values() if outcome]
        return Progress(
            segments=len(self._segments),
            claims=len(self._outcomes),
            judged=len(ended),
            failed=ended.count("failed"),
        )
