/** Scores from counts, with signatures of what they depend on: `factscope.scoring`. */

import { isSet } from "./claim";
import { isExcluded, isTogether } from "./exclusion";
import { exp, general } from "./numbers";
import { sha256 } from "./sha256";
import { canonical, distinct } from "./text";
import type { Counts, Exclusions, Interval, Judgement, Outcome, Scorable, Score, Verdict } from "./types";

/** The start of the skip reason of claims that no judge can read: `factscope.core.labels.NOT_READ`. */
export const NOT_READ = "not judged (language)";

/** The counts of a report, without excluded evidence. */
interface Tally {
  readonly supporting: number;
  readonly labelled: number;
  readonly judgementsFailed: number;
  readonly judged: number;
  readonly failed: number;
  readonly coverage: number | null;
  units(...outcomes: Outcome[]): number;
}

interface Reading {
  readonly value: number | null;
  readonly n?: number;
  readonly failed?: number;
  readonly interval?: Interval | null;
}

interface Formula {
  readonly read: (tally: Tally, parameter: number) => Reading;
  readonly over?: "judgements";
  /** Name, default, minimum and maximum. */
  readonly parameter?: readonly [string, number, number, number];
}

const FORMULAS: Readonly<Record<string, Formula>> = {
  factual_precision: {
    read: (t) => {
      const supported = t.units("supported");
      return { value: t.judged ? supported / t.judged : null, interval: wilson(supported, t.judged) };
    },
  },
  hallucination: {
    parameter: ["alpha", 0.5, 0, 1],
    read: (t, alpha) => {
      const weight = t.units("contradicted") + alpha * t.units("undecided", "no_evidence");
      return { value: t.judged ? weight / Math.sqrt(t.judged) : null };
    },
  },
  credibility: {
    over: "judgements",
    read: (t) => ({
      value: t.labelled ? t.supporting / t.labelled : null,
      n: t.labelled,
      failed: t.judgementsFailed,
      interval: wilson(t.supporting, t.labelled),
    }),
  },
  f1_at_k: {
    parameter: ["k", 64, 1, 1_000_000],
    read: (t, k) => {
      if (!t.judged) return { value: null };
      const supported = t.units("supported");
      const precision = supported / t.judged;
      const recall = Math.min(supported / k, 1);
      return { value: supported ? (2 * precision * recall) / (precision + recall) : 0 };
    },
  },
  factscore: {
    parameter: ["gamma", 10, 0, 1_000_000],
    read: (t, gamma) => {
      if (!t.judged) return { value: null };
      const penalty = t.judged > gamma ? 1 : exp(1 - gamma / t.judged);
      return { value: (penalty * t.units("supported")) / t.judged };
    },
  },
  coverage: { read: (t) => ({ value: t.coverage }) },
};

/** The quantile of the normal distribution for a level of 0.95. */
const Z = 1.9599639845400536;

/** Wilson's interval for a share of `k` out of `n`. */
function wilson(k: number, n: number): Interval | null {
  if (n === 0) return null;
  const p = k / n;
  const centre = p + (Z * Z) / (2 * n);
  const half = Z * Math.sqrt((p * (1 - p)) / n + (Z * Z) / (4 * n * n));
  const scale = 1 + (Z * Z) / n;
  const low = k === 0 ? 0 : Math.max((centre - half) / scale, 0);
  const high = k === n ? 1 : Math.min((centre + half) / scale, 1);
  return { low, high, level: 0.95, method: "wilson" };
}

/** The scores, in the requested order. Throws RangeError for an unknown measure. */
export function measure(
  report: Scorable,
  verdicts: readonly Verdict[],
  counts: Counts,
  exclude: Exclusions,
  excluded: ReadonlySet<string>,
  measures: readonly string[],
): Score[] {
  const resolved = measures.map(find);
  const counted = tally(report, verdicts, counts, excluded);
  const parts = basis(report, exclude);
  const lowCoverage = counted.coverage !== null && counted.coverage < leastCoverage(report);
  return resolved.map(({ name, formula, parameter }) => {
    const reading = formula.read(counted, parameter);
    const isWithheld = lowCoverage && formula !== FORMULAS["coverage"];
    const over = formula.over ?? "units";
    const signature = [["score", [name]] as const, ["over", [over]] as const, ...parts]
      .filter(([, values]) => values.length)
      .map(([key, values]) => `${key}:${joined(values)}`)
      .join("|");
    return {
      type: "score",
      name,
      value: isWithheld ? null : reading.value,
      n: reading.n ?? counted.judged,
      over,
      n_failed: reading.failed ?? counted.failed,
      coverage: counted.coverage,
      interval: isWithheld ? null : (reading.interval ?? null),
      signature,
    };
  });
}

/** The share of units to judge below which scores are withheld: `factscope.methods.Method.least_coverage`. */
function leastCoverage(report: Scorable): number {
  const least = report.method["least_coverage"];
  return typeof least === "number" ? least : 0.5;
}

