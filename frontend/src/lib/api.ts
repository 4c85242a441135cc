// The server's doors (`/openapi.json`), and what goes wrong behind them as one kind of error.

import type { CheckDocuments, CheckList, CitationView, CheckRequest, Choices, EditedClaim as ClaimEdit, Estimate, Judgements, JudgeRequest, ModelCall, Problem as Told, RecheckPlan, Setup, WholeCheck as Check } from "./schema";

export type {
  CheckSummary,
  Choices,
  Engine,
  Estimate,
  StoredRequest,
  MethodChoice,
  Override,
  RecheckPlan,
  BundledSample,
  Setup,
} from "./schema";
export type { CheckRequest, DroppedDocument as GivenDocument, EditedClaim as ClaimEdit, WholeCheck as Check } from "./schema";

/** RFC 9457: what failed, for which thing, and how to fix it. */
export type Problem = Pick<Told, "title" | "status"> & Partial<Told>;

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

export async function call<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> {
  const sent = body === undefined ? undefined : JSON.stringify(body);
  let reply: globalThis.Response;
  try {
    reply = await reach(BASE + path, {
      method,
      headers: { Accept: "application/json", ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers },
      body: sent,
      // A choice made just before the page is left still arrives; browsers let no more than 64 KiB outlive it.
      keepalive: method === "PUT" && (sent?.length ?? 0) < 60_000,
      credentials: "same-origin",
    });
  } catch {
    throw new ApiError({ title: "", status: 0 });
  }
  if (!reply.ok) throw new ApiError(await problemOf(reply));
  if (reply.status === 204) return undefined as T;
  try {
    return (await reply.json()) as T;
  } catch {
    throw new ApiError({ title: "", status: 0 }); // it broke off
  }
}

/** The description of the API. */
export async function described<T>(): Promise<T> {
  try {
    const reply = await fetch("/openapi.json", { credentials: "same-origin" });
    if (!reply.ok) throw new ApiError(await problemOf(reply));
    return (await reply.json()) as T;
  } catch (error) {
    throw error instanceof ApiError ? error : new ApiError({ title: "", status: 0 });
  }
}

/** Have the browser keep what a door answers as a file. */
export async function download(path: string, headers: Record<string, string>): Promise<void> {
  let reply: globalThis.Response;
  try {
    reply = await reach(BASE + path, { headers, credentials: "same-origin" });
  } catch {
    throw new ApiError({ title: "", status: 0 });
  }
  if (!reply.ok) throw new ApiError(await problemOf(reply));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await reply.blob());
  link.download = reply.headers.get("content-disposition")?.match(/filename="([^"]+)"/)?.[1] ?? "export";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
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
    call<CheckList>("GET", `/checks?limit=8${after ? `&after=${encodeURIComponent(after)}` : ""}`),
  check: (id: string) => call<Check>("GET", at(id)),
  cancel: (id: string) => call<Check>("POST", at(id, "/cancel")),
  retry: (id: string) => call<Check>("POST", at(id, "/retry")),
  plan: (id: string, text: string, claims?: ClaimEdit[]) =>
    call<RecheckPlan>("POST", at(id, "/recheck/plan"), { text, ...(claims?.length ? { claims } : {}) }),
  recheck: (id: string, text: string, claims?: ClaimEdit[]) =>
    call<Check>("POST", at(id, "/recheck"), { text, ...(claims?.length ? { claims } : {}) }),
  choose: (id: string, choices: Choices, revision: number) =>
    call<Check>("PUT", at(id, "/choices"), choices, { "If-Match": `"${revision}"` }),
  documents: (id: string) => call<CheckDocuments>("GET", at(id, "/documents")),
  call: (id: string, judgement: string) => call<ModelCall>("GET", at(id, `/calls/${encodeURIComponent(judgement)}`)),
  citations: (id: string, original: boolean) => call<CitationView>("GET", at(id, `/citations${original ? "?original=true" : ""}`)),
  judge: (request: JudgeRequest) => call<Judgements>("POST", "/judge", request),
  remove: (id: string) => call<void>("DELETE", at(id)),
  sample: (id: string) => call<Check>("POST", `/samples/${encodeURIComponent(id)}`),
  exportAddress: (id: string, format: string) => `${BASE}${at(id, "/export")}?format=${format}`,
  eventsAddress: (id: string, after: number) => `${BASE}${at(id, "/events")}${after ? `?after=${after}` : ""}`,
};
