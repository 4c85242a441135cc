/** The verdict on one claim, from its judgements: `factscope.scoring.verdicts.claim_verdict`. */

import { fmean } from "./numbers";
import { CONFLICT, confidences, isUnread, rule, ruling, SAME, type RollUp, type Ruling } from "./rules";
import { byCodePoint, distinct, inOrder } from "./text";
import type { Claim, Failure, Gap, Judgement, Outcome, Verdict } from "./types";

/** Among reasons given equally often, the first of these is the most informative. */
const GAP_PRIORITY: readonly Gap[] = ["partial", "outdated", "subjective", "conflicting", "insufficient"];

/** The records of one claim. */
export interface ClaimRecords {
  /** Its judgements, without excluded ones. */
  readonly judgements: readonly Judgement[];
  readonly failures: readonly Failure[];
  /** The number of excluded judgements. */
  readonly excluded: number;
  /** Verdicts on the claims that it depends on. */
  readonly parents: readonly Verdict[];
  /** The number of judges, not counting an arbiter. */
  readonly judges: number;
}

export function claimVerdict(claim: Claim, records: ClaimRecords, rules: RollUp): Verdict {
  const judgements = inOrder(records.judgements, (j) => j.id);
  const failures = records.failures.filter((f) => f.stage !== "words" && f.stage !== "correction");
  const failedJudgements = judgements.flatMap((j) => (j.failure ? [j.failure] : []));
  const labelled = judgements.filter((j) => isSet(j.label) && !isUnread(j));
  const judged = new Set(labelled.map((j) => j.judge));
  // A judge that could read nothing judged nothing; otherwise what it could read counts.
  const unread = judgements.filter((j) => isUnread(j) && !judged.has(j.judge)).map((j) => `not judged: ${j.rationale}`);
  const troubles = distinct([...failures.map((f) => f.message), ...failedJudgements, ...unread]);
  const unjudged = failures.some((f) => f.stage === "judging") || failedJudgements.length > 0 || unread.length > 0;
  let result = ruleClaim(claim, labelled, troubles, rules, records.judges, judgements.length === 0 && records.excluded > 0);
  const missing = records.judges - judged.size;
  const silent =
    failures.filter((f) => f.stage === "judging").length +
    new Set(judgements.filter((j) => isSet(j.failure) || isUnread(j)).map((j) => j.judge)).size;
  // If most judges could read everything and agree, the others can't change the result.
  const outvoted = rules.panel === "majority" && (result.agreement ?? 0) > 1 / 2 && silent > 0 && silent <= missing;
  const leftOpen = ["undecided", "no_evidence", "excluded"].includes(result.outcome) && !outvoted;
  const byShare = rules.unit === "share" && (result.outcome === "supported" || result.outcome === "contradicted");
  if ((leftOpen && (unjudged || failures.some((f) => !isSet(f.about)))) || (byShare && unjudged)) {
    // What was not judged might have settled it or changed a share, and a failure counts neither for nor against.
    result = ruling("failed", summarize(troubles));
  }
  let reason = result.reason;
  if (troubles.length && (result.decisive.length || result.outcome === "excluded")) {
    reason = [reason, `not everything could be read or judged: ${summarize(troubles)}`].filter(Boolean).join("; ");
  }
  return {
    type: "verdict",
    unit_id: claim.id,
    level: "claim",
    outcome: result.outcome,
    rule: rules.unit,
    judgement_ids: result.decisive.map((j) => j.id),
    reason,
    gap: result.outcome === "undecided" ? gapOf(claim, result) : null,
    confidence: result.confidence,
    agreement: result.agreement,
    at_risk: atRisk(records.parents),
  };
}

/** The first of several problems, and how many more there are. */
export function summarize(troubles: readonly string[]): string {
  return `${troubles[0] ?? ""}${troubles.length > 1 ? ` (and ${troubles.length - 1} more)` : ""}`;
}

export function isSet<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

