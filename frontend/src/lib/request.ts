// Turns the input of the start page into a request, and tells why it can't be sent yet.

import type { CheckRequest, GivenDocument, Setup } from "./api";
import { codePoints } from "./text";

export type Settings = Omit<CheckRequest, "text" | "question" | "documents" | "contexts">;

/**
 * The chosen settings with defaults for the rest. Without documents, the first available search engine is used; but a
 * method that calls no model stays on this machine unless the user chooses otherwise.
 */
export function settingsOf(chosen: Partial<Settings>, setup: Setup, documents: number): Settings {
  const defaults = setup.defaults;
  const method = chosen.method ?? defaults.method ?? "builtin";
  const needsModel = !!setup.methods.find((choice) => choice.name === method)?.needs_model;
  const engine = needsModel && !setup.own_evidence ? (setup.engines.find((choice) => choice.available)?.name ?? null) : null;
  const search = chosen.search !== undefined ? chosen.search : (defaults.search ?? (documents ? null : engine));
  // Settings made for another method or for web search are not sent until they apply again.
  const paid = setup.budget.available && needsModel;
  const unused = {
    ...(needsModel || search ? {} : { model: null }),
    ...(paid ? {} : { max_cost: null }),
    ...(search ? {} : { allow_sites: [], deny_sites: [], language: null, region: null }),
  };
  const cited = chosen.cited ?? defaults.cited ?? false;
  // How sources are looked up matters only if they are.
  const citing = cited ? { cited } : { cited: null, repair: null, offline: null };
  return { ...chosen, method, search: search || null, ...unused, ...(citing as Partial<Settings>) };
}

/** The request, without empty values. */
export function requestOf(
  draft: { tab: string; text: string; question: string; documents: GivenDocument[]; contexts: string[]; settings: Partial<Settings> },
  setup: Setup,
): CheckRequest {
  const contexts = draft.tab === "question" ? draft.contexts.filter((context) => context.trim()) : [];
  const settings = settingsOf(draft.settings, setup, draft.documents.length + contexts.length);
  const chosen = Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== null && value !== undefined && value !== "" && !(Array.isArray(value) && !value.length)),
  ) as unknown as Settings;
  return {
    ...chosen,
    text: draft.text,
    ...(draft.tab === "question" && draft.question.trim() ? { question: draft.question } : {}),
    ...(contexts.length ? { contexts } : {}),
    ...(draft.documents.length ? { documents: draft.documents } : {}),
  };
}

export type Obstacle = "empty" | "over" | "noQuestion" | "noEvidence" | "notText" | null;

/** Why this can't be checked yet; null when it can. */
export function obstacle(request: CheckRequest, tab: string, setup: Setup): Obstacle {
  if (!request.text.trim()) return "empty";
  if (codePoints(request.text) > setup.limits.characters) return "over";
  if (looksBinary(request.text)) return "notText";
  if (tab === "question" && !request.question && !request.contexts?.length) return "noQuestion";
  const hasEvidence = setup.own_evidence || request.documents?.length || request.contexts?.length;
  if (!request.search && !hasEvidence && !request.cited) return "noEvidence";
  return null;
}

function looksBinary(text: string): boolean {
  const head = text.slice(0, 5_000);
  const controls = head.match(/[\u0000-\u0008\u000e-\u001a\ufffd]/g)?.length ?? 0;
  return controls > 8 && controls > head.length / 50;
}

const PLAIN = /\.(txt|text|md|markdown|csv|tsv|jsonl|json)$/i;

/** A file as a document of the request: plain text in UTF-8 as text, anything else as bytes. */
export async function documentOf(file: File): Promise<GivenDocument> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (PLAIN.test(file.name)) {
    try {
      return { name: file.name, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
    } catch {
      // Another encoding, which the server will detect.
    }
  }
  return { name: file.name, base64: base64(bytes) };
}

function base64(bytes: Uint8Array): string {
  let binary = "";
  for (let start = 0; start < bytes.length; start += 0x8000) binary += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  return btoa(binary);
}

export function sizeOf(document: GivenDocument): number {
  return document.base64 ? (document.base64.length * 3) / 4 : new TextEncoder().encode(document.text ?? "").length;
}

/** A unique key for a request, so that sending it twice creates only one check. */
export function requestKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
