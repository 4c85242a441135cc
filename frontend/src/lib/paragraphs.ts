// The complete text, split at blank lines, with each sentence in position.

import type { Segment } from "./records";
import { slicer } from "./text";

/** A piece of the text: a segment, or the text between two segments. */
export interface Piece {
  key: string;
  text: string;
  segment: Segment | null;
}
export interface Paragraph {
  key: string;
  pieces: Piece[];
}

const MAX_LINE_LENGTH = 120;
const CONTEXT = 2_000;
/** The maximum number of sentences in one block, so that parts of a very long paragraph need not be painted while scrolling. */
const MAX_SENTENCES = 60;

export function paragraphsOf(text: string, segments: readonly Segment[]): Paragraph[] {
  const slice = slicer(text);
  const done: Piece[][] = [];
  let current: Piece[] = [];
  let end = 0;
  let gaps = 0;
  const gap = (between: string): void => {
    const [first = "", ...others] = between.replace(/\r\n/g, "\n").split(/\n[^\S\n]*\n\s*/);
    if (first) current.push({ key: `g${gaps++}`, text: first, segment: null });
    for (const other of others) {
      done.push(current);
      current = other ? [{ key: `g${gaps++}`, text: other, segment: null }] : [];
    }
    if (current.length > 2 * MAX_SENTENCES) {
      done.push(current);
      current = [];
    }
  };
  const ordered = [...segments].sort((a, b) => a.span.start - b.span.start);
  for (const segment of ordered) {
    const between = slice(end, segment.span.start);
    const before = slice(Math.max(0, end - CONTEXT), end);
    gap(wrapped(between, before, () => slice(segment.span.start, segment.span.start + CONTEXT)) ? " " : between);
    current.push({ key: segment.id, text: segment.text, segment });
    end = Math.max(end, segment.span.end);
  }
  gap(slice(end));
  done.push(current);
  return done
    .filter((pieces) => pieces.some((piece) => piece.text.trim()))
    .map((pieces) => ({ key: pieces[0]?.key ?? "", pieces }));
}

/** Whether a line break between two sentences only wraps a long line, so that it means a space. */
function wrapped(between: string, before: string, following: () => string): boolean {
  if (between.trim() || between.split("\n").length !== 2) return false;
  const above = before.slice(before.lastIndexOf("\n\n") + 1);
  const below = following().split("\n\n", 1)[0] ?? "";
  const longest = Math.max(...`${above}\n${below}`.split("\n").map((line) => line.length));
  const line = above.slice(above.lastIndexOf("\n") + 1);
  const word = below.trimStart().split(/\s/, 1)[0] ?? "";
  return longest <= MAX_LINE_LENGTH && word.length > 0 && line.length + 1 + word.length > longest;
}
