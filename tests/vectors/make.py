"""Generator of `rescore.jsonl.gz`: 1,000 states, and the result of `factscope.scoring.rescore.rescore` for each.

    python -m tests.vectors.make

Run it when a rule or a measure changes on purpose, and check what else changes.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any, Literal

from factscope.core import OUTCOMES, Event, LogEntry, Outcome, current_records, record_key
from factscope.core.records import (
    Claim,
    Exclusions,
    Failure,
    Judgement,
    Passage,
    Query,
    Repair,
    Report,
    Segment,
    Span,
    Verdict,
)
from factscope.report import segment_state
from factscope.scoring import rescore
from tests.vectors.states import states

VECTORS = Path(__file__).with_name("rescore.jsonl.gz")
SEGMENT_STATES = Path(__file__).with_name("segment_states.json")
"""The state of a sentence for every combination of up to three claims: `[verdict, claims, state]`."""
ATTEMPTS = Path(__file__).with_name("attempts.json")
"""Logs of checks with several attempts, and the records current after each."""
Level = Literal["claim", "segment", "response"]
N, SEED = 1_000, 20_260_515


def report_of(values: dict[str, Any]) -> Report:
    """Make the report of a state, with blank verdicts, because rescoring reads none."""
    claims = [Claim.model_validate(one) for one in values["claims"]]
    segments = [Segment.model_validate(one) for one in values["segments"]]
    bare = {one.id for one in segments} - {one.segment_id for one in claims}
    blank = [Verdict(unit_id=name, level="segment", outcome="not_checkable", rule="none") for name in sorted(bare)]
    blank += [Verdict(unit_id=one.id, level="claim", outcome="not_checkable", rule="none") for one in claims]
    counts = {**dict.fromkeys(OUTCOMES, 0), "not_checkable": len(blank)}
    return Report.model_validate({**values, "verdicts": blank, "counts": counts})


def rescored(state: dict[str, Any]) -> dict[str, Any]:
    """Rescore a state in Python: verdicts, counts, scores and states as plain values."""
    exclude = None if state["exclude"] is None else Exclusions.model_validate(state["exclude"])
    result = rescore(report_of(state["report"]), exclude=exclude, measures=state["measures"])
    return {**result.model_dump(mode="json", include={"verdicts", "counts", "scores"}), "states": states_of(result)}


def states_of(report: Report) -> dict[str, str]:
    """Return the state of every segment by its id, as the page shows it."""
    verdicts = {one.unit_id: one for one in report.verdicts}
    return {
        segment.id: segment_state(
            verdicts.get(segment.id),
            [verdicts[one.id].outcome for one in report.claims if one.segment_id == segment.id],
        )
        for segment in report.segments
    }


def vectors() -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Read the stored states, each with its result."""
    with gzip.open(VECTORS, "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            yield row["state"], row["rescored"]


def segment_states() -> Iterator[tuple[Outcome | None, list[Outcome], str]]:
    """Yield every combination of up to three claim outcomes, without a verdict or with one of two, and its state."""
    for outcome in (None, "undecided", "excluded"):
        verdict = Verdict(unit_id="s1", level="segment", outcome=outcome, rule="worst") if outcome else None
        for n in range(4):
            for claims in combinations_with_replacement(OUTCOMES, n):
                yield outcome, list(claims), segment_state(verdict, claims)


def attempts() -> Iterator[dict[str, Any]]:
    """Yield logs of checks with several attempts, each with the records current after it, as type and key."""
    one, two = ("s1.c1", "s2.c1")

    def evidence(claim: str) -> list[Event]:
        passage = f"{claim}.p1"
        return [
            Claim(id=claim, segment_id=claim[:2], text="x", standalone="x"),
            Query(id=f"{claim}.q1", claim_id=claim, text="x"),
            Passage(
                id=passage, claim_id=claim, document_id="d", span=Span(start=0, end=1), text="x", rank=1, score=1.0
            ),
            Judgement(id=f"{passage}.j1", unit_id=claim, passage_ids=(passage,), judge="j", label="supported"),
            Repair(id=f"{claim}.r1", unit_id=claim, reference="x", quote="x", judge="j"),
        ]

    def verdict(unit: str, level: Level = "claim", outcome: Outcome = "supported") -> Verdict:
        return Verdict(unit_id=unit, level=level, outcome=outcome, rule="strongest")

    def failure(unit: str) -> Failure:
        return Failure(unit_id=unit, stage="judging", boundary="model", message="down")

    whole = [verdict("s1", "segment"), verdict("response", "response"), failure("s2")]
    first = [*evidence(one), verdict(one), *evidence(two), failure(two), verdict(two, outcome="failed")]
    logs: list[list[Event | None]] = [
        [None, *first, *whole],
        [None, *first, *whole, None],
        [None, *evidence(one), *evidence(two), failure(two), verdict(two, outcome="failed"), None, evidence(two)[0]],
        [None, *evidence(one), failure(one), *whole, None, *evidence(one), verdict(one), *whole],
        [None, *evidence(one), *evidence("s1.c10"), failure("s1.c10"), evidence(one)[0]],
    ]
    for log in logs:
        entries = [LogEntry.of(one) if one else LogEntry.of_state("running") for one in log]
        stands = [[event.type, record_key(event)] for event in current_records(entries)]
        yield {"log": [json.loads(entry.body) for entry in entries], "stands": sorted(stands)}


def main() -> None:
    """Write the file; the same states give the same bytes."""
    with VECTORS.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        for state in states(N, SEED):
            row = {"state": state, "rescored": rescored(state)}
            packed.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
    rows = ",\n".join(json.dumps(row) for row in segment_states())
    SEGMENT_STATES.write_text(f"[\n{rows}\n]\n", encoding="utf-8")
    ATTEMPTS.write_text(json.dumps(list(attempts()), indent=1) + "\n", encoding="utf-8")
    print(f"{VECTORS.name}: {N:,} states, {VECTORS.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
