// A check watched as it goes: server-sent events, with replay of what was missed after a lost connection.

import { api } from "./api";
import { RECORD_TYPES, type RecordEvent } from "./fold";

/** Calls of models that a check waits for. */
export interface AwaitedCalls {
  role: string;
  units: number;
  others: number;
  tokens: number;
  attempt: number;
  tries: number;
  asked_wait: number;
}

export interface Watcher {
  waiting: (calls: AwaitedCalls | null) => void;
  records: (records: RecordEvent[]) => void;
  /** The check was taken up again: what was not of claims no longer stands. */
  again: () => void;
  /** The check's state changed. */
  state: () => void;
  /** It ended, and nothing more will be told. */
  ended: () => void;
  connected: (yes: boolean) => void;
}

const FLUSH_MS = 120;
const LONGEST_PAUSE_MS = 15_000;

/** Watch a check until it ends, from the event after `since` on. Returns what stops watching. */
export function watch(id: string, since: number, watcher: Watcher): () => void {
  let source: EventSource | null = null;
  let last = since;
  let pause = 500;
  let waiting: RecordEvent[] = [];
  let flushing: ReturnType<typeof setTimeout> | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;

  const flush = (): void => {
    clearTimeout(flushing);
    flushing = undefined;
    const records = waiting;
    waiting = [];
    if (records.length) watcher.records(records);
  };
  const note = (event: MessageEvent<string>): void => {
    last = Math.max(last, Number(event.lastEventId) || 0);
  };
  const stop = (): void => {
    clearTimeout(again);
    flush();
    source?.close();
    source = null;
  };
  const open = (): void => {
    source = new EventSource(api.eventsAddress(id, last));
    source.onopen = () => {
      pause = 500;
      watcher.connected(true);
    };
    source.onerror = () => {
      watcher.connected(false);
      source?.close();
      again = setTimeout(open, pause);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
      // It may have ended meanwhile, and then there is nothing more to be told.
      watcher.state();
    };
    for (const type of RECORD_TYPES) {
      source.addEventListener(type, (event: MessageEvent<string>) => {
        note(event);
        waiting.push(JSON.parse(event.data) as RecordEvent);
        flushing ??= setTimeout(flush, FLUSH_MS);
      });
    }
    source.addEventListener("waiting", (event: MessageEvent<string>) => {
      const message = JSON.parse(event.data) as Partial<AwaitedCalls>;
      watcher.waiting(message.role === undefined ? null : (message as AwaitedCalls));
    });
    source.addEventListener("state", (event: MessageEvent<string>) => {
      note(event);
      flush();
      const message = JSON.parse(event.data) as { state: string; attempt?: number };
      if (message.state === "running" && (message.attempt ?? 1) > 1) watcher.again();
      watcher.state();
    });
    source.addEventListener("end", (event: MessageEvent<string>) => {
      note(event);
      stop();
      watcher.ended();
    });
  };
  open();
  return stop;
}
