// The forms of the API. Written by scripts/page_types.py from its description; do not change it by hand.

/** A measure of agreement. */
export interface AgreementMeasure {
  /** The measure; none where it is undefined, as when only one label occurs. */
  value: number | null;
  /** Lower end of the 95 % interval by resampling samples; none with fewer than ten samples. */
  low: number | null;
  /** Upper end. */
  high: number | null;
}

/** One person's answer on one task. */
export interface Annotation {
  /** Whether the sample stays in the data set; one that is removed needs no marks. */
  keep: boolean;
  /** Whether the person has finished it. */
  done: boolean;
  /** Offsets in characters at which segments begin, except the first. */
  cuts: number[];
  /** One for each segment. */
  marks: SegmentMark[];
  /** Addresses of pages that support or contradict it. */
  references: string[];
  /** Merges and splits that led to these segments, in the order of time. */
  edits: SegmentEdit[];
  /** Seconds that the person spent on it. */
  seconds: number;
}

/** Agreement of annotators on all samples together, and by domain. */
export interface AnnotationAgreement {
  /** Samples that at least two have finished and keep. */
  samples: number;
  /** Parts of the text that are compared: those between the cuts of all annotators. */
  units: number;
  /** Samples that some keep and some remove; they are not counted in `samples`. */
  keep_differs: number;
  /** Share of pairs of labels on a stretch that are the same. */
  percent: AgreementMeasure;
  /** Cohen's kappa, for exactly two annotators. */
  kappa: AgreementMeasure;
  /** Krippendorff's alpha, nominal. */
  alpha: AgreementMeasure;
  /** The annotators who are compared. */
  annotators: string[];
  /** By domain, in the order of the file; none where there is one domain only, or very many. */
  domains: DomainAgreement[];
}

/** A task as one person works on it. */
export interface AnnotationItem {
  /** Its place in the queue. */
  number: number;
  /** The sample. */
  task: AnnotationTask;
  /** This person's progress. */
  state: "waiting" | "open" | "begun" | "done";
  /** Number of their changes; 0 before the first. */
  revision: number;
  /** Their answer so far, or their starting point. */
  answer: Annotation;
  /** Labels in the file; not shown before the person's own first answer. */
  suggestion: Suggestion | null;
  /** Earlier answers of others; always empty for an annotator. */
  others: OtherAnswer[];
}

/** A queue as one person sees it. */
export interface AnnotationQueue {
  /** Its id. */
  id: string;
  /** The file's name. */
  name: string;
  /** The current person. */
  seat: QueueMember;
  /** Whether there is only one annotator, who may then see and export everything. */
  alone: boolean;
  /** Labelling guidelines given for it; none for those of FELM, which the page has. */
  guidelines: string | null;
  /** Tasks, in the order of the file. */
  items: QueueItem[];
}

/** One sample to label. */
export interface AnnotationTask {
  /** Its name in the file. */
  id: string;
  /** Its domain, as FELM has them. */
  domain: string | null;
  /** Source of the prompt. */
  source: string | null;
  /** The prompt. */
  prompt: string | null;
  /** The answer to the prompt, which is labelled. */
  text: string;
  /** Cuts of the file, otherwise the starts of sentences. */
  cuts: number[];
  /** Addresses in the file. */
  references: string[];
}

/** Whether a check can have its own limit on money. */
export interface BudgetChoice {
  available: boolean;
  /** Reason why it is unavailable, and how to change that. */
  why_not: string | null;
}

/** A bundled example with a recorded result. */
export interface BundledSample {
  id: string;
  title: string;
  /** Its subject, in a sentence. */
  about: string;
  /** Its tab on the page. */
  kind: "text" | "document" | "question";
}

/** The documents that were given with a check. */
export interface CheckDocuments {
  /** The documents as they were given, so that the check can be repeated with other settings. */
  documents: DroppedDocument[];
}

/** Checks of one user, newest first. */
export interface CheckList {
  checks: CheckSummary[];
  /** Value of `after` for the next checks; none when there are no more. */
  next: string | null;
}

/** Parameters of a check, besides text and documents; those not given have the method's defaults. */
export interface CheckParameters {
  /** Method by name; `GET /api/v1/setup` lists them. Default: `standard` with a model, otherwise `builtin`. */
  method: string | null;
  /** The model for all roles, as `provider/model`; default: the server's setting. */
  model: string | null;
  /** Search engine of the web; without it only the documents are searched. */
  search: string | null;
  /** Web results that are used for one query. */
  results: number | null;
  /** Whether the pages of web results are read, or only the search engine's snippets. */
  pages: boolean | null;
  /** Passages per query. */
  passages: number | null;
  /** Sentences of context on each side of the best sentence. */
  window: number | null;
  /** Ranking of passages: keywords, semantic similarity, or both. */
  ranker: "bm25" | "dense" | "hybrid" | null;
  /** How readily a claim is called contradicted; default: the server's setting, otherwise the method's. */
  strictness: "low" | "normal" | "high" | null;
  /** Categories of sources that are not evidence. */
  deny_categories: ("news" | "blog" | "wiki" | "social_media" | "scientific_medical" | "government" | "other")[];
  /** Only these sites and their subdomains are evidence from the web. */
  allow_sites: string[];
  /** Sites that are not evidence. */
  deny_sites: string[];
  /** Earliest date of publication of search results. */
  published_after: string | null;
  /** Latest date of publication. */
  published_before: string | null;
  /** Language of the search, such as en or pt-BR. */
  language: string | null;
  /** Country of the search, such as US. */
  region: string | null;
  /** US dollars that models may cost in one run of the check; further calls fail, and a retry is a new run. Only for
   * models whose price is known. */
  max_cost: number | null;
  /** Whether the text is checked against the sources that it cites; `documents` are then local copies of sources. */
  cited: boolean;
  /** With `cited`, whether another source is proposed for each claim that its own sources do not support. */
  repair: boolean;
  /** With `cited`, whether only the documents are used, and nothing is fetched from the web. */
  offline: boolean;
}