function ruleClaim(
  claim: Claim,
  labelled: readonly Judgement[],
  troubles: readonly string[],
  rules: RollUp,
  judges: number,
  ruledOut: boolean,
): Ruling {
  if (isSet(claim.skipped)) return ruling("not_checkable", claim.skipped);
  if (ruledOut) return ruling("excluded", "all of its evidence was ruled out");
  if (!labelled.length) {
    return troubles.length ? ruling("failed", summarize(troubles)) : ruling("no_evidence", "no passage was found");
  }
  const rulings = [...Map.groupBy(labelled, (j) => j.judge).values()].map((ofJudge) => rule(ofJudge, rules));
  const [first] = rulings;
  if (first && rulings.length === 1 && judges === 1) return first;
  if (rulings.length < judges && (rules.panel !== "majority" || !troubles.length)) {
    return ruling("failed", troubles.length ? summarize(troubles) : "a judge of the panel gave no label");
  }
  return vote(rulings, rules, Math.max(judges, rulings.length));
}

/** One ruling from those of several judges, by the panel's rule. Failed judges have no vote. */
function vote(rulings: readonly Ruling[], rules: RollUp, judges: number): Ruling {
  const votes = [...Map.groupBy(rulings, (each) => each.outcome)].sort(([a], [b]) => byCodePoint(a, b));
  const [top, topCount] = votes.reduce<[Outcome | null, number]>(
    (best, [outcome, supporters]) => (supporters.length > best[1] ? [outcome, supporters.length] : best),
    [null, 0],
  );
  const count = votes.map(([outcome, supporters]) => `${supporters.length} ${outcome.replaceAll("_", " ")}`).join(", ");
  const winner = rules.panel === "mean" ? byMean(rulings, rules, top) : topCount >= needed(rules, judges) ? top : null;
  if (winner === null) {
    const everything = rulings.flatMap((each) => each.decisive);
    return ruling("undecided", `judges disagree: ${count}`, everything, null, topCount / judges);
  }
  const agreeing = rulings.filter((each) => each.outcome === winner);
  const known = confidences(agreeing);
  return ruling(
    winner,
    votes.length > 1 ? `judges: ${count}` : (agreeing[0]?.reason ?? null),
    agreeing.flatMap((each) => each.decisive),
    known.length ? fmean(known) : null,
    agreeing.length / judges,
  );
}

function needed(rules: RollUp, judges: number): number {
  return rules.panel === "consensus" ? judges : Math.floor(judges / 2) + 1;
}

function byMean(rulings: readonly Ruling[], rules: RollUp, top: Outcome | null): Outcome | null {
  const sign = (outcome: Outcome | null): number => (outcome === "supported" ? 1 : outcome === "contradicted" ? -1 : 0);
  const mean = fmean(rulings.map((each) => sign(each.outcome) * (each.confidence ?? 1)));
  if (Math.abs(mean) > Math.max(rules.margin - SAME, SAME)) return mean > 0 ? "supported" : "contradicted";
  return sign(top) === 0 ? top : null;
}

/** Why a claim is undecided: what its judges say, or else what the records show. */
function gapOf(claim: Claim, result: Ruling): Gap {
  const labels = new Set(result.decisive.map((j) => j.label));
  const split = labels.has("supported") && labels.has("contradicted");
  if ((result.agreement || 1) < 1 || (result.reason ?? "").includes(CONFLICT) || split) return "conflicting";
  const gaps = Map.groupBy(result.decisive.flatMap((j) => (j.gap ? [j.gap] : [])), (gap) => gap);
  if (!gaps.size) return claim.kind === "claim" ? "subjective" : "insufficient";
  const count = (gap: Gap): number => gaps.get(gap)?.length ?? 0;
  return GAP_PRIORITY.reduce((best, gap) => (count(gap) > count(best) ? gap : best));
}

/** The contradicted claims that a claim depends on, directly or indirectly. */
function atRisk(parents: readonly Verdict[]): string[] {
  const direct = parents.filter((parent) => parent.outcome === "contradicted").map((parent) => parent.unit_id);
  return inOrder(new Set([...parents.flatMap((parent) => parent.at_risk), ...direct]), (id) => id);
}
