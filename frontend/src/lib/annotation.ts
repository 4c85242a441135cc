// Annotation: what the page asks of the server, and what follows from cuts and marks. Offsets are in code points.

import { call, download } from "./api";
import type { Annotation, AnnotationAgreement, AnnotationItem, AnnotationQueue, SavedAnnotation, SegmentMark } from "./schema";

export type { Annotation, AnnotationAgreement, AnnotationItem, AnnotationQueue, DomainAgreement, SegmentMark } from "./schema";
export type Kind = NonNullable<SegmentMark["kind"]>;
export const KINDS: Kind[] = ["knowledge_error", "reasoning_error", "irrelevant_with_qst", "fooled"];
export const UNMARKED: SegmentMark = { correct: null, kind: null, reason: "" };

export function annotationOf(queue: string, key: string) {
  const at = `/annotation/${encodeURIComponent(queue)}`;
  const own = { "Annotator-Key": key };
  return {
    queue: () => call<AnnotationQueue>("GET", at, undefined, own),
    item: (number: number) => call<AnnotationItem>("GET", `${at}/items/${number}`, undefined, own),
    save: (number: number, answer: Annotation, revision: number) =>
      call<SavedAnnotation>("PUT", `${at}/items/${number}`, answer, { ...own, "If-Match": `"${revision}"` }),
    agreement: () => call<AnnotationAgreement>("GET", `${at}/agreement`, undefined, own),
    export: (form: "felm" | "hf") => download(`${at}/export?form=${form}`, own),
  };
}

/** Whether nothing is left to say on a segment: as the server has it. */
export function said(mark: SegmentMark): boolean {
  return mark.correct === true || (mark.correct === false && mark.kind !== null);
}

/** The first segment on which something is left to say; -1 when there is none. */
export function firstGap(answer: Annotation): number {
  return answer.keep ? answer.marks.findIndex((entry) => !said(entry)) : -1;
}

/** What an answer with these cuts says of the segment that holds a place. */
export function markAt(cuts: number[], marks: SegmentMark[], at: number): SegmentMark {
  return marks[cuts.filter((cut) => cut <= at).length] ?? UNMARKED;
}

/** Segment `n` and the one after it as one; the mark stays where both have the same, or only one has any. */
export function merged(answer: Annotation, n: number): Annotation {
  const [first, second] = [answer.marks[n], answer.marks[n + 1]];
  const at = answer.cuts[n];
  if (!first || !second || at === undefined) return answer;
  return {
    ...answer,
    cuts: answer.cuts.toSpliced(n, 1),
    marks: answer.marks.toSpliced(n, 2, both(first, second)),
    edits: [...answer.edits, { what: "merge", at }],
  };
}

function both(first: SegmentMark, second: SegmentMark): SegmentMark {
  const reason = [first.reason, second.reason].filter(Boolean).join(" ").slice(0, 10_000);
  if (first.correct === false || second.correct === false)
    return { correct: false, kind: first.kind ?? second.kind, reason };
  return first.correct && second.correct ? { ...first, reason } : { ...UNMARKED, reason };
}

/** Segment `n` cut at a place within it; both parts keep its mark. */
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

/** The words of a segment, each with the white space after it and where it begins in the text. */
export function words(text: string, start: number): { text: string; at: number }[] {
  let at = start;
  return (text.match(/^\s+|\S+\s*/g) ?? []).map((entry) => {
    const word = { text: entry, at };
    at += Array.from(entry).length;
    return word;
  });
}