/** A check to make. */
export interface CheckRequest {
  /** Method by name; `GET /api/v1/setup` lists them. Default: `standard` with a model, otherwise `builtin`. */
  method?: string | null;
  /** The model for all roles, as `provider/model`; default: the server's setting. */
  model?: string | null;
  /** Search engine of the web; without it only the documents are searched. */
  search?: string | null;
  /** Web results that are used for one query. */
  results?: number | null;
  /** Whether the pages of web results are read, or only the search engine's snippets. */
  pages?: boolean | null;
  /** Passages per query. */
  passages?: number | null;
  /** Sentences of context on each side of the best sentence. */
  window?: number | null;
  /** Ranking of passages: keywords, semantic similarity, or both. */
  ranker?: "bm25" | "dense" | "hybrid" | null;
  /** How readily a claim is called contradicted; default: the server's setting, otherwise the method's. */
  strictness?: "low" | "normal" | "high" | null;
  /** Categories of sources that are not evidence. */
  deny_categories?: ("news" | "blog" | "wiki" | "social_media" | "scientific_medical" | "government" | "other")[];
  /** Only these sites and their subdomains are evidence from the web. */
  allow_sites?: string[];
  /** Sites that are not evidence. */
  deny_sites?: string[];
  /** Earliest date of publication of search results. */
  published_after?: string | null;
  /** Latest date of publication. */
  published_before?: string | null;
  /** Language of the search, such as en or pt-BR. */
  language?: string | null;
  /** Country of the search, such as US. */
  region?: string | null;
  /** US dollars that models may cost in one run of the check; further calls fail, and a retry is a new run. Only for
   * models whose price is known. */
  max_cost?: number | null;
  /** Whether the text is checked against the sources that it cites; `documents` are then local copies of sources. */
  cited?: boolean;
  /** With `cited`, whether another source is proposed for each claim that its own sources do not support. */
  repair?: boolean;
  /** With `cited`, whether only the documents are used, and nothing is fetched from the web. */
  offline?: boolean;
  /** The text to check. */
  text: string;
  /** The question that the text answers. */
  question?: string | null;
  /** The texts that it was written from and is checked against: strings, or objects with `text`. */
  contexts?: (string | ContextText)[];
  /** Documents to search, in addition to the web if there is a search engine. */
  documents?: DroppedDocument[];
}

/** A check in a list. */
export interface CheckSummary {
  /** Unguessable. */
  id: string;
  state: "queued" | "running" | "done" | "stopped" | "failed";
  /** When it was requested, ISO 8601 in UTC. */
  created: string;
  /** When it ended, ISO 8601 in UTC. */
  ended: string | null;
  /** The beginning of the text. */
  title: string;
  /** Name of the method. */
  method: string;
  /** Number of units by outcome; none before the end. In a list, without the evidence that you left out. */
  counts: Partial<Record<"supported" | "contradicted" | "undecided" | "no_evidence" | "not_checkable" | "excluded" | "failed", number>> | null;
  /** The scores; empty before the end. In a list, without the evidence that you left out. */
  scores: Score[];
  progress: Progress;
  /** Error that made it fail as a whole. */
  problem: Problem | null;
  /** The check of an earlier version of this text. */
  previous: string | null;
  /** Revision of the choices, for `If-Match`. */
  revision: number;
  /** Id of its last event so far; 0 before the first. */
  last_event: number;
}

/** Choices that a person made about a result, which do not change the result itself. */
export interface Choices {
  /** Evidence that is left out. */
  exclude: Exclusions;
  /** Shares of supporting evidence from which the colour is orange, and green (Facts&Evidence, section 3). */
  bands: [number, number];
  /** Verdicts of a person. */
  overrides: Override[];
  /** Reason why evidence was excluded. */
  reason: string | null;
  /** Claims whose correction was accepted: the text is shown and exported with these. */
  accepted: string[];
}

/** One place where the text names a source. */
export interface Citation {
  type: "citation";
  /** `k1`, `k2` … in reading order. */
  id: string;
  /** Its position in the response. */
  span: Span;
  /** Its exact characters. */
  text: string;
  /** How it is written. */
  form: "markdown_link" | "reference_link" | "footnote" | "numbered" | "author_year" | "key" | "html_anchor" | "bare_url" | "doi" | "arxiv";
  /** The source that it names. */
  source_id: string;
  /** The segment that it belongs to; `None` where there is none, as in a caption. */
  segment_id: string | null;
  /** The words that it supports: its sentence, or its clause where several cite; `None` without a segment. */
  scope: Span | null;
  /** The page or chapter that it names. */
  locator: string | null;
}

/** One citation in the text. */
export interface CitationMark {
  /** Its id, such as `k3`. */
  id: string;
  /** Position in the text. */
  span: Span;
  /** The source that it names. */
  source_id: string;
  /** Whether the source supports the claims that cite it. */
  outcome: "supports" | "partly" | "contradicts" | "does_not_say" | "unclear" | "not_there" | "excluded" | "failed" | "no_claim";
  /** The words that it supports. */
  claim: string | null;
  /** Words of the source that the outcome rests on. */
  quote: string | null;
  /** Reason in the judge's words, or why the source could not be read. */
  reason: string | null;
  /** Words of the source around the quote; without a quote, the passage closest to the claim. */
  passage: string | null;
  /** Position of the quote in `passage`. */
  quote_span: Span | null;
}

