// Finds the sentence of a passage that shares most words with a claim, for judgements without a quote.

import type { Span } from "./records";
import { codePoints } from "./text";

const SENTENCES = new Intl.Segmenter(undefined, { granularity: "sentence" });
const WORDS = new Intl.Segmenter(undefined, { granularity: "word" });

/** Words of fewer than four letters count little, unless they contain a digit or are not written in an alphabet. */
function weight(word: string): number {
  return word.length > 3 || /[\p{N}\p{Lo}]/u.test(word) ? 1 : 0.1;
}

function wordsOf(text: string): string[] {
  return Array.from(WORDS.segment(text)).flatMap(({ segment, isWordLike }) => (isWordLike ? [segment.toLowerCase()] : []));
}

/** The sentence that shares most words with the claim, the first if tied; null if none shares a significant word. */
export function bestMatch(text: string, claim: string): Span | null {
  const claimWords = new Set(wordsOf(claim));
  let best: { score: number; start: number; length: number } | null = null;
  for (const { segment, index } of SENTENCES.segment(text)) {
    const score = [...new Set(wordsOf(segment))].reduce((sum, word) => sum + (claimWords.has(word) ? weight(word) : 0), 0);
    if (score > (best?.score ?? 0)) best = { score, start: index, length: segment.trimEnd().length };
  }
  if (!best || best.score < 1) return null;
  const start = codePoints(text.slice(0, best.start));
  return { start, end: start + codePoints(text.slice(best.start, best.start + best.length)) };
}

/** A text in pieces, each with whether the claim also contains it. */
export function inCommon(text: string, claim: string): { text: string; shared: boolean }[] {
  const claimWords = new Set(wordsOf(claim));
  const pieces: { text: string; shared: boolean }[] = [];
  for (const { segment, isWordLike } of WORDS.segment(text)) {
    const word = segment.toLowerCase();
    const shared = !!isWordLike && claimWords.has(word) && weight(word) === 1;
    const last = pieces.at(-1);
    if (last && last.shared === shared) last.text += segment;
    else pieces.push({ text: segment, shared });
  }
  return pieces;
}
