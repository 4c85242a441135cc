// Screen reader announcements of automatic changes: polite, and at most one every five seconds.

const INTERVAL_MS = 5_000;
export const announcement = $state({ text: "" });

let last = 0;
let waiting: string | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

function publish(): void {
  timer = undefined;
  if (waiting === null) return;
  announcement.text = waiting;
  waiting = null;
  last = Date.now();
}

/** Announce a text soon; of several within five seconds, only the last one. */
export function announce(text: string): void {
  waiting = text;
  timer ??= setTimeout(publish, Math.max(50, last + INTERVAL_MS - Date.now()));
}

/** Announce the result of a user's action at once. */
export function answer(text: string): void {
  clearTimeout(timer);
  timer = undefined;
  waiting = announcement.text === text ? `${text}\u00a0` : text;
  publish();
}