/** One problem with a citation. */
export interface CitationProblem {
  /** Its kind. */
  kind: "contradicts" | "does_not_say" | "unclear" | "partly" | "not_there" | "not_fetched" | "altered_quote" | "absent_quote" | "uncited" | "circular" | "changed" | "unused" | "not_needed" | "not_judged";
  /** Position in the text. */
  span: Span;
  /** Its line, from 1. */
  line: number;
  /** Its column, from 1. */
  column: number;
  /** The problem, in one sentence. */
  message: string;
  /** The words of the text that it is about. */
  about: string;
  /** Whether it makes the citation wrong, rather than only weaker. */
  serious: boolean;
  /** The source that it is about. */
  source_id: string | null;
  /** Another source that supports the claim, with its words. */
  proposal: string | null;
  /** The entry of that source, ready to be copied into the bibliography. */
  reference: string | null;
}

/** The citations of a text, ready to be shown on a page. */
export interface CitationView {
  /** Number of citations, sources and problems, in a sentence. */
  headline: string;
  /** The scores of the citations. */
  scores: Score[];
  /** In reading order. */
  marks: CitationMark[];
  /** In reading order. */
  quotations: QuotationMark[];
  /** In reading order. */
  problems: CitationProblem[];
  /** In the order in which they are cited. */
  sources: SourceRow[];
}

/** A source that the text cites or lists, and its state. */
export interface CitedSource {
  type: "source";
  /** `b1`, `b2` … in the order in which they are first cited; those only listed come last. */
  id: string;
  /** Name in the text: `1`, `kern2004`, `Kern 2004`. */
  key: string | null;
  /** Its entry in the bibliography, as it is written. */
  entry: string | null;
  /** Position of the entry in the response; `None` when it is in a file, or there is none. */
  span: Span | null;
  /** Its title, as the entry or the source states it. */
  title: string | null;
  /** Family names, as far as the entry states them. */
  authors: string[];
  /** Year of publication, as the entry states it. */
  year: string | null;
  /** Its address. */
  url: string | null;
  /** Its DOI, such as `10.1234/abc`. */
  doi: string | null;
  /** Its arXiv id, such as `2305.14627`. */
  arxiv: string | null;
  /** When the writer read it, ISO 8601, as the entry states it. */
  accessed: string | null;
  /** Its state. */
  state: "read" | "dead" | "paywalled" | "refused" | "unreadable" | "no_entry" | "no_address" | "no_answer" | "not_fetched";
  /** Why it could not be read; `None` when it was read. */
  reason: string | null;
  /** Where its text came from; `None` when it was not read. */
  via: "evidence" | "recording" | "web" | null;
  /** The document that holds its text. */
  document_id: string | null;
  /** Day on which it was changed after the writer read it, ISO 8601; `None` when that is not known. */
  changed: string | null;
  /** Why it is not independent evidence: it is this text itself, or a copy of it; `None` when it is neither. */
  circular: string | null;
}

/** One checkable statement, or a statement that is skipped for a reason. */
export interface Claim {
  type: "claim";
  /** `s3.c2`: second claim of segment 3. */
  id: string;
  /** The segment that it was cut from. */
  segment_id: string;
  /** The claim in the segment's words, without markup. */
  text: string;
  /** The claim worded so that it needs no context; equal to `text` when nothing had to be added. */
  standalone: string;
  /** Whether it was understandable on its own already (VERIFY's independence). */
  independent: boolean;
  /** Unit type. */
  kind: "fact" | "claim" | "instruction" | "data_format" | "meta" | "question" | "other";
  /** Span in the response; `None` if it could not be aligned. */
  span: Span | null;
  /** How `span` was determined. */
  alignment: "exact" | "fuzzy" | "none";
  /** Ids of claims that must hold for this one to make sense. */
  depends_on: string[];
  /** Why it is not checked; `None` when it is. */
  skipped: string | null;
}

/** A text that the answer was written from. */
export interface ContextText {
  /** Its words. */
  text: string;
  /** Its own name, different from the others'. */
  id: string | null;
  /** Title to show. */
  title: string | null;
  /** Its address on the web. */
  url: string | null;
}

/** The error of a contradicted claim, and a corrected wording. */
export interface Correction {
  type: "correction";
  /** The claim. */
  unit_id: string;
  /** The kind of error. */
  error: "entity" | "relation" | "contradictory" | "invented";
  /** The segment, corrected with as few changes as possible; `None` when the evidence does not give the right answer.
   * */
  text: string | null;
  /** The words that the correction rests on; `None` when the words that the model quoted are not in the passage. */
  quote: Quote | null;
  /** The model's reason, in its own words. */
  rationale: string | null;
}

/** A run of words in which a quotation and its source differ. */
export interface Difference {
  /** The words of the text; empty where it leaves some out. */
  quoted: string;
  /** The words of the source; empty where the text adds some. */
  source: string;
}

/** A whole source: a page, a file, a given context. */
export interface Document {
  type: "document";
  /** `d-` and 16 hexadecimal digits: of the hash of the text, and for a page of the web of its address too. */
  id: string;
  /** The full readable text; `None` in a report, which keeps only the passages that were read. */
  text: string | null;
  /** Web address, or for a local file its path as the user gave it. */
  url: string | null;
  /** Title as the source states it, else the file's name, with folders where two files of a report share it. */
  title: string | null;
  /** Author, as the source states it; several are separated by commas. */
  author: string | null;
  /** Publisher, as the source states it. */
  publisher: string | null;
  /** Two or three letters, as in ISO 639: as the source states it, otherwise guessed. */
  language: string | null;
  /** Kind of source. */
  category: "news" | "blog" | "wiki" | "social_media" | "scientific_medical" | "government" | "other";
  /** How `category` was assigned: `own` (the user's table), `table`, `suffix` (a domain suffix that only some may
   * register), `rule` (a pattern in the name), `page` (a statement on the page), or the name of the model that was
   * asked; `None` when nothing decided. */
  category_by: string | null;
  /** Date of publication, ISO 8601, as far as the source states it. */
  published: string | null;
  /** When it was fetched from the web, ISO 8601 in UTC. */
  fetched_at: string | null;
  /** Hash of the readable text in UTF-8. If it is not given, it is computed from the text; empty without either. */
  sha256: string;
  /** Notes for a reader: `hidden_text_removed`, `instruction_like`, `truncated` … */
  flags: string[];
}

