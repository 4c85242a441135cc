// Evidence cards: a passage, what its judges say about it, and the words they quote.

import type { Document, Judgement, Label, Passage, Report, Span, Verdict } from "./records";
import { slicer } from "./text";
import { isTogether } from "../rescore/exclusion";

export type Side = "for" | "against" | "aside" | "failed";
/** What the judges say about a passage; `together` and `unjudged` if none judged it on its own. */
export type Finding = Label | "failed" | "together" | "unjudged";

export interface Card {
  key: string;
  /** All judgements with the same label and quote for the passage, most confident first. */
  judgements: Judgement[];
  /** Judgements on the passage alone, if this card is about several passages judged together. */
  alone: Judgement[];
  /** The passage whose card shows the joint judgement, if the passage was judged together with others. */
  readWith: Passage | null;
  passage: Passage | null;
  document: Document | null;
  side: Side;
  finding: Finding;
  /** Position of the quote in the passage, if it occurs there verbatim. */
  quoteSpan: Span | null;
  /** Whether the judge's quote does not occur in the passage. */
  invented: boolean;
  /** Whether the label does not count because the quote was not found. */
  void: boolean;
}

/** Cards by unit. Every judgement and every passage is on one of them. */
export function cardsOf(report: Report): Map<string, Card[]> {
  const passages = new Map(report.passages.map((passage) => [passage.id, passage]));
  const documents = new Map(report.documents.map((document) => [document.id, document]));
  const groups = Map.groupBy(report.judgements, (judgement) => {
    const passage = shownPassage(judgement, passages);
    const span = quoteSpanOf(judgement, passage);
    const unmerged = !judgement.label || !passage ? judgement.id : "";
    return [judgement.unit_id, judgement.passage_ids.join(" "), passage?.id, judgement.label, judgement.flags.join(" "), span ? `${span.start}-${span.end}` : judgement.quote?.text, unmerged].join("\u0000");
  });
  const cards = new Map<string, Card[]>();
  const add = (unit: string, card: Card): void => {
    const list = cards.get(unit);
    if (list) list.push(card);
    else cards.set(unit, [card]);
  };
  const shownIds = new Set<string>();
  const judgedIds = new Set<string>();
  for (const group of groups.values()) {
    group.sort((a, b) => (b.confidence ?? 0) - (a.confidence ?? 0));
    const first = group[0]!;
    const passage = shownPassage(first, passages);
    const quoteSpan = quoteSpanOf(first, passage);
    first.passage_ids.forEach((id) => judgedIds.add(id));
    if (passage) shownIds.add(passage.id);
    add(first.unit_id, {
      key: first.id,
      judgements: group,
      alone: [],
      readWith: null,
      passage,
      document: (passage && documents.get(passage.document_id)) ?? null,
      side: first.label === "supported" ? "for" : first.label === "contradicted" ? "against" : first.label ? "aside" : "failed",
      finding: first.label ?? "failed",
      quoteSpan,
      invented: !quoteSpan && !!first.quote,
      void: first.flags.includes("quote_not_found"),
    });
  }
  for (const passage of report.passages) {
    if (shownIds.has(passage.id)) continue;
    add(passage.claim_id, {
      key: passage.id,
      judgements: [],
      alone: [],
      readWith: null,
      passage,
      document: documents.get(passage.document_id) ?? null,
      side: "aside",
      finding: judgedIds.has(passage.id) ? "together" : "unjudged",
      quoteSpan: null,
      invented: false,
      void: false,
    });
  }
  return new Map([...cards].map(([unit, list]) => [unit, withJointCards(list)]));
}

/** Cards of one unit, with judgements on a passage alone moved to the card of its joint judgement, unless they are opposed. */
function withJointCards(cards: readonly Card[]): Card[] {
  const joint = cards.filter((card) => card.judgements.some(isTogether));
  return cards.filter((card) => {
    if (joint.includes(card) || !card.passage) return true;
    const { id } = card.passage;
    card.readWith = joint.find((other) => other.judgements[0]?.passage_ids.includes(id))?.passage ?? null;
    const target = joint.find((other) => other.passage === card.passage && (card.side === "aside" || card.side === other.side));
    if (!target || card.void) return true;
    target.alone.push(...card.judgements);
    return false;
  });
}

