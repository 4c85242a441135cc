// What went wrong while evidence was sought: a search or a page that failed is never the same as nothing found.

import { NOT_READ } from "../rescore/scores";
import type { Failure, Report, Verdict } from "./records";

export interface Trouble {
  /** Steps that failed for the text as a whole, such as cutting it into sentences: no sentence can say so. */
  text: Failure[];
  /** Failures that several claims or sentences share, such as a model that does not answer, with their number. */
  claims: [Failure, number][];
  /** Searches that failed, by what was said. */
  searches: [message: string, claims: number][];
  /** Pages that could not be read, each once, with why. */
  pages: { address: string; message: string }[];
  /** Claims that no judge could read because of their language. */
  language: Set<string>;
  /** Claims that were set aside for the same reason, and their sentences: they look as if they could not be checked. */
  unread: Set<string>;
  /** Whether nothing at all could be read or judged because of such failures. */
  blind: boolean;
}

export function troubleOf(report: Report, verdicts: readonly Verdict[]): Trouble {
  const sought = report.failures.filter((failure) => failure.stage === "evidence");
  const searches = Map.groupBy(sought.filter((failure) => !failure.about), (failure) => failure.message);
  const pages = Map.groupBy(sought.filter((failure) => failure.about), (failure) => failure.about ?? "");
  const unread = report.claims.filter((claim) => claim.skipped?.startsWith(NOT_READ));
  const labelled = report.judgements.filter((entry) => entry.label);
  const foreign = Map.groupBy(labelled, (entry) => entry.unit_id);
  const failed = verdicts.filter((entry) => entry.outcome === "failed" && entry.level !== "response");
  const failedUnits = new Set(failed.map((entry) => entry.unit_id));
  const own = report.failures.filter((failure) => !failure.about && failure.stage !== "evidence" && failedUnits.has(failure.unit_id));
  const shared = [...Map.groupBy(own, (failure) => failure.message).values()].map((list): [Failure, number] => [list[0] as Failure, new Set(list.map((entry) => entry.unit_id)).size]);
  const other = failed.filter(({ unit_id }) => foreign.get(unit_id)?.every((entry) => entry.flags.includes("other_language")));
  return {
    text: report.failures.filter((failure) => !failure.about && failure.unit_id === report.response.id),
    claims: shared.filter(([, units]) => units > 1),
    searches: [...searches].map(([message, list]): [string, number] => [message, new Set(list.map((entry) => entry.unit_id)).size]),
    pages: [...pages].map(([address, list]) => ({ address, message: (list[0] as Failure).message })),
    language: new Set(other.map((entry) => entry.unit_id)),
    unread: new Set(unread.flatMap((claim) => [claim.id, claim.segment_id])),
    blind: !labelled.length && sought.length > 0,
  };
}
