// A text with its citations marked, split into paragraphs, and the filters of its bibliography.

import type { Span } from "./records";
import type { CitationMark, CitationProblem, CitationView, QuotationMark, SourceRow } from "./schema";
import type { State } from "./stateTable";
import { slicer } from "./text";

export type Filter = "all" | "problems" | "missing" | "sound" | "unused";

type Kind = CitationMark["outcome"] | "not_fetched" | "circular" | "changed" | "verbatim" | "altered" | "absent" | "quote_not_there" | "uncited" | "unused";

/** A marked span of the text: citations, a quotation, a claim without a citation, or an entry that is never cited. */
export interface Mark {
  id: string;
  kind: Kind;
  span: Span;
  citations: CitationMark[];
  quotation: QuotationMark | null;
  /** What is wrong here. */
  problems: CitationProblem[];
}

export interface CitedPiece {
  key: string;
  text: string;
  mark: Mark | null;
}
export interface CitedBlock {
  key: string;
  /** Level of a heading; 0 for text. */
  level: number;
  pieces: CitedPiece[];
}

/** Each kind looks like a state of a sentence, but has its own glyph. */
export const KIND_LOOKS: Record<Kind, { look: State; glyph: string }> = {
  supports: { look: "supported", glyph: "✓" },
  partly: { look: "mostly", glyph: "≃" },
  contradicts: { look: "contradicted", glyph: "✗" },
  does_not_say: { look: "no_evidence", glyph: "∅" },
  unclear: { look: "undecided", glyph: "∼" },
  not_there: { look: "failed", glyph: "!" },
  not_fetched: { look: "undecided", glyph: "⇣" },
  excluded: { look: "excluded", glyph: "⊘" },
  failed: { look: "failed", glyph: "↯" },
  no_claim: { look: "not_checkable", glyph: "⋯" },
  circular: { look: "contradicted", glyph: "↺" },
  changed: { look: "undecided", glyph: "Δ" },
  verbatim: { look: "supported", glyph: "”" },
  altered: { look: "contradicted", glyph: "≠" },
  absent: { look: "no_evidence", glyph: "”∅" },
  quote_not_there: { look: "failed", glyph: "”!" },
  uncited: { look: "undecided", glyph: "?" },
  unused: { look: "not_checkable", glyph: "–" },
};
const WORST: Kind[] = ["contradicts", "circular", "not_there", "does_not_say", "failed", "not_fetched", "unclear", "partly", "changed", "excluded", "supports", "no_claim"];

/** All marks in reading order without overlaps: citations take precedence over quotations and claims that contain them. */
export function marksOf(view: CitationView): Mark[] {
  const sources = new Map(view.sources.map((source) => [source.id, source]));
  const bySpan = Map.groupBy(view.marks, (mark) => `${mark.span.start} ${mark.span.end}`);
  const marks = [...bySpan.values()].map((citations): Mark => {
    const span = citations[0]!.span;
    const kinds = citations.map((item) => kindOf(item, sources.get(item.source_id)));
    const kind = WORST.find((item) => kinds.includes(item)) ?? "no_claim";
    return { id: citations[0]!.id, kind, span, citations, quotation: null, problems: problemsAt(view, span) };
  });
  const blank = { citations: [], quotation: null };
  const others: Mark[] = [
    ...view.quotations.map((quotation): Mark => {
      const kind = quotation.outcome === "not_there" ? "quote_not_there" : quotation.outcome;
      return { ...blank, id: quotation.id, kind, span: quotation.span, quotation, problems: problemsAt(view, quotation.span) };
    }),
    ...view.problems.flatMap((problem, i): Mark[] =>
      problem.kind === "uncited" || problem.kind === "unused"
        ? [{ ...blank, id: `u${i + 1}`, kind: problem.kind, span: problem.span, problems: [problem] }]
        : [],
    ),
  ];
  for (const other of others) {
    if (other.span.end > other.span.start && !marks.some((mark) => overlaps(mark.span, other.span))) marks.push(other);
  }
  return marks.sort((a, b) => a.span.start - b.span.start);
}

/** A circular source proves nothing, whatever it says; a changed source may no longer say what it did; and nothing is
 * known about a source that was not fetched, so it is not reported as missing. */
function kindOf(mark: CitationMark, source: SourceRow | undefined): Kind {
  if (source?.problems.includes("circular")) return "circular";
  if (mark.outcome === "not_there" && source?.state === "not_fetched") return "not_fetched";
  return mark.outcome === "supports" && source?.problems.includes("changed") ? "changed" : mark.outcome;
}

function problemsAt(view: CitationView, span: Span): CitationProblem[] {
  return view.problems.filter((item) => item.span.start === span.start && item.span.end === span.end);
}

function overlaps(a: Span, b: Span): boolean {
  return a.start < b.end && b.start < a.end;
}

/** The text in paragraphs, with each mark as a separate piece. */
export function blocksOf(text: string, marks: readonly Mark[]): CitedBlock[] {
  const slice = slicer(text);
  const blocks: CitedPiece[][] = [[]];
  let end = 0;
  const plain = (words: string, start: number): void => {
    words.split(/\n[^\S\n]*\n\s*/).forEach((paragraph, i) => {
      if (i) blocks.push([]);
      if (paragraph) blocks.at(-1)!.push({ key: `p${start}.${i}`, text: paragraph, mark: null });
    });
  };
  for (const mark of marks) {
    plain(slice(end, mark.span.start), end);
    blocks.at(-1)!.push({ key: mark.id, text: slice(mark.span.start, mark.span.end), mark });
    end = mark.span.end;
  }
  plain(slice(end), end);
  return blocks.flatMap((pieces) => {
    const [first] = pieces;
    if (first === undefined || pieces.every((piece) => !piece.text.trim())) return [];
    return [{ key: first.key, level: /^\s*(#{1,6})\s/.exec(first.text)?.[1]?.length ?? 0, pieces }];
  });
}

/** The text of a mark for display: for a Markdown link, only its label. */
export function readable(text: string): string {
  return /^\[([^\]]+)\](?:\(|\[)/.exec(text)?.[1] ?? text;
}

export function shownBy(filter: Filter, sources: readonly SourceRow[]): SourceRow[] {
  const tests: Record<Filter, (item: SourceRow) => boolean> = {
    all: () => true,
    problems: (item) => item.problems.length > 0,
    missing: (item) => !["read", "not_fetched"].includes(item.state) && item.used > 0,
    sound: (item) => !item.problems.length,
    unused: (item) => !item.used,
  };
  return sources.filter(tests[filter]);
}
