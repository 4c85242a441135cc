// Records as they come → one report; a record that comes again replaces the one it repeats.

import type { Failure, Report } from "./records";

const LISTS = {
  segment: "segments",
  claim: "claims",
  query: "queries",
  hit: "hits",
  document: "documents",
  passage: "passages",
  judgement: "judgements",
  verdict: "verdicts",
  correction: "corrections",
  citation: "citations",
  source: "sources",
  quotation: "quotations",
  repair: "repairs",
  failure: "failures",
  usage: "usage",
  score: "scores",
} as const;

/** A record as it is told while a check runs. */
export type RecordEvent = Report["response"] | Report[(typeof LISTS)[keyof typeof LISTS]][number];

/** What goes when its claim begins again; its verdict stays until the next one. As `factscope.core.attempts`. */
const HANGS_ON_A_CLAIM = new Set([
  "query", "hit", "passage", "judgement", "finding", "failure", "correction", "repair",
]);

export const RECORD_TYPES = ["response", ...Object.keys(LISTS)];

function keyOf(record: RecordEvent): string {
  switch (record.type) {
    case "verdict":
      return `${record.unit_id}.${record.level}`;
    case "correction":
      return record.unit_id;
    case "failure":
      return failureKey(record);
    case "usage":
      return `${record.role}.${record.model}`;
    case "score":
      return record.name;
    default:
      return record.id;
  }
}

function failureKey(failure: Failure): string {
  return `${failure.unit_id}.${failure.stage}.${failure.about ?? ""}`;
}

/** A report that grows. `at` knows where each record stands, so that a long check does not slow down. */
export interface Growing {
  report: Report;
  at: Map<string, number>;
}

export function growing(report: Report): Growing {
  const at = new Map<string, number>();
  for (const [type, list] of Object.entries(LISTS)) {
    report[list].forEach((record, i) => at.set(`${type} ${keyOf(record)}`, i));
  }
  return { report: { ...report }, at };
}

/** Add records, in place; lists that change are new ones. */
export function fold(into: Growing, records: readonly RecordEvent[]): void {
  const fresh = new Set<string>();
  for (const record of records) {
    if (record.type === "response") {
      into.report.response = record;
      continue;
    }
    const name = LISTS[record.type];
    if (!name) continue;
    if (!fresh.has(name)) {
      fresh.add(name);
      (into.report as unknown as Record<string, unknown>)[name] = [...into.report[name]];
    }
    if (record.type === "claim" && into.at.has(`claim ${record.id}`)) {
      forget(into, (other) => HANGS_ON_A_CLAIM.has(other.type) && about(other, record.id));
    }
    const list = into.report[name] as RecordEvent[];
    const key = `${record.type} ${keyOf(record)}`;
    const known = into.at.get(key);
    if (known === undefined) {
      into.at.set(key, list.length);
      list.push(record);
    } else {
      list[known] = record;
    }
  }
}

/** Forget what no longer stands when a check is resumed: all but what is known of its claims. */
export function clearForResume(into: Growing): void {
  forget(into, (record) => {
    if (record.type === "score") return true;
    if (record.type === "verdict") return record.level !== "claim";
    return record.type === "failure" && !/^s\d+\.c\d+/.test(record.unit_id);
  });
}

/** Whether a record is about a claim: its queries and hits, passages, judgements, verdict, failures, correction. */
function about(record: RecordEvent, claim: string): boolean {
  const id = "unit_id" in record ? record.unit_id : "id" in record ? record.id : "";
  return id === claim || id.startsWith(`${claim}.`);
}

function forget(into: Growing, which: (record: RecordEvent) => boolean): void {
  for (const name of Object.values(LISTS)) {
    const list = into.report[name] as RecordEvent[];
    if (list.some(which)) (into.report as unknown as Record<string, unknown>)[name] = list.filter((record) => !which(record));
  }
  into.at = growing(into.report).at;
}

export type ClaimStage =
  | { name: "queued" | "queries" | "done" | "failed" | "skipped" }
  | { name: "pages" | "reading" | "judging"; n: number; of: number };

/** How far each claim has come, by id. */
export function stagesOf(report: Report): Map<string, ClaimStage> {
  const count = (ids: Iterable<string>): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
    return counts;
  };
  const queries = count(report.queries.map((query) => query.claim_id));
  const passages = count(report.passages.map((passage) => passage.claim_id));
  const judged = count(report.judgements.map((judgement) => judgement.unit_id));
  const pages = pagesOf(report);
  const failed = new Set(report.failures.filter((failure) => !failure.about).map((failure) => failure.unit_id));
  const decided = new Set(report.verdicts.map((verdict) => verdict.unit_id));
  return new Map(
    report.claims.map((claim): [string, ClaimStage] => {
      const read = passages.get(claim.id) ?? 0;
      if (decided.has(claim.id)) return [claim.id, { name: "done" }];
      if (claim.skipped) return [claim.id, { name: "skipped" }];
      if (failed.has(claim.id)) return [claim.id, { name: "failed" }];
      if (judged.has(claim.id)) return [claim.id, { name: "judging", n: judged.get(claim.id) ?? 0, of: read }];
      const listed = pages.get(claim.id);
      if (listed && listed.n < listed.of) return [claim.id, { name: "pages", ...listed }];
      if (read) return [claim.id, { name: "reading", n: read, of: read }];
      return [claim.id, { name: queries.has(claim.id) ? "queries" : "queued" }];
    }),
  );
}

/** How many of the pages that were found for each claim have been read, or could not be. */
function pagesOf(report: Report): Map<string, { n: number; of: number }> {
  const claimOf = new Map(report.queries.map((query) => [query.id, query.claim_id]));
  const done = new Set(report.documents.map((document) => document.url));
  for (const failure of report.failures) if (failure.about) done.add(failure.about);
  const pages = new Map<string, { n: number; of: number }>();
  for (const hit of report.hits) {
    const claim = claimOf.get(hit.query_id) ?? "";
    const known = pages.get(claim) ?? { n: 0, of: 0 };
    pages.set(claim, { n: known.n + (done.has(hit.url) ? 1 : 0), of: known.of + 1 });
  }
  return pages;
}

const FURTHEST = ["judging", "reading", "pages", "queries", "queued"] as const;

/** How far a sentence has come: as the claim of it that is furthest, of those that are under way. */
export function stageOfSegment(stages: readonly ClaimStage[]): ClaimStage | null {
  for (const name of FURTHEST) {
    const existing = stages.find((stage) => stage.name === name);
    if (existing) return existing;
  }
  return null;
}
