// What a screen reader is told of things that change by themselves: politely, and at most every five seconds.

const EVERY_MS = 5_000;
export const announcement = $state({ text: "" });

let last = 0;
let waiting: string | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

function say(): void {
  timer = undefined;
  if (waiting === null) return;
  announcement.text = waiting;
  waiting = null;
  last = Date.now();
}

/** Say it soon; of several within five seconds only the last is said. */
export function announce(text: string): void {
  waiting = text;
  timer ??= setTimeout(say, Math.max(50, last + EVERY_MS - Date.now()));
}

/** The answer to what a person just did: said at once. */
export function answer(text: string): void {
  clearTimeout(timer);
  timer = undefined;
  waiting = announcement.text === text ? `${text}\u00a0` : text;
  say();
}
