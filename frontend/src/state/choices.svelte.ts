// What a person chose on a result: evidence left out, thresholds, verdicts of their own; with undo, and kept by the server.

import { api, ApiError, type Check, type Choices, type Override } from "../lib/api";
import { clean, isNothing } from "../lib/exclusions";
import type { Exclusions } from "../lib/records";

export type Saving = "saved" | "saving" | "unsaved" | "conflict";
const SAVE_AFTER_MS = 400;
export const BANDS: [number, number] = [0.3, 0.6];

export type ChoiceState = ReturnType<typeof choicesOf>;

function whole(given: Partial<Choices> | undefined): Choices {
  return {
    exclude: clean(given?.exclude),
    bands: given?.bands ?? BANDS,
    overrides: given?.overrides ?? [],
    reason: given?.reason ?? null,
    accepted: given?.accepted ?? [],
  };
}

export function choicesOf(id: string, check: Check) {
  let now = $state.raw(whole(check.choices));
  let past = $state.raw<Choices[]>([]);
  let future = $state.raw<Choices[]>([]);
  let showOriginal = $state(false);
  let saving = $state<Saving>("saved");
  let revision = check.revision;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let underway: Promise<void> | null = null;

  function change(next: Choices): void {
    past = [...past.slice(-99), now];
    future = [];
    set(next);
  }
  function set(next: Choices): void {
    now = next;
    showOriginal = false;
    if (saving !== "conflict") saveSoon();
  }
  function saveSoon(after = SAVE_AFTER_MS): void {
    saving = "saving";
    clearTimeout(timer);
    timer = setTimeout(() => void save(), after);
  }
  async function save(): Promise<void> {
    if (underway) await underway;
    const sent = now;
    underway = put(sent);
    await underway;
    underway = null;
  }
  async function put(sent: Choices): Promise<void> {
    try {
      const reply = await api.choose(id, sent, revision);
      revision = reply.revision;
      if (sent === now) saving = "saved";
    } catch (error) {
      saving = error instanceof ApiError && error.problem.status === 412 ? "conflict" : "unsaved";
      if (saving === "unsaved") timer = setTimeout(() => void save(), 5_000);
    }
  }
  /** Another tab was first: keep these choices over the others, or take the others. */
  async function settle(mine: boolean): Promise<void> {
    const other = await api.check(id);
    revision = other.revision;
    if (mine) {
      saveSoon(0);
    } else {
      past = [...past, now];
      now = whole(other.choices);
      saving = "saved";
    }
  }

  return {
    get exclude() {
      return now.exclude;
    },
    get bands() {
      return now.bands;
    },
    get overrides() {
      return now.overrides;
    },
    get reason() {
      return now.reason ?? "";
    },
    get accepted() {
      return now.accepted;
    },
    get saving() {
      return saving;
    },
    get canUndo() {
      return past.length > 0;
    },
    get canRedo() {
      return future.length > 0;
    },
    get any() {
      return !isNothing(now.exclude);
    },
    get showOriginal() {
      return showOriginal;
    },
    set showOriginal(yes: boolean) {
      showOriginal = yes;
    },
    setExclude: (exclude: Exclusions): void => change({ ...now, exclude }),
    setBands: (bands: [number, number]): void => change({ ...now, bands }),
    setReason: (reason: string): void => set({ ...now, reason: reason || null }),
    setOverride: (override: Override): void =>
      change({ ...now, overrides: [...now.overrides.filter((one) => one.unit_id !== override.unit_id), override] }),
    dropOverride: (unit: string): void =>
      change({ ...now, overrides: now.overrides.filter((one) => one.unit_id !== unit) }),
    /** Accept the corrections of these claims, in place of all that stand for the same sentences. */
    accept(units: readonly string[]): void {
      const sentences = new Set(units.map((unit) => unit.split(".")[0]));
      change({ ...now, accepted: [...now.accepted.filter((unit) => !sentences.has(unit.split(".")[0])), ...units] });
    },
    reject: (unit: string): void => change({ ...now, accepted: now.accepted.filter((one) => one !== unit) }),
    undo(): void {
      const before = past.at(-1);
      if (!before) return;
      past = past.slice(0, -1);
      future = [...future, now];
      set(before);
    },
    redo(): void {
      const after = future.at(-1);
      if (!after) return;
      future = future.slice(0, -1);
      past = [...past, now];
      set(after);
    },
    settle,
    /** Send at once what waits to be sent, as when the page is left. */
    flush(): void {
      if (saving === "saving" || saving === "unsaved") {
        clearTimeout(timer);
        void save();
      }
    },
  };
}
