// Keyboard shortcuts of the annotation page; `?` works on every page.

import { targetOf } from "./keys";

export type AnnotateAction =
  | "next"
  | "previous"
  | "correct"
  | "wrong"
  | "kind0"
  | "kind1"
  | "kind2"
  | "kind3"
  | "reason"
  | "links"
  | "keep"
  | "merge"
  | "split"
  | "undo"
  | "redo"
  | "finish"
  | "nextItem"
  | "previousItem"
  | "guidelines"
  | "save"
  | "leave";

const KEYS: Record<string, AnnotateAction> = {
  j: "next",
  k: "previous",
  "1": "correct",
  "2": "wrong",
  "3": "kind0",
  "4": "kind1",
  "5": "kind2",
  "6": "kind3",
  "7": "reason",
  "8": "links",
  "9": "keep",
  m: "merge",
  s: "split",
  u: "undo",
  r: "redo",
  n: "nextItem",
  p: "previousItem",
  g: "guidelines",
  Enter: "finish",
};

/** The action for a key press. In a field only Escape and Ctrl shortcuts count, and Enter on a button still presses it. */
export function annotateAction(event: KeyboardEvent): AnnotateAction | null {
  if (event.defaultPrevented || event.altKey) return null;
  const target = targetOf(event);
  if (target?.closest?.("dialog, [popover]")) return null;
  const typing = !!target?.closest?.("input:not([type=checkbox]), textarea, select");
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (event.ctrlKey || event.metaKey) {
    if (key === "s") return "save";
    if (key === "Enter") return "finish";
    return key === "z" && !typing ? (event.shiftKey ? "redo" : "undo") : null;
  }
  if (key === "Escape") return "leave";
  if (typing || (key === "Enter" && target?.closest?.("button, a, summary"))) return null;
  return KEYS[key] ?? null;
}
