// The server's doors (`/openapi.json`), and what goes wrong behind them as one kind of error.

import { saveFile } from "./clipboard";
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

/** The problem in an error, if a door answered with it; any other error is thrown on. */
export function problemIn(error: unknown): Problem {
  if (!(error instanceof ApiError)) throw error;
  return error.problem;
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

/** What a good reply holds, as `read` reads it. Throws ApiError for any other, and where there is none or it breaks off. */
async function readFrom<T>(answer: Promise<globalThis.Response>, read: (reply: globalThis.Response) => Promise<T>): Promise<T> {
  try {
    const reply = await answer;
    if (!reply.ok) throw new ApiError(await problemOf(reply));
    return await read(reply);
  } catch (error) {
    throw error instanceof ApiError ? error : new ApiError({ title: "", status: 0 });
  }
}

export function call<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> {
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const init = {
    method,
    headers: { Accept: "application/json", ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers },
    body: sent,
    // A choice made just before the page is left still arrives; browsers let no more than 64 KiB outlive it.
    keepalive: method === "PUT" && (sent?.length ?? 0) < 60_000,
  };
  return readFrom(reach(BASE + path, init), async (reply) => (reply.status === 204 ? undefined : await reply.json()) as T);
}

/** The description of the API. */
export function described<T>(): Promise<T> {
  return readFrom(fetch("/openapi.json"), async (reply) => (await reply.json()) as T);
}

/** Have the browser keep what a door answers as a file. */
export async function download(path: string, headers: Record<string, string>): Promise<void> {
  const [name, content] = await readFrom(reach(BASE + path, { headers }), async (reply): Promise<[string, Blob]> => [
    reply.headers.get("content-disposition")?.match(/filename="([^"]+)"/)?.[1] ?? "export",
    await reply.blob(),
  ]);
  saveFile(name, content);
}

async function problemOf(reply: globalThis.Response): Promise<Problem> {
  const blank: Problem = { title: reply.statusText || `HTTP ${reply.status}`, status: reply.status };
  try {
    const received = (await reply.json()) as Partial<Problem>;
    return { ...blank, ...received, status: reply.status };
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
