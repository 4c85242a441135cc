// Pieces of evidence as a reader meets them: a passage, what its judges say of it, and the words that they rest on.

import type { Document, Judgement, Label, Passage, Report, Span, Verdict } from "./records";
import { slicer } from "./text";
import { isTogether } from "../rescore/exclusion";

export type Side = "for" | "against" | "aside" | "failed";
/** What the judges say of a passage; `together` and `unjudged` when none says anything of it alone. */
export type Finding = Label | "failed" | "together" | "unjudged";

export interface Card {
  key: string;
  /** All judgements that say the same of the passage and rest on the same words, the decisive first. */
  judgements: Judgement[];
  /** What judges say of the passage by itself, on the card of what it says together with others. */
  alone: Judgement[];
  /** The passage on whose card is what they say together, if another. */
  readWith: Passage | null;
  passage: Passage | null;
  document: Document | null;
  side: Side;
  finding: Finding;
  /** Where the quote stands in the passage, only when it stands there word for word. */
  place: Span | null;
  /** Whether the judge gave a quote that the passage does not hold. */
  invented: boolean;
  /** Whether the label does not count, because the quoted words are not there. */
  void: boolean;
}

/** Cards by unit. Every judgement and passage is on one. */
export function cardsOf(report: Report): Map<string, Card[]> {
  const passages = new Map(report.passages.map((passage) => [passage.id, passage]));
  const documents = new Map(report.documents.map((document) => [document.id, document]));
  const groups = Map.groupBy(report.judgements, (judgement) => {
    const passage = shownPassage(judgement, passages);
    const place = placeOf(judgement, passage);
    const alone = !judgement.label || !passage ? judgement.id : "";
    return [judgement.unit_id, judgement.passage_ids.join(" "), passage?.id, judgement.label, judgement.flags.join(" "), place ? `${place.start}-${place.end}` : judgement.quote?.text, alone].join("\u0000");
  });
  const cards = new Map<string, Card[]>();
  const add = (unit: string, card: Card): void => {
    const list = cards.get(unit);
    if (list) list.push(card);
    else cards.set(unit, [card]);
  };
  const shown = new Set<string>();
  const read = new Set<string>();
  for (const group of groups.values()) {
    group.sort((a, b) => (b.confidence ?? 0) - (a.confidence ?? 0));
    const first = group[0]!;
    const passage = shownPassage(first, passages);
    const place = placeOf(first, passage);
    first.passage_ids.forEach((name) => read.add(name));
    if (passage) shown.add(passage.id);
    add(first.unit_id, {
      key: first.id,
      judgements: group,
      alone: [],
      readWith: null,
      passage,
      document: (passage && documents.get(passage.document_id)) ?? null,
      side: first.label === "supported" ? "for" : first.label === "contradicted" ? "against" : first.label ? "aside" : "failed",
      finding: first.label ?? "failed",
      place,
      invented: !place && !!first.quote,
      void: first.flags.includes("quote_not_found"),
    });
  }
  for (const passage of report.passages) {
    if (shown.has(passage.id)) continue;
    add(passage.claim_id, {
      key: passage.id,
      judgements: [],
      alone: [],
      readWith: null,
      passage,
      document: documents.get(passage.document_id) ?? null,
      side: "aside",
      finding: read.has(passage.id) ? "together" : "unjudged",
      place: null,
      invented: false,
      void: false,
    });
  }
  return new Map([...cards].map(([unit, list]) => [unit, merged(list)]));
}

/** Cards of one unit, with what a passage says by itself put on its card together with others, unless that is the opposite. */
function merged(cards: readonly Card[]): Card[] {
  const together = cards.filter((card) => card.judgements.some(isTogether));
  return cards.filter((card) => {
    if (together.includes(card) || !card.passage) return true;
    const { id } = card.passage;
    card.readWith = together.find((other) => other.judgements[0]?.passage_ids.includes(id))?.passage ?? null;
    const other = together.find((one) => one.passage === card.passage && (card.side === "aside" || card.side === one.side));
    if (!other || card.void) return true;
    other.alone.push(...card.judgements);
    return false;
  });
}

