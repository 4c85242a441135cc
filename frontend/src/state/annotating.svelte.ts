// One participant's work on a queue: the open sample, saved to the server as it changes, with undo.

import {
  annotationOf,
  firstGap,
  type Annotation,
  type AnnotationAgreement,
  type AnnotationItem,
  type AnnotationQueue,
} from "../lib/annotation";
import { ApiError, problemIn, type Problem } from "../lib/api";

export type Saving = "saved" | "saving" | "unsaved" | "conflict";
export type AnnotationStore = ReturnType<typeof openAnnotation>;
const SAVE_DELAY_MS = 350;
const RETRY_MS = 2_000;
const POLL_MS = 5_000;
const MAX_PAUSE_MS = 120_000;

/** Open a queue with a participant's key. Call `close` when it is no longer shown. */
export function openAnnotation(queue: string, key: string, onopen: (number: number) => void) {
  const api = annotationOf(queue, key);
  let view = $state.raw<AnnotationQueue | null>(null);
  let item = $state.raw<AnnotationItem | null>(null);
  let answer = $state.raw<Annotation | null>(null);
  let agreement = $state.raw<AnnotationAgreement | null>(null);
  let problem = $state.raw<Problem | null>(null);
  let saving = $state<Saving>("saved");
  let theirs = $state.raw<AnnotationItem | null>(null);
  let past = $state.raw<Annotation[]>([]);
  let future = $state.raw<Annotation[]>([]);
  let typedField = "";
  let revision = 0;
  let secondsSpent = 0;
  let activeSince = performance.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let underway: Promise<void> | null = null;

  async function guarded<T>(request: () => Promise<T>): Promise<T | null> {
    try {
      const loaded = await request();
      if (problem?.status === 0) problem = null;
      return loaded;
    } catch (error) {
      problem = problemIn(error);
      return null;
    }
  }
  async function refreshQueue(): Promise<void> {
    view = (await guarded(api.queue)) ?? view;
    if (view && (view.alone || view.seat.role !== "annotator")) agreement = (await guarded(api.agreement)) ?? agreement;
  }
  /** Open a sample, after saving the answer to the previous one. */
  async function open(number: number): Promise<boolean> {
    if (!(await flush())) return false;
    const loaded = await guarded(() => api.item(number));
    if (!loaded) return false;
    problem = null;
    show(loaded);
    onopen(number);
    return true;
  }
  function show(loaded: AnnotationItem): void {
    item = loaded;
    answer = loaded.answer;
    revision = loaded.revision;
    secondsSpent = loaded.answer.seconds;
    activeSince = performance.now();
    [past, future, typedField, theirs, saving] = [[], [], "", null, "saved"];
  }
  async function start(wanted: number | null): Promise<void> {
    problem = null;
    await refreshQueue();
    const number = wanted ?? nextOpen(0) ?? view?.items.find((sample) => sample.state !== "waiting")?.number;
    if (view && number) await open(number);
  }
  /** The number of the next unfinished sample after this one, wrapping around. */
  function nextOpen(after: number): number | null {
    const todo = (view?.items ?? []).filter((sample) => sample.state === "open" || sample.state === "begun").map((sample) => sample.number);
    return todo.find((number) => number > after) ?? todo.find((number) => number !== after) ?? null;
  }

  /** Change the answer; consecutive changes typed into one field are undone together. */
  function change(next: Annotation, field = ""): void {
    if (!answer || item?.state === "waiting") return;
    if (!field || field !== typedField) past = [...past.slice(-199), answer];
    typedField = field;
    future = [];
    set(next);
  }
  function set(next: Annotation): void {
    answer = { ...next, done: next.done && firstGap(next) < 0 };
    secondsSpent += Math.min(performance.now() - activeSince, MAX_PAUSE_MS) / 1000;
    activeSince = performance.now();
    if (saving !== "conflict") saveSoon(SAVE_DELAY_MS);
  }
  // Further changes do not postpone a pending save, so that nothing stays unsaved for long.
  function saveSoon(after: number): void {
    if (saving !== "unsaved") saving = "saving";
    timer ??= setTimeout(() => void save(), after);
  }
  async function save(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (underway) await underway;
    underway = put();
    await underway;
    underway = null;
  }
  async function put(): Promise<void> {
    if (!item || !answer) return;
    const sent = answer;
    try {
      const reply = await api.save(item.number, { ...sent, seconds: Math.round(secondsSpent * 10) / 10 }, revision);
      revision = reply.revision;
      item = { ...item, state: reply.state, suggestion: reply.suggestion };
      const { number } = item;
      if (view) view = { ...view, items: view.items.map((sample) => (sample.number === number ? { ...sample, state: reply.state } : sample)) };
      if (sent === answer) saving = "saved";
      problem = null;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      await handleRefusal(error.problem);
    }
  }
  async function handleRefusal(cause: Problem): Promise<void> {
    if (cause.status === 412 && item) {
      const { number } = item;
      theirs = await guarded(() => api.item(number));
      if (theirs) {
        saving = "conflict";
        return;
      }
    }
    saving = "unsaved";
    if (cause.status) problem = cause;
    if (cause.status === 0 || cause.status === 429 || cause.status >= 500) saveSoon(RETRY_MS);
  }
  /** Save unsaved changes now; returns whether everything is saved. */
  async function flush(): Promise<boolean> {
    if (saving === "saving" || saving === "unsaved") await save();
    return saving === "saved";
  }
  /** Resolve a conflict with another tab, in favour of this answer or the other. Undo restores the rejected one. */
  async function settle(mine: boolean): Promise<void> {
    if (!theirs || !answer) return;
    const other = theirs;
    revision = other.revision;
    theirs = null;
    past = [...past, mine ? other.answer : answer];
    typedField = "";
    saving = "saved";
    if (mine) {
      set(answer);
      await flush();
    } else {
      item = other;
      answer = other.answer;
    }
  }
  function undo(): void {
    const before = past.at(-1);
    if (!before || !answer) return;
    past = past.slice(0, -1);
    future = [...future, answer];
    typedField = "";
    set(before);
  }
  function redo(): void {
    const after = future.at(-1);
    if (!after || !answer) return;
    future = future.slice(0, -1);
    past = [...past, answer];
    typedField = "";
    set(after);
  }
  /** Finish this sample; returns the number of the next one, null if there is none, or false if something is missing. */
  async function finish(): Promise<number | null | false> {
    if (!item || !answer || firstGap(answer) >= 0) return false;
    if (!answer.done) change({ ...answer, done: true });
    if (!(await flush())) return false;
    await refreshQueue();
    return nextOpen(item.number);
  }
  /** Show changes made to this sample in another tab, unless there are unsaved changes here. */
  async function refresh(): Promise<void> {
    if (!item || saving !== "saved" || document.hidden) return;
    const { number } = item;
    const loaded = await guarded(() => api.item(number));
    if (loaded && saving === "saved" && item?.number === number && (loaded.revision !== revision || loaded.state !== item.state)) show(loaded);
  }
  const polling = setInterval(() => {
    if (!document.hidden && view && view.seat.role !== "annotator") void refreshQueue();
  }, POLL_MS);
  const closing = new AbortController();
  const { signal } = closing;
  window.addEventListener("beforeunload", (event) => saving !== "saved" && event.preventDefault(), { signal });
  window.addEventListener("pagehide", () => void flush(), { signal });
  window.addEventListener("focus", () => void refresh(), { signal });

  return {
    get view() { return view; },
    get item() { return item; },
    get answer() { return answer; },
    get agreement() { return agreement; },
    get problem() { return problem; },
    get saving() { return saving; },
    get theirs() { return theirs; },
    get canUndo() { return past.length > 0; },
    get canRedo() { return future.length > 0; },
    start, open, change, flush, settle, finish,
    undo,
    redo,
    export: (form: "felm" | "hf") => guarded(() => api.export(form)),
    close(): void {
      clearInterval(polling);
      void flush();
      closing.abort();
    },
  };
}
