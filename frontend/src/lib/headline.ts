// What was found, in one sentence.

import type { Outcome } from "./records";
import { toJudge } from "./scoring";
import { t } from "../state/words.svelte";

type Counts = Partial<Record<Outcome, number>>;

export function headline(counts: Counts): string {
  const words = t().headline;
  const total = toJudge(counts);
  const [supported, contradicted] = [counts.supported ?? 0, counts.contradicted ?? 0];
  if (!total) return words.nothing;
  if (counts.failed === total) return words.allFailed(total);
  if (supported === total) return words.allSupported(total);
  if (contradicted === total) return words.allContradicted(total);
  return contradicted ? words.some(total, contradicted, supported) : words.none(total, supported);
}

export function coverageLine(counts: Counts): string {
  const total = toJudge(counts);
  const failed = counts.failed ?? 0;
  return t().coverage(total - failed, total, failed);
}