/** The cards of one unit, those that its verdict rests on first, then the surest, then by rank. */
export function ordered(cards: readonly Card[], verdict: Verdict | undefined): Card[] {
  const decisive = new Set(verdict?.judgement_ids);
  const key = (card: Card): number[] => [
    isDecisive(card, decisive) ? 0 : 1,
    -(card.judgements[0]?.confidence ?? 0),
    card.passage?.rank ?? 0,
  ];
  return [...cards].sort((a, b) => {
    const [x, y] = [key(a), key(b)];
    const at = x.findIndex((value, i) => value !== y[i]);
    return at < 0 ? 0 : x[at]! - y[at]!;
  });
}

/** Keys of the cards that links to passages lead to: the first of each passage, which has several where judges disagree. */
export function anchored(cards: readonly Card[]): Set<string> {
  return new Set([...new Map(cards.toReversed().map((card) => [card.passage?.id, card.key])).values()]);
}

export function isDecisive(card: Card, decisive: ReadonlySet<string>): boolean {
  return [...card.judgements, ...card.alone].some((judgement) => judgement.label === card.judgements[0]?.label && decisive.has(judgement.id));
}

/** Title, else address or path, else id. */
export function sourceName(document: Document): string {
  return document.title || document.url || document.id;
}

export interface Mark {
  text: string;
  quote: boolean;
  order: boolean;
}

/** A card with those whose passages say near enough the same as its own, or have the same quote of the same source. */
export interface Stack {
  card: Card;
  copies: Card[];
}

/** Cards in their order, with copies and overlapping passages put under the first that says the same. */
export function stacked(cards: readonly Card[]): Stack[] {
  const first = new Map<string, Stack>();
  const stacks: Stack[] = [];
  for (const card of cards) {
    const names = card.passage ? [`${card.passage.copy_of ?? card.passage.id} ${card.finding}`] : [];
    if (card.place) names.push([card.document?.id, card.finding, judgesOf(card), card.judgements[0]?.quote?.text].join("\u0000"));
    const known = names.map((name) => first.get(name)).find((stack) => stack && stack.card.passage?.id !== card.passage?.id);
    if (known) {
      known.copies.push(card);
      continue;
    }
    const stack = { card, copies: [] };
    stacks.push(stack);
    for (const name of names) if (!first.has(name)) first.set(name, stack);
  }
  return stacks;
}

function judgesOf(card: Card): string {
  return card.judgements.map((one) => one.judge).join();
}

/**
 * A passage in stretches: the words that decide, what gives orders to a model, and the rest.
 *
 * `place` is where the judge's quote stands, or the best match where there is none; `limit` characters around it.
 */
export function stretches(card: Card, place: Span | null, limit: number | null): Mark[] {
  if (!card.passage) return [];
  const slice = slicer(card.passage.text);
  const length = Array.from(card.passage.text).length;
  const quote = place;
  const orders = card.passage.instructions ?? [];
  let [from, to] = [0, length];
  if (limit !== null) {
    from = quote ? Math.max(0, quote.start - limit) : 0;
    to = quote ? Math.min(length, quote.end + limit) : Math.min(length, 2 * limit);
  }
  const cuts = [from, to, ...[quote, ...orders].flatMap((span) => (span ? [span.start, span.end] : []))]
    .filter((at) => at >= from && at <= to)
    .sort((a, b) => a - b);
  const inside = (span: Span | null, start: number, end: number): boolean => !!span && span.start <= start && end <= span.end;
  const marks: Mark[] = [];
  for (const [i, start] of cuts.entries()) {
    const end = cuts[i + 1];
    if (end === undefined || end === start) continue;
    marks.push({ text: slice(start, end), quote: inside(quote, start, end), order: orders.some((span) => inside(span, start, end)) });
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

function placeOf(judgement: Judgement, passage: Passage | null): Span | null {
  const quote = judgement.quote;
  if (!quote || !passage || !judgement.passage_ids.includes(quote.passage_id) || !quote.text.trim()) return null;
  return slicer(passage.text)(quote.span.start, quote.span.end) === quote.text ? quote.span : null;
}
