// Choices that may not have reached the server yet, kept across a reload, which can be faster than saving them.

import type { Choices } from "./api";
import { readStored, writeStored } from "./browserStore";

export interface Unsaved {
  /** The revision of the check that these choices are based on. */
  revision: number;
  choices: Choices;
  /** Earlier choices that were on their way to the server. */
  underway: Choices | null;
}

const keyOf = (id: string): string => `factscope.choices.${id}`;

export function remember(id: string, unsaved: Unsaved): void {
  writeStored("sessionStorage", keyOf(id), JSON.stringify(unsaved));
}

export function remembered(id: string): Unsaved | null {
  try {
    return JSON.parse(readStored("sessionStorage", keyOf(id)) ?? "null") as Unsaved | null;
  } catch {
    return null; // written by another program
  }
}

export function forget(id: string): void {
  writeStored("sessionStorage", keyOf(id), null);
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
