// The scores that the page shows: those of the check's method, and the two in its header.

import { rescore } from "../rescore";
import type { Exclusions, Outcome, Report, Score, Verdict } from "./records";

export interface Scored {
  verdicts: Verdict[];
  scores: Score[];
  counts: Partial<Record<Outcome, number>>;
}

export const HEAD = ["credibility", "factual_precision"] as const;
export type HeadScore = (typeof HEAD)[number];

/** Verdicts and scores as if the evidence in `exclude` had not been found. */
export function scored(report: Report, exclude: Exclusions): Scored {
  const methodScores = Array.isArray(report.method.scores) ? report.method.scores.map(String) : [];
  const measures = [...new Set([...HEAD, ...methodScores])];
  try {
    return rescore(report, exclude, measures);
  } catch (error) {
    // Only the server knows measures from plug-ins; the page then computes just the two in its header.
    if (error instanceof RangeError) return rescore(report, exclude, [...HEAD]);
    throw error;
  }
}

export function toJudge(counts: Partial<Record<Outcome, number>>): number {
  return Object.entries(counts).reduce((sum, [outcome, n]) => (outcome === "not_checkable" || outcome === "excluded" ? sum : sum + (n ?? 0)), 0);
}
