// Excluded evidence, and what is excluded with it, as in `verdicts/exclusion.py`.

import { webHost as scoredHost } from "../rescore";
import { webHost } from "./links";
import { NOTHING_EXCLUDED, type Category, type Document, type Exclusions, type Passage, type Report } from "./records";

export { isExcluded } from "../rescore/exclusion";

/** Why a passage is excluded, the broadest reason first; `null` if it is not. */
export type ExclusionReason = { by: "category" | "domain" | "document" | "passage" | "copy"; name: string } | null;

export function withDefaults(changes: Partial<Exclusions> | null | undefined): Exclusions {
  return { ...NOTHING_EXCLUDED, ...changes };
}

export function isNothing(exclude: Exclusions): boolean {
  return !exclude.copies && ![exclude.passages, exclude.documents, exclude.domains, exclude.categories].some((list) => list.length);
}

type ListName = "passages" | "documents" | "domains" | "categories";

/** The exclusions with a name added to a list, or removed from it. */
export function toggled(exclude: Exclusions, list: ListName, name: string): Exclusions {
  const names = exclude[list] as string[];
  const next = names.includes(name) ? names.filter((other) => other !== name) : [...names, name];
  return { ...exclude, [list]: next };
}

/** The reason for each excluded passage, by its id. */
export function excludedPassages(report: Report, exclude: Exclusions): Map<string, NonNullable<ExclusionReason>> {
  const documents = new Map(report.documents.map((document) => [document.id, documentExclusion(document, exclude)]));
  const excluded = new Map<string, NonNullable<ExclusionReason>>();
  for (const passage of report.passages) {
    const why = documents.get(passage.document_id) ?? (exclude.passages.includes(passage.id) ? { by: "passage" as const, name: passage.id } : null);
    if (why) excluded.set(passage.id, why);
  }
  if (exclude.copies) excludeCopies(report.passages, excluded);
  return excluded;
}

function documentExclusion(document: Document, exclude: Exclusions): ExclusionReason {
  if (exclude.categories.includes(document.category)) return { by: "category", name: document.category };
  const host = scoredHost(document.url);
  const domain = host && exclude.domains.find((name) => host === name || host.endsWith(`.${name}`));
  if (domain) return { by: "domain", name: domain };
  const matching = exclude.documents.find((name) => name === document.id || name === document.url);
  return matching ? { by: "document", name: matching } : null;
}

/** Excludes all but the first remaining passage of those that are copies of each other. */
function excludeCopies(passages: readonly Passage[], excluded: Map<string, NonNullable<ExclusionReason>>): void {
  const byOriginal = new Map<string, string>();
  for (const passage of passages) {
    if (excluded.has(passage.id)) continue;
    const first = passage.copy_of ?? passage.id;
    const remaining = byOriginal.get(first);
    if (remaining) excluded.set(passage.id, { by: "copy", name: remaining });
    else byOriginal.set(first, passage.id);
  }
}

export interface SiteName {
  /** Host name, or the path of a local file. */
  name: string;
  /** The host as scoring reads it, which exclusions use. */
  host: string | null;
}

export function hostOrName(document: Document): SiteName {
  const host = scoredHost(document.url);
  return { name: webHost(document.url) ?? host ?? document.url ?? document.title ?? document.id, host };
}

/** The exclusions with a site excluded or included again: by its host, or by its documents if it has none. */
export function siteToggled(report: Report, exclude: Exclusions, site: SiteName): Exclusions {
  if (site.host) return toggled(exclude, "domains", site.host);
  const siteDocuments = report.documents.filter((document) => hostOrName(document).name === site.name).map((document) => document.id);
  const isOut = siteDocuments.every((id) => exclude.documents.includes(id));
  const others = exclude.documents.filter((id) => !siteDocuments.includes(id));
  return { ...exclude, documents: isOut ? others : [...others, ...siteDocuments] };
}

/** Whether all sources without a category are files provided by the user, not web pages. */
export function onlyFiles(sources: readonly Source[]): boolean {
  const other = sources.find((source) => source.category === "other");
  return !!other && other.sites.every((site) => !site.host);
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

/** Where the evidence comes from: categories of sites with their documents, most used first. */
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