/** Agreement of annotators on the samples of one domain. */
export interface DomainAgreement {
  /** Samples that at least two have finished and keep. */
  samples: number;
  /** Parts of the text that are compared: those between the cuts of all annotators. */
  units: number;
  /** Samples that some keep and some remove; they are not counted in `samples`. */
  keep_differs: number;
  /** Share of pairs of labels on a stretch that are the same. */
  percent: AgreementMeasure;
  /** Cohen's kappa, for exactly two annotators. */
  kappa: AgreementMeasure;
  /** Krippendorff's alpha, nominal. */
  alpha: AgreementMeasure;
  /** Its name in the file. */
  domain: string;
}

/** A document that is evidence of one check: its text, or a file's content. */
export interface DroppedDocument {
  /** Name of the file; its extension determines its kind (txt, md, html, pdf, csv, jsonl, …). */
  name: string;
  /** Its text, when it is plain text. */
  text?: string | null;
  /** Its bytes in Base64, otherwise. */
  base64?: string | null;
}

/** A claim in a person's own words. */
export interface EditedClaim {
  /** The claim. */
  id: string;
  /** The standalone wording. */
  text: string;
}

/** Whether a response does what it was asked, according to one judge; a failed call leaves a `Failure` instead. */
export interface Eligibility {
  type: "eligibility";
  /** `r1.e2`: by the second judge of the response `r1`. */
  id: string;
  /** Name and version of the judge. */
  judge: string;
  /** Whether it has no major issue. */
  eligible: boolean;
  /** The judge's own word. */
  raw_label: string;
  /** The judge's words before it, shortened. */
  rationale: string | null;
}

/** A search engine that can be chosen. */
export interface Engine {
  available: boolean;
  /** Reason why it is unavailable, and how to change that. */
  why_not: string | null;
  name: string;
  title: string;
}

/** Expected usage of a check; nothing was called. */
export interface Estimate {
  /** Calls to models. */
  calls: Range;
  /** Tokens sent. */
  tokens_in: Range | null;
  /** Tokens received. */
  tokens_out: Range | null;
  /** US dollars; none when a price is unknown, never 0 for an unknown cost. */
  cost: Range | null;
  /** Seconds that it takes; none when that depends on the web. */
  seconds: Range | null;
  /** Assumptions. */
  notes: string[];
  /** Language of the text, as in ISO 639-1, if the method's verifier can't read it. */
  unread_language: string | null;
  /** The same check on the command line. */
  command: string;
  /** The same check as a request, with every value given. */
  body: CheckRequest;
}

/** Evidence that a person ruled out. A passage is excluded if any of these lists names it. */
export interface Exclusions {
  /** Passage ids. */
  passages: string[];
  /** Document ids, or their addresses or paths. */
  documents: string[];
  /** Host names, with their subdomains. */
  domains: string[];
  /** Source categories. */
  categories: ("news" | "blog" | "wiki" | "social_media" | "scientific_medical" | "government" | "other")[];
  /** Whether only the first of several passages that are copies of each other counts. */
  copies: boolean;
}

/** A failure for one unit. Counted, shown, never a label. */
export interface Failure {
  type: "failure";
  /** The response, segment or claim that it belongs to. */
  unit_id: string;
  /** Stage of the flow. */
  stage: "segment" | "claims" | "evidence" | "judging" | "words" | "correction" | "verdicts" | "scores";
  /** The service that failed; `internal` is an error of ours. */
  boundary: "model" | "search" | "fetch" | "read" | "parse" | "timeout" | "budget" | "internal";
  /** Description of the failure, and how to fix it. */
  message: string;
  /** Address of the one source that it affected; `None` when the whole stage failed. */
  about: string | null;
}

/** A field of a request that can't be used. */
export interface FieldError {
  /** Its path, such as `documents.0.name`. */
  field: string;
  /** The problem with it. */
  message: string;
}

/** A judge's label of one sentence, from a judgement of the whole response. */
export interface Finding {
  type: "finding";
  /** `s1.c1.j2.f3`: third sentence of judgement `s1.c1.j2`. */
  id: string;
  /** The judgement that it is a part of. */
  judgement_id: string;
  /** The sentence, as the judge gives it. */
  text: string;
  /** Span in the response; `None` if it could not be aligned. */
  span: Span | null;
  /** The label; `irrelevant` for a sentence that needs no grounding. */
  label: "supported" | "contradicted" | "not_enough_evidence" | "not_supported" | "irrelevant";
  /** The judge's own word for it. */
  raw_label: string;
  /** The judge's reason, in its own words. */
  rationale: string | null;
  /** The words of the documents that the label rests on. */
  quotes: Quote[];
  /** Notes for a reader. */
  flags: ("quote_missing" | "quote_not_found" | "downgraded")[];
}

/** A confidence interval from `low` to `high`. */
export interface Interval {
  /** Lower end. */
  low: number;
  /** Upper end. */
  high: number;
  /** Confidence level. */
  level: number;
  /** Method of computation. */
  method: "wilson" | "wald" | "bootstrap" | "bayesian";
}

/** Claims to judge by given passages, or by passages found in documents. */
export interface JudgeRequest {
  /** One claim. */
  claim?: Claim | string | null;
  /** Several, in place of `claim`. */
  claims?: (Claim | string)[];
  /** The text that contains them; default: the claims themselves. */
  response?: Response | string | null;
  /** The segments that the claims were extracted from. */
  segments?: Segment[] | null;
  /** Documents of the passages, or to search if no passages are given. Some judges are shown their titles and
   * addresses. */
  documents?: (Document | PlainDocument | string)[];
  /** The passages to judge by; default: those that the method would find in the documents. */
  passages?: Passage[] | null;
  /** Method that judges. */
  method?: string;
  /** The model for all roles, as `provider/model`. */
  model?: string | null;
}