/** The cards of one unit: those that its verdict is based on first, then by confidence, then by rank. */
export function ordered(cards: readonly Card[], verdict: Verdict | undefined): Card[] {
  const decisive = new Set(verdict?.judgement_ids);
  const key = (card: Card): number[] => [
    isDecisive(card, decisive) ? 0 : 1,
    -(card.judgements[0]?.confidence ?? 0),
    card.passage?.rank ?? 0,
  ];
  return [...cards].sort((a, b) => {
    const [x, y] = [key(a), key(b)];
    const difference = x.findIndex((value, i) => value !== y[i]);
    return difference < 0 ? 0 : x[difference]! - y[difference]!;
  });
}

/** Keys of the cards that links to passages point at: the first card of each passage, since a passage has several if judges disagree. */
export function anchored(cards: readonly Card[]): Set<string> {
  return new Set([...new Map(cards.toReversed().map((card) => [card.passage?.id, card.key])).values()]);
}

export function isDecisive(card: Card, decisive: ReadonlySet<string>): boolean {
  return [...card.judgements, ...card.alone].some((judgement) => judgement.label === card.judgements[0]?.label && decisive.has(judgement.id));
}

/** The title, or else the address or path, or else the id. */
export function sourceName(document: Document): string {
  return document.title || document.url || document.id;
}

export interface Mark {
  text: string;
  quote: boolean;
  order: boolean;
}

/** A card with its near-duplicates: copies of its passage, and overlapping passages with the same quote from the same source. */
export interface Stack {
  card: Card;
  copies: Card[];
}

/** Cards in their order, with copies and overlapping passages stacked under the first that says the same. */
export function stacked(cards: readonly Card[]): Stack[] {
  const first = new Map<string, Stack>();
  const stacks: Stack[] = [];
  for (const card of cards) {
    const keys = card.passage ? [`${card.passage.copy_of ?? card.passage.id} ${card.finding}`] : [];
    if (card.quoteSpan) keys.push([card.document?.id, card.finding, judgesOf(card), card.judgements[0]?.quote?.text].join("\u0000"));
    const earlier = keys.map((key) => first.get(key)).find((stack) => stack && stack.card.passage?.id !== card.passage?.id);
    if (earlier) {
      earlier.copies.push(card);
      continue;
    }
    const stack = { card, copies: [] };
    stacks.push(stack);
    for (const key of keys) if (!first.has(key)) first.set(key, stack);
  }
  return stacks;
}

function judgesOf(card: Card): string {
  return card.judgements.map((judgement) => judgement.judge).join();
}

/**
 * A passage split into the quote, instructions aimed at a model, and the rest.
 *
 * `quote` is the position of the judge's quote, or the best match if there is none; `limit` characters around it are kept.
 */
export function stretches(card: Card, quote: Span | null, limit: number | null): Mark[] {
  if (!card.passage) return [];
  const slice = slicer(card.passage.text);
  const length = Array.from(card.passage.text).length;
  const instructions = card.passage.instructions ?? [];
  let [from, to] = [0, length];
  if (limit !== null) {
    from = quote ? Math.max(0, quote.start - limit) : 0;
    to = quote ? Math.min(length, quote.end + limit) : Math.min(length, 2 * limit);
  }
  const cuts = [from, to, ...[quote, ...instructions].flatMap((span) => (span ? [span.start, span.end] : []))]
    .filter((cut) => cut >= from && cut <= to)
    .sort((a, b) => a - b);
  const inside = (span: Span | null, start: number, end: number): boolean => !!span && span.start <= start && end <= span.end;
  const marks: Mark[] = [];
  for (const [i, start] of cuts.entries()) {
    const end = cuts[i + 1];
    if (end === undefined || end === start) continue;
    marks.push({ text: slice(start, end), quote: inside(quote, start, end), order: instructions.some((span) => inside(span, start, end)) });
  }
  const [first, last] = [marks[0], marks.at(-1)];
  if (from > 0 && first && !first.quote) first.text = `…${first.text.slice(Math.max(0, first.text.search(/\s/)))}`;
  if (to < length && last && !last.quote) last.text = `${last.text.replace(/\s+\S*$/, "")}…`;
  return marks;
}

function shownPassage(judgement: Judgement, passages: ReadonlyMap<string, Passage>): Passage | null {
  const quoted = judgement.quote ? passages.get(judgement.quote.passage_id) : undefined;
  return quoted ?? passages.get(judgement.passage_ids[0] ?? "") ?? null;
}

function quoteSpanOf(judgement: Judgement, passage: Passage | null): Span | null {
  const quote = judgement.quote;
  if (!quote || !passage || !judgement.passage_ids.includes(quote.passage_id) || !quote.text.trim()) return null;
  return slicer(passage.text)(quote.span.start, quote.span.end) === quote.text ? quote.span : null;
}
