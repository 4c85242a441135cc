/** Text as Python has it: its order, its case, its JSON, and the ids of records. */

import { repr } from "./numbers";

/** Order of two strings by code point; JavaScript's own is by half of a surrogate pair. */
export function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x !== y) {
      const paired = (unit: number): boolean => unit >= 0xd800 && unit < 0xe000;
      return paired(x) === paired(y) ? x - y : paired(x) ? 1 : -1;
    }
  }
  return a.length - b.length;
}

/** Distinct strings in order of code point. */
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

/** Things in the order of the ids that `id` reads off them. */
export function inOrder<T>(things: Iterable<T>, id: (thing: T) => string): T[] {
  const keyed = [...things].map((thing): [Part[], T] => [idKey(id(thing)), thing]);
  return keyed.sort(([a], [b]) => byParts(a, b)).map(([, thing]) => thing);
}

/** Without differences of case, as far as host names need it: `str.casefold`. */
export function casefold(text: string): string {
  // By way of capitals, so that ß, ſ and ς become ss, s and σ; ı alone would become another letter.
  return Array.from(text, (c) => (c === "ı" ? c : lower(lower(c).toUpperCase()))).join("");
}

/** In small letters, one by one: a σ at the end of a word stays one. */
function lower(text: string): string {
  return Array.from(text, (c) => c.toLowerCase()).join("");
}

const FLOATS = new Set(["at", "temperature", "threshold", "margin", "contradiction_floor", "least_coverage"]);

/**
 * The JSON that Python's hashes are made of: keys in order, nothing between.
 *
 * Numbers of a method that Python has as floats end in `.0` there when they are whole, which JSON read by a browser no
 * longer shows; they are known by their names.
 */
export function canonical(value: unknown, name = ""): string {
  if (typeof value === "number") return FLOATS.has(name) ? repr(value) : String(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item)).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => byCodePoint(a, b));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item, key)}`).join(",")}}`;
}
