"""The verifiable units of a report; units with the same words are counted once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from factscope.core import Report, id_key
from factscope.core.labels import Outcome as Ending
from factscope.scoring.counts import is_not_read


class UnitCounts(NamedTuple):
    """Outcomes of the units of a response, with identical units counted once."""

    counts: Mapping[Ending, int]
    unit_ids: frozenset[str]
    """The units that count."""
    repeated: Mapping[str, int]
    """By the first unit that says it: how often in all, twice or more."""

    def fields(self) -> dict[str, Any]:
        """Return the counts as `ResponseEntry` names them."""
        count = self.counts.get
        return {
            "supported": count("supported", 0),
            "contradicted": count("contradicted", 0),
            "undecided": count("undecided", 0) + count("no_evidence", 0),
            "failed": count("failed", 0),
            "repeated": dict(self.repeated),
        }


def unit_texts(report: Report) -> dict[str, str]:
    """Return the words of each segment and claim, so that they need no context."""
    texts = {segment.id: segment.text for segment in report.segments}
    return texts | {claim.id: claim.standalone for claim in report.claims}


def distinct_units(report: Report, ends: Mapping[str, Ending] | None = None) -> UnitCounts:
    """Return the verifiable units of a report.

    Of several with the same words, the first that was judged counts. `ends` overrides the outcomes of some units.

    VERIFY rewrites units to be self-contained one by one, so that two may become the same. A claim that depends on a
    contradicted one is not a second error, as in every other score. A claim whose language the judge does not read was
    there to be judged: it has failed here.
    """
    words = unit_texts(report)
    units = set(report.unit_ids())
    skipped_ids = {claim.id for claim in report.claims if is_not_read(claim)}
    first: dict[str, str] = {}
    ended: dict[str, Ending] = {}
    times: dict[str, int] = {}
    for verdict in sorted(report.verdicts, key=lambda item: id_key(item.unit_id)):
        outcome = "failed" if verdict.unit_id in skipped_ids else (ends or {}).get(verdict.unit_id, verdict.outcome)
        checked = outcome not in ("not_checkable", "excluded")
        if verdict.level == "response" or verdict.unit_id not in units or not checked:
            continue
        if outcome == "contradicted" and verdict.at_risk:
            continue
        kept_id = first.setdefault(plain_words(words[verdict.unit_id]), verdict.unit_id)
        times[kept_id] = times.get(kept_id, 0) + 1
        if ended.get(kept_id, "failed") == "failed":
            ended[kept_id] = outcome
    repeated = {name: n for name, n in times.items() if n > 1}
    return UnitCounts(Counter(ended.values()), frozenset(ended), repeated)


def plain_words(text: str) -> str:
    """Return the words of a unit, which are equal for units that say the same."""
    return " ".join(text.casefold().split()).rstrip(".")
