// Credibility as in Facts&Evidence: the share of supporting evidence, pooled, for a claim, a sentence and the whole text.

import { isExcluded } from "./exclusions";
import type { Category, Judgement, Report } from "./records";
import { isTogether } from "../rescore/exclusion";
import { pieces } from "../rescore/scores";

export interface Share {
  supporting: number;
  total: number;
}

export function valueOf(share: Share | undefined): number | null {
  return share?.total ? share.supporting / share.total : null;
}

/** Shares of every claim, segment and the response by id, without excluded and failed judgements. */
export function sharesOf(report: Report, excluded: { has(id: string): boolean }): Map<string, Share> {
  const segmentOf = new Map(report.claims.map((claim) => [claim.id, claim.segment_id]));
  const shares = new Map<string, Share>();
  for (const [judgement, n] of counted(report, excluded)) {
    const ids = new Set([judgement.unit_id, segmentOf.get(judgement.unit_id), report.response.id]);
    for (const id of ids) if (id) count(shares, id, judgement, n);
  }
  return shares;
}

/** For each source category, how many pieces of the remaining evidence come from it, and how many of them support. */
export function categoryShares(report: Report, excluded: { has(id: string): boolean }): Map<Category, Share> {
  const categoryOf = new Map(report.documents.map((document) => [document.id, document.category]));
  const ofPassage = new Map(report.passages.map((passage) => [passage.id, categoryOf.get(passage.document_id)]));
  const shares = new Map<Category, Share>();
  for (const [judgement] of counted(report, excluded)) {
    for (const id of isTogether(judgement) ? judgement.passage_ids : [judgement.quote?.passage_id ?? judgement.passage_ids[0] ?? ""]) {
      const category = ofPassage.get(id);
      if (category) count(shares, category, judgement, 1);
    }
  }
  return shares;
}

function counted(report: Report, excluded: { has(id: string): boolean }): [Judgement, number][] {
  return pieces(report.judgements.filter((judgement) => !isExcluded(judgement, excluded)));
}

function count<K>(shares: Map<K, Share>, key: K, { label }: Judgement, n: number): void {
  const { supporting, total } = shares.get(key) ?? { supporting: 0, total: 0 };
  shares.set(key, { supporting: supporting + (label === "supported" ? n : 0), total: total + n });
}
