/** The parts of `factscope.core.records` that scoring reads and writes; a full report of the API is a `Scorable`. */

export type Label = "supported" | "contradicted" | "not_enough_evidence" | "not_supported" | "irrelevant";
export type Outcome =
  | "supported"
  | "contradicted"
  | "undecided"
  | "no_evidence"
  | "not_checkable"
  | "excluded"
  | "failed";
export type Gap = "insufficient" | "partial" | "outdated" | "subjective" | "conflicting";
export type Category = "news" | "blog" | "wiki" | "social_media" | "scientific_medical" | "government" | "other";

/** In the order of `counts`. */
export const OUTCOMES: readonly Outcome[] = [
  "supported",
  "contradicted",
  "undecided",
  "no_evidence",
  "not_checkable",
  "excluded",
  "failed",
];

export interface Claim {
  readonly id: string;
  readonly segment_id: string;
  readonly kind?: string;
  readonly depends_on?: readonly string[];
  readonly skipped?: string | null;
}

export interface Document {
  readonly id: string;
  readonly url?: string | null;
  readonly category?: Category;
}

export interface Passage {
  readonly id: string;
  readonly document_id: string;
  readonly copy_of?: string | null;
}

export interface Judgement {
  readonly id: string;
  readonly unit_id: string;
  readonly passage_ids: readonly string[];
  readonly judge: string;
  readonly label?: Label | null;
  readonly failure?: string | null;
  readonly gap?: Gap | null;
  readonly confidence?: number | null;
  readonly rationale?: string | null;
  readonly flags?: readonly string[];
}

export interface Failure {
  readonly unit_id: string;
  readonly stage: string;
  readonly message: string;
  readonly about?: string | null;
}

/** Evidence that the user excludes; a missing field excludes nothing. */
export interface Exclusions {
  readonly passages?: readonly string[];
  readonly documents?: readonly string[];
  readonly domains?: readonly string[];
  readonly categories?: readonly Category[];
  readonly copies?: boolean;
}

/** The parts of a report from which its verdicts and scores are computed. */
export interface Scorable {
  readonly factscope: string;
  readonly response: { readonly id?: string };
  readonly method: Readonly<Record<string, unknown>>;
  readonly models?: Readonly<Record<string, string>>;
  readonly prompts?: Readonly<Record<string, string>>;
  readonly searched?: { readonly id: string } | null;
  readonly segments?: readonly { readonly id: string }[];
  readonly claims?: readonly Claim[];
  readonly documents?: readonly Document[];
  readonly passages?: readonly Passage[];
  readonly judgements?: readonly Judgement[];
  readonly failures?: readonly Failure[];
  readonly excluded?: Exclusions;
}

export interface Verdict {
  type: "verdict";
  unit_id: string;
  level: "claim" | "segment" | "response";
  outcome: Outcome;
  rule: string;
  judgement_ids: string[];
  reason: string | null;
  gap: Gap | null;
  confidence: number | null;
  agreement: number | null;
  at_risk: string[];
}

export type Counts = Record<Outcome, number>;

export interface Interval {
  low: number;
  high: number;
  level: number;
  method: "wilson";
}

export interface Score {
  type: "score";
  name: string;
  value: number | null;
  n: number;
  over: "units" | "judgements";
  n_failed: number;
  coverage: number | null;
  interval: Interval | null;
  signature: string;
}

export interface Rescored {
  verdicts: Verdict[];
  counts: Counts;
  scores: Score[];
}
