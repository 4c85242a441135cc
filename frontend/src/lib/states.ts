// The state of a sentence and how it looks; test vectors ensure that `segmentState` equals Python's.

import type { Label, Outcome, Report, Segment, Verdict } from "./records";
import { STATE_GLYPHS, WORST_FIRST, type State } from "./stateTable";

export { PROBLEMS, STATES, type State } from "./stateTable";

/** Only while a check runs: there is no verdict yet. */
export type Waiting = "waiting";

/** Bands of credibility: the colours of Facts&Evidence, each with a glyph. */
export const BANDS = ["high", "medium", "low", "none"] as const;
export type Band = (typeof BANDS)[number];

export type Look = State | Waiting | `band-${Band}`;

export const GLYPHS: Record<Look, string> = {
  ...STATE_GLYPHS,
  waiting: "·",
  "band-high": "●",
  "band-medium": "◐",
  "band-low": "○",
  "band-none": "–",
};

const LABEL_STATES: Record<Label, State> = {
  supported: "supported",
  contradicted: "contradicted",
  not_enough_evidence: "undecided",
  not_supported: "undecided",
  irrelevant: "not_checkable",
};

/** The state whose look a judge's label has. */
export function stateOfLabel(label: Label): State {
  return LABEL_STATES[label];
}

/** The state of a segment, from its verdict and the outcomes of its claims, as in `factscope.report.states.segment_state`. */
export function segmentState(verdict: Outcome | undefined, claims: readonly Outcome[]): State {
  const relevant = claims.filter((outcome) => outcome !== "not_checkable" && outcome !== "excluded");
  if (relevant.includes("supported") && relevant.includes("contradicted")) return "mixed";
  const supported = relevant.filter((outcome) => outcome === "supported").length;
  const noneWrong = relevant.every((outcome) => ["supported", "undecided", "no_evidence"].includes(outcome));
  if (noneWrong && relevant.length / 2 < supported && supported < relevant.length) return "mostly";
  return verdict ?? WORST_FIRST.find((outcome) => claims.includes(outcome)) ?? "not_checkable";
}

export function bandOf(value: number | null, [low, high]: readonly [number, number]): Band {
  return value === null ? "none" : value < low ? "low" : value < high ? "medium" : "high";
}

/** The state of every segment, by id; `waiting` if there is no verdict yet. */
export function statesOf(segments: readonly Segment[], claims: Report["claims"], verdicts: readonly Verdict[]): Map<string, State | Waiting> {
  const ofSegment = new Map<string, Outcome>();
  const ofClaim = new Map<string, Outcome>();
  for (const verdict of verdicts) {
    if (verdict.level === "segment") ofSegment.set(verdict.unit_id, verdict.outcome);
    else if (verdict.level === "claim") ofClaim.set(verdict.unit_id, verdict.outcome);
  }
  const claimsOf = Map.groupBy(claims, (claim) => claim.segment_id);
  return new Map(
    segments.map((segment) => {
      const outcomes = (claimsOf.get(segment.id) ?? []).map((claim) => ofClaim.get(claim.id));
      const verdict = ofSegment.get(segment.id);
      const decided = outcomes.filter((outcome): outcome is Outcome => outcome !== undefined);
      const isWaiting = verdict === undefined && (decided.length < outcomes.length || !outcomes.length);
      return [segment.id, isWaiting ? "waiting" : segmentState(verdict, decided)];
    }),
  );
}

/** Low below 0.6, high from 0.85: a model's confidence is not precise to two digits. */
export function confidenceBand(confidence: number): "low" | "medium" | "high" {
  return confidence < 0.6 ? "low" : confidence < 0.85 ? "medium" : "high";
}

/** The confidence to show for a verdict: none for an undecided one, where it would be misleading. */
export function shownConfidence(verdict: Verdict | undefined): number | null {
  return verdict?.outcome === "supported" || verdict?.outcome === "contradicted" ? verdict.confidence : null;
}

/** The origin of a confidence; the number is shown only if it was calibrated on the user's own labels. */
export function confidenceSource(confidence: number, source: string | null | undefined, words: { selfReported: string; calibrated: (value: string) => string }): string {
  if (source === "stated") return ` (${words.selfReported})`;
  return source === "calibrated" ? ` (${words.calibrated(confidence.toFixed(2))})` : "";
}