/** One judge's label on one unit against the passages it read, or its failure: exactly one of the two. */
export interface Judgement {
  type: "judgement";
  /** `s3.c2.p4.j1` for one passage, `s3.c2.j1` for several together. */
  id: string;
  /** The claim that was judged. */
  unit_id: string;
  /** The passages that the judge read, in the order shown. */
  passage_ids: string[];
  /** Name and version of the judge. */
  judge: string;
  /** Number of this sample among several of this judge. */
  sample: number;
  /** The label; `None` when the judge failed. */
  label: "supported" | "contradicted" | "not_enough_evidence" | "not_supported" | "irrelevant" | null;
  /** Reason why there is no label; `None` when there is one. */
  failure: string | null;
  /** The judge's own word for the label. */
  raw_label: string | null;
  /** The judge's reason, in its own words. */
  rationale: string | null;
  /** The words of the passage that the label rests on. */
  quote: Quote | null;
  /** Reason why the passages do not settle the claim; `None` when they do, or the judge states none. */
  gap: "insufficient" | "partial" | "outdated" | "subjective" | "conflicting" | null;
  /** The judge's confidence in `label`; `None` when it gives none. */
  confidence: number | null;
  /** Source of `confidence`; `None` when there is none. */
  confidence_from: "calibrated" | "verifier" | "logprobs" | "samples" | "stated" | null;
  /** Words of the claim (in `standalone`) that the evidence does not support: without them a verifier finds more
   * support. */
  unsupported: Span[];
  /** Notes for a reader on how the judgement came about. */
  flags: ("quote_not_found" | "in_pieces" | "passed_on" | "unsure" | "nothing_to_read" | "too_long" | "partly_read" | "other_language" | "read_together")[];
  /** Key of the model's reply in the cache; `None` when no model was called, or several calls were made. */
  call: string | null;
}

/** Judgements with their claims and passages, and the failures by claim. */
export interface Judgements {
  claims: Claim[];
  passages: Passage[];
  judgements: Judgement[];
  failures: Failure[];
  usage: Usage[];
}

/** Limits of one check. */
export interface Limits {
  /** Of the text. */
  characters: number;
  /** Number of documents. */
  documents: number;
  /** Of one document. */
  document_bytes: number;
  /** Of all documents. */
  documents_bytes: number;
}

/** A method that can be chosen. */
export interface MethodChoice {
  available: boolean;
  /** Reason why it is unavailable, and how to change that. */
  why_not: string | null;
  name: string;
  /** One line for a person. */
  title: string;
  /** The paper that the method is from, if any. */
  about: string;
  needs_model: boolean;
  /** Whether it needs more than documents. */
  needs_search: boolean;
}

/** A call to a model as it was made, with the reply. */
export interface ModelCall {
  /** As `provider/model`. */
  model: string;
  /** The prompt. */
  messages: ModelTurn[];
  /** The reply, word for word. */
  reply: string;
  temperature: number | null;
  /** Longest reply that was allowed. */
  max_tokens: number | null;
  /** Why the reply ended, in the server's words. */
  finish_reason: string;
  /** Tokens sent; none when the server does not say. */
  tokens_in: number | null;
  /** Tokens received; none when the server does not say. */
  tokens_out: number | null;
  /** When the reply was made, ISO 8601 in UTC. */
  made: string;
  /** Whether the reply came from the cache, so that it is older than the check and cost nothing. */
  cached: boolean;
}

/** One message of a call to a model. */
export interface ModelTurn {
  role: "system" | "user" | "assistant";
  content: string;
}

/** A document of a check, without its content. */
export interface NamedDocument {
  /** Name of the file. */
  name: string;
  /** Size in bytes. */
  bytes: number;
}

/** Another person's answer, for an adjudicator or reviewer. */
export interface OtherAnswer {
  /** The person who gave it. */
  seat: QueueMember;
  /** Their answer. */
  answer: Annotation;
}

/** A person's own verdict on a unit, stored separately from the check's. */
export interface Override {
  /** The claim or segment. */
  unit_id: string;
  /** The person's verdict. */
  outcome: "supported" | "contradicted" | "undecided" | "no_evidence" | "not_checkable" | "excluded" | "failed";
  /** The person's name. */
  who: string;
  /** Reason for it. */
  why: string;
  /** When, ISO 8601. */
  at: string;
}

/** The part of a document that is shown to a judge: `document.text[span.start:span.end] == text`. */
export interface Passage {
  type: "passage";
  /** `s3.c2.p4`: fourth passage for claim `s3.c2`. */
  id: string;
  /** The claim that it was gathered for. */
  claim_id: string;
  /** The document it is from. */
  document_id: string;
  /** Span in the document's text. */
  span: Span;
  /** Its exact characters. */
  text: string;
  /** Text that the judge reads instead of `text` where that alone is not clear enough: with the title and headings
   * above it, or a table row with its column names; `None` when the judge reads `text`. */
  reading: string | null;
  /** Place among the passages of this claim, best first. */
  rank: number;
  /** The ranker's score; comparable only within one query. */
  score: number;
  /** The query that found it; `None` when it was not found by a search. */
  query_id: string | null;
  /** Spans of its text that look like instructions to a model. They are shown to the reader, and never obeyed. */
  instructions: Span[];
  /** The first passage for this claim that has almost the same words; `None` when there is none. */
  copy_of: string | null;
}

/** A text as evidence, without the ids and hashes of a record. */
export interface PlainDocument {
  /** Its name. */
  name: string | null;
  /** Its whole text. */
  text: string;
  /** Its title; default: its name. */
  title: string | null;
  /** Its address. */
  url: string | null;
}

