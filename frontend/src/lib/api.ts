// The server's endpoints (see `/openapi.json`), with all of their failures as one kind of error.

import { saveFile } from "./clipboard";
import type { CheckDocuments, CheckList, CitationView, CheckRequest, Choices, EditedClaim as ClaimEdit, Estimate, Judgements, JudgeRequest, ModelCall, Problem as ServerProblem, RecheckPlan, Setup, WholeCheck as Check } from "./schema";

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

/** Problem details (RFC 9457): what failed, and how to fix it. */
export type Problem = Pick<ServerProblem, "title" | "status"> & Partial<ServerProblem>;

/** An error reply of the server, or no reply at all (`status` 0). */
export class ApiError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail || problem.title);
  }
}

/** No reply at all. */
export const UNREACHABLE: Problem = { title: "", status: 0 };

/** The problem in an ApiError; any other error is rethrown. */
export function problemIn(error: unknown): Problem {
  if (!(error instanceof ApiError)) throw error;
  return error.problem;
}

const BASE = "/api/v1";

// The first reply sets the cookie that identifies this browser, so all other requests wait for it.
let firstReply: Promise<void> | null = null;

async function send(address: string, init: RequestInit): Promise<globalThis.Response> {
  if (firstReply) {
    await firstReply;
    return fetch(address, init);
  }
  const { promise, resolve } = Promise.withResolvers<void>();
  firstReply = promise;
  return fetch(address, init).finally(resolve);
}

/** The content of a successful reply, as read by `read`. Throws ApiError for an error reply, and for one that is missing or cut short. */
async function readFrom<T>(pending: Promise<globalThis.Response>, read: (reply: globalThis.Response) => Promise<T>): Promise<T> {
  try {
    const reply = await pending;
    if (!reply.ok) throw new ApiError(await problemOf(reply));
    return await read(reply);
  } catch (error) {
    throw error instanceof ApiError ? error : new ApiError(UNREACHABLE);
  }
}

export function call<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> {
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const init = {
    method,
    headers: { Accept: "application/json", ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers },
    body: payload,
    // So that a choice made just before leaving the page still arrives; browsers allow at most 64 KiB for this.
    keepalive: method === "PUT" && (payload?.length ?? 0) < 60_000,
  };
  return readFrom(send(BASE + path, init), async (reply) => (reply.status === 204 ? undefined : await reply.json()) as T);
}

/** Fetch the OpenAPI description. */
export function fetchDescription<T>(): Promise<T> {
  return readFrom(fetch("/openapi.json"), async (reply) => (await reply.json()) as T);
}

/** Download the reply of an endpoint as a file. */
export async function download(path: string, headers: Record<string, string>): Promise<void> {
  const [name, content] = await readFrom(send(BASE + path, { headers }), async (reply): Promise<[string, Blob]> => [
    reply.headers.get("content-disposition")?.match(/filename="([^"]+)"/)?.[1] ?? "export",
    await reply.blob(),
  ]);
  saveFile(name, content);
}

async function problemOf(reply: globalThis.Response): Promise<Problem> {
  const fallback: Problem = { title: reply.statusText || `HTTP ${reply.status}`, status: reply.status };
  try {
    const received = (await reply.json()) as Partial<Problem>;
    return { ...fallback, ...received, status: reply.status };
  } catch {
    return fallback;
  }
}

const checkPath = (id: string, rest = ""): string => `/checks/${encodeURIComponent(id)}${rest}`;

export const api = {
  setup: () => call<Setup>("GET", "/setup"),
  estimate: (request: CheckRequest) => call<Estimate>("POST", "/estimate", request),
  create: (request: CheckRequest, key: string) => call<Check>("POST", "/checks", request, { "Idempotency-Key": key }),
  list: (after?: string) =>
    call<CheckList>("GET", `/checks?limit=8${after ? `&after=${encodeURIComponent(after)}` : ""}`),
  check: (id: string) => call<Check>("GET", checkPath(id)),
  cancel: (id: string) => call<Check>("POST", checkPath(id, "/cancel")),
  retry: (id: string) => call<Check>("POST", checkPath(id, "/retry")),
  plan: (id: string, text: string, claims?: ClaimEdit[]) =>
    call<RecheckPlan>("POST", checkPath(id, "/recheck/plan"), { text, ...(claims?.length ? { claims } : {}) }),
  recheck: (id: string, text: string, claims?: ClaimEdit[]) =>
    call<Check>("POST", checkPath(id, "/recheck"), { text, ...(claims?.length ? { claims } : {}) }),
  choose: (id: string, choices: Choices, revision: number) =>
    call<Check>("PUT", checkPath(id, "/choices"), choices, { "If-Match": `"${revision}"` }),
  documents: (id: string) => call<CheckDocuments>("GET", checkPath(id, "/documents")),
  call: (id: string, judgement: string) => call<ModelCall>("GET", checkPath(id, `/calls/${encodeURIComponent(judgement)}`)),
  citations: (id: string, original: boolean) => call<CitationView>("GET", checkPath(id, `/citations${original ? "?original=true" : ""}`)),
  judge: (request: JudgeRequest) => call<Judgements>("POST", "/judge", request),
  remove: (id: string) => call<void>("DELETE", checkPath(id)),
  sample: (id: string) => call<Check>("POST", `/samples/${encodeURIComponent(id)}`),
  exportAddress: (id: string, format: string) => `${BASE}${checkPath(id, "/export")}?format=${format}`,
  eventsAddress: (id: string, after: number) => `${BASE}${checkPath(id, "/events")}${after ? `?after=${after}` : ""}`,
};
