/** Verdicts on claims, segments and the response, and counts of outcomes: `factscope.scoring.verdicts.roll_up`. */

import { claimVerdict, isSet, summarize } from "./claim";
import { isExcluded } from "./exclusion";
import type { RollUp } from "./rules";
import { distinct, inOrder } from "./text";
import { OUTCOMES, type Counts, type Failure, type Outcome, type Scorable, type Verdict } from "./types";

/** The rule `worst`: the first of these outcomes that any part has. */
const WORST_FIRST: readonly Outcome[] = [
  "contradicted",
  "failed",
  "undecided",
  "no_evidence",
  "supported",
  "excluded",
  "not_checkable",
];

/** All verdicts of one response, in a report's order. `excluded` are the ids of excluded passages. */
export function rollUp(report: Scorable, rules: RollUp, excluded: ReadonlySet<string>, judges: number): Verdict[] {
  const judgements = Map.groupBy(report.judgements ?? [], (j) => j.unit_id);
  const troubles = Map.groupBy(report.failures ?? [], (f) => f.unit_id);
  const onClaims = new Map<string, Verdict>();
  const bySegment = new Map<string, Verdict[]>();
  for (const claim of inOrder(report.claims ?? [], (item) => item.id)) {
    const all = judgements.get(claim.id) ?? [];
    const remaining = all.filter((j) => !isExcluded(j, excluded));
    const parents = (claim.depends_on ?? []).map((id) => onClaims.get(id)).filter(isSet);
    const failures = troubles.get(claim.id) ?? [];
    const records = { judgements: remaining, failures, excluded: all.length - remaining.length, parents, judges };
    const verdict = claimVerdict(claim, records, rules);
    onClaims.set(claim.id, verdict);
    bySegment.set(claim.segment_id, [...(bySegment.get(claim.segment_id) ?? []), verdict]);
  }
  const onSegments = inOrder(report.segments ?? [], (item) => item.id).map((segment) => {
    const blank = empty(segment.id, "segment", rules.segment);
    return worst(blank, bySegment.get(segment.id) ?? [], messages(troubles.get(segment.id)), "claims");
  });
  const id = report.response.id ?? "r1";
  // A failure of the response itself decides only if there are no segments.
  const ownTroubles = onSegments.length ? [] : messages(troubles.get(id));
  const onResponse = worst(empty(id, "response", rules.response), onSegments, ownTroubles, "segments");
  return inOrder([...onClaims.values(), ...onSegments, onResponse], (v) => `${v.unit_id}.${v.level}`);
}

/** The number of units with each outcome. A unit is a claim, or a segment without claims. */
export function countUnits(verdicts: readonly Verdict[], report: Scorable): Counts {
  const outcome = new Map(verdicts.filter((v) => v.level !== "response").map((v) => [v.unit_id, v.outcome]));
  const claims = report.claims ?? [];
  const withClaims = new Set(claims.map((claim) => claim.segment_id));
  const withoutClaims = (report.segments ?? []).filter((segment) => !withClaims.has(segment.id));
  const total = Object.fromEntries(OUTCOMES.map((name) => [name, 0])) as Counts;
  for (const unit of [...withoutClaims, ...claims]) total[outcome.get(unit.id) as Outcome] += 1;
  return total;
}

function messages(failures: readonly Failure[] = []): string[] {
  return distinct(failures.map((f) => f.message));
}

function empty(unit_id: string, level: "segment" | "response", rule: string): Verdict {
  return {
    type: "verdict",
    unit_id,
    level,
    outcome: "not_checkable",
    rule,
    judgement_ids: [],
    reason: "no claim was found in it",
    gap: null,
    confidence: null,
    agreement: null,
    at_risk: [],
  };
}

/** Fill `blank` by the rule `worst`. */
function worst(blank: Verdict, parts: readonly Verdict[], troubles: readonly string[], noun: string): Verdict {
  const outcomes = new Set<Outcome>(parts.map((child) => child.outcome));
  if (troubles.length) outcomes.add("failed");
  const outcome = WORST_FIRST.find((candidate) => outcomes.has(candidate));
  if (outcome === undefined) return blank;
  const deciding = inOrder(
    parts.filter((child) => child.outcome === outcome),
    (child) => child.unit_id,
  );
  let reason: string | null = `${deciding.length} of ${parts.length} ${noun} ${outcome.replaceAll("_", " ")}`;
  if (outcome === "failed" && troubles.length) reason = summarize(troubles);
  else if (parts.length === 1) reason = deciding[0]?.reason ?? null;
  return {
    ...blank,
    outcome,
    judgement_ids: deciding.flatMap((child) => child.judgement_ids),
    reason,
    confidence: groupConfidence(outcome, deciding),
  };
}

/** One error is enough to contradict, so the highest confidence counts; support needs every part, so the lowest does. */
function groupConfidence(outcome: Outcome, deciding: readonly Verdict[]): number | null {
  const known = deciding.map((child) => child.confidence).filter(isSet);
  if (outcome === "contradicted" && known.length) return Math.max(...known);
  if (outcome === "supported" && known.length === deciding.length) return Math.min(...known);
  return null;
}
