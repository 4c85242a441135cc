"""Writes `rescore.jsonl.gz` anew: 1,000 states, and what `factscope.scoring.rescore.rescore` makes of each.

    python -m tests.vectors.make

Do so when a rule or a measure changes on purpose, and look at what else it changes.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from factscope.core.labels import OUTCOMES
from factscope.core.records import Claim, Exclusions, Report, Segment, Verdict
from factscope.scoring.rescore import rescore
from tests.vectors.states import states

VECTORS = Path(__file__).with_name("rescore.jsonl.gz")
N, SEED = 1_000, 20_260_515


def report_of(values: dict[str, Any]) -> Report:
    """The report of a state, with verdicts that say nothing yet: rescoring reads none."""
    claims = [Claim.model_validate(one) for one in values["claims"]]
    segments = [Segment.model_validate(one) for one in values["segments"]]
    bare = {one.id for one in segments} - {one.segment_id for one in claims}
    blank = [Verdict(unit_id=name, level="segment", outcome="not_checkable", rule="none") for name in sorted(bare)]
    blank += [Verdict(unit_id=one.id, level="claim", outcome="not_checkable", rule="none") for one in claims]
    counts = {**dict.fromkeys(OUTCOMES, 0), "not_checkable": len(blank)}
    return Report.model_validate({**values, "verdicts": blank, "counts": counts})


def rescored(state: dict[str, Any]) -> dict[str, Any]:
    """What Python makes of a state: verdicts, counts and scores as plain values."""
    exclude = None if state["exclude"] is None else Exclusions.model_validate(state["exclude"])
    anew = rescore(report_of(state["report"]), exclude=exclude, measures=state["measures"])
    return anew.model_dump(mode="json", include={"verdicts", "counts", "scores"})


def vectors() -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """The kept states, each with what was made of it."""
    with gzip.open(VECTORS, "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            yield row["state"], row["rescored"]


def main() -> None:
    """Write the file; the same states make the same bytes."""
    with VECTORS.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        for state in states(N, SEED):
            row = {"state": state, "rescored": rescored(state)}
            packed.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
    print(f"{VECTORS.name}: {N:,} states, {VECTORS.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
