// The result, its coverage and its expected cost, each as one sentence.

import type { Estimate } from "./api";
import type { Outcome } from "./records";
import { toJudge } from "./scoring";
import { money, t } from "../state/words.svelte";

type Counts = Partial<Record<Outcome, number>>;

export function headline(counts: Counts, blind = false): string {
  const words = t().headline;
  const total = toJudge(counts);
  const [supported, contradicted] = [counts.supported ?? 0, counts.contradicted ?? 0];
  if (!total) return words.nothing;
  if (blind && !counts.failed) return words.unread(total);
  if (counts.failed === total) return words.allFailed(total);
  if (supported === total) return words.allSupported(total);
  if (contradicted === total) return words.allContradicted(total);
  if (counts.failed) return words.someFailed(total, counts.failed, contradicted, supported);
  return contradicted ? words.some(total, contradicted, supported) : words.none(total, supported);
}

/** A score's name with its parameters, and what it means where the page knows it. */
export function scoreName(measure: string): { title: string; about: string | null } {
  const [base = "", parameters] = measure.split("(");
  const head = (t().score.kinds as Record<string, string>)[base];
  const [title, about] = t().score.named[base] ?? [head ?? base.replaceAll("_", " ").replace(/^./, (letter) => letter.toUpperCase()), null];
  return { title: parameters ? `${title} (${parameters}` : title, about: about ?? null };
}

export function coverageLine(counts: Counts): string {
  const total = toJudge(counts);
  const failed = counts.failed ?? 0;
  return t().coverage(total - failed, total, failed);
}

/** What checking a part again is expected to use. */
export function expectedLine({ calls, cost }: Estimate): string {
  const told = t().landing;
  const price = calls.high === 0 ? told.freeOfCharge : cost ? told.cost(money(cost.low), money(cost.high)) : told.unknownCost;
  return `${told.calls(Math.round(calls.low), Math.round(calls.high))} · ${price}`;
}
