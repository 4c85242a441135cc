// What is typed on the start page, kept over a reload of it.

import { api, type Check, type GivenDocument } from "../lib/api";
import { keep, kept } from "../lib/browserStore";
import type { Settings } from "../lib/request";

export type Tab = "text" | "document" | "question";

const KEPT = "factscope.draft";
const MOST = 2_000_000;

interface Draft {
  tab: Tab;
  text: string;
  question: string;
  documents: GivenDocument[];
  /** The texts that the answer was written from. */
  contexts: string[];
  settings: Partial<Settings>;
  /** What was too large to keep over a reload. */
  lost: false | "documents" | "text";
}

function read(): Draft {
  const blank: Draft = { tab: "text", text: "", question: "", documents: [], contexts: [], settings: {}, lost: false };
  try {
    return { ...blank, ...(JSON.parse(kept("sessionStorage", KEPT) ?? "{}") as Partial<Draft>) };
  } catch {
    return blank;
  }
}

export const draft = $state<Draft>(read());

let timer: ReturnType<typeof setTimeout> | undefined;

/** Keep the draft soon. */
export function keepDraft(): void {
  clearTimeout(timer);
  timer = setTimeout(keepNow, 300);
}

function keepNow(): void {
  clearTimeout(timer);
  timer = undefined;
  const snapshot = $state.snapshot(draft);
  const contexts = snapshot.contexts.reduce((sum, entry) => sum + entry.length, 0);
  const size = snapshot.documents.reduce((sum, entry) => sum + (entry.text ?? entry.base64 ?? "").length, snapshot.text.length + contexts);
  const lost = snapshot.text.length > MOST ? "text" : size > MOST ? "documents" : false;
  const small = lost ? { ...snapshot, documents: [], contexts: [], text: snapshot.text.slice(0, MOST), lost } : { ...snapshot, lost };
  keep("sessionStorage", KEPT, JSON.stringify(small));
}

/** Forget the draft at once: whoever comes back right after a check was begun finds the form empty. */
export function clearDraft(): void {
  Object.assign(draft, { text: "", question: "", documents: [], contexts: [], lost: false });
  keepNow();
}

/** Put a check's text, contexts, documents and settings back on the start page, to be changed and checked again. */
export async function begunFrom(check: Check): Promise<void> {
  const { text, question, contexts: pasted, documents: named, ...settings } = check.request;
  const documents = named.length ? (await api.documents(check.id)).documents : [];
  const contexts = pasted.map((entry) => (typeof entry === "string" ? entry : entry.text));
  const tab: Tab = question || contexts.length ? "question" : documents.length ? "document" : "text";
  Object.assign(draft, { tab, text, question: question ?? "", documents, contexts, settings, lost: false });
  keepDraft();
}

// What was typed just before the page is left is kept too.
window.addEventListener("pagehide", () => {
  if (timer !== undefined) keepNow();
});
