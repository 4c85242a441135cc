"""Counts of a report: everything that a measure of one response needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from factscope.core import NOT_READ, Label, Outcome
from factscope.core.records import Claim, Judgement, Report
from factscope.scoring.verdicts.exclusion import excluded_passages, is_excluded


@dataclass(frozen=True)
class ReportCounts:
    """Counts of one report, without excluded evidence."""

    outcomes: Mapping[Outcome, int]
    """Number of units by outcome; a missing outcome counts 0."""
    labels: Mapping[Label, int]
    """Pieces of evidence by label."""
    judgements_failed: int
    """Judgements that ended in a failure."""
    not_read: int = 0
    """Units that were skipped because no judge could read their language."""
    citations: Mapping[str, tuple[int, int, int]] = field(default_factory=dict)
    """Counts behind the scores of citations, by their names: number, total, and failures."""

    def units(self, *outcomes: Outcome) -> int:
        """Count the units with one of `outcomes`."""
        return sum(self.outcomes.get(outcome, 0) for outcome in outcomes)

    @property
    def judged(self) -> int:
        """Units with a verdict on their truth: the verifiable units of FactBench, section 3."""
        return self.units("supported", "contradicted", "undecided", "no_evidence")

    @property
    def failed(self) -> int:
        """Units that were to be judged but failed."""
        return self.units("failed")

    @property
    def coverage(self) -> float | None:
        """Units with a verdict / units to judge, 0 to 1; `None` when there is nothing to judge.

        Units that state nothing, and units whose evidence a person ruled out, are not units to judge.
        """
        return self.judged / self.to_judge if self.to_judge else None

    @property
    def to_judge(self) -> int:
        """Units that should have a verdict on their truth."""
        return self.judged + self.failed + self.not_read


def count_units(report: Report) -> ReportCounts:
    """Count the units of `report`, without its excluded evidence."""
    judgements = kept_judgements(report)
    twice = sum(v.level == "claim" and v.outcome == "contradicted" and bool(v.at_risk) for v in report.verdicts)
    return ReportCounts(
        # An error is counted where it is, and not again in claims that depend on it.
        outcomes={**report.counts, "contradicted": report.counts.get("contradicted", 0) - twice},
        labels=Counter(label for _, label in pieces(judgements)),
        judgements_failed=sum(j.failure is not None for j in judgements),
        not_read=n_not_read(report),
        citations=_citations(report),
    )


def count_response(report: Report) -> ReportCounts:
    """Count the units of one of several reports; a text without units because its check failed is a failed unit."""
    counted = count_units(report)
    if failed_before_units(report):
        return replace(counted, outcomes={**counted.outcomes, "failed": 1})
    return counted


def failed_before_units(report: Report) -> bool:
    """Return whether the check failed before the text had any units."""
    failed = any(verdict.level == "response" and verdict.outcome == "failed" for verdict in report.verdicts)
    return failed and not report.segments


def n_not_read(report: Report) -> int:
    """Count the units that were skipped because no judge could read their language."""
    return sum(map(is_not_read, report.claims))


def is_not_read(claim: Claim) -> bool:
    """Return whether a claim was skipped because no judge could read its language."""
    return claim.skipped is not None and claim.skipped.startswith(NOT_READ)


def _citations(report: Report) -> Mapping[str, tuple[int, int, int]]:
    """Count the citations; nothing is imported for a text that cites nothing."""
    if not report.sources:
        return {}
    from factscope.scoring.citations.counting import citation_counts

    return citation_counts(report)


def kept_judgements(report: Report) -> list[Judgement]:
    """Return the judgements of `report` that count: on evidence not excluded, and of claims that did not fail.

    Judgements of a failed claim are incomplete: a failure counts neither for nor against.
    """
    out = excluded_passages(report.passages, report.documents, report.excluded)
    failed = {verdict.unit_id for verdict in report.verdicts if verdict.outcome == "failed"}
    return [
        judgement
        for judgement in report.judgements
        if not is_excluded(judgement, out) and (judgement.label is None or judgement.unit_id not in failed)
    ]


def pieces(judgements: Sequence[Judgement]) -> Iterator[tuple[str, Label]]:
    """Yield the unit and the label of each piece of evidence.

    Passages that were read as one count by what they say together, and not by what the same judge says of each alone.
    """
    together = [j for j in judgements if j.label is not None and "read_together" in j.flags]
    read = {(j.judge, j.unit_id, passage) for j in together for passage in j.passage_ids}
    for judgement in judgements:
        if judgement.label is None:
            continue
        if "read_together" in judgement.flags:
            yield from [(judgement.unit_id, judgement.label)] * len(judgement.passage_ids)
        elif read.isdisjoint((judgement.judge, judgement.unit_id, passage) for passage in judgement.passage_ids):
            yield judgement.unit_id, judgement.label
