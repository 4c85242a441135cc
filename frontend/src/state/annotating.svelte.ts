// One person's work on a queue: the sample that is open, kept by the server as it changes, with undo.

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
const SAVE_AFTER_MS = 350;
const TRY_AGAIN_MS = 2_000;
const LOOK_MS = 5_000;
const LONGEST_PAUSE_MS = 120_000;

/** Open a queue with the key of a seat. Call `close` when it is no longer shown. */
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
  let typed = "";
  let revision = 0;
  let spent = 0;
  let since = performance.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let underway: Promise<void> | null = null;

  async function guarded<T>(ask: () => Promise<T>): Promise<T | null> {
    try {
      const loaded = await ask();
      if (problem?.status === 0) problem = null;
      return loaded;
    } catch (error) {
      problem = problemIn(error);
      return null;
    }
  }
  async function look(): Promise<void> {
    view = (await guarded(api.queue)) ?? view;
    if (view && (view.alone || view.seat.role !== "annotator")) agreement = (await guarded(api.agreement)) ?? agreement;
  }
  /** Open a sample, once what was said of the one before is kept. */
  async function open(number: number): Promise<boolean> {
    if (!(await flush())) return false;
    const loaded = await guarded(() => api.item(number));
    if (!loaded) return false;
    problem = null;
    take(loaded);
    onopen(number);
    return true;
  }
  function take(loaded: AnnotationItem): void {
    item = loaded;
    answer = loaded.answer;
    revision = loaded.revision;
    spent = loaded.answer.seconds;
    since = performance.now();
    [past, future, typed, theirs, saving] = [[], [], "", null, "saved"];
  }
  async function start(wanted: number | null): Promise<void> {
    problem = null;
    await look();
    const number = wanted ?? nextOpen(0) ?? view?.items.find((entry) => entry.state !== "waiting")?.number;
    if (view && number) await open(number);
  }
  /** The number of the next sample that is not done, after this one and round again. */
  function nextOpen(after: number): number | null {
    const todo = (view?.items ?? []).filter((entry) => entry.state === "open" || entry.state === "begun").map((entry) => entry.number);
    return todo.find((entry) => entry > after) ?? todo.find((entry) => entry !== after) ?? null;
  }

  /** Change the answer; of changes in a row by typing in one field undo takes back all. */
  function change(next: Annotation, field = ""): void {
    if (!answer || item?.state === "waiting") return;
    if (!field || field !== typed) past = [...past.slice(-199), answer];
    typed = field;
    future = [];
    set(next);
  }
  function set(next: Annotation): void {
    answer = { ...next, done: next.done && firstGap(next) < 0 };
    spent += Math.min(performance.now() - since, LONGEST_PAUSE_MS) / 1000;
    since = performance.now();
    if (saving !== "conflict") soon(SAVE_AFTER_MS);
  }
  // What waits is not put off by further changes, so that nothing is unsaved for long.
  function soon(after: number): void {
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
      const reply = await api.save(item.number, { ...sent, seconds: Math.round(spent * 10) / 10 }, revision);
      revision = reply.revision;
      item = { ...item, state: reply.state, suggestion: reply.suggestion };
      const { number } = item;
      if (view) view = { ...view, items: view.items.map((entry) => (entry.number === number ? { ...entry, state: reply.state } : entry)) };
      if (sent === answer) saving = "saved";
      problem = null;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      await refused(error.problem);
    }
  }
  async function refused(why: Problem): Promise<void> {
    if (why.status === 412 && item) {
      const { number } = item;
      theirs = await guarded(() => api.item(number));
      if (theirs) {
        saving = "conflict";
        return;
      }
    }
    saving = "unsaved";
    if (why.status) problem = why;
    if (why.status === 0 || why.status === 429 || why.status >= 500) soon(TRY_AGAIN_MS);
  }
  /** Keep what is not kept yet, now; whether all is kept. */
  async function flush(): Promise<boolean> {
    if (saving === "saving" || saving === "unsaved") await save();
    return saving === "saved";
  }
  /** Another tab was first: keep this answer over the other, or take the other. The one not taken is one undo away. */
  async function settle(mine: boolean): Promise<void> {
    if (!theirs || !answer) return;
    const other = theirs;
    revision = other.revision;
    theirs = null;
    past = [...past, mine ? other.answer : answer];
    typed = "";
    saving = "saved";
    if (mine) {
      set(answer);
      await flush();
    } else {
      item = other;
      answer = other.answer;
    }
  }
  function back(): void {
    const before = past.at(-1);
    if (!before || !answer) return;
    past = past.slice(0, -1);
    future = [...future, answer];
    typed = "";
    set(before);
  }
  function again(): void {
    const after = future.at(-1);
    if (!after || !answer) return;
    future = future.slice(0, -1);
    past = [...past, answer];
    typed = "";
    set(after);
  }
  /** Done with this sample; the number of the next one, null when there is none, false when something is missing. */
  async function finish(): Promise<number | null | false> {
    if (!item || !answer || firstGap(answer) >= 0) return false;
    if (!answer.done) change({ ...answer, done: true });
    if (!(await flush())) return false;
    await look();
    return nextOpen(item.number);
  }
  /** Another tab may have gone on with this sample: when nothing here is unsaved, show it as it is now. */
  async function refresh(): Promise<void> {
    if (!item || saving !== "saved" || document.hidden) return;
    const { number } = item;
    const loaded = await guarded(() => api.item(number));
    if (loaded && saving === "saved" && item?.number === number && (loaded.revision !== revision || loaded.state !== item.state)) take(loaded);
  }
  const looking = setInterval(() => {
    if (!document.hidden && view && view.seat.role !== "annotator") void look();
  }, LOOK_MS);
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
    undo: back,
    redo: again,
    export: (form: "felm" | "hf") => guarded(() => api.export(form)),
    close(): void {
      clearInterval(looking);
      void flush();
      closing.abort();
    },
  };
}
