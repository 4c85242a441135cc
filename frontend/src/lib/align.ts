// Two checks side by side: which sentence of one is which of the other.

import type { Report, Segment, Verdict } from "./records";
import { statesOf, type State, type Waiting } from "./states";
import { bare } from "./text";

export interface Half {
  segment: Segment;
  state: State | Waiting;
  verdict: Verdict | undefined;
}
export interface Row {
  key: string;
  first: Half | null;
  second: Half | null;
  /** The same words in both, apart from white space and case. */
  same: boolean;
  changed: boolean;
}

function halves(report: Report): Half[] {
  const states = statesOf(report.segments, report.claims, report.verdicts);
  const verdicts = new Map(report.verdicts.filter((entry) => entry.level === "segment").map((entry) => [entry.unit_id, entry]));
  return [...report.segments]
    .sort((a, b) => a.span.start - b.span.start)
    .map((segment) => ({ segment, state: states.get(segment.id) ?? "waiting", verdict: verdicts.get(segment.id) }));
}

/** Rows in the order of the second check, those of the first alone where they stood: equal sentences meet; between two that do, what is left meets in order where it is alike. */
export function aligned(first: Report, second: Report): Row[] {
  const [a, b] = [halves(first), halves(second)];
  const partner = anchors(a.map((entry) => bare(entry.segment.text)), b.map((entry) => bare(entry.segment.text)));
  const rows: Row[] = [];
  let [i, j] = [0, 0];
  const flush = (toA: number, toB: number): void => {
    while (i < toA || j < toB) {
      const [x, y] = [i < toA ? a[i] : undefined, j < toB ? b[j] : undefined];
      if (x && y && alike(x.segment.text, y.segment.text)) {
        rows.push(row(x, y));
        i++;
        j++;
      } else if (x && (!y || toA - i >= toB - j)) {
        rows.push(row(x, null));
        i++;
      } else if (y) {
        rows.push(row(null, y));
        j++;
      }
    }
  };
  for (const [x, y] of partner) {
    flush(x, y);
    rows.push(row(a[x]!, b[y]!));
    [i, j] = [x + 1, y + 1];
  }
  flush(a.length, b.length);
  return rows;
}

function row(first: Half | null, second: Half | null): Row {
  const same = !!first && !!second && bare(first.segment.text) === bare(second.segment.text);
  return {
    key: `${first?.segment.id ?? ""}|${second?.segment.id ?? ""}`,
    first,
    second,
    same,
    changed: !same || first.state !== second.state,
  };
}

/** Pairs of equal texts in rising order: each takes the next of its kind that is still ahead. */
function anchors(a: readonly string[], b: readonly string[]): [number, number][] {
  const places = new Map<string, number[]>();
  b.forEach((text, j) => (places.get(text) ?? places.set(text, []).get(text)!).push(j));
  // Longest rising run of places, so that one moved sentence does not tear the rest apart.
  const candidates = a.flatMap((text, i) => (places.get(text) ?? []).toReversed().map((j): [number, number] => [i, j]));
  const tails: number[] = [];
  const before: (number | undefined)[] = [];
  candidates.forEach(([, j], n) => {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (candidates[tails[middle]!]![1] < j) low = middle + 1;
      else high = middle;
    }
    before[n] = low ? tails[low - 1] : undefined;
    tails[low] = n;
  });
  const pairs: [number, number][] = [];
  for (let n = tails.at(-1); n !== undefined; n = before[n]) pairs.push(candidates[n]!);
  return pairs.reverse();
}

/** Whether two sentences share at least half of their words. */
function alike(a: string, b: string): boolean {
  const [x, y] = [new Set(bare(a).split(" ")), new Set(bare(b).split(" "))];
  const shared = [...x].filter((word) => y.has(word)).length;
  return shared * 2 >= Math.max(x.size, y.size);
}

/** How often a state of the first became one of the second. */
export function moves(rows: readonly Row[]): Map<string, Map<string, number>> {
  const table = new Map<string, Map<string, number>>();
  for (const { first, second } of rows) {
    if (!first || !second) continue;
    const line = table.get(first.state) ?? new Map<string, number>();
    table.set(first.state, line);
    line.set(second.state, (line.get(second.state) ?? 0) + 1);
  }
  return table;
}

/** What two checks were set to differently, as name, first and second. */
export function differing(first: Report, second: Report): [string, string, string][] {
  const flat = (value: unknown, prefix: string, into: Map<string, string>): Map<string, string> => {
    if (value && typeof value === "object" && !Array.isArray(value)) {
      for (const [key, inner] of Object.entries(value)) flat(inner, prefix ? `${prefix}.${key}` : key, into);
    } else into.set(prefix, typeof value === "string" ? value : JSON.stringify(value));
    return into;
  };
  const read = (report: Report): Map<string, string> =>
    flat({ method: report.method, model: report.models, prompt: report.prompts, evidence: report.searched?.id, factscope: report.factscope }, "", new Map());
  const [a, b] = [read(first), read(second)];
  return [...new Set([...a.keys(), ...b.keys()])].filter((name) => a.get(name) !== b.get(name)).map((name) => [name, a.get(name) ?? "–", b.get(name) ?? "–"]);
}
