// One-line texts for the result, its coverage and the expected cost.

import type { Estimate } from "./api";
import type { Outcome } from "./records";
import { toJudge } from "./scoring";
import { money, t } from "../state/words.svelte";

type Counts = Partial<Record<Outcome, number>>;

/**
 * The result in one sentence; `unread` claims are in a language that no judge reads, so they could not be checked either.
 * Empty texts are not checked, so a text with no counts could not be split into sentences.
 */
export function headline(counts: Counts, blind = false, unread = 0): string {
  const words = t().headline;
  const total = toJudge(counts) + unread;
  const failed = (counts.failed ?? 0) + unread;
  const [supported, contradicted] = [counts.supported ?? 0, counts.contradicted ?? 0];
  if (!Object.values(counts).some((count) => count > 0)) return words.notChecked;
  if (!total) return counts.excluded ? words.excluded(counts.excluded) : words.nothing;
  if (blind && !failed) return words.unread(total);
  if (failed === total) return words.allFailed(total);
  if (supported === total) return words.allSupported(total);
  if (contradicted === total) return words.allContradicted(total);
  if (failed) return words.someFailed(total, failed, contradicted, supported);
  return contradicted ? words.some(total, contradicted, supported) : words.none(total, supported);
}

/** A score's name with its parameters, and its meaning if the page knows it. */
export function scoreName(measure: string): { title: string; about: string | null } {
  const [base = "", parameters] = measure.split("(");
  const head = (t().score.kinds as Record<string, string>)[base];
  const [title, about] = t().score.named[base] ?? [head ?? base.replaceAll("_", " ").replace(/^./, (letter) => letter.toUpperCase()), null];
  return { title: parameters ? `${title} (${parameters}` : title, about: about ?? null };
}

export function coverageLine(counts: Counts, unread = 0): string {
  const total = toJudge(counts);
  const failed = counts.failed ?? 0;
  return t().coverage(total - failed, total + unread, failed, counts.excluded ?? 0);
}

/** The expected calls and cost of checking a part again. */
export function expectedLine({ calls, cost }: Estimate): string {
  const text = t().landing;
  const price = calls.high === 0 ? text.freeOfCharge : cost ? text.cost(money(cost.low), money(cost.high)) : text.unknownCost;
  return `${text.calls(Math.round(calls.low), Math.round(calls.high))} · ${price}`;
}
