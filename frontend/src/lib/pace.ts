// Estimates the remaining time of a check from its pace since this page began to watch it.

const MIN_WATCHED_MS = 3_000;

export interface Pace {
  /** When the page began to watch, in ms; `judged` claims were already judged by then. */
  since: number;
  judged: number;
}

/** Seconds left at the current pace; null if it is not known yet or everything is done. */
export function secondsLeft(pace: Pace, now: number, judged: number, total: number): number | null {
  const done = judged - pace.judged;
  if (done <= 0 || judged >= total || now - pace.since < MIN_WATCHED_MS) return null;
  return ((now - pace.since) / done) * (total - judged) / 1_000;
}
