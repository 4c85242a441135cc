// The state of a sentence and how it looks; `segmentState` equals Python's, which the vectors hold.

import type { Label, Outcome, Report, Segment, Verdict } from "./records";
import { STATE_GLYPHS, WORST_FIRST, type State } from "./stateTable";

export { PROBLEMS, STATES, type State } from "./stateTable";

/** Only in a running check: there is no verdict yet. */
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

const LABEL_LOOKS: Record<Label, State> = {
  supported: "supported",
  contradicted: "contradicted",
  not_enough_evidence: "undecided",
  not_supported: "undecided",
  irrelevant: "not_checkable",
};

/** How a judge's label looks: as the state that it speaks for. */
export function labelLook(label: Label): State {
  return LABEL_LOOKS[label];
}

/** The state of a segment, from its verdict and the outcomes of its claims; as `factscope.report.states.segment_state`. */
export function segmentState(verdict: Outcome | undefined, claims: readonly Outcome[]): State {
  const weighed = claims.filter((outcome) => outcome !== "not_checkable" && outcome !== "excluded");
  if (weighed.includes("supported") && weighed.includes("contradicted")) return "mixed";
  const supported = weighed.filter((outcome) => outcome === "supported").length;
  const mild = weighed.every((outcome) => ["supported", "undecided", "no_evidence"].includes(outcome));
  if (mild && weighed.length / 2 < supported && supported < weighed.length) return "mostly";
  return verdict ?? WORST_FIRST.find((outcome) => claims.includes(outcome)) ?? "not_checkable";
}

export function bandOf(value: number | null, [low, high]: readonly [number, number]): Band {
  return value === null ? "none" : value < low ? "low" : value < high ? "medium" : "high";
}

/** The state of every segment that has one, by id. Segments without a verdict yet are `waiting`. */
export function statesOf(segments: readonly Segment[], claims: Report["claims"], verdicts: readonly Verdict[]): Map<string, State | Waiting> {
  const own = new Map<string, Outcome>();
  const ofClaim = new Map<string, Outcome>();
  for (const verdict of verdicts) {
    if (verdict.level === "segment") own.set(verdict.unit_id, verdict.outcome);
    else if (verdict.level === "claim") ofClaim.set(verdict.unit_id, verdict.outcome);
  }
  const parts = Map.groupBy(claims, (claim) => claim.segment_id);
  return new Map(
    segments.map((segment) => {
      const ofClaims = (parts.get(segment.id) ?? []).map((claim) => ofClaim.get(claim.id));
      const verdict = own.get(segment.id);
      const known = ofClaims.filter((outcome): outcome is Outcome => outcome !== undefined);
      const open = verdict === undefined && (known.length < ofClaims.length || !ofClaims.length);
      return [segment.id, open ? "waiting" : segmentState(verdict, known)];
    }),
  );
}

/** Low below 0.6, high from 0.85: a machine's second digit means nothing. */
export function confidenceBand(confidence: number): "low" | "medium" | "high" {
  return confidence < 0.6 ? "low" : confidence < 0.85 ? "medium" : "high";
}

/** How sure a verdict is, as a reader is told it: of an undecided one that would be taken for more than it is. */
export function toldConfidence(verdict: Verdict | undefined): number | null {
  return verdict?.outcome === "supported" || verdict?.outcome === "contradicted" ? verdict.confidence : null;
}

/** Where a confidence comes from; its number is shown only where it was fitted to the user's own labels. */
export function confidenceSource(confidence: number, source: string | null | undefined, words: { selfReported: string; calibrated: (value: string) => string }): string {
  if (source === "stated") return ` (${words.selfReported})`;
  return source === "calibrated" ? ` (${words.calibrated(confidence.toFixed(2))})` : "";
}
