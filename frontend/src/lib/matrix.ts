// Claims × sites: what each site says about each claim.

import { hostOrName, isExcluded, type SiteName } from "./exclusions";
import type { Label, Report } from "./records";
import { isTogether } from "../rescore/exclusion";

/** Labels, most informative first: a cell shows the first that its site gives, with counts of all beside it. */
const LABEL_PRIORITY: readonly Label[] = ["contradicted", "supported", "not_enough_evidence", "not_supported", "irrelevant"];

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
 * One column for each judged site, most used first, with cells by claim.
 *
 * Labels of passages in `excluded` stay, to be shown struck out; labels that others give only together with them do not.
 */
export function columnsOf(report: Report, excluded: { has(id: string): boolean }): Column[] {
  const documents = new Map(report.documents.map((document) => [document.id, document]));
  const passages = new Map(report.passages.map((passage) => [passage.id, passage]));
  const columns = new Map<string, Column>();
  for (const judgement of report.judgements) {
    if (!judgement.label) continue;
    const together = isTogether(judgement);
    const passageIds = judgement.quote && !together ? [judgement.quote.passage_id] : judgement.passage_ids;
    const dropped = together && isExcluded(judgement, excluded);
    for (const id of passageIds) {
      if (dropped && !excluded.has(id)) continue;
      const document = documents.get(passages.get(id)?.document_id ?? "");
      if (!document) continue;
      const site = hostOrName(document);
      const column = columns.get(site.name) ?? { site, documents: [], cells: new Map<string, Cell>() };
      columns.set(site.name, column);
      if (!column.documents.includes(document.id)) column.documents.push(document.id);
      const cell = column.cells.get(judgement.unit_id) ?? { label: judgement.label, labels: new Map<Label, number>(), passage: id };
      column.cells.set(judgement.unit_id, cell);
      cell.labels.set(judgement.label, (cell.labels.get(judgement.label) ?? 0) + 1);
      if (LABEL_PRIORITY.indexOf(judgement.label) < LABEL_PRIORITY.indexOf(cell.label)) [cell.label, cell.passage] = [judgement.label, id];
    }
  }
  return [...columns.values()].sort((a, b) => b.cells.size - a.cells.size);
}