/** An error in the format of RFC 9457, with its fix. */
export interface Problem {
  /** Kind of problem; `about:blank` when the status is specific enough. */
  type: string;
  /** Kind of problem, in words. */
  title: string;
  /** The HTTP status. */
  status: number;
  /** The failure, with the item that it concerns. */
  detail: string;
  /** The fix. */
  hint: string | null;
  /** The invalid fields, if the problem is in these. */
  errors: FieldError[] | null;
}

/** Progress of a check. */
export interface Progress {
  /** Segments cut. */
  segments: number;
  /** Claims extracted, including those that are not checked. */
  claims: number;
  /** Claims with a verdict. */
  judged: number;
  /** Of these, claims that failed. */
  failed: number;
}

/** One search text. */
export interface Query {
  type: "query";
  /** Id such as `s3.c2.q1`. */
  id: string;
  /** The claim that it searches evidence for. */
  claim_id: string;
  /** Its round in iterative retrieval. */
  round: number;
  /** The search text. */
  text: string;
  /** Reason for this wording. */
  rationale: string | null;
  /** The segment whose names were added to it; `None` when it has only the claim's own words. */
  lender_id: string | null;
  /** Why no search followed this one; `None` when one did, or the method gives no reason. */
  ended: string | null;
}

/** A task in a person's queue. */
export interface QueueItem {
  /** Its number in the file, among the usable rows. */
  number: number;
  /** Its name. */
  id: string;
  /** Its domain. */
  domain: string | null;
  /** This person's progress. */
  state: "waiting" | "open" | "begun" | "done";
}

/** A person's role in a queue. */
export interface QueueMember {
  /** Their name. */
  name: string;
  /** Their task. */
  role: "annotator" | "adjudicator" | "reviewer";
}

/** Words in quotation marks, compared with the sources cited for them. */
export interface Quotation {
  type: "quotation";
  /** `q1`, `q2` … in reading order. */
  id: string;
  /** Position of the words in the response, without their marks. */
  span: Span;
  /** Its exact characters. */
  text: string;
  /** The segment that they are in. */
  segment_id: string | null;
  /** The sources cited for them. */
  source_ids: string[];
  /** Whether the sources contain them. */
  outcome: "verbatim" | "altered" | "absent" | "not_there";
  /** The source that contains them, or the one with the most similar words. */
  source_id: string | null;
  /** The words of the source; `None` when they are absent. */
  found: string | null;
  /** Their position in the source's text. */
  found_span: Span | null;
  /** How they were altered, in order. */
  differences: Difference[];
}

/** One quotation in the text. */
export interface QuotationMark {
  /** Its id, such as `q1`. */
  id: string;
  /** Position of its words, without the quotation marks. */
  span: Span;
  /** Its words. */
  text: string;
  /** The source that contains the words, or the one with the most similar words. */
  source_id: string | null;
  /** Whether the words are in the source. */
  outcome: "verbatim" | "altered" | "absent" | "not_there";
  /** The words of the source. */
  found: string | null;
  /** How they were altered, in a sentence. */
  difference: string | null;
}

/** Words of a passage that a judgement rests on, verbatim. */
export interface Quote {
  /** The passage that holds them. */
  passage_id: string;
  /** Span in the passage's text. */
  span: Span;
  /** The words: `passage.text[span.start:span.end]`. */
  text: string;
}

/** From `low` to `high`, both included. */
export interface Range {
  low: number;
  high: number;
}

/** A way of ordering passages. */
export interface RankerChoice {
  available: boolean;
  /** Reason why it is unavailable, and how to change that. */
  why_not: string | null;
  name: "bm25" | "dense" | "hybrid";
}

/** Plan of a recheck. */
export interface RecheckPlan {
  /** Sentences of the new text that are new or changed. */
  changed: string[];
  /** Sentences that did not change but are checked again. */
  depending: string[];
  /** Reason for each of these. */
  because: string[];
  /** Claims that keep their verdicts. */
  kept: number;
  /** Upper limit of the expected usage. Its command checks the whole text, claims in their own words. */
  estimate: Estimate | null;
}

/** A changed text to check; unchanged sentences are not checked again. */
export interface RecheckRequest {
  /** The whole text as it is now. */
  text: string;
  /** Claims that are to be checked in these words. */
  claims?: EditedClaim[];
}

/** Another source for a claim that its own citation does not support. Only a proposal: the text is not changed. */
export interface Repair {
  type: "repair";
  /** `s3.c2.r1`: first proposal for claim `s3.c2`. */
  id: string;
  /** The claim. */
  unit_id: string;
  /** The source, where the text cites it elsewhere. */
  source_id: string | null;
  /** Title of the source. */
  title: string | null;
  /** Its address, or the path of its file. */
  url: string | null;
  /** An entry for the bibliography, ready to be copied. */
  reference: string;
  /** The words that support the claim. */
  quote: string;
  /** The judge that found the support. */
  judge: string;
  /** The judge's confidence. */
  confidence: number | null;
}

