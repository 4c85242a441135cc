// Annotation: requests to the server, and operations on cuts and marks. Offsets are in code points.

import { call, download } from "./api";
import type { Annotation, AnnotationAgreement, AnnotationItem, AnnotationQueue, SavedAnnotation, SegmentMark } from "./schema";

export type { Annotation, AnnotationAgreement, AnnotationItem, AnnotationQueue, DomainAgreement, SegmentMark } from "./schema";
export type Kind = NonNullable<SegmentMark["kind"]>;
export const KINDS: Kind[] = ["knowledge_error", "reasoning_error", "irrelevant_with_qst", "fooled"];
export const UNMARKED: SegmentMark = { correct: null, kind: null, reason: "" };

export function annotationOf(queue: string, key: string) {
  const path = `/annotation/${encodeURIComponent(queue)}`;
  const headers = { "Annotator-Key": key };
  return {
    queue: () => call<AnnotationQueue>("GET", path, undefined, headers),
    item: (number: number) => call<AnnotationItem>("GET", `${path}/items/${number}`, undefined, headers),
    save: (number: number, answer: Annotation, revision: number) =>
      call<SavedAnnotation>("PUT", `${path}/items/${number}`, answer, { ...headers, "If-Match": `"${revision}"` }),
    agreement: () => call<AnnotationAgreement>("GET", `${path}/agreement`, undefined, headers),
    export: (form: "felm" | "hf") => download(`${path}/export?form=${form}`, headers),
  };
}

/** Whether a segment is fully marked, by the same rule as on the server. */
export function isMarked(mark: SegmentMark): boolean {
  return mark.correct === true || (mark.correct === false && mark.kind !== null);
}

/** The index of the first segment that is not fully marked, or -1. */
export function firstGap(answer: Annotation): number {
  return answer.keep ? answer.marks.findIndex((mark) => !isMarked(mark)) : -1;
}

/** The mark that an answer with these cuts gives to the segment at an offset. */
export function markAt(cuts: number[], marks: SegmentMark[], at: number): SegmentMark {
  return marks[cuts.filter((cut) => cut <= at).length] ?? UNMARKED;
}

/** Merges segment `n` with the next one. Wrong if either is wrong, correct only if both are. */
export function merged(answer: Annotation, n: number): Annotation {
  const [first, second] = [answer.marks[n], answer.marks[n + 1]];
  const at = answer.cuts[n];
  if (!first || !second || at === undefined) return answer;
  return {
    ...answer,
    cuts: answer.cuts.toSpliced(n, 1),
    marks: answer.marks.toSpliced(n, 2, mergedMark(first, second)),
    edits: [...answer.edits, { what: "merge", at }],
  };
}

function mergedMark(first: SegmentMark, second: SegmentMark): SegmentMark {
  const reason = [first.reason, second.reason].filter(Boolean).join(" ").slice(0, 10_000);
  if (first.correct === false || second.correct === false)
    return { correct: false, kind: first.kind ?? second.kind, reason };
  return first.correct && second.correct ? { ...first, reason } : { ...UNMARKED, reason };
}

/** Splits segment `n` at an offset within it; both parts keep its mark, but only the first keeps its reason. */
export function split(answer: Annotation, n: number, at: number): Annotation {
  const mark = answer.marks[n];
  if (!mark) return answer;
  return {
    ...answer,
    cuts: answer.cuts.toSpliced(n, 0, at),
    marks: answer.marks.toSpliced(n, 1, mark, { ...mark, reason: "" }),
    edits: [...answer.edits, { what: "split", at }],
  };
}

/** The words of a segment, each with the white space after it and its offset in the text. */
export function words(text: string, start: number): { text: string; at: number }[] {
  let at = start;
  return (text.match(/^\s+|\S+\s*/g) ?? []).map((text) => {
    const word = { text, at };
    at += Array.from(text).length;
    return word;
  });
}
