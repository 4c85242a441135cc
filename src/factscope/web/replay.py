"""The records of a check → the report and the progress so far."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from typing import TypeGuard

from pydantic import TypeAdapter

from factscope.core import Event, Outcome
from factscope.core.records import Claim, Report, Segment, Verdict
from factscope.engine import Provenance, fold
from factscope.engine.fold import unscored
from factscope.web.forms import Progress

PROVENANCE: TypeAdapter[Provenance] = TypeAdapter(Provenance)
"""Reads and writes the origin of a report, as stored with the check."""


def report_of(events: Iterable[Event], basis: Provenance) -> Report | None:
    """Return the report on a check: complete when it has ended with all its records, otherwise the results so far.

    It is None before the first record. An incomplete report has no scores, and its units may lack a verdict.
    """
    events = tuple(events)
    if not any(event.type == "response" for event in events):
        return None
    if any(_ends(event) for event in events):
        with suppress(ValueError):  # records that others need have been lost
            return fold(events, basis)
    so_far = unscored((event for event in events if not _ends(event)), basis)
    return so_far.model_copy(update={"counts": _counts(so_far)})


def is_finished(report: Report | None) -> TypeGuard[Report]:
    """Return whether this is the complete report on a check."""
    return report is not None and any(map(_ends, report.verdicts))


def _ends(event: Event) -> bool:
    return isinstance(event, Verdict) and event.level == "response"


def _counts(report: Report) -> dict[Outcome, int]:
    units = set(report.unit_ids())
    of_units = (verdict for verdict in report.verdicts if verdict.level != "response" and verdict.unit_id in units)
    return dict(Counter(verdict.outcome for verdict in of_units))


def results_as_json(report: Report | None) -> tuple[str, str]:
    """Return the counts and the scores of a report, as they are stored with its check."""
    if report is None:
        return "null", "[]"
    return json.dumps(report.counts), f"[{','.join(score.model_dump_json() for score in report.scores)}]"


class ProgressCount:
    """Progress of a check, updated with its events."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self._segments: set[str] = set()
        self._outcomes: dict[str, Outcome | None] = {}
        self.take(events)

    def take(self, events: Iterable[Event]) -> None:
        """Count these events too."""
        for event in events:
            if isinstance(event, Segment):
                self._segments.add(event.id)
            elif isinstance(event, Claim):
                self._outcomes[event.id] = None
            elif isinstance(event, Verdict) and re.match(r"s\d+\.c", event.unit_id):
                self._outcomes[event.unit_id] = event.outcome

    @property
    def progress(self) -> Progress:
        """Return the progress so far."""
        ended = [outcome for outcome in self._outcomes.values() if outcome]
        return Progress(
            segments=len(self._segments), claims=len(self._outcomes), judged=len(ended), failed=ended.count("failed")
        )
