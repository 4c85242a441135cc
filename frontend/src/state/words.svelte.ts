// The catalogue in use, and how numbers, days and money are written in it.

import { keep, kept } from "../lib/browserStore";
import { en, type Catalogue } from "../strings/en";

/** Catalogues that are loaded; English is at hand, the others come when they are chosen. */
const CATALOGUES: Record<string, Catalogue> = { en };
const LOADERS: Record<string, () => Promise<Catalogue>> = {
  en: () => Promise.resolve(en),
  de: async () => (await import("../strings/de")).de,
};
export const LANGUAGES = [
  { code: "en", name: "English" },
  { code: "de", name: "Deutsch" },
];

const KEPT = "factscope.language";
const chosen = $state({ code: first() });

function first(): string {
  const wanted = [kept("localStorage", KEPT), ...navigator.languages.map((tag) => tag.split("-")[0] ?? "")];
  return wanted.find((code) => code && code in LOADERS) ?? "en";
}

/** The catalogue in use; read in a template, it follows the language. */
export function t(): Catalogue {
  return CATALOGUES[chosen.code] ?? en;
}

/** Load the catalogue of the language that holds at the start; where it can't be had the page speaks English. */
export async function learn(): Promise<void> {
  try {
    CATALOGUES[chosen.code] ??= await (LOADERS[chosen.code] ?? LOADERS["en"]!)();
  } catch {
    chosen.code = "en";
  }
}

export async function speak(code: string): Promise<void> {
  CATALOGUES[code] ??= await (LOADERS[code] ?? LOADERS["en"]!)();
  chosen.code = code;
  document.documentElement.lang = code;
  keep("localStorage", KEPT, code);
}

/** The name of a language of ISO 639-1, in the language of the page. */
export function languageName(code: string): string {
  return new Intl.DisplayNames(chosen.code, { type: "language" }).of(code) ?? code;
}

/** How numbers and days are written: as where the person is, if that speaks the same language. */
function locale(): string {
  return navigator.languages.find((tag) => tag.split("-")[0] === chosen.code) ?? chosen.code;
}

/** A share with two decimals; one between 0 and 1 is never rounded to either. */
export function decimals(value: number): string {
  const between = value > 1e-9 && value < 1 - 1e-9;
  const shown = between ? Math.min(Math.max(value, 0.01), 0.99) : value;
  return new Intl.NumberFormat(locale(), { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(shown);
}

/** Such as `84.6 %`; never 0 or 100 unless it is that. */
export function percent(share: number): string {
  const shown = share > 1e-9 && share < 1 - 1e-9 ? Math.min(Math.max(share, 0.001), 0.999) : share;
  return new Intl.NumberFormat(locale(), { style: "percent", maximumFractionDigits: 1 }).format(shown);
}

/** A whole percentage, as of a confidence level. */
export function wholePercent(share: number): string {
  return new Intl.NumberFormat(locale(), { style: "percent", maximumFractionDigits: 0 }).format(share);
}

export function money(value: number): string {
  const digits = value > 0 && value < 1 ? (value < 0.01 ? 4 : 2) : 2;
  return new Intl.NumberFormat(locale(), { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);
}

export function size(bytes: number): string {
  const [value, unit] = bytes >= 1e6 ? [bytes / 1e6, "megabyte"] : bytes >= 100 ? [bytes / 1e3, "kilobyte"] : [bytes, "byte"];
  // Short units have no plural: "37 byte".
  const unitDisplay = unit === "byte" ? "long" : "short";
  return new Intl.NumberFormat(locale(), { style: "unit", unit, unitDisplay, maximumFractionDigits: value < 10 ? 1 : 0 }).format(value);
}

/** A day, or a day with its time; what is not a date is shown as it came. */
export function day(iso: string | null | undefined, withTime = false): string {
  if (!iso) return "";
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  const options: Intl.DateTimeFormatOptions = withTime ? { dateStyle: "medium", timeStyle: "short" } : { dateStyle: "medium" };
  // A day without a time is that day everywhere.
  return new Intl.DateTimeFormat(locale(), { ...options, ...(iso.length <= 10 ? { timeZone: "UTC" } : {}) }).format(date);
}