/** Everything about one checked response: enough to show it, and to score it again without any call. */
export interface Report {
  type: "report";
  /** Version of this schema. */
  schema_version: 1;
  /** Version of Factscope that made it. */
  factscope: string;
  /** The response that was checked. */
  response: Response;
  /** The whole method, as values. */
  method: Record<string, unknown>;
  /** The model of each role that the method asks, as `provider/model`. */
  models: Record<string, string>;
  /** The prompts of the method and the first 12 hexadecimal digits of the SHA-256 of each. */
  prompts: Record<string, string>;
  /** The documents and search engines that were used; `None` when nothing could be searched. */
  searched: Searched | null;
  segments: Segment[];
  claims: Claim[];
  queries: Query[];
  hits: SearchHit[];
  documents: Document[];
  passages: Passage[];
  judgements: Judgement[];
  findings: Finding[];
  eligibility: Eligibility[];
  verdicts: Verdict[];
  corrections: Correction[];
  citations: Citation[];
  sources: CitedSource[];
  quotations: Quotation[];
  repairs: Repair[];
  failures: Failure[];
  usage: Usage[];
  /** Number of units by outcome. A unit is a claim, or a segment from which no claim came. */
  counts: Partial<Record<"supported" | "contradicted" | "undecided" | "no_evidence" | "not_checkable" | "excluded" | "failed", number>>;
  scores: Score[];
  /** Evidence that was excluded when the verdicts and scores were computed. */
  excluded: Exclusions;
  /** Notes for a reader of the numbers, such as a judge of the same family as the text's writer. */
  warnings: string[];
}

/** The text to check. Only `text` is required. */
export interface Response {
  type: "response";
  /** Name of this response within its run; never one like a segment's. */
  id: string;
  /** The text to check. */
  text: string;
  /** The request that it answers. */
  prompt: string | null;
  /** Documents given with the request. */
  context: Document[];
  /** The system message that the answer was written under. */
  system: string | null;
  /** The model that wrote it. */
  model: string | null;
  /** The address where it is published; its own site does not count as evidence for it. */
  url: string | null;
}

/** Confirmation that an answer is stored in the database. */
export interface SavedAnnotation {
  /** Revision to send with the next change. */
  revision: number;
  /** This person's progress. */
  state: "waiting" | "open" | "begun" | "done";
  /** Labels in the file, once the person has answered. */
  suggestion: Suggestion | null;
}

/** A number with everything that is needed to interpret it. */
export interface Score {
  type: "score";
  /** The measure with its parameters, such as `hallucination(alpha=0.5)`. */
  name: string;
  /** The number; `None` when there is nothing to count, or too little was judged (`least_coverage`). */
  value: number | null;
  /** Number of items counted: units, judgements or responses, see `over`. */
  n: number;
  /** Kind of the items that `n` counts. */
  over: "units" | "judgements" | "responses";
  /** Number of items that failed and are left out. */
  n_failed: number;
  /** Units with a verdict / units to judge; `None` when there is nothing to judge. */
  coverage: number | null;
  /** Uncertainty of `value`. */
  interval: Interval | null;
  /** All settings that the number depends on, and the version of Factscope. */
  signature: string;
}

/** A result that a search engine listed for a query, read or not. */
export interface SearchHit {
  type: "hit";
  /** `s3.c2.q1.h4`: fourth result of query `s3.c2.q1`. */
  id: string;
  /** The query. */
  query_id: string;
  /** Place in the engine's list. */
  rank: number;
  /** Its address. */
  url: string;
  /** Its title as the engine shows it. */
  title: string;
  /** The engine's snippet. */
  snippet: string;
  /** Date of publication, as far as the engine states it. */
  published: string | null;
}

/** The documents and search engines that were searched. */
export interface Searched {
  /** Hash of the documents and of how they are indexed; the same for the same content. */
  id: string;
  /** Documents in it; equal texts count once, and all rows of one file are one. */
  n_documents: number;
  /** Index units that they are cut into. */
  n_passages: number;
  /** Web search engines that were asked. */
  engines: string[];
  /** Problems with files that could not be used, or not in full; one line each. */
  problems: string[];
}

/** A piece of the response: `response.text[span.start:span.end] == text`. */
export interface Segment {
  type: "segment";
  /** `s1`, `s2` … in reading order. */
  id: string;
  /** Span in the response. */
  span: Span;
  /** Its exact characters. */
  text: string;
  /** Kind of text. */
  kind: "sentence" | "list_item" | "heading" | "code" | "table_row" | "paragraph" | "whole" | "given";
}

/** A change of the cuts. */
export interface SegmentEdit {
  /** Whether a cut was removed or added. */
  what: "merge" | "split";
  /** Offset of the cut. */
  at: number;
}

/** A person's mark on one segment. */
export interface SegmentMark {
  /** Whether it is right; none while the person has not answered. */
  correct: boolean | null;
  /** The kind of error of a wrong one. */
  kind: "knowledge_error" | "reasoning_error" | "irrelevant_with_qst" | "fooled" | null;
  /** Reason why it is wrong, in the person's words. */
  reason: string;
}

/** Options of this server. */
export interface Setup {
  /** Version of Factscope. */
  version: string;
  methods: MethodChoice[];
  /** The model of a check that names none; none when no model is configured. */
  model: string | null;
  /** All models that are configured. */
  models: string[];
  engines: Engine[];
  rankers: RankerChoice[];
  categories: ("news" | "blog" | "wiki" | "social_media" | "scientific_medical" | "government" | "other")[];
  budget: BudgetChoice;
  /** Whether the server has documents of its own, which are searched for a check without documents and without web
   * search. */
  own_evidence: boolean;
  samples: BundledSample[];
  limits: Limits;
  /** Default parameters. */
  defaults: CheckParameters;
  /** Whether this server is open to other machines. */
  token_required: boolean;
}

/** One source of the bibliography. */
export interface SourceRow {
  /** Its id, such as `b2`. */
  id: string;
  /** Its title. */
  label: string;
  /** Its address. */
  url: string | null;
  /** Its state. */
  state: "read" | "dead" | "paywalled" | "refused" | "unreadable" | "no_entry" | "no_address" | "no_answer" | "not_fetched";
  /** Why it could not be read. */
  reason: string | null;
  /** Number of citations of it. */
  used: number;
  /** Claims that it supports. */
  supports: number;
  /** Claims that it was judged for. */
  judged: number;
  /** Its problems, each kind once. */
  problems: ("contradicts" | "does_not_say" | "unclear" | "partly" | "not_there" | "not_fetched" | "altered_quote" | "absent_quote" | "uncited" | "circular" | "changed" | "unused" | "not_needed" | "not_judged")[];
  /** Its entry, as it is written. */
  entry: string | null;
  /** An entry that could replace it, of a source that supports the claims that this one does not. */
  repaired: string | null;
}

