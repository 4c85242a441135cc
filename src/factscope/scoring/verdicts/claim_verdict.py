"""Judgements → the verdict on one claim.

How a claim ends, in this order:

1. it was skipped → not checkable; all of its judgements were ruled out → excluded, but failed if others are missing;
2. nothing carries a label → failed if something went wrong, else no evidence;
3. every label is `irrelevant` → no evidence: the passages are not about the claim;
4. else the rule of the method decides for each judge, and the rule of the panel between judges; a failure beside the
   labels stays visible in the reason, and makes a claim failed that the labels leave open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from factscope.core import AFTER_JUDGING, Gap, group_by, id_key
from factscope.core.records import Claim, Failure, Judgement, Verdict
from factscope.methods import RollUp
from factscope.scoring.verdicts.judgement_rules import SAME, Ruling, is_unread, rule

_TELLING: tuple[Gap, ...] = ("partial", "outdated", "subjective", "conflicting", "insufficient")
"""Reasons in order of preference when they are named equally often, the most informative first."""


class _ClaimRecords(NamedTuple):
    """The judgements and failures of one claim."""

    judgements: list[Judgement]
    failures: list[Failure]

    @property
    def labelled(self) -> list[Judgement]:
        """The judgements whose label counts."""
        return [j for j in self.judgements if j.label is not None and not is_unread(j)]

    @property
    def n_read(self) -> int:
        """Number of judges with a label that counts."""
        return len({j.judge for j in self.labelled})

    @property
    def unread(self) -> list[Judgement]:
        """Judgements of judges that could read nothing; one that read some of the evidence is represented by that."""
        read_by = {j.judge for j in self.labelled}
        return [j for j in self.judgements if is_unread(j) and j.judge not in read_by]

    @property
    def troubles(self) -> list[str]:
        """Everything that went wrong, each message once."""
        messages = {f.message for f in self.failures} | {f"not judged: {j.rationale}" for j in self.unread}
        return sorted(messages | {j.failure for j in self.judgements if j.failure})

    @property
    def n_failed_calls(self) -> int:
        """Number of calls to a judge that failed."""
        return sum(f.stage == "judging" for f in self.failures)

    @property
    def n_silent(self) -> int:
        """Number of failed calls, and of judges with a failed or unread judgement."""
        return self.n_failed_calls + len({j.judge for j in self.judgements if j.failure or is_unread(j)})

    @property
    def unjudged(self) -> bool:
        """Whether a judgement is missing."""
        return self.n_failed_calls > 0 or bool(self.unread) or any(j.failure for j in self.judgements)


def claim_verdict(
    claim: Claim,
    judgements: Sequence[Judgement],
    failures: Sequence[Failure],
    rules: RollUp,
    *,
    n_excluded: int = 0,
    parents: Sequence[Verdict] = (),
    judges: int = 1,
) -> Verdict:
    """Return the verdict on one claim.

    `judgements` are those still in play; `n_excluded` says how many more a person ruled out; `parents` are the verdicts
    on the claims that it depends on; `judges` is how many there are, an arbiter aside. Records of other units are
    ignored. A judge that gives no confidence is taken at its word: its label weighs as much as one of confidence 1.
    """
    records = _ClaimRecords(
        sorted((j for j in judgements if j.unit_id == claim.id), key=lambda j: id_key(j.id)),
        [f for f in failures if f.unit_id == claim.id and f.stage not in AFTER_JUDGING],
    )
    troubles = records.troubles
    ruled_out = not records.judgements and n_excluded > 0
    ruling = _rule_claim(claim, records.labelled, troubles, rules, judges, ruled_out=ruled_out)
    if _may_be_overturned(ruling, records, rules, judges):
        ruling = Ruling("failed", summed(troubles))
    reason = ruling.reason
    if troubles and (ruling.decisive or ruling.outcome == "excluded"):
        reason = "; ".join(filter(None, (reason, f"not everything could be read or judged: {summed(troubles)}")))
    return Verdict(
        unit_id=claim.id,
        level="claim",
        outcome=ruling.outcome,
        rule=rules.unit,
        judgement_ids=tuple(j.id for j in ruling.decisive),
        reason=reason,
        gap=_gap(claim, ruling) if ruling.outcome == "undecided" else None,
        confidence=ruling.confidence,
        agreement=ruling.agreement,
        at_risk=_at_risk(parents),
    )


def by_judge(judgements: Sequence[Judgement]) -> dict[str, list[Judgement]]:
    """Return judgements with a label, by the judge who gave it."""
    return group_by((j for j in judgements if j.label is not None), lambda judgement: judgement.judge)


def disagree(judgements: Sequence[Judgement], rules: RollUp) -> bool:
    """Return whether the judges of one claim, as far as they could read it, reach different outcomes."""
    read = [judgement for judgement in judgements if not is_unread(judgement)]
    return len({rule(labelled, rules).outcome for labelled in by_judge(read).values()}) > 1


def _rule_claim(
    claim: Claim, labelled: list[Judgement], troubles: list[str], rules: RollUp, judges: int, *, ruled_out: bool
) -> Ruling:
    if claim.skipped is not None:
        return Ruling("not_checkable", claim.skipped)
    if ruled_out:
        return Ruling("excluded", "all of its evidence was ruled out")
    if not labelled:
        return Ruling("failed", summed(troubles)) if troubles else Ruling("no_evidence", "no passage was found")
    rulings = [rule(individual, rules) for individual in by_judge(labelled).values()]
    if len(rulings) == 1 and judges == 1:
        return rulings[0]
    if len(rulings) < judges and (rules.panel != "majority" or not troubles):
        return Ruling("failed", summed(troubles) if troubles else "a judge of the panel gave no label")
    return _vote(rulings, rules, max(judges, len(rulings)))


def _may_be_overturned(ruling: Ruling, records: _ClaimRecords, rules: RollUp, judges: int) -> bool:
    """Return whether a missing judgement might have settled a claim that is open, or changed its share."""
    if ruling.outcome in ("supported", "contradicted"):
        return rules.unit == "share" and records.unjudged
    if ruling.outcome not in ("undecided", "no_evidence", "excluded"):
        return False
    has_majority = rules.panel == "majority" and (ruling.agreement or 0) > 1 / 2
    if has_majority and 0 < records.n_silent <= judges - records.n_read:
        return False  # most judges read everything and agree, so the labels of the others would change nothing
    return records.unjudged or any(f.about is None for f in records.failures)


def _vote(rulings: Sequence[Ruling], rules: RollUp, judges: int) -> Ruling:
    """Return one ruling from those of several judges, by the rule of the panel. A failed judge has no vote."""
    votes = Counter(ruling.outcome for ruling in rulings)
    (top, most), *_ = sorted(votes.items(), key=lambda vote: (-vote[1], vote[0]))
    if rules.panel == "mean":
        sign = {"supported": 1.0, "contradicted": -1.0}
        mean = fmean(sign.get(r.outcome, 0.0) * (1.0 if r.confidence is None else r.confidence) for r in rulings)
        decided = abs(mean) > max(rules.margin - SAME, SAME)
        winner = ("supported" if mean > 0 else "contradicted") if decided else top if top not in sign else None
    else:
        needed = judges if rules.panel == "consensus" else judges // 2 + 1
        winner = top if most >= needed else None
    count = ", ".join(f"{n} {outcome.replace('_', ' ')}" for outcome, n in sorted(votes.items()))
    if winner is None:
        decisive = tuple(j for ruling in rulings for j in ruling.decisive)
        return Ruling("undecided", f"judges disagree: {count}", decisive, None, most / judges)
    agreeing = [ruling for ruling in rulings if ruling.outcome == winner]
    defined = [ruling.confidence for ruling in agreeing if ruling.confidence is not None]
    return Ruling(
        winner,
        f"judges: {count}" if len(votes) > 1 else agreeing[0].reason,
        tuple(j for ruling in agreeing for j in ruling.decisive),
        fmean(defined) if defined else None,
        len(agreeing) / judges,
    )


def _gap(claim: Claim, ruling: Ruling) -> Gap:
    """Return why a claim is undecided: as its judges say, otherwise as far as the records show it."""
    labels = {judgement.label for judgement in ruling.decisive}
    if (ruling.agreement or 1) < 1 or labels >= {"supported", "contradicted"}:
        return "conflicting"
    names = Counter(judgement.gap for judgement in ruling.decisive if judgement.gap)
    if names:
        return max(_TELLING, key=lambda gap: (names[gap], -_TELLING.index(gap)))
    return "subjective" if claim.kind == "claim" else "insufficient"


def _at_risk(parents: Sequence[Verdict]) -> tuple[str, ...]:
    """Return the contradicted claims among those that a claim depends on, directly or through others."""
    risks = {risk for parent in parents for risk in parent.at_risk}
    risks |= {parent.unit_id for parent in parents if parent.outcome == "contradicted"}
    return tuple(sorted(risks, key=id_key))


def summed(troubles: Sequence[str]) -> str:
    """Return the first of several failures, and the number of further ones."""
    more = f" (and {len(troubles) - 1} more)" if len(troubles) > 1 else ""
    return f"{troubles[0]}{more}"
