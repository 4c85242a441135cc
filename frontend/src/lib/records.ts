// Factscope's records as the server sends them. Spans are half-open, in Unicode code points.

import type { Correction, Document, Exclusions, Judgement, Report, Verdict } from "./schema";

export type Outcome = Verdict["outcome"];
export type Label = NonNullable<Judgement["label"]>;
export type Category = Document["category"];
export type Gap = NonNullable<Verdict["gap"]>;
export type ErrorType = Correction["error"];

export { OUTCOMES } from "./stateTable";
export const CATEGORIES = [
  "news",
  "blog",
  "wiki",
  "social_media",
  "scientific_medical",
  "government",
  "other",
] as const satisfies readonly Category[];
export type {
  Claim,
  Correction,
  Document,
  Exclusions,
  Failure,
  Interval,
  Judgement,
  Passage,
  Query,
  Quote,
  Report,
  Response,
  Score,
  SearchHit,
  Searched,
  Segment,
  Span,
  Usage,
  Verdict,
} from "./schema";

export const NOTHING_EXCLUDED: Exclusions = {
  passages: [],
  documents: [],
  domains: [],
  categories: [],
  copies: false,
};

/** An empty report to fold records into. */
export function emptyReport(text: string): Report {
  return {
    type: "report",
    schema_version: 1,
    factscope: "",
    response: { type: "response", id: "r1", text, prompt: null, context: [], system: null, model: null, url: null },
    method: {},
    models: {},
    prompts: {},
    searched: null,
    segments: [],
    claims: [],
    queries: [],
    hits: [],
    documents: [],
    passages: [],
    judgements: [],
    findings: [],
    eligibility: [],
    verdicts: [],
    corrections: [],
    citations: [],
    sources: [],
    quotations: [],
    repairs: [],
    failures: [],
    usage: [],
    counts: {},
    scores: [],
    excluded: NOTHING_EXCLUDED,
    warnings: [],
  };
}

/** Comparator for ids that sorts `s2` before `s10`. */
export function compareIds(a: string, b: string): number {
  return collator.compare(a, b);
}
const collator = new Intl.Collator("en", { numeric: true });
