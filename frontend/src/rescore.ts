/** Verdicts and scores of a report recomputed in the browser, equal to `factscope.scoring.rescore.rescore` to the bit. */

import { excludedPassages } from "./rescore/exclusion";
import { countUnits, rollUp } from "./rescore/roll";
import type { RollUp } from "./rescore/rules";
import { measure } from "./rescore/scores";
import type { Exclusions, Rescored, Scorable } from "./rescore/types";

export { excludedPassages, isExcluded, webHost } from "./rescore/exclusion";
export * from "./rescore/types";

/**
 * What the verdicts, counts and scores of `report` are when the evidence in `exclude` had not been found (default: what
 * the report itself leaves out), with these measures, such as `hallucination(alpha=0.3)` (default: its method's).
 *
 * Throws RangeError for a measure that does not exist or is set by what it can't be: a measure of a user's own, which
 * only the server knows.
 */
export function rescore(report: Scorable, exclude?: Exclusions | null, measures?: readonly string[] | null): Rescored {
  const without = exclude ?? report.excluded ?? {};
  const out = excludedPassages(report.passages ?? [], report.documents ?? [], without);
  const verdicts = rollUp(report, rulesOf(report), out, judgesOf(report));
  const counts = countUnits(verdicts, report);
  const asked = measures ?? (report.method["scores"] as readonly string[] | undefined) ?? [];
  return { verdicts, counts, scores: measure(report, verdicts, counts, without, out, asked) };
}

/** The rules of the report's method; what it does not say is as `factscope.methods.RollUp` has it. */
export function rulesOf(report: Scorable): RollUp {
  const standard: RollUp = {
    unit: "strongest",
    threshold: 0.3,
    margin: 0.1,
    panel: "majority",
    segment: "worst",
    response: "worst",
  };
  return { ...standard, ...(report.method["roll_up"] as Partial<RollUp> | undefined) };
}

/** How many judges label every claim; an arbiter labels only some. */
export function judgesOf(report: Scorable): number {
  const judge = report.method["judge"] as { readonly judges?: readonly unknown[] } | undefined;
  return judge?.judges?.length ?? 1;
}
