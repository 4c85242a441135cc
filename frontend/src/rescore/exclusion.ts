/** Excluded evidence, and the judgements that are excluded with it: `factscope.scoring.verdicts.exclusion`. */

import { casefold } from "./text";
import type { Document, Exclusions, Judgement, Passage } from "./types";

/** The ids of excluded passages. A domain includes its subdomains. */
export function excludedPassages(
  passages: readonly Passage[],
  documents: readonly Document[],
  exclude: Exclusions,
): Set<string> {
  const domains = (exclude.domains ?? []).map((domain) => trimDots(casefold(domain)));
  const namedDocuments = new Set(exclude.documents);
  const categories = new Set<string>(exclude.categories);
  const excludedDocuments = new Set(namedDocuments);
  for (const document of documents) {
    const host = domains.length ? webHost(document.url) : null;
    const byHost = host !== null && domains.some((domain) => host === domain || host.endsWith(`.${domain}`));
    const byAddress = typeof document.url === "string" && namedDocuments.has(document.url);
    if (byAddress || byHost || categories.has(document.category ?? "other")) excludedDocuments.add(document.id);
  }
  const namedPassages = new Set(exclude.passages);
  const excluded = new Set<string>();
  const seen = new Set<string>();
  for (const passage of passages) {
    const first = passage.copy_of || passage.id;
    const isCopy = exclude.copies === true && seen.has(first);
    if (namedPassages.has(passage.id) || excludedDocuments.has(passage.document_id) || isCopy) excluded.add(passage.id);
    else seen.add(first);
  }
  return excluded;
}

/** Whether several passages were judged together because none of them settles the claim alone. */
export function isTogether(judgement: Judgement): boolean {
  return judgement.flags?.includes("read_together") ?? false;
}

/** Whether a judgement is excluded: all of its passages are, or any of them if they were judged together. */
export function isExcluded(judgement: Judgement, excluded: { has(id: string): boolean }): boolean {
  if (isTogether(judgement)) return judgement.passage_ids.some((id) => excluded.has(id));
  return judgement.passage_ids.length > 0 && judgement.passage_ids.every((id) => excluded.has(id));
}

/** Host name of a web address, read as Python's `urlsplit` reads it; null for anything else. */
export function webHost(url: string | null | undefined): string | null {
  const cleaned = (url ?? "").replace(/^[\0- ]+/, "").replace(/[\t\r\n]/g, "");
  const [, rest] = /^https?:(.*)$/is.exec(cleaned) ?? [];
  if (rest === undefined || !rest.startsWith("//")) return null;
  const netloc = (/^[^/?#]*/.exec(rest.slice(2)) as RegExpExecArray)[0];
  if (!isValidNetloc(netloc)) return null;
  const address = netloc.slice(netloc.lastIndexOf("@") + 1);
  const open = address.indexOf("[");
  const name = open < 0 ? (address.split(":", 1)[0] ?? "") : (address.slice(open + 1).split("]", 1)[0] ?? "");
  return trimDots(casefold(name)) || null;
}

/** Whether `urlsplit` accepts the part between `//` and the path. */
function isValidNetloc(netloc: string): boolean {
  const [opens, closes] = [netloc.includes("["), netloc.includes("]")];
  if (opens !== closes) return false;
  if (opens && !hasValidBrackets(netloc)) return false;
  // Normalization must not turn a character into a delimiter that ends the host name.
  const plain = netloc.replace(/[@:#?]/g, "");
  const composed = plain.normalize("NFKC");
  return plain === composed || !/[/?#@:]/.test(composed);
}

/** Whether the address in brackets is IPv6 or of a later version. */
function hasValidBrackets(netloc: string): boolean {
  const address = netloc.slice(netloc.indexOf("[") + 1).split("]", 1)[0] as string;
  if (address.startsWith("v")) return /^v[a-fA-F0-9]+\..+$/.test(address);
  const [plain = "", zone, ...more] = address.split("%");
  if (zone === "" || more.length) return false;
  return isIpv6(plain);
}

function isIpv6(address: string): boolean {
  const dotted = address.includes(".");
  const last = address.slice(address.lastIndexOf(":") + 1);
  const byte = /^(0|[1-9]\d{0,2})$/;
  if (dotted && !(last.split(".").length === 4 && last.split(".").every((n) => byte.test(n) && Number(n) < 256))) {
    return false;
  }
  const halves = (dotted ? `${address.slice(0, -last.length)}0:0` : address).split("::");
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  const length = groups.length;
  return groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group)) && (halves.length === 2 ? length < 8 : length === 8);
}

function trimDots(name: string): string {
  return name.replace(/^\.+|\.+$/g, "");
}
