// Keyboard shortcuts of a check's page; `?` works on every page.

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

/** The action for a key press; null in a field, in an open dialog, or with a modifier key. */
export function keyAction(event: KeyboardEvent): KeyAction | null {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return null;
  if (targetOf(event)?.closest?.("input:not([type=checkbox]):not([type=radio]), textarea, select, dialog, [popover]")) return null;
  return KEYS[event.key] ?? null;
}

/** The element that a key was pressed in; a dialog that was just closed may keep the focus for a moment. */
export function targetOf(event: KeyboardEvent): Element | null {
  const target = event.target as Element | null;
  return target?.closest?.("dialog:not([open])") ? null : target;
}
