// Which verdicts would flip without one site, found by excluding each site in turn.

import { judgesOf, rulesOf } from "../rescore";
import { claimVerdict } from "../rescore/claim";
import { hostOrName, isExcluded, type SiteName } from "./exclusions";
import type { Claim, Failure, Judgement, Outcome, Report } from "./records";

export interface Flip {
  site: SiteName;
  /** Claims whose verdict changes, with the current and the new verdict. */
  claims: { id: string; from: Outcome; to: Outcome }[];
}

/** Verdicts that are based on sources; one that leaves a claim open is not, and removing a source doesn't settle it. */
const SETTLED: ReadonlySet<Outcome> = new Set(["supported", "contradicted"]);

/** Sites on which at least one verdict depends, those with most verdicts first. `excluded` are the passages already excluded. */
export function flips(report: Report, excluded: { has(id: string): boolean }): Flip[] {
  const siteOf = new Map(report.documents.map((document) => [document.id, hostOrName(document)]));
  const passages = Map.groupBy(report.passages, (passage) => passage.claim_id);
  const judgements = Map.groupBy(report.judgements, (judgement) => judgement.unit_id);
  const failures = Map.groupBy(report.failures, (failure) => failure.unit_id);
  const bySite = new Map<string, Flip>();
  for (const claim of report.claims) {
    const passagesBySite = Map.groupBy(passages.get(claim.id) ?? [], (passage) => siteOf.get(passage.document_id)?.name ?? "");
    const labels = judgements.get(claim.id) ?? [];
    if (!labels.length) continue;
    const records = { report, claim, judgements: labels, failures: failures.get(claim.id) ?? [] };
    const from = outcome(records, excluded);
    for (const [name, list] of passagesBySite) {
      const site = siteOf.get(list[0]!.document_id);
      const without = new Set(list.map((passage) => passage.id));
      const to = outcome(records, { has: (id) => excluded.has(id) || without.has(id) });
      if (!site || to === from || !(SETTLED.has(from) || SETTLED.has(to))) continue;
      const flip = bySite.get(name) ?? { site, claims: [] };
      bySite.set(name, flip);
      flip.claims.push({ id: claim.id, from, to });
    }
  }
  return [...bySite.values()].sort((a, b) => b.claims.length - a.claims.length);
}

/** The sites that each claim's verdict depends on: without any one of them it would change. */
export function decidingSitesOf(bySite: readonly Flip[]): Map<string, string[]> {
  const names = new Map<string, string[]>();
  for (const { site, claims } of bySite) for (const { id } of claims) names.set(id, [...(names.get(id) ?? []), site.name]);
  return names;
}

interface ClaimRecords {
  report: Report;
  claim: Claim;
  judgements: Judgement[];
  failures: Failure[];
}

function outcome({ report, claim, judgements, failures }: ClaimRecords, excluded: { has(id: string): boolean }): Outcome {
  const remaining = judgements.filter((judgement) => !isExcluded(judgement, excluded));
  const records = { judgements: remaining, failures, excluded: judgements.length - remaining.length, parents: [], judges: judgesOf(report) };
  return claimVerdict(claim, records, rulesOf(report)).outcome;
}
