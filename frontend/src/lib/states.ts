// How a sentence stands, and how it looks: the same nine states, glyphs and lines as in the one-file report.

import { compareIds, type Outcome, type Report, type Segment, type Verdict } from "./records";

export const STATES = [
  "supported",
  "mostly",
  "mixed",
  "contradicted",
  "undecided",
  "no_evidence",
  "failed",
  "excluded",
  "not_checkable",
] as const;
export type State = (typeof STATES)[number];

/** What only a check under way shows: nothing is said of the sentence yet. */
export type Waiting = "waiting";

/** Shades of the share of evidence that supports a sentence: the colours of Facts&Evidence, with forms beside them. */
export const BANDS = ["high", "medium", "low", "none"] as const;
export type Band = (typeof BANDS)[number];

export type Look = State | Waiting | `band-${Band}`;

export const GLYPHS: Record<Look, string> = {
  supported: "✓",
  mostly: "≃",
  mixed: "⇄",
  contradicted: "✗",
  undecided: "?",
  no_evidence: "∅",
  failed: "!",
  excluded: "⊘",
  not_checkable: "⋯",
  waiting: "·",
  "band-high": "●",
  "band-medium": "◐",
  "band-low": "○",
  "band-none": "–",
};

/** States that a reader should look at, worst first. */
export const PROBLEMS: readonly State[] = ["contradicted", "mixed", "failed", "undecided", "no_evidence"];

const WORST_FIRST: readonly Outcome[] = [
  "contradicted",
  "failed",
  "undecided",
  "no_evidence",
  "supported",
  "excluded",
  "not_checkable",
];

/** How a segment stands, from its verdict and the outcomes of its claims; as `segment_state` of the Python package. */
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
  const parts = new Map<string, (Outcome | undefined)[]>();
  for (const claim of claims) {
    const list = parts.get(claim.segment_id);
    if (list) list.push(ofClaim.get(claim.id));
    else parts.set(claim.segment_id, [ofClaim.get(claim.id)]);
  }
  return new Map(
    segments.map((segment) => {
      const found = parts.get(segment.id) ?? [];
      const verdict = own.get(segment.id);
      const known = found.filter((outcome): outcome is Outcome => outcome !== undefined);
      const open = verdict === undefined && (known.length < found.length || !found.length);
      return [segment.id, open ? "waiting" : segmentState(verdict, known)];
    }),
  );
}

/** Low below 0.6, high from 0.85: a machine's second digit means nothing. */
export function sureness(confidence: number): "low" | "medium" | "high" {
  return confidence < 0.6 ? "low" : confidence < 0.85 ? "medium" : "high";
}

/** What of a confidence is to be known besides its step: a number only where it was fitted to the user's own labels. */
export function sureFrom(confidence: number, source: string | null | undefined, words: { selfReported: string; calibrated: (value: string) => string }): string {
  if (source === "stated") return ` (${words.selfReported})`;
  return source === "calibrated" ? ` (${words.calibrated(confidence.toFixed(2))})` : "";
}

/** Units in reading order: every claim, and every segment without one. */
export function unitIds(report: Report): string[] {
  const withClaims = new Set(report.claims.map((claim) => claim.segment_id));
  const bare = report.segments.filter((segment) => !withClaims.has(segment.id)).map((segment) => segment.id);
  return [...bare, ...report.claims.map((claim) => claim.id)].sort(compareIds);
}
