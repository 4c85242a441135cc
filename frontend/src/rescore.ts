/** Recomputes a report's verdicts and scores in the browser, bit for bit like `factscope.scoring.rescore.rescore`. */

import { excludedPassages } from "./rescore/exclusion";
import { countUnits, rollUp } from "./rescore/roll";
import type { RollUp } from "./rescore/rules";
import { measure } from "./rescore/scores";
import type { Exclusions, Rescored, Scorable } from "./rescore/types";

export { excludedPassages, isExcluded, webHost } from "./rescore/exclusion";
export * from "./rescore/types";

/**
 * The verdicts, counts and scores of `report` as if the evidence in `exclude` had not been found (default: the report's
 * own exclusions), with these measures, such as `hallucination(alpha=0.3)` (default: those of its method).
 *
 * Throws RangeError for an unknown measure or an invalid parameter, as for a user-defined measure that only the server
 * knows.
 */
export function rescore(report: Scorable, exclude?: Exclusions | null, measures?: readonly string[] | null): Rescored {
  const exclusions = exclude ?? report.excluded ?? {};
  const excluded = excludedPassages(report.passages ?? [], report.documents ?? [], exclusions);
  const verdicts = rollUp(report, rulesOf(report), excluded, judgesOf(report));
  const counts = countUnits(verdicts, report);
  const wanted = measures ?? (report.method["scores"] as readonly string[] | undefined) ?? [];
  return { verdicts, counts, scores: measure(report, verdicts, counts, exclusions, excluded, wanted) };
}

/** The rules of the report's method, with the defaults of `factscope.methods.RollUp`. */
export function rulesOf(report: Scorable): RollUp {
  const defaults: RollUp = {
    unit: "strongest",
    threshold: 0.3,
    margin: 0.1,
    panel: "majority",
    segment: "worst",
    response: "worst",
  };
  return { ...defaults, ...(report.method["roll_up"] as Partial<RollUp> | undefined) };
}

/** The number of judges that label every claim, not counting an arbiter, which labels only some. */
export function judgesOf(report: Scorable): number {
  const judge = report.method["judge"] as { readonly judges?: readonly unknown[] } | undefined;
  return judge?.judges?.length ?? 1;
}
