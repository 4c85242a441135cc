// The server's doors (`/openapi.json`), and what goes wrong behind them as one kind of error.

import type { Category, Exclusions, Outcome, Report, Score } from "./records";

/** RFC 9457: what failed, for which thing, and how to mend it. */
export interface Problem {
  type?: string;
  title: string;
  status: number;
  detail?: string;
  hint?: string | null;
  errors?: unknown;
}
export interface Choice {
  name: string;
  title: string;
  available: boolean;
  why_not?: string | null;
}
export interface MethodChoice extends Choice {
  about?: string | null;
  needs_model?: boolean;
  needs_search?: boolean;
}
export interface Sample {
  id: string;
  title: string;
  about: string;
  kind: "text" | "document" | "question";
}
export interface Setup {
  version: string;
  methods: MethodChoice[];
  model: string | null;
  models: string[];
  engines: Choice[];
  rankers: { name: Ranker; available: boolean; why_not?: string | null }[];
  samples: Sample[];
  limits: { characters: number; documents: number; document_bytes: number; documents_bytes: number };
  defaults: Partial<CheckRequest>;
  token_required: boolean;
}
export type Ranker = "bm25" | "dense" | "hybrid";
export interface GivenDocument {
  name: string;
  text?: string;
  base64?: string;
}
export interface CheckRequest {
  text: string;
  question?: string | null;
  documents?: GivenDocument[];
  method: string;
  model?: string | null;
  search?: string | null;
  results?: number | null;
  pages?: boolean | null;
  passages?: number | null;
  window?: number | null;
  ranker?: Ranker | null;
  deny_categories?: Category[];
  allow_sites?: string[];
  deny_sites?: string[];
  published_after?: string | null;
  published_before?: string | null;
  language?: string | null;
  region?: string | null;
}
export interface Range {
  low: number;
  high: number;
}
export interface Estimate {
  calls: Range;
  tokens_in: Range | null;
  tokens_out: Range | null;
  cost: Range | null;
  seconds: Range | null;
  notes: string[];
  command: string;
  body: unknown;
}
export type CheckState = "queued" | "running" | "done" | "stopped" | "failed";
export interface Progress {
  segments: number;
  claims: number;
  judged: number;
  failed: number;
}
export interface Override {
  unit_id: string;
  outcome: Outcome;
  who: string;
  why: string;
  at: string;
}
export interface Choices {
  exclude: Exclusions;
  bands: [number, number];
  overrides: Override[];
  reason?: string | null;
}
export interface CheckSummary {
  id: string;
  state: CheckState;
  created: string;
  ended?: string | null;
  title: string;
  method: string;
  counts?: Partial<Record<Outcome, number>> | null;
  scores: Score[];
  progress: Progress;
  problem?: Problem | null;
  previous?: string | null;
  revision: number;
  last_event: number;
}
/** A check as it was asked for, its documents by name. */
export type KeptRequest = Omit<CheckRequest, "documents"> & { documents: { name: string; bytes: number }[] };
export interface Check extends CheckSummary {
  request: KeptRequest;
  choices: Choices;
  report?: Report | null;
}
export interface RecheckPlan {
  changed: string[];
  depending: string[];
  kept: number;
  estimate: Estimate | null;
}
export type ClaimEdit = { id: string; text: string };

/** What a door answered when it did not do what was asked, or that nobody answered (`status` 0). */
export class ApiError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail || problem.title);
  }
}

const BASE = "/api/v1";

// The first reply sets the cookie that tells this browser from others: what is asked meanwhile waits for it.
let first: Promise<void> | null = null;

async function reach(address: string, init: RequestInit): Promise<globalThis.Response> {
  if (first) {
    await first;
    return fetch(address, init);
  }
  const { promise, resolve } = Promise.withResolvers<void>();
  first = promise;
  return fetch(address, init).finally(resolve);
}

async function call<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> {
  let reply: globalThis.Response;
  try {
    reply = await reach(BASE + path, {
      method,
      headers: { Accept: "application/json", ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "same-origin",
    });
  } catch {
    throw new ApiError({ title: "", status: 0 });
  }
  if (!reply.ok) throw new ApiError(await problemOf(reply));
  return (reply.status === 204 ? undefined : await reply.json()) as T;
}

async function problemOf(reply: globalThis.Response): Promise<Problem> {
  const blank: Problem = { title: reply.statusText || `HTTP ${reply.status}`, status: reply.status };
  try {
    const told = (await reply.json()) as Partial<Problem>;
    return { ...blank, ...told, status: reply.status };
  } catch {
    return blank;
  }
}

const at = (id: string, rest = ""): string => `/checks/${encodeURIComponent(id)}${rest}`;

export const api = {
  setup: () => call<Setup>("GET", "/setup"),
  estimate: (request: CheckRequest) => call<Estimate>("POST", "/estimate", request),
  create: (request: CheckRequest, key: string) => call<Check>("POST", "/checks", request, { "Idempotency-Key": key }),
  list: (after?: string) =>
    call<{ checks: CheckSummary[]; next: string | null }>("GET", `/checks?limit=8${after ? `&after=${encodeURIComponent(after)}` : ""}`),
  check: (id: string) => call<Check>("GET", at(id)),
  cancel: (id: string) => call<Check>("POST", at(id, "/cancel")),
  retry: (id: string) => call<Check>("POST", at(id, "/retry")),
  plan: (id: string, text: string, claims?: ClaimEdit[]) =>
    call<RecheckPlan>("POST", at(id, "/recheck/plan"), { text, ...(claims?.length ? { claims } : {}) }),
  recheck: (id: string, text: string, claims?: ClaimEdit[]) =>
    call<Check>("POST", at(id, "/recheck"), { text, ...(claims?.length ? { claims } : {}) }),
  choose: (id: string, choices: Choices, revision: number) =>
    call<Check>("PUT", at(id, "/choices"), choices, { "If-Match": `"${revision}"` }),
  remove: (id: string) => call<void>("DELETE", at(id)),
  sample: (id: string) => call<Check>("POST", `/samples/${encodeURIComponent(id)}`),
  exportAddress: (id: string, format: string) => `${BASE}${at(id, "/export")}?format=${format}`,
  eventsAddress: (id: string, after: number) => `${BASE}${at(id, "/events")}${after ? `?after=${after}` : ""}`,
};
