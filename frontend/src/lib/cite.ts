// The text with numbered citations: each sentence with the sources of its verdict, each source with quote and address.

import { isDecisive, sourceName, type Card } from "./cards";
import { webAddress } from "./links";
import type { Segment } from "./records";
import { slicer } from "./text";
import { GLYPHS, type Look } from "./states";
import type { CheckStore } from "../state/check.svelte";
import { day, t } from "../state/words.svelte";

interface Cited {
  name: string;
  address: string | null;
  read: string | null;
  quote: string | null;
}

/** The cards that decide a sentence, without excluded ones. */
function cardsOf(store: CheckStore, segment: Segment): Card[] {
  const claims = store.claims.filter((claim) => claim.segment_id === segment.id);
  const units = claims.length ? claims.map((claim) => claim.id) : [segment.id];
  return units.flatMap((unit) => {
    const decisive = new Set(store.byUnit.get(unit)?.judgement_ids);
    const evidence = store.cards.get(unit) ?? [];
    return evidence.filter((card) => (card.side === "for" || card.side === "against") && isDecisive(card, decisive) && card.passage && !store.excluded.has(card.passage.id));
  });
}

/** The citation numbers of each sentence, and the list of sources they refer to. */
export function cited(store: CheckStore, segments: readonly Segment[]): { marks: Map<string, number[]>; list: Cited[] } {
  const list: Cited[] = [];
  const numbers = new Map<string, number>();
  const marks = new Map<string, number[]>();
  for (const segment of segments) {
    const cites: number[] = [];
    for (const card of cardsOf(store, segment)) {
      const document = card.document;
      if (!document || !card.passage) continue;
      const quote = card.quoteSpan ? slicer(card.passage.text)(card.quoteSpan.start, card.quoteSpan.end) : null;
      const key = `${document.id} ${quote ?? ""}`;
      let number = numbers.get(key);
      if (number === undefined) {
        list.push({ name: sourceName(document), address: document.url ?? null, read: document.fetched_at ?? store.check?.ended ?? null, quote });
        number = list.length;
        numbers.set(key, number);
      }
      if (!cites.includes(number)) cites.push(number);
    }
    marks.set(segment.id, cites);
  }
  return { marks, list };
}

const lookOf = (store: CheckStore, segment: Segment): Look => store.states.get(segment.id) ?? "waiting";
const footer = (store: CheckStore): string => t().cite.checked(day(store.check?.ended ?? store.check?.created));

function sourceLine(number: string, { name, address, read, quote }: Cited, format: (address: string) => string): string {
  const link = address && address !== name ? format(address) : "";
  const details = [link, read ? t().cite.accessed(day(read)) : "", quote ? `“${quote.replace(/\s+/g, " ")}”` : ""];
  return [`${number} ${name}`, ...details.filter(Boolean)].join(". ");
}

/** The text with its citations as plain text. */
export function citedText(store: CheckStore, segments: readonly Segment[]): string {
  const { marks, list } = cited(store, segments);
  const body = segments
    .map((segment) => {
      const look = lookOf(store, segment);
      const numbers = (marks.get(segment.id) ?? []).map((number) => `[${number}]`).join("");
      return `${segment.text}${numbers ? ` ${numbers}` : ""} (${GLYPHS[look]} ${t().states[look].word})`;
    })
    .join("\n");
  const sources = list.map((source, i) => sourceLine(`[${i + 1}]`, source, (address) => address));
  return [body, ...(sources.length ? [`${t().cite.sources}\n${sources.join("\n")}`] : []), footer(store)].join("\n\n");
}

/** The same as HTML. */
export function citedHtml(store: CheckStore, segments: readonly Segment[]): string {
  const { marks, list } = cited(store, segments);
  const body = segments
    .map((segment) => {
      const look = lookOf(store, segment);
      const numbers = (marks.get(segment.id) ?? []).map((number) => `<sup>[${number}]</sup>`).join("");
      return `<p>${escaped(segment.text)}${numbers} <i>(${GLYPHS[look]} ${escaped(t().states[look].word)})</i></p>`;
    })
    .join("");
  const sources = list
    .map(({ name, address, read, quote }) => {
      const web = webAddress(address);
      const link = web ? `<a href="${escaped(web)}">${escaped(name)}</a>` : escaped(name);
      return `<li>${link}${read ? `, ${escaped(t().cite.accessed(day(read)))}` : ""}${quote ? `: “${escaped(quote)}”` : ""}</li>`;
    })
    .join("");
  return `${body}${sources ? `<h3>${escaped(t().cite.sources)}</h3><ol>${sources}</ol>` : ""}<p><small>${escaped(footer(store))}</small></p>`;
}

const SIGNS: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => SIGNS[sign] ?? sign);
}

/** The text with accepted corrections and numbered citations as Markdown, with a list of changes and of sources. */
export function correctedMarkdown(store: CheckStore): string {
  const { marks, list } = cited(store, store.segments);
  const body = store.paragraphs
    .map((paragraph) =>
      paragraph.pieces
        .map(({ segment, text }) => {
          if (!segment) return text;
          const numbers = (marks.get(segment.id) ?? []).map((number) => `[${number}]`).join("");
          return `${store.accepted.get(segment.id)?.text ?? text}${numbers}`;
        })
        .join(""),
    )
    .join("\n\n");
  const changes = store.segments.flatMap((segment) => {
    const correction = store.accepted.get(segment.id);
    return correction ? [`- ~~${segment.text.trim()}~~ → ${correction.text.trim()}`] : [];
  });
  const sources = list.map((source, i) => sourceLine(`${i + 1}.`, source, (address) => `<${address}>`));
  const section = (title: string, lines: string[]): string[] => (lines.length ? [`## ${title}\n\n${lines.join("\n")}`] : []);
  return [body, ...section(t().correction.changes, changes), ...section(t().cite.sources, sources), `*${footer(store)}*`].join("\n\n") + "\n";
}
