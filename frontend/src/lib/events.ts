// Live updates of a check: server-sent events, replaying those missed while the connection was lost.

import { api } from "./api";
import { RECORD_TYPES, type RecordEvent } from "./fold";

/** Model calls that a check is waiting for. */
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
  /** The check was resumed: only the records of claims remain valid. */
  resumed: () => void;
  /** The check's state changed. */
  state: () => void;
  /** The check ended, and no more events will follow. */
  ended: () => void;
  connected: (isConnected: boolean) => void;
}

const FLUSH_MS = 120;
const MAX_PAUSE_MS = 15_000;

/** Watch a check until it ends, starting after the event `since`. Returns a function that stops watching. */
export function watch(id: string, since: number, watcher: Watcher): () => void {
  let source: EventSource | null = null;
  let last = since;
  let pause = 500;
  let buffered: RecordEvent[] = [];
  let flushing: ReturnType<typeof setTimeout> | undefined;
  let reconnecting: ReturnType<typeof setTimeout> | undefined;

  const flush = (): void => {
    clearTimeout(flushing);
    flushing = undefined;
    const records = buffered;
    buffered = [];
    if (records.length) watcher.records(records);
  };
  const noteId = (event: MessageEvent<string>): void => {
    last = Math.max(last, Number(event.lastEventId) || 0);
  };
  const stop = (): void => {
    clearTimeout(reconnecting);
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
      reconnecting = setTimeout(open, pause);
      pause = Math.min(pause * 2, MAX_PAUSE_MS);
      // The check may have ended meanwhile, and then no more events will come.
      watcher.state();
    };
    for (const type of RECORD_TYPES) {
      source.addEventListener(type, (event: MessageEvent<string>) => {
        noteId(event);
        buffered.push(JSON.parse(event.data) as RecordEvent);
        flushing ??= setTimeout(flush, FLUSH_MS);
      });
    }
    source.addEventListener("waiting", (event: MessageEvent<string>) => {
      const message = JSON.parse(event.data) as Partial<AwaitedCalls>;
      watcher.waiting(message.role === undefined ? null : (message as AwaitedCalls));
    });
    source.addEventListener("state", (event: MessageEvent<string>) => {
      noteId(event);
      flush();
      const message = JSON.parse(event.data) as { state: string; attempt?: number };
      if (message.state === "running" && (message.attempt ?? 1) > 1) watcher.resumed();
      watcher.state();
    });
    source.addEventListener("end", (event: MessageEvent<string>) => {
      noteId(event);
      stop();
      watcher.ended();
    });
  };
  open();
  return stop;
}
