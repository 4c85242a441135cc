// The catalogue of the current language, and its formats of numbers, dates and money.

import { readStored, writeStored } from "../lib/browserStore";
import { en, type Catalogue } from "../strings/en";

/** Loaded catalogues: English is always there, others are loaded when they are chosen. */
const CATALOGUES: Record<string, Catalogue> = { en };
const LOADERS: Record<string, () => Promise<Catalogue>> = {
  en: () => Promise.resolve(en),
  de: async () => (await import("../strings/de")).de,
};
export const LANGUAGES = [
  { code: "en", name: "English" },
  { code: "de", name: "Deutsch" },
];

const STORAGE_KEY = "factscope.language";
const chosen = $state({ code: initialLanguage() });

function initialLanguage(): string {
  const candidates = [readStored("localStorage", STORAGE_KEY), ...navigator.languages.map((tag) => tag.split("-")[0] ?? "")];
  return candidates.find((code) => code && code in LOADERS) ?? "en";
}

/** The current catalogue; in a template, it changes with the language. */
export function t(): Catalogue {
  return CATALOGUES[chosen.code] ?? en;
}

/** Load the catalogue of the initial language; if that fails, the page is in English. */
export async function loadCatalogue(): Promise<void> {
  try {
    CATALOGUES[chosen.code] ??= await (LOADERS[chosen.code] ?? LOADERS["en"]!)();
  } catch {
    chosen.code = "en";
  }
}

export async function setLanguage(code: string): Promise<void> {
  CATALOGUES[code] ??= await (LOADERS[code] ?? LOADERS["en"]!)();
  chosen.code = code;
  document.documentElement.lang = code;
  writeStored("localStorage", STORAGE_KEY, code);
}

/** The name of an ISO 639-1 language, in the language of the page. */
export function languageName(code: string): string {
  return new Intl.DisplayNames(chosen.code, { type: "language" }).of(code) ?? code;
}

/** The locale for numbers and dates: the user's region, if it has the same language. */
function locale(): string {
  return navigator.languages.find((tag) => tag.split("-")[0] === chosen.code) ?? chosen.code;
}

/** A share with two decimals; a value between 0 and 1 is never rounded to either. */
export function decimals(value: number): string {
  const between = value > 1e-9 && value < 1 - 1e-9;
  const clamped = between ? Math.min(Math.max(value, 0.01), 0.99) : value;
  return new Intl.NumberFormat(locale(), { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(clamped);
}

/** A percentage such as `84.6 %`; a value between 0 and 1 is never rounded to either. */
export function percent(share: number): string {
  const clamped = share > 1e-9 && share < 1 - 1e-9 ? Math.min(Math.max(share, 0.001), 0.999) : share;
  return new Intl.NumberFormat(locale(), { style: "percent", maximumFractionDigits: 1 }).format(clamped);
}

/** A whole percentage, such as a confidence level. */
export function wholePercent(share: number): string {
  return new Intl.NumberFormat(locale(), { style: "percent", maximumFractionDigits: 0 }).format(share);
}

export function money(value: number): string {
  const digits = value > 0 && value < 1 ? (value < 0.01 ? 4 : 2) : 2;
  return new Intl.NumberFormat(locale(), { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);
}

export function size(bytes: number): string {
  const [value, unit] = bytes >= 1e6 ? [bytes / 1e6, "megabyte"] : bytes >= 100 ? [bytes / 1e3, "kilobyte"] : [bytes, "byte"];
  // Short units have no plural: they would give "37 byte".
  const unitDisplay = unit === "byte" ? "long" : "short";
  return new Intl.NumberFormat(locale(), { style: "unit", unit, unitDisplay, maximumFractionDigits: value < 10 ? 1 : 0 }).format(value);
}

/** A day, optionally with its time; text that is not a date is returned unchanged. */
export function day(iso: string | null | undefined, withTime = false): string {
  if (!iso) return "";
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  const options: Intl.DateTimeFormatOptions = withTime ? { dateStyle: "medium", timeStyle: "short" } : { dateStyle: "medium" };
  // A date without a time is the same day in every time zone.
  return new Intl.DateTimeFormat(locale(), { ...options, ...(iso.length <= 10 ? { timeZone: "UTC" } : {}) }).format(date);
}
