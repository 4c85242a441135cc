// How long a check may still take, by its pace since this page began to watch it.

const SETTLED_MS = 3_000;

export interface Pace {
  /** When the page began to watch, in ms, and the claims that were judged by then. */
  since: number;
  judged: number;
}

/** Seconds left at the pace so far; null before a pace shows, and when all is done. */
export function secondsLeft(pace: Pace, now: number, judged: number, total: number): number | null {
  const done = judged - pace.judged;
  if (done <= 0 || judged >= total || now - pace.since < SETTLED_MS) return null;
  return ((now - pace.since) / done) * (total - judged) / 1_000;
}