/** The formula of a measure such as `hallucination(alpha=0.5)`, with its parameter and its full name. */
function find(text: string): { name: string; formula: Formula; parameter: number } {
  const [, name = "", inside = ""] = /^\s*([a-z][a-z0-9_]*)\s*(?:\(([^()]*)\))?\s*$/.exec(text) ?? [];
  const formula = Object.hasOwn(FORMULAS, name) ? FORMULAS[name] : undefined;
  if (formula === undefined) throw new RangeError(`Unknown score ${JSON.stringify(text)}.`);
  const [key, fallback, low, high] = formula.parameter ?? ["", 0, 0, 0];
  let parameter = fallback;
  for (const item of inside.split(",").filter((setting) => setting.trim())) {
    const [, option = "", value = ""] = /^([^=]*)=(.*)$/s.exec(item) ?? [];
    const number = /\d/.test(value) ? Number(value) : NaN;
    if (option.trim() !== key || !(number >= low && number <= high)) {
      throw new RangeError(`Score ${name} can't be set by ${JSON.stringify(item.trim())}.`);
    }
    parameter = number;
  }
  return { name: key ? `${name}(${key}=${general(parameter)})` : name, formula, parameter };
}

/** The number of units that no judge could read: they count as units to judge, though their outcome is not checkable. */
export function notRead(report: Pick<Scorable, "claims">): number {
  return (report.claims ?? []).filter((c) => c.skipped?.startsWith(NOT_READ)).length;
}

function tally(report: Scorable, verdicts: readonly Verdict[], counts: Counts, excluded: ReadonlySet<string>): Tally {
  const failedUnits = new Set(verdicts.filter((v) => v.outcome === "failed").map((v) => v.unit_id));
  const remaining = (report.judgements ?? []).filter(
    (j) => !isExcluded(j, excluded) && (!isSet(j.label) || !failedUnits.has(j.unit_id)),
  );
  // An error counts once, not again in claims that depend on the contradicted one.
  const repeated = verdicts.filter((v) => v.level === "claim" && v.outcome === "contradicted" && v.at_risk.length);
  const outcomes = { ...counts, contradicted: counts.contradicted - repeated.length };
  const units = (...names: Outcome[]): number => names.reduce((sum, name) => sum + outcomes[name], 0);
  const judged = units("supported", "contradicted", "undecided", "no_evidence");
  const failed = units("failed");
  const toJudge = judged + failed + notRead(report);
  const counted = pieces(remaining);
  const total = (list: typeof counted): number => list.reduce((sum, [, n]) => sum + n, 0);
  return {
    supporting: total(counted.filter(([j]) => j.label === "supported")),
    labelled: total(counted),
    judgementsFailed: remaining.filter((j) => isSet(j.failure)).length,
    judged,
    failed,
    coverage: toJudge ? judged / toJudge : null,
    units,
  };
}

/**
 * The judgements that count, each with its number of pieces of evidence: `factscope.scoring.counts.pieces`.
 *
 * Passages that a judge read together count with that label, not with those that it gives to each one alone.
 */
export function pieces<J extends Judgement>(judgements: readonly J[]): [J, number][] {
  const key = (j: J, passage: string): string => [j.judge, j.unit_id, passage].join("\u0000");
  const labelled = judgements.filter((j) => isSet(j.label));
  const read = new Set(labelled.filter(isTogether).flatMap((j) => j.passage_ids.map((id) => key(j, id))));
  return labelled
    .filter((j) => isTogether(j) || !j.passage_ids.some((id) => read.has(key(j, id))))
    .map((j) => [j, isTogether(j) ? j.passage_ids.length : 1]);
}

/** What a report's scores depend on, besides the measure itself. */
function basis(report: Scorable, exclude: Exclusions): [string, string[]][] {
  const { models = {}, prompts = {}, method } = report;
  const name = typeof method["name"] === "string" ? method["name"] : "?";
  const exclusions = nonEmpty(exclude);
  return [
    ["method", [`${name}#${shortHash(method)}`]],
    ["models", Object.keys(models).length ? [shortHash(models)] : []],
    ["prompts", Object.keys(prompts).length ? [shortHash(prompts)] : []],
    ["judge", distinct((report.judgements ?? []).map((j) => j.judge))],
    ["evidence", report.searched ? [report.searched.id] : []],
    ["excluded", Object.keys(exclusions).length ? [shortHash(exclusions)] : []],
    ["factscope", [report.factscope]],
  ];
}

function nonEmpty(exclude: Exclusions): Record<string, string[] | true> {
  const lists = (["passages", "documents", "domains", "categories"] as const)
    .filter((name) => exclude[name]?.length)
    .map((name): [string, string[]] => [name, distinct(exclude[name] ?? [])]);
  return { ...Object.fromEntries(lists), ...(exclude.copies ? { copies: true as const } : {}) };
}

function joined(values: readonly string[]): string {
  const unique = distinct(values);
  return unique.length <= 3 ? unique.join("+") : `${unique.length}#${shortHash(unique)}`;
}

function shortHash(value: unknown): string {
  return sha256(canonical(value)).slice(0, 8);
}
