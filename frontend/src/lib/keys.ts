// The keys of a check's page; `?` is the whole page's.

export type KeyAction =
  | "next"
  | "previous"
  | "nextProblem"
  | "previousProblem"
  | "exclude"
  | "undo"
  | "original"
  | "edit"
  | "copy"
  | "back";

const KEYS: Record<string, KeyAction> = {
  j: "next",
  k: "previous",
  n: "nextProblem",
  p: "previousProblem",
  x: "exclude",
  u: "undo",
  o: "original",
  e: "edit",
  c: "copy",
  Escape: "back",
};

/** What a key asks for; null while a field is typed in, a dialog is open, or with another key held. */
export function keyAction(event: KeyboardEvent): KeyAction | null {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return null;
  if (targetOf(event)?.closest?.("input:not([type=checkbox]):not([type=radio]), textarea, select, dialog, [popover]")) return null;
  return KEYS[event.key] ?? null;
}

/** What a key was pressed in; a dialog that has just been closed may hold the focus for a moment longer. */
export function targetOf(event: KeyboardEvent): Element | null {
  const target = event.target as Element | null;
  return target?.closest?.("dialog:not([open])") ? null : target;
}
