import { describe, expect, it } from "vitest";

import { de } from "../src/strings/de";
import { annotate as annotateDe } from "../src/strings/de.annotate";
import { en } from "../src/strings/en";
import { annotate as annotateEn } from "../src/strings/en.annotate";

/** The paths of all values of a catalogue, with the number of arguments of each function. */
function shape(value: unknown, path = ""): string[] {
  if (typeof value === "function") return [`${path}(${value.length})`];
  if (value === null || typeof value !== "object") return [path];
  return Object.entries(value).flatMap(([key, inner]) => shape(inner, `${path}.${key}`));
}

/** Entries that take a name instead of a count. */
const NAMED = new Set(["flag", "calibrated"]);

/** All texts of a catalogue, those with counts for 1 and for 3. */
function texts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "function") {
    const call = value as (...args: unknown[]) => string;
    return [1, 3].map((n) => call(...Array<unknown>(value.length).fill(NAMED.has(value.name) ? "x" : n)));
  }
  return value && typeof value === "object" ? Object.values(value).flatMap(texts) : [];
}

describe("catalogues", () => {
  it("have the same entries in every language", () => {
    expect(shape(de)).toEqual(shape(en));
    expect(shape(annotateDe)).toEqual(shape(annotateEn));
  });

  it("use one term for each concept", () => {
    // The terms are claim, sentence, source, passage and verdict, never these synonyms.
    const others = /\b(statements?|pieces? of evidence|units?|left out|leave out|unticked?|bears? (it )?out|leans? on|roll(ed|ing) up|anew)\b/i;
    expect([...texts(en), ...texts(annotateEn)].filter((text) => others.test(text))).toEqual([]);
    const german = /\b(Aussagen?|Einheit(en)?|weggelassen|weglassen|gescheitert)\b/;
    expect([...texts(de), ...texts(annotateDe)].filter((text) => german.test(text))).toEqual([]);
  });
});
