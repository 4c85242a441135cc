/** Text handled as in Python: ordering, case, JSON, and the ids of records. */

import { repr } from "./numbers";

/** Compare two strings by code point; JavaScript compares UTF-16 units. */
export function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x !== y) {
      const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xe000;
      return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1;
    }
  }
  return a.length - b.length;
}

/** Distinct strings, ordered by code point. */
export function distinct(values: Iterable<string>): string[] {
  return [...new Set(values)].sort(byCodePoint);
}

type Part = readonly [string, number];

/** Puts `s2` before `s10`, and `s2` before `s2.c1`: `factscope.core.ids.id_key`. */
function idKey(id: string): Part[] {
  return id.split(".").map((piece) => {
    const [, name = "", number = ""] = /^([^]*?)(\d{0,9})$/.exec(piece) ?? [];
    return [name, Number(number)];
  });
}

function byParts(a: readonly Part[], b: readonly Part[]): number {
  for (const [i, [name, number]] of a.entries()) {
    const other = b[i];
    if (other === undefined) return 1;
    const order = byCodePoint(name, other[0]) || number - other[1];
    if (order) return order;
  }
  return a.length - b.length;
}

/** Items in the order of their ids. */
export function inOrder<T>(items: Iterable<T>, id: (item: T) => string): T[] {
  const keyed = [...items].map((item): [Part[], T] => [idKey(id(item)), item]);
  return keyed.sort(([a], [b]) => byParts(a, b)).map(([, item]) => item);
}

/** Case folding like `str.casefold`, as far as host names need it. */
export function casefold(text: string): string {
  // Via uppercase, so that ß, ſ and ς become ss, s and σ; only ı would become a different letter.
  return Array.from(text, (c) => (c === "ı" ? c : lower(lower(c).toUpperCase()))).join("");
}

/** Lower case, letter by letter, so that a final σ stays σ. */
function lower(text: string): string {
  return Array.from(text, (c) => c.toLowerCase()).join("");
}

const FLOATS = new Set(["at", "temperature", "threshold", "margin", "contradiction_floor", "least_coverage"]);

/**
 * The JSON that Python computes hashes of: keys in order, without white space.
 *
 * In Python, whole floats of a method end in `.0`, which is lost when a browser parses JSON; so they are recognized by
 * name.
 */
export function canonical(value: unknown, name = ""): string {
  if (typeof value === "number") return FLOATS.has(name) ? repr(value) : String(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item)).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => byCodePoint(a, b));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item, key)}`).join(",")}}`;
}
