// What a person chose on a result: evidence left out, thresholds, verdicts of their own; with undo, and kept by the server.

import { api, ApiError, type Check, type Choices, type Override } from "../lib/api";
import { clean, isNothing } from "../lib/exclusions";
import type { Exclusions } from "../lib/records";
import { forget, remember, remembered, sameChoices } from "../lib/unsaved";

export type Saving = "saved" | "saving" | "unsaved" | "conflict";
const SAVE_AFTER_MS = 400;
const RETRY_MS = 5_000;
export const BANDS: [number, number] = [0.3, 0.6];

export type ChoiceState = ReturnType<typeof choicesOf>;

function complete(partial: Partial<Choices> | undefined): Choices {
  return {
    exclude: clean(partial?.exclude),
    bands: partial?.bands ?? BANDS,
    overrides: partial?.overrides ?? [],
    reason: partial?.reason ?? null,
    accepted: partial?.accepted ?? [],
  };
}

export function choicesOf(id: string, check: Check) {
  const stored = complete(check.choices);
  const unsaved = remembered(id);
  let now = $state.raw(unsaved ? complete(unsaved.choices) : stored);
  let past = $state.raw<Choices[]>([]);
  let future = $state.raw<Choices[]>([]);
  let showOriginal = $state(false);
  let saving = $state<Saving>("saved");
  let revision = check.revision;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let underway: Promise<void> | null = null;
  /** What this tab sent without having heard that it arrived. */
  let unheard = unsaved?.underway ?? null;
  if (unsaved) resume(unsaved.revision);

  /** The page was left before the server had the last change to that revision: go on with it. */
  function resume(changed: number): void {
    if (sameChoices(stored, now)) forget(id);
    else if (changed === revision || isOurs(stored, now)) saveSoon(0);
    else saving = "conflict";
  }
  function isOurs(theirs: Choices, latest: Choices): boolean {
    return sameChoices(theirs, latest) || (unheard !== null && sameChoices(theirs, unheard));
  }
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
    remember(id, { revision, choices: now, underway: unheard });
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
    const before = unheard;
    unheard = sent;
    try {
      arrived((await api.choose(id, sent, revision)).revision, sent);
    } catch (error) {
      if (error instanceof ApiError && error.problem.status === 412) {
        unheard = before;
        await refused(sent);
        return;
      }
      saving = "unsaved";
      timer = setTimeout(() => void save(), RETRY_MS);
    }
  }
  function arrived(newRevision: number, sent: Choices): void {
    revision = newRevision;
    unheard = null;
    if (sent === now) {
      saving = "saved";
      forget(id);
    } else {
      remember(id, { revision, choices: now, underway: null });
    }
  }
  /** The server has other choices than those that were changed here: another tab's, unless this one sent them. */
  async function refused(sent: Choices): Promise<void> {
    const other = await api.check(id).catch(() => null);
    const onServer = complete(other?.choices);
    if (!other || !isOurs(onServer, sent)) {
      saving = "conflict";
    } else if (sameChoices(onServer, sent)) {
      arrived(other.revision, sent);
    } else {
      revision = other.revision;
      saveSoon(0);
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
      now = complete(other.choices);
      saving = "saved";
      forget(id);
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
      change({ ...now, overrides: [...now.overrides.filter((entry) => entry.unit_id !== override.unit_id), override] }),
    dropOverride: (unit: string): void =>
      change({ ...now, overrides: now.overrides.filter((entry) => entry.unit_id !== unit) }),
    /** Accept the corrections of these claims, in place of all that stand for the same sentences. */
    accept(units: readonly string[]): void {
      const sentences = new Set(units.map((unit) => unit.split(".")[0]));
      change({ ...now, accepted: [...now.accepted.filter((unit) => !sentences.has(unit.split(".")[0])), ...units] });
    },
    reject: (unit: string): void => change({ ...now, accepted: now.accepted.filter((entry) => entry !== unit) }),
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
