// Choices that the server may not have yet, kept over a reload: the page that loads can be faster than the last change.

import type { Choices } from "./api";
import { keep, kept } from "./browserStore";

export interface Unsaved {
  /** The revision of the check that these choices change. */
  revision: number;
  choices: Choices;
  /** Earlier choices that were on their way to the server. */
  underway: Choices | null;
}

const nameOf = (id: string): string => `factscope.choices.${id}`;

export function remember(id: string, unsaved: Unsaved): void {
  keep("sessionStorage", nameOf(id), JSON.stringify(unsaved));
}

export function remembered(id: string): Unsaved | null {
  try {
    return JSON.parse(kept("sessionStorage", nameOf(id)) ?? "null") as Unsaved | null;
  } catch {
    return null; // another program's
  }
}

export function forget(id: string): void {
  keep("sessionStorage", nameOf(id), null);
}

/** Whether two choices are the same, whatever the order of their fields. */
export function sameChoices(a: Choices, b: Choices): boolean {
  return inOrder(a) === inOrder(b);
}

function inOrder(choices: Choices): string {
  return JSON.stringify(choices, (_, value: unknown) =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
