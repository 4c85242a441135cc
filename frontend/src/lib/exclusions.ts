// What a person rules out, and what falls with it; as `verdicts/exclusion.py`.

import { webHost as scoredHost } from "../rescore";
import { webHost } from "./links";
import { NOTHING_EXCLUDED, type Category, type Document, type Exclusions, type Passage, type Report } from "./records";

export { isExcluded as falls } from "../rescore/exclusion";

/** Why a passage is out, the widest reason first; `null` when it is in. */
export type Why = { by: "category" | "domain" | "document" | "passage" | "copy"; name: string } | null;

export function clean(changes: Partial<Exclusions> | null | undefined): Exclusions {
  return { ...NOTHING_EXCLUDED, ...changes };
}

export function isNothing(exclude: Exclusions): boolean {
  return !exclude.copies && ![exclude.passages, exclude.documents, exclude.domains, exclude.categories].some((list) => list.length);
}

type ListName = "passages" | "documents" | "domains" | "categories";

/** The exclusions with one name added to a list, or taken from it. */
export function toggled(exclude: Exclusions, list: ListName, name: string): Exclusions {
  const names = exclude[list] as string[];
  const next = names.includes(name) ? names.filter((entry) => entry !== name) : [...names, name];
  return { ...exclude, [list]: next };
}

/** Why each excluded passage is out, by its id. */
export function excludedPassages(report: Report, exclude: Exclusions): Map<string, NonNullable<Why>> {
  const documents = new Map(report.documents.map((document) => [document.id, documentOut(document, exclude)]));
  const out = new Map<string, NonNullable<Why>>();
  for (const passage of report.passages) {
    const why = documents.get(passage.document_id) ?? (exclude.passages.includes(passage.id) ? { by: "passage" as const, name: passage.id } : null);
    if (why) out.set(passage.id, why);
  }
  if (exclude.copies) copiesOut(report.passages, out);
  return out;
}

function documentOut(document: Document, exclude: Exclusions): Why {
  if (exclude.categories.includes(document.category)) return { by: "category", name: document.category };
  const host = scoredHost(document.url);
  const domain = host && exclude.domains.find((name) => host === name || host.endsWith(`.${name}`));
  if (domain) return { by: "domain", name: domain };
  const named = exclude.documents.find((name) => name === document.id || name === document.url);
  return named ? { by: "document", name: named } : null;
}

/** Of passages that are copies of each other, all but the first that is still in. */
function copiesOut(passages: readonly Passage[], out: Map<string, NonNullable<Why>>): void {
  const holders = new Map<string, string>();
  for (const passage of passages) {
    if (out.has(passage.id)) continue;
    const first = passage.copy_of ?? passage.id;
    const holder = holders.get(first);
    if (holder) out.set(passage.id, { by: "copy", name: holder });
    else holders.set(first, passage.id);
  }
}

export interface SiteName {
  /** Host name, or for local files the document's path. */
  name: string;
  /** The host as the scores read it: what an exclusion names. */
  host: string | null;
}

export function hostOrName(document: Document): SiteName {
  const host = scoredHost(document.url);
  return { name: webHost(document.url) ?? host ?? document.url ?? document.title ?? document.id, host };
}

/** The exclusions with a site left out, or counted again: by its host, or where there is none by its documents. */
export function siteToggled(report: Report, exclude: Exclusions, site: SiteName): Exclusions {
  if (site.host) return toggled(exclude, "domains", site.host);
  const own = report.documents.filter((document) => hostOrName(document).name === site.name).map((document) => document.id);
  const out = own.every((id) => exclude.documents.includes(id));
  const others = exclude.documents.filter((id) => !own.includes(id));
  return { ...exclude, documents: out ? others : [...others, ...own] };
}

/** Whether the sources without a category are all files that a person gave, and none is a page of the web. */
export function onlyFiles(sources: readonly Source[]): boolean {
  const rest = sources.find((entry) => entry.category === "other");
  return !!rest && rest.sites.every((site) => !site.host);
}

export interface Site extends SiteName {
  documents: Document[];
  passages: number;
}
export interface Source {
  category: Category;
  sites: Site[];
  passages: number;
}

/** Where the evidence comes from: categories, in them sites, in them documents; the most used first. */
export function sourcesOf(report: Report): Source[] {
  const used = new Map<string, number>();
  for (const passage of report.passages) used.set(passage.document_id, (used.get(passage.document_id) ?? 0) + 1);
  const sources = new Map<Category, Map<string, Site>>();
  for (const document of report.documents) {
    const passages = used.get(document.id) ?? 0;
    if (!passages) continue;
    const { name, host } = hostOrName(document);
    const sites = sources.get(document.category) ?? new Map<string, Site>();
    sources.set(document.category, sites);
    const site = sites.get(name) ?? { name, host, documents: [], passages: 0 };
    sites.set(name, site);
    site.documents.push(document);
    site.passages += passages;
  }
  const byUse = (a: { passages: number }, b: { passages: number }): number => b.passages - a.passages;
  return [...sources]
    .map(([category, sites]) => {
      const list = [...sites.values()].sort(byUse);
      return { category, sites: list, passages: list.reduce((sum, site) => sum + site.passages, 0) };
    })
    .sort(byUse);
}
