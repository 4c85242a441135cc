// Builders of records for the tests, so that each test states only the values it is about.

import { emptyReport, type Claim, type Document, type Judgement, type Passage, type Report, type Segment, type Verdict } from "../src/lib/records";

/** A report on a text of these sentences, separated by spaces. */
export function reportOf(sentences: readonly string[], parts: Partial<Report> = {}): Report {
  let start = 0;
  const segments = sentences.map((text, i): Segment => {
    const span = { start, end: start + text.length };
    start = span.end + 1;
    return { type: "segment", id: `s${i + 1}`, span, text, kind: "sentence" };
  });
  return { ...emptyReport(sentences.join(" ")), segments, ...parts };
}

export function claim(id: string, text = "A claim."): Claim {
  return { type: "claim", id, segment_id: id.split(".")[0] ?? "", text, standalone: text } as Claim;
}

export function verdict(id: string, outcome: Verdict["outcome"], judgements: string[] = []): Verdict {
  return { type: "verdict", unit_id: id, level: id.includes(".") ? "claim" : "segment", outcome, judgement_ids: judgements } as unknown as Verdict;
}

export function document(id: string, url: string | null = null, category: Document["category"] = "other"): Document {
  return { type: "document", id, url, title: null, category, flags: [] } as unknown as Document;
}

export function passage(id: string, document_id: string, text = "Some words.", more: Partial<Passage> = {}): Passage {
  const claim_id = id.slice(0, id.lastIndexOf("."));
  return { type: "passage", id, claim_id, document_id, text, rank: 1, copy_of: null, ...more } as unknown as Passage;
}

export function judgement(passageId: string, label: Judgement["label"], more: Partial<Judgement> = {}): Judgement {
  const unit_id = passageId.slice(0, passageId.lastIndexOf("."));
  return { type: "judgement", id: `${passageId}.j1`, unit_id, passage_ids: [passageId], judge: "lab", label, flags: [], quote: null, ...more } as unknown as Judgement;
}
