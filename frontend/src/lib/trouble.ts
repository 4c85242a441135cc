// What went wrong during a check: a failed search or page is not the same as finding nothing.

import { NOT_READ } from "../rescore/scores";
import type { Failure, Report, Verdict } from "./records";

export interface Trouble {
  /** Steps that failed for the whole text, such as splitting it into sentences, so that no sentence can show them. */
  text: Failure[];
  /** Failures shared by several claims or sentences, such as a model that does not answer, with their number. */
  claims: [Failure, number][];
  /** Failed searches, grouped by error message. */
  searches: [message: string, claims: number][];
  /** Pages that could not be read, each once, with the reason. */
  pages: { address: string; message: string }[];
  /** Claims that no judge could read because of their language. */
  language: Set<string>;
  /** Claims skipped for the same reason, and their sentences, which would otherwise look not checkable. */
  unread: Set<string>;
  /** Whether nothing at all could be read or judged because of such failures. */
  blind: boolean;
}

export function troubleOf(report: Report, verdicts: readonly Verdict[]): Trouble {
  const evidenceFailures = report.failures.filter((failure) => failure.stage === "evidence");
  const searches = Map.groupBy(evidenceFailures.filter((failure) => !failure.about), (failure) => failure.message);
  const pages = Map.groupBy(evidenceFailures.filter((failure) => failure.about), (failure) => failure.about ?? "");
  const unread = report.claims.filter((claim) => claim.skipped?.startsWith(NOT_READ));
  const labelled = report.judgements.filter((judgement) => judgement.label);
  const labelledByUnit = Map.groupBy(labelled, (judgement) => judgement.unit_id);
  const failed = verdicts.filter((verdict) => verdict.outcome === "failed" && verdict.level !== "response");
  const failedUnits = new Set(failed.map((verdict) => verdict.unit_id));
  const unitFailures = report.failures.filter((failure) => !failure.about && failure.stage !== "evidence" && failedUnits.has(failure.unit_id));
  const shared = [...Map.groupBy(unitFailures, (failure) => failure.message).values()].map((list): [Failure, number] => [list[0] as Failure, new Set(list.map((failure) => failure.unit_id)).size]);
  const unreadable = failed.filter(({ unit_id }) => labelledByUnit.get(unit_id)?.every((judgement) => judgement.flags.includes("other_language")));
  return {
    text: report.failures.filter((failure) => !failure.about && failure.unit_id === report.response.id),
    claims: shared.filter(([, units]) => units > 1),
    searches: [...searches].map(([message, list]): [string, number] => [message, new Set(list.map((failure) => failure.unit_id)).size]),
    pages: [...pages].map(([address, list]) => ({ address, message: (list[0] as Failure).message })),
    language: new Set(unreadable.map((verdict) => verdict.unit_id)),
    unread: new Set(unread.flatMap((claim) => [claim.id, claim.segment_id])),
    blind: !labelled.length && evidenceFailures.length > 0,
  };
}
