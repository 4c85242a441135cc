/** Judgements → the verdict on one claim: `factscope.scoring.verdicts.claim_verdict`. */

import { fmean } from "./numbers";
import { CONFLICT, confidences, isUnread, rule, ruling, SAME, type RollUp, type Ruling } from "./rules";
import { byCodePoint, distinct, inOrder } from "./text";
import type { Claim, Failure, Gap, Judgement, Outcome, Verdict } from "./types";

/** Reasons as much named as each other: the first of these tells most. */
const TELLING: readonly Gap[] = ["partial", "outdated", "subjective", "conflicting", "insufficient"];

/** What is known of one claim. */
export interface Known {
  /** Those of it that are still in play. */
  readonly judgements: readonly Judgement[];
  readonly failures: readonly Failure[];
  /** How many judgements more a person ruled out. */
  readonly excluded: number;
  /** Verdicts on the claims that it depends on. */
  readonly parents: readonly Verdict[];
  /** How many judges there are, an arbiter aside. */
  readonly judges: number;
}

export function claimVerdict(claim: Claim, known: Known, rules: RollUp): Verdict {
  const mine = inOrder(known.judgements, (j) => j.id);
  const wentWrong = known.failures.filter((f) => f.stage !== "correction");
  const failed = mine.flatMap((j) => (j.failure ? [j.failure] : []));
  const labelled = mine.filter((j) => isSet(j.label) && !isUnread(j));
  const read = new Set(labelled.map((j) => j.judge));
  // A judge that could read nothing has judged nothing; one that read something has its say by that.
  const unread = mine.filter((j) => isUnread(j) && !read.has(j.judge)).map((j) => `not judged: ${j.rationale}`);
  const troubles = distinct([...wentWrong.map((f) => f.message), ...failed, ...unread]);
  const unjudged = wentWrong.some((f) => f.stage === "judging") || failed.length > 0 || unread.length > 0;
  let result = ruleClaim(claim, labelled, troubles, rules, known.judges, mine.length === 0 && known.excluded > 0);
  const missing = known.judges - read.size;
  const silent =
    wentWrong.filter((f) => f.stage === "judging").length +
    new Set(mine.filter((j) => isSet(j.failure) || isUnread(j)).map((j) => j.judge)).size;
  // Where most judges read all that they were to and agree, the word of those that did not changes nothing.
  const outvoted = rules.panel === "majority" && (result.agreement ?? 0) > 1 / 2 && silent > 0 && silent <= missing;
  const leftOpen = ["undecided", "no_evidence", "excluded"].includes(result.outcome) && !outvoted;
  const byShare = rules.unit === "share" && (result.outcome === "supported" || result.outcome === "contradicted");
  if ((leftOpen && (unjudged || wentWrong.some((f) => !isSet(f.about)))) || (byShare && unjudged)) {
    // What was not judged might have settled it, or turned a share: a failure counts neither for nor against.
    result = ruling("failed", summed(troubles));
  }
  let reason = result.reason;
  if (troubles.length && (result.decisive.length || result.outcome === "excluded")) {
    reason = [reason, `not everything could be read or judged: ${summed(troubles)}`].filter(Boolean).join("; ");
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
    at_risk: atRisk(known.parents),
  };
}

/** The first of several troubles, and how many more there are. */
export function summed(troubles: readonly string[]): string {
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
    return troubles.length ? ruling("failed", summed(troubles)) : ruling("no_evidence", "no passage was found");
  }
  const rulings = [...Map.groupBy(labelled, (j) => j.judge).values()].map((own) => rule(own, rules));
  const [first] = rulings;
  if (first && rulings.length === 1 && judges === 1) return first;
  if (rulings.length < judges && (rules.panel !== "majority" || !troubles.length)) {
    return ruling("failed", troubles.length ? summed(troubles) : "a judge of the panel gave no label");
  }
  return vote(rulings, rules, Math.max(judges, rulings.length));
}

/** One ruling from those of several judges, by the rule of the panel. One that failed says nothing. */
function vote(rulings: readonly Ruling[], rules: RollUp, judges: number): Ruling {
  const votes = [...Map.groupBy(rulings, (entry) => entry.outcome)].sort(([a], [b]) => byCodePoint(a, b));
  const [top, most] = votes.reduce<[Outcome | null, number]>(
    (best, [outcome, own]) => (own.length > best[1] ? [outcome, own.length] : best),
    [null, 0],
  );
  const count = votes.map(([outcome, own]) => `${own.length} ${outcome.replaceAll("_", " ")}`).join(", ");
  const winner = rules.panel === "mean" ? byMean(rulings, rules, top) : most >= needed(rules, judges) ? top : null;
  if (winner === null) {
    const everything = rulings.flatMap((entry) => entry.decisive);
    return ruling("undecided", `judges disagree: ${count}`, everything, null, most / judges);
  }
  const agreeing = rulings.filter((entry) => entry.outcome === winner);
  const known = confidences(agreeing);
  return ruling(
    winner,
    votes.length > 1 ? `judges: ${count}` : (agreeing[0]?.reason ?? null),
    agreeing.flatMap((entry) => entry.decisive),
    known.length ? fmean(known) : null,
    agreeing.length / judges,
  );
}

function needed(rules: RollUp, judges: number): number {
  return rules.panel === "consensus" ? judges : Math.floor(judges / 2) + 1;
}

function byMean(rulings: readonly Ruling[], rules: RollUp, top: Outcome | null): Outcome | null {
  const sign = (outcome: Outcome | null): number => (outcome === "supported" ? 1 : outcome === "contradicted" ? -1 : 0);
  const mean = fmean(rulings.map((entry) => sign(entry.outcome) * (entry.confidence ?? 1)));
  if (Math.abs(mean) > Math.max(rules.margin - SAME, SAME)) return mean > 0 ? "supported" : "contradicted";
  return sign(top) === 0 ? top : null;
}

/** Why an undecided claim is undecided: as its judges say, else as far as the records show it. */
function gapOf(claim: Claim, result: Ruling): Gap {
  const labels = new Set(result.decisive.map((j) => j.label));
  const split = labels.has("supported") && labels.has("contradicted");
  if ((result.agreement || 1) < 1 || (result.reason ?? "").includes(CONFLICT) || split) return "conflicting";
  const named = Map.groupBy(result.decisive.flatMap((j) => (j.gap ? [j.gap] : [])), (gap) => gap);
  if (!named.size) return claim.kind === "claim" ? "subjective" : "insufficient";
  const times = (gap: Gap): number => named.get(gap)?.length ?? 0;
  return TELLING.reduce((best, gap) => (times(gap) > times(best) ? gap : best));
}

/** The contradicted claims among those that a claim depends on, directly or through others. */
function atRisk(parents: readonly Verdict[]): string[] {
  const own = parents.filter((parent) => parent.outcome === "contradicted").map((parent) => parent.unit_id);
  return inOrder(new Set([...parents.flatMap((parent) => parent.at_risk), ...own]), (id) => id);
}
