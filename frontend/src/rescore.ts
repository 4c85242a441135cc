/** Verdicts and scores of a report computed anew in the browser, equal to `factscope.rescoring.rescore` to the bit. */

import type { Exclusions, Rescored, Scorable } from "./rescore/types.ts";

export * from "./rescore/types.ts";

/**
 * What the verdicts, counts and scores of `report` are when the evidence in `exclude` had not been found (default: what
 * the report itself leaves out), with these measures, such as `hallucination(alpha=0.3)` (default: its method's).
 *
 * Throws RangeError for a measure that does not exist or is set by what it can't be.
 */
export function rescore(report: Scorable, exclude?: Exclusions | null, measures?: readonly string[] | null): Rescored {
  throw new Error("not made yet");
}
