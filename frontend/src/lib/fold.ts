// Builds a report from records as they arrive; a repeated record replaces the earlier one.

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

/** A record as it is sent while a check runs. */
export type RecordEvent = Report["response"] | Report[(typeof LISTS)[keyof typeof LISTS]][number];

/** Record types that are dropped when their claim starts over; its verdict stays until the next one. As in `factscope.core.attempts`. */
const CLAIM_RECORDS = new Set([
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

/** A growing report. `positions` maps each record to its index, so that a long check does not slow down. */
export interface Growing {
  report: Report;
  positions: Map<string, number>;
}

export function growing(report: Report): Growing {
  const positions = new Map<string, number>();
  for (const [type, list] of Object.entries(LISTS)) {
    report[list].forEach((record, i) => positions.set(`${type} ${keyOf(record)}`, i));
  }
  return { report: { ...report }, positions };
}

/** Add records in place; each list that changes is replaced by a new one. */
export function fold(into: Growing, records: readonly RecordEvent[]): void {
  const copied = new Set<string>();
  for (const record of records) {
    if (record.type === "response") {
      into.report.response = record;
      continue;
    }
    const name = LISTS[record.type];
    if (!name) continue;
    if (!copied.has(name)) {
      copied.add(name);
      (into.report as unknown as Record<string, unknown>)[name] = [...into.report[name]];
    }
    if (record.type === "claim" && into.positions.has(`claim ${record.id}`)) {
      forget(into, (other) => CLAIM_RECORDS.has(other.type) && isAbout(other, record.id));
    }
    const list = into.report[name] as RecordEvent[];
    const key = `${record.type} ${keyOf(record)}`;
    const position = into.positions.get(key);
    if (position === undefined) {
      into.positions.set(key, list.length);
      list.push(record);
    } else {
      list[position] = record;
    }
  }
}

/** Drop what is no longer valid when a check is resumed: everything except the records of its claims. */
export function clearForResume(into: Growing): void {
  forget(into, (record) => {
    if (record.type === "score") return true;
    if (record.type === "verdict") return record.level !== "claim";
    return record.type === "failure" && !/^s\d+\.c\d+/.test(record.unit_id);
  });
}

/** Whether a record belongs to a claim: its queries and hits, passages, judgements, verdict, failures, correction. */
function isAbout(record: RecordEvent, claim: string): boolean {
  const id = "unit_id" in record ? record.unit_id : "id" in record ? record.id : "";
  return id === claim || id.startsWith(`${claim}.`);
}

function forget(into: Growing, which: (record: RecordEvent) => boolean): void {
  for (const name of Object.values(LISTS)) {
    const list = into.report[name] as RecordEvent[];
    if (list.some(which)) (into.report as unknown as Record<string, unknown>)[name] = list.filter((record) => !which(record));
  }
  into.positions = growing(into.report).positions;
}

export type ClaimStage =
  | { name: "queued" | "queries" | "done" | "failed" | "skipped" }
  | { name: "pages" | "reading" | "judging"; n: number; of: number };

/** The progress of each claim, by id. */
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
      const passageCount = passages.get(claim.id) ?? 0;
      if (decided.has(claim.id)) return [claim.id, { name: "done" }];
      if (claim.skipped) return [claim.id, { name: "skipped" }];
      if (failed.has(claim.id)) return [claim.id, { name: "failed" }];
      if (judged.has(claim.id)) return [claim.id, { name: "judging", n: judged.get(claim.id) ?? 0, of: passageCount }];
      const pageCount = pages.get(claim.id);
      if (pageCount && pageCount.n < pageCount.of) return [claim.id, { name: "pages", ...pageCount }];
      if (passageCount) return [claim.id, { name: "reading", n: passageCount, of: passageCount }];
      return [claim.id, { name: queries.has(claim.id) ? "queries" : "queued" }];
    }),
  );
}

/** For each claim, how many of the pages found for it have been read or have failed. */
function pagesOf(report: Report): Map<string, { n: number; of: number }> {
  const claimOf = new Map(report.queries.map((query) => [query.id, query.claim_id]));
  const done = new Set(report.documents.map((document) => document.url));
  for (const failure of report.failures) if (failure.about) done.add(failure.about);
  const pages = new Map<string, { n: number; of: number }>();
  for (const hit of report.hits) {
    const claim = claimOf.get(hit.query_id) ?? "";
    const count = pages.get(claim) ?? { n: 0, of: 0 };
    pages.set(claim, { n: count.n + (done.has(hit.url) ? 1 : 0), of: count.of + 1 });
  }
  return pages;
}

const FURTHEST = ["judging", "reading", "pages", "queries", "queued"] as const;

/** The progress of a sentence: that of its most advanced claim still in progress. */
export function stageOfSegment(stages: readonly ClaimStage[]): ClaimStage | null {
  for (const name of FURTHEST) {
    const match = stages.find((stage) => stage.name === name);
    if (match) return match;
  }
  return null;
}
