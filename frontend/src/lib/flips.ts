// What would flip: the verdicts that come out otherwise when one site is left out, found by leaving each out in turn.

import { judgesOf, rulesOf } from "../rescore";
import { claimVerdict } from "../rescore/claim";
import { falls, hostOrName, type SiteName } from "./exclusions";
import type { Claim, Failure, Judgement, Outcome, Report } from "./records";

export interface Flip {
  site: SiteName;
  /** Claims whose verdict changes, with what it is and what it would be. */
  claims: { id: string; from: Outcome; to: Outcome }[];
}

/** A verdict that leaves a claim open rests on no source, and says no more without one. */
const SETTLED: ReadonlySet<Outcome> = new Set(["supported", "contradicted"]);

/** Sites on which at least one verdict rests, the one that bears most first. `out` are passages that are left out already. */
export function flips(report: Report, out: { has(id: string): boolean }): Flip[] {
  const siteOf = new Map(report.documents.map((document) => [document.id, hostOrName(document)]));
  const passages = Map.groupBy(report.passages, (passage) => passage.claim_id);
  const judgements = Map.groupBy(report.judgements, (judgement) => judgement.unit_id);
  const failures = Map.groupBy(report.failures, (failure) => failure.unit_id);
  const bySite = new Map<string, Flip>();
  for (const claim of report.claims) {
    const read = Map.groupBy(passages.get(claim.id) ?? [], (passage) => siteOf.get(passage.document_id)?.name ?? "");
    const own = judgements.get(claim.id) ?? [];
    if (!own.length) continue;
    const known = { report, claim, judgements: own, failures: failures.get(claim.id) ?? [] };
    const from = outcome(known, out);
    for (const [name, list] of read) {
      const site = siteOf.get(list[0]!.document_id);
      const without = new Set(list.map((passage) => passage.id));
      const to = outcome(known, { has: (id) => out.has(id) || without.has(id) });
      if (!site || to === from || !(SETTLED.has(from) || SETTLED.has(to))) continue;
      const flip = bySite.get(name) ?? { site, claims: [] };
      bySite.set(name, flip);
      flip.claims.push({ id: claim.id, from, to });
    }
  }
  return [...bySite.values()].sort((a, b) => b.claims.length - a.claims.length);
}

/** The names of the sites without each of which a claim's verdict changes, by claim. */
export function restingOn(bySite: readonly Flip[]): Map<string, string[]> {
  const names = new Map<string, string[]>();
  for (const { site, claims } of bySite) for (const { id } of claims) names.set(id, [...(names.get(id) ?? []), site.name]);
  return names;
}

interface Known {
  report: Report;
  claim: Claim;
  judgements: Judgement[];
  failures: Failure[];
}

function outcome({ report, claim, judgements, failures }: Known, out: { has(id: string): boolean }): Outcome {
  const remaining = judgements.filter((judgement) => !falls(judgement, out));
  const known = { judgements: remaining, failures, excluded: judgements.length - remaining.length, parents: [], judges: judgesOf(report) };
  return claimVerdict(claim, known, rulesOf(report)).outcome;
}
