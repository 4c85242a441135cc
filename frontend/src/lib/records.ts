// The records of Factscope as the server sends them (`factscope schema`), as far as the page reads them.

export const OUTCOMES = [
  "supported",
  "contradicted",
  "undecided",
  "no_evidence",
  "not_checkable",
  "excluded",
  "failed",
] as const;
export type Outcome = (typeof OUTCOMES)[number];
export type Label = "supported" | "contradicted" | "not_enough_evidence" | "not_supported" | "irrelevant";
export const CATEGORIES = [
  "news",
  "blog",
  "wiki",
  "social_media",
  "scientific_medical",
  "government",
  "other",
] as const;
export type Category = (typeof CATEGORIES)[number];
export type Gap = "insufficient" | "partial" | "outdated" | "subjective" | "conflicting";
export type ErrorType = "entity" | "relation" | "contradictory" | "invented";

/** Half-open, in Unicode code points. */
export interface Span {
  start: number;
  end: number;
}
export interface Document {
  type: "document";
  id: string;
  text?: string | null;
  url?: string | null;
  title?: string | null;
  author?: string | null;
  publisher?: string | null;
  language?: string | null;
  category: Category;
  category_by?: string | null;
  published?: string | null;
  fetched_at?: string | null;
  sha256: string;
  flags: string[];
}
export interface Response {
  type: "response";
  id: string;
  text: string;
  prompt?: string | null;
  model?: string | null;
}
export interface Segment {
  type: "segment";
  id: string;
  span: Span;
  text: string;
  kind: string;
}
export interface Claim {
  type: "claim";
  id: string;
  segment_id: string;
  text: string;
  standalone: string;
  kind: string;
  span?: Span | null;
  depends_on: string[];
  skipped?: string | null;
}
export interface Query {
  type: "query";
  id: string;
  claim_id: string;
  round: number;
  text: string;
  rationale?: string | null;
  ended?: string | null;
}
export interface SearchHit {
  type: "hit";
  id: string;
  query_id: string;
}
export interface Passage {
  type: "passage";
  id: string;
  claim_id: string;
  document_id: string;
  span: Span;
  text: string;
  rank: number;
  query_id?: string | null;
  instructions?: Span[];
  copy_of?: string | null;
}
export interface Quote {
  passage_id: string;
  span: Span;
  text: string;
}
export interface Judgement {
  type: "judgement";
  id: string;
  unit_id: string;
  passage_ids: string[];
  judge: string;
  sample: number;
  label?: Label | null;
  failure?: string | null;
  raw_label?: string | null;
  rationale?: string | null;
  quote?: Quote | null;
  gap?: Gap | null;
  confidence?: number | null;
  confidence_from?: string | null;
  flags: string[];
}
export interface Verdict {
  type: "verdict";
  unit_id: string;
  level: "claim" | "segment" | "response";
  outcome: Outcome;
  rule: string;
  judgement_ids: string[];
  reason?: string | null;
  gap?: Gap | null;
  confidence?: number | null;
  agreement?: number | null;
  at_risk: string[];
}
export interface Correction {
  type: "correction";
  unit_id: string;
  error: ErrorType;
  text?: string | null;
  quote?: Quote | null;
  rationale?: string | null;
}
export interface Interval {
  low: number;
  high: number;
  level: number;
}
export interface Score {
  type: "score";
  name: string;
  value: number | null;
  n: number;
  over: "units" | "judgements" | "responses";
  n_failed: number;
  coverage: number | null;
  interval?: Interval | null;
  signature: string;
}
export interface Failure {
  type: "failure";
  unit_id: string;
  stage: string;
  boundary: string;
  message: string;
  about?: string | null;
}
export interface Usage {
  type: "usage";
  role: string;
  model: string;
  calls: number;
  cached_calls: number;
  tokens_in?: number | null;
  tokens_out?: number | null;
  cost?: number | null;
  seconds?: number | null;
}
export interface Exclusions {
  passages: string[];
  documents: string[];
  domains: string[];
  categories: Category[];
  copies: boolean;
}
export interface Searched {
  id: string;
  n_documents: number;
  n_passages: number;
  engines: string[];
  problems: string[];
}
export interface Report {
  type: "report";
  factscope: string;
  response: Response;
  method: Record<string, unknown>;
  models: Record<string, string>;
  prompts: Record<string, string>;
  searched?: Searched | null;
  segments: Segment[];
  claims: Claim[];
  queries: Query[];
  hits: SearchHit[];
  documents: Document[];
  passages: Passage[];
  judgements: Judgement[];
  verdicts: Verdict[];
  corrections: Correction[];
  failures: Failure[];
  usage: Usage[];
  counts: Partial<Record<Outcome, number>>;
  scores: Score[];
  excluded: Exclusions;
  warnings: string[];
}
export type RecordEvent =
  | Response
  | Segment
  | Claim
  | Query
  | SearchHit
  | Document
  | Passage
  | Judgement
  | Verdict
  | Correction
  | Score
  | Failure
  | Usage;

export const NOTHING_EXCLUDED: Exclusions = {
  passages: [],
  documents: [],
  domains: [],
  categories: [],
  copies: false,
};

/** A report of nothing yet, to fold records into. */
export function emptyReport(text: string): Report {
  return {
    type: "report",
    factscope: "",
    response: { type: "response", id: "r1", text },
    method: {},
    models: {},
    prompts: {},
    segments: [],
    claims: [],
    queries: [],
    hits: [],
    documents: [],
    passages: [],
    judgements: [],
    verdicts: [],
    corrections: [],
    failures: [],
    usage: [],
    counts: {},
    scores: [],
    excluded: NOTHING_EXCLUDED,
    warnings: [],
  };
}

/** Sort key of an id, so that `s2` comes before `s10`. */
export function compareIds(a: string, b: string): number {
  return collator.compare(a, b);
}
const collator = new Intl.Collator("en", { numeric: true });
