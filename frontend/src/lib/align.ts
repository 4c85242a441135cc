// Two checks side by side: pairs the sentences of one with those of the other.

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
  /** Whether both have the same words, ignoring white space and case. */
  same: boolean;
  changed: boolean;
}

function halves(report: Report): Half[] {
  const states = statesOf(report.segments, report.claims, report.verdicts);
  const verdicts = new Map(report.verdicts.filter((verdict) => verdict.level === "segment").map((verdict) => [verdict.unit_id, verdict]));
  return [...report.segments]
    .sort((a, b) => a.span.start - b.span.start)
    .map((segment) => ({ segment, state: states.get(segment.id) ?? "waiting", verdict: verdicts.get(segment.id) }));
}

/** Rows in the order of the second check, with sentences found only in the first at their old position. Equal sentences are paired; between two such pairs, similar sentences are paired in order. */
export function aligned(first: Report, second: Report): Row[] {
  const [a, b] = [halves(first), halves(second)];
  const pairs = anchors(a.map(({ segment }) => bare(segment.text)), b.map(({ segment }) => bare(segment.text)));
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
  for (const [x, y] of pairs) {
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

/** Pairs of equal texts, in ascending order of both positions. */
function anchors(a: readonly string[], b: readonly string[]): [number, number][] {
  const positions = new Map<string, number[]>();
  b.forEach((text, j) => (positions.get(text) ?? positions.set(text, []).get(text)!).push(j));
  // The longest increasing subsequence of positions, so that one moved sentence does not break up the other pairs.
  const candidates = a.flatMap((text, i) => (positions.get(text) ?? []).toReversed().map((j): [number, number] => [i, j]));
  const tails: number[] = [];
  const previous: (number | undefined)[] = [];
  candidates.forEach(([, j], n) => {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (candidates[tails[middle]!]![1] < j) low = middle + 1;
      else high = middle;
    }
    previous[n] = low ? tails[low - 1] : undefined;
    tails[low] = n;
  });
  const pairs: [number, number][] = [];
  for (let n = tails.at(-1); n !== undefined; n = previous[n]) pairs.push(candidates[n]!);
  return pairs.reverse();
}

/** Whether two sentences share at least half of their words. */
function alike(a: string, b: string): boolean {
  const [x, y] = [new Set(bare(a).split(" ")), new Set(bare(b).split(" "))];
  const shared = [...x].filter((word) => y.has(word)).length;
  return shared * 2 >= Math.max(x.size, y.size);
}

/** How often each state in the first check became each state in the second. */
export function moves(rows: readonly Row[]): Map<string, Map<string, number>> {
  const table = new Map<string, Map<string, number>>();
  for (const { first, second } of rows) {
    if (!first || !second) continue;
    const row = table.get(first.state) ?? new Map<string, number>();
    table.set(first.state, row);
    row.set(second.state, (row.get(second.state) ?? 0) + 1);
  }
  return table;
}

/** The settings in which two checks differ, each as its name and both values. */
export function differing(first: Report, second: Report): [string, string, string][] {
  const flatten = (value: unknown, prefix: string, into: Map<string, string>): Map<string, string> => {
    if (value && typeof value === "object" && !Array.isArray(value)) {
      for (const [key, inner] of Object.entries(value)) flatten(inner, prefix ? `${prefix}.${key}` : key, into);
    } else into.set(prefix, typeof value === "string" ? value : JSON.stringify(value));
    return into;
  };
  const settingsOf = (report: Report): Map<string, string> =>
    flatten({ method: report.method, model: report.models, prompt: report.prompts, evidence: report.searched?.id, factscope: report.factscope }, "", new Map());
  const [a, b] = [settingsOf(first), settingsOf(second)];
  return [...new Set([...a.keys(), ...b.keys()])].filter((name) => a.get(name) !== b.get(name)).map((name) => [name, a.get(name) ?? "–", b.get(name) ?? "–"]);
}