/** Half-open code-point offsets into the owner's text. */
export interface Span {
  /** First offset. */
  start: number;
  /** Offset after the last character. */
  end: number;
}

/** The request of a check, with its documents by name. */
export interface StoredRequest {
  /** Method by name; `GET /api/v1/setup` lists them. Default: `standard` with a model, otherwise `builtin`. */
  method: string | null;
  /** The model for all roles, as `provider/model`; default: the server's setting. */
  model: string | null;
  /** Search engine of the web; without it only the documents are searched. */
  search: string | null;
  /** Web results that are used for one query. */
  results: number | null;
  /** Whether the pages of web results are read, or only the search engine's snippets. */
  pages: boolean | null;
  /** Passages per query. */
  passages: number | null;
  /** Sentences of context on each side of the best sentence. */
  window: number | null;
  /** Ranking of passages: keywords, semantic similarity, or both. */
  ranker: "bm25" | "dense" | "hybrid" | null;
  /** How readily a claim is called contradicted; default: the server's setting, otherwise the method's. */
  strictness: "low" | "normal" | "high" | null;
  /** Categories of sources that are not evidence. */
  deny_categories: ("news" | "blog" | "wiki" | "social_media" | "scientific_medical" | "government" | "other")[];
  /** Only these sites and their subdomains are evidence from the web. */
  allow_sites: string[];
  /** Sites that are not evidence. */
  deny_sites: string[];
  /** Earliest date of publication of search results. */
  published_after: string | null;
  /** Latest date of publication. */
  published_before: string | null;
  /** Language of the search, such as en or pt-BR. */
  language: string | null;
  /** Country of the search, such as US. */
  region: string | null;
  /** US dollars that models may cost in one run of the check; further calls fail, and a retry is a new run. Only for
   * models whose price is known. */
  max_cost: number | null;
  /** Whether the text is checked against the sources that it cites; `documents` are then local copies of sources. */
  cited: boolean;
  /** With `cited`, whether another source is proposed for each claim that its own sources do not support. */
  repair: boolean;
  /** With `cited`, whether only the documents are used, and nothing is fetched from the web. */
  offline: boolean;
  /** The text to check. */
  text: string;
  /** The question that the text answers. */
  question: string | null;
  /** The texts that it was written from and is checked against: strings, or objects with `text`. */
  contexts: (string | ContextText)[];
  /** The documents searched. */
  documents: NamedDocument[];
}

/** Labels that the file already has, from a machine or from a person. */
export interface Suggestion {
  /** One for each segment of the file. */
  marks: SegmentMark[];
}

/** Calls, tokens, cost and time of one role with one model. */
export interface Usage {
  type: "usage";
  /** Role of the call: `judge`, `extract` … */
  role: string;
  /** The model or service that was called. */
  model: string;
  /** Calls made. */
  calls: number;
  /** Calls answered from the cache. */
  cached_calls: number;
  /** Tokens sent; `None` when unknown or not applicable. */
  tokens_in: number | null;
  /** Tokens received. */
  tokens_out: number | null;
  /** US dollars; `None` when unknown, never 0 for an unknown cost. */
  cost: number | null;
  /** Time waited; `None` when not measured. */
  seconds: number | null;
}

/** The outcome of a unit, combined from its judgements. */
export interface Verdict {
  type: "verdict";
  /** A claim, a segment, or the response. */
  unit_id: string;
  /** Level of `unit_id`. */
  level: "claim" | "segment" | "response";
  /** Outcome of the unit. */
  outcome: "supported" | "contradicted" | "undecided" | "no_evidence" | "not_checkable" | "excluded" | "failed";
  /** Name of the rule that decided it. */
  rule: string;
  /** The judgements that the rule used. */
  judgement_ids: string[];
  /** Reason, when the outcome alone does not give it: skipped, in conflict, or failed. */
  reason: string | null;
  /** Reason why the evidence does not settle an undecided claim. */
  gap: "insufficient" | "partial" | "outdated" | "subjective" | "conflicting" | null;
  /** Confidence, from the judgements that decided. */
  confidence: number | null;
  /** Share of the judges of a panel that agree with it; `None` without a panel. */
  agreement: number | null;
  /** Contradicted claims that this one depends on. Their errors are counted there, and not again here. */
  at_risk: string[];
}

/** A check with its results so far. */
export interface WholeCheck {
  /** Unguessable. */
  id: string;
  state: "queued" | "running" | "done" | "stopped" | "failed";
  /** When it was requested, ISO 8601 in UTC. */
  created: string;
  /** When it ended, ISO 8601 in UTC. */
  ended: string | null;
  /** The beginning of the text. */
  title: string;
  /** Name of the method. */
  method: string;
  /** Number of units by outcome; none before the end. In a list, without the evidence that you left out. */
  counts: Partial<Record<"supported" | "contradicted" | "undecided" | "no_evidence" | "not_checkable" | "excluded" | "failed", number>> | null;
  /** The scores; empty before the end. In a list, without the evidence that you left out. */
  scores: Score[];
  progress: Progress;
  /** Error that made it fail as a whole. */
  problem: Problem | null;
  /** The check of an earlier version of this text. */
  previous: string | null;
  /** Revision of the choices, for `If-Match`. */
  revision: number;
  /** Id of its last event so far; 0 before the first. */
  last_event: number;
  /** The request. */
  request: StoredRequest;
  choices: Choices;
  /** The report. Before the end of the check it has no scores, units may lack a verdict, and `counts` does not add up
   * to them yet. None before the first record. */
  report: Report | null;
}
