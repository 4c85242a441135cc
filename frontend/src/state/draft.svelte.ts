// The input of the start page, kept across a reload.

import { api, type Check, type GivenDocument } from "../lib/api";
import { readStored, writeStored } from "../lib/browserStore";
import type { Settings } from "../lib/request";

export type Tab = "text" | "document" | "question";

const STORAGE_KEY = "factscope.draft";
const MAX_LENGTH = 2_000_000;

interface Draft {
  tab: Tab;
  text: string;
  question: string;
  documents: GivenDocument[];
  /** The texts on which the answer is based. */
  contexts: string[];
  settings: Partial<Settings>;
  /** What was too large to keep across a reload. */
  lost: false | "documents" | "text";
}

function loadDraft(): Draft {
  const blank: Draft = { tab: "text", text: "", question: "", documents: [], contexts: [], settings: {}, lost: false };
  try {
    return { ...blank, ...(JSON.parse(readStored("sessionStorage", STORAGE_KEY) ?? "{}") as Partial<Draft>) };
  } catch {
    return blank;
  }
}

export const draft = $state<Draft>(loadDraft());

let timer: ReturnType<typeof setTimeout> | undefined;

/** Save the draft soon. */
export function saveDraft(): void {
  clearTimeout(timer);
  timer = setTimeout(saveNow, 300);
}

function saveNow(): void {
  clearTimeout(timer);
  timer = undefined;
  const snapshot = $state.snapshot(draft);
  const contexts = snapshot.contexts.reduce((sum, context) => sum + context.length, 0);
  const size = snapshot.documents.reduce((sum, document) => sum + (document.text ?? document.base64 ?? "").length, snapshot.text.length + contexts);
  const lost = snapshot.text.length > MAX_LENGTH ? "text" : size > MAX_LENGTH ? "documents" : false;
  const stored = lost ? { ...snapshot, documents: [], contexts: [], text: snapshot.text.slice(0, MAX_LENGTH), lost } : { ...snapshot, lost };
  writeStored("sessionStorage", STORAGE_KEY, JSON.stringify(stored));
}

/** Clear the draft at once, so that the form is empty when the user returns right after starting a check. */
export function clearDraft(): void {
  Object.assign(draft, { text: "", question: "", documents: [], contexts: [], lost: false });
  saveNow();
}

/** Put a check's text, contexts, documents and settings back on the start page, to change them and check again. */
export async function restoreDraft(check: Check): Promise<void> {
  const { text, question, contexts: savedContexts, documents: names, ...settings } = check.request;
  const documents = names.length ? (await api.documents(check.id)).documents : [];
  const contexts = savedContexts.map((context) => (typeof context === "string" ? context : context.text));
  const tab: Tab = question || contexts.length ? "question" : documents.length ? "document" : "text";
  Object.assign(draft, { tab, text, question: question ?? "", documents, contexts, settings, lost: false });
  saveDraft();
}

// Also keep what was typed just before leaving the page.
window.addEventListener("pagehide", () => {
  if (timer !== undefined) saveNow();
});
