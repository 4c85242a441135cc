/** Combines one judge's judgements into a ruling on a claim: `factscope.scoring.verdicts.judgement_rules`. */

import { fmean } from "./numbers";
import type { Judgement, Label, Outcome } from "./types";

export interface RollUp {
  readonly unit: "strongest" | "share" | "only";
  readonly threshold: number;
  readonly margin: number;
  /** Contradictions with less confidence leave the claim open; missing in reports of older versions. */
  readonly contradiction_floor?: number;
  readonly panel: "majority" | "consensus" | "mean";
  /** The result of samples without a most frequent label; missing in reports of older versions. */
  readonly tie?: "undecided" | "contradicted";
  readonly segment: string;
  readonly response: string;
}

/** The result of a rule for one claim. */
export interface Ruling {
  outcome: Outcome;
  reason: string | null;
  decisive: readonly Judgement[];
  confidence: number | null;
  agreement: number | null;
}

export const CONFLICT = "evidence conflicts";
/** Confidences closer than this are the same number. */
export const SAME = 1e-9;
/** Flags of a verifier that could not read its input. */
const UNREAD: readonly string[] = ["nothing_to_read", "too_long", "other_language"];
const UNSETTLED = "the evidence does not settle it";

export function ruling(
  outcome: Outcome,
  reason: string | null = null,
  decisive: readonly Judgement[] = [],
  confidence: number | null = null,
  agreement: number | null = null,
): Ruling {
  return { outcome, reason, decisive, confidence, agreement };
}

/** Whether the judge could not read its input. */
export function isUnread(judgement: Judgement): boolean {
  return judgement.flags?.some((flag) => UNREAD.includes(flag)) ?? false;
}

/** The ruling from one judge's labels; `labelled` is not empty, and each entry has a label. */
export function rule(labelled: readonly Judgement[], rules: RollUp): Ruling {
  const merged = mergeSamples(labelled, rules).map((j) => weakened(j, rules));
  if (merged.every((j) => j.label === "irrelevant")) {
    return ruling("no_evidence", "the passages found do not bear on the claim", merged);
  }
  if (rules.unit === "strongest") return strongest(merged, rules);
  return rules.unit === "share" ? share(merged, rules) : only(merged);
}

/** Turns a contradiction below the method's confidence floor into evidence that does not settle the claim. */
function weakened(judgement: Judgement, rules: RollUp): Judgement {
  return isTooWeak(judgement, rules) ? { ...judgement, label: "not_enough_evidence", gap: "insufficient" } : judgement;
}

/** Whether it is a contradiction below the method's confidence floor. */
export function isTooWeak(judgement: Judgement, rules: RollUp): boolean {
  return judgement.label === "contradicted" && weight(judgement) < (rules.contradiction_floor ?? 0);
}

/** Merges several samples of the same question into one judgement; a tie settles nothing, unless the rules count it as contradicted. */
function mergeSamples(labelled: readonly Judgement[], rules: RollUp): Judgement[] {
  const groups = Map.groupBy(labelled, (j) => JSON.stringify(j.passage_ids));
  return [...groups.values()].map((group) => {
    const [first] = group as [Judgement, ...Judgement[]];
    if (group.length === 1) return first;
    const votes = [...Map.groupBy(group, (j) => j.label as Label).values()];
    const most = Math.max(...votes.map((votesFor) => votesFor.length));
    const top = votes.filter((votesFor) => votesFor.length === most);
    const confidence = most / group.length;
    if (top.length === 1) return { ...(top[0]?.[0] ?? first), confidence };
    return rules.tie === "contradicted"
      ? { ...first, confidence, label: "contradicted" }
      : { ...first, confidence, label: "not_enough_evidence", gap: "conflicting" };
  });
}

/** The most confident label decides between support and contradiction. */
function strongest(labelled: readonly Judgement[], rules: RollUp): Ruling {
  const support = surest(labelled.filter((j) => j.label === "supported"));
  const against = surest(labelled.filter((j) => j.label === "contradicted"));
  if (support && against) {
    const gap = weight(support) - weight(against);
    if (Math.abs(gap) < Math.max(rules.margin - SAME, SAME)) return ruling("undecided", CONFLICT, [support, against]);
    return { ...decidedBy(gap > 0 ? support : against), reason: `${CONFLICT}; the surer side decides` };
  }
  const single = support ?? against;
  if (single) return decidedBy(single);
  const unsettled = labelled.filter((j) => j.label !== "irrelevant");
  const reason = unsettled.every((j) => j.label === "not_supported") ? "not supported" : UNSETTLED;
  return ruling("undecided", reason, unsettled, surest(unsettled)?.confidence ?? null);
}

function decidedBy(judgement: Judgement): Ruling {
  const outcome = judgement.label === "supported" ? "supported" : "contradicted";
  return ruling(outcome, null, [judgement], judgement.confidence ?? null);
}

/** Supported when supporting / all labelled judgements reaches the threshold (Facts&Evidence, section 4). */
function share(labelled: readonly Judgement[], rules: RollUp): Ruling {
  const support = labelled.filter((j) => j.label === "supported").length;
  const against = labelled.filter((j) => j.label === "contradicted").length;
  let outcome: Outcome = "undecided";
  if (support && support / labelled.length >= rules.threshold) outcome = "supported";
  else if (against > support) outcome = "contradicted";
  const known = confidences(labelled.filter((j) => j.label === outcome));
  const noun = labelled.length === 1 ? "judgement supports" : "judgements support";
  const reason = `${support} of ${labelled.length} ${noun} it`;
  return ruling(outcome, reason, labelled, known.length ? fmean(known) : null);
}

/** The single judgement decides; this rule does not allow several. */
function only(labelled: readonly Judgement[]): Ruling {
  const [judgement] = labelled as [Judgement, ...Judgement[]];
  if (labelled.length > 1) {
    return ruling("failed", `rule 'only' needs one judgement, there are ${labelled.length}; use 'strongest'`);
  }
  if (judgement.label === "supported" || judgement.label === "contradicted") return decidedBy(judgement);
  const reason = judgement.label === "not_supported" ? "not supported" : UNSETTLED;
  return ruling("undecided", reason, [judgement], judgement.confidence ?? null);
}

function weight(judgement: Judgement): number {
  return judgement.confidence ?? 1;
}

/** The first judgement with the greatest weight. */
function surest(judgements: readonly Judgement[]): Judgement | null {
  let best: Judgement | null = null;
  for (const judgement of judgements) if (best === null || weight(judgement) > weight(best)) best = judgement;
  return best;
}

/** All known confidences. */
export function confidences(items: Iterable<{ readonly confidence?: number | null }>): number[] {
  return Array.from(items, (item) => item.confidence).filter((value) => value !== null && value !== undefined);
}
