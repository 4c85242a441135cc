// Claims × sites: what each site says of each claim.

import { falls, hostOrName, type SiteName } from "./exclusions";
import type { Label, Report } from "./records";
import { isTogether } from "../rescore/exclusion";

/** Of several labels the one that says most; what a site says otherwise too is in the count beside it. */
const TELLING: readonly Label[] = ["contradicted", "supported", "not_enough_evidence", "not_supported", "irrelevant"];

export interface Cell {
  label: Label;
  /** Judgements of the site's passages on the claim. */
  labels: Map<Label, number>;
  /** The passage to open. */
  passage: string;
}
export interface Column {
  site: SiteName;
  documents: string[];
  cells: Map<string, Cell>;
}

/**
 * One column for each site that was judged, the most used first; cells by claim.
 *
 * What passages in `out` say stays, to be struck out; what others say only together with them does not.
 */
export function columnsOf(report: Report, out: { has(id: string): boolean }): Column[] {
  const documents = new Map(report.documents.map((document) => [document.id, document]));
  const passages = new Map(report.passages.map((passage) => [passage.id, passage]));
  const columns = new Map<string, Column>();
  for (const judgement of report.judgements) {
    if (!judgement.label) continue;
    const together = isTogether(judgement);
    const read = judgement.quote && !together ? [judgement.quote.passage_id] : judgement.passage_ids;
    const fallen = together && falls(judgement, out);
    for (const id of read) {
      if (fallen && !out.has(id)) continue;
      const document = documents.get(passages.get(id)?.document_id ?? "");
      if (!document) continue;
      const site = hostOrName(document);
      const column = columns.get(site.name) ?? { site, documents: [], cells: new Map<string, Cell>() };
      columns.set(site.name, column);
      if (!column.documents.includes(document.id)) column.documents.push(document.id);
      const cell = column.cells.get(judgement.unit_id) ?? { label: judgement.label, labels: new Map<Label, number>(), passage: id };
      column.cells.set(judgement.unit_id, cell);
      cell.labels.set(judgement.label, (cell.labels.get(judgement.label) ?? 0) + 1);
      if (TELLING.indexOf(judgement.label) < TELLING.indexOf(cell.label)) [cell.label, cell.passage] = [judgement.label, id];
    }
  }
  return [...columns.values()].sort((a, b) => b.cells.size - a.cells.size);
}
