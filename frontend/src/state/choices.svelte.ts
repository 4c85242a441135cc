// The user's choices on a result: excluded evidence, thresholds, own verdicts; with undo, and saved to the server.

import { api, ApiError, type Check, type Choices, type Override } from "../lib/api";
import { isNothing, withDefaults } from "../lib/exclusions";
import type { Exclusions } from "../lib/records";
import { forget, remember, remembered, sameChoices } from "../lib/unsaved";

export type Saving = "saved" | "saving" | "unsaved" | "conflict";
const SAVE_DELAY_MS = 400;
const RETRY_MS = 5_000;
export const BANDS: [number, number] = [0.3, 0.6];

export type ChoiceState = ReturnType<typeof choicesOf>;

function complete(partial: Partial<Choices> | undefined): Choices {
  return {
    exclude: withDefaults(partial?.exclude),
    bands: partial?.bands ?? BANDS,
    overrides: partial?.overrides ?? [],
    reason: partial?.reason ?? null,
    accepted: partial?.accepted ?? [],
  };
}

/** The choices on a check; `ongone` is called if it turns out to be deleted. */
export function choicesOf(id: string, check: Check, ongone: () => void) {
  const stored = complete(check.choices);
  const unsaved = remembered(id);
  let current = $state.raw(unsaved ? complete(unsaved.choices) : stored);
  let past = $state.raw<Choices[]>([]);
  let future = $state.raw<Choices[]>([]);
  let showOriginal = $state(false);
  let saving = $state<Saving>("saved");
  let revision = check.revision;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let underway: Promise<void> | null = null;
  /** Choices that this tab sent and that the server has not confirmed. */
  let unconfirmed = unsaved?.underway ?? null;
  if (unsaved) resume(unsaved.revision);

  /** Continue with choices based on that revision, which the server did not have when the page was left. */
  function resume(baseRevision: number): void {
    if (sameChoices(stored, current)) forget(id);
    else if (baseRevision === revision || isOurs(stored, current)) saveSoon(0);
    else saving = "conflict";
  }
  function isOurs(theirs: Choices, latest: Choices): boolean {
    return sameChoices(theirs, latest) || (unconfirmed !== null && sameChoices(theirs, unconfirmed));
  }
  function change(next: Choices): void {
    past = [...past.slice(-99), current];
    future = [];
    set(next);
  }
  function set(next: Choices): void {
    current = next;
    showOriginal = false;
    if (saving !== "conflict") saveSoon();
  }
  function saveSoon(after = SAVE_DELAY_MS): void {
    saving = "saving";
    remember(id, { revision, choices: current, underway: unconfirmed });
    clearTimeout(timer);
    timer = setTimeout(() => void save(), after);
  }
  async function save(): Promise<void> {
    if (underway) await underway;
    const sent = current;
    underway = put(sent);
    await underway;
    underway = null;
  }
  async function put(sent: Choices): Promise<void> {
    const before = unconfirmed;
    unconfirmed = sent;
    try {
      confirm((await api.choose(id, sent, revision)).revision, sent);
    } catch (error) {
      if (error instanceof ApiError && error.problem.status === 412) {
        unconfirmed = before;
        await handleConflict(sent);
        return;
      }
      saving = "unsaved";
      if (error instanceof ApiError && error.problem.status === 404) {
        forget(id);
        ongone();
        return;
      }
      timer = setTimeout(() => void save(), RETRY_MS);
    }
  }
  function confirm(newRevision: number, sent: Choices): void {
    revision = newRevision;
    unconfirmed = null;
    if (sent === current) {
      saving = "saved";
      forget(id);
    } else {
      remember(id, { revision, choices: current, underway: null });
    }
  }
  /** The server has newer choices than those changed here: from another tab, unless this one sent them. */
  async function handleConflict(sent: Choices): Promise<void> {
    const other = await api.check(id).catch(() => null);
    const onServer = complete(other?.choices);
    if (!other || !isOurs(onServer, sent)) {
      saving = "conflict";
    } else if (sameChoices(onServer, sent)) {
      confirm(other.revision, sent);
    } else {
      revision = other.revision;
      saveSoon(0);
    }
  }
  /** Resolve a conflict with another tab, in favour of these choices or the others. */
  async function settle(mine: boolean): Promise<void> {
    const other = await api.check(id);
    revision = other.revision;
    if (mine) {
      saveSoon(0);
    } else {
      past = [...past, current];
      current = complete(other.choices);
      saving = "saved";
      forget(id);
    }
  }

  return {
    get exclude() {
      return current.exclude;
    },
    get bands() {
      return current.bands;
    },
    get overrides() {
      return current.overrides;
    },
    get reason() {
      return current.reason ?? "";
    },
    get accepted() {
      return current.accepted;
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
      return !isNothing(current.exclude);
    },
    get showOriginal() {
      return showOriginal;
    },
    set showOriginal(value: boolean) {
      showOriginal = value;
    },
    setExclude: (exclude: Exclusions): void => change({ ...current, exclude }),
    setBands: (bands: [number, number]): void => change({ ...current, bands }),
    setReason: (reason: string): void => set({ ...current, reason: reason || null }),
    setOverride: (override: Override): void =>
      change({ ...current, overrides: [...current.overrides.filter((other) => other.unit_id !== override.unit_id), override] }),
    dropOverride: (unit: string): void =>
      change({ ...current, overrides: current.overrides.filter((override) => override.unit_id !== unit) }),
    /** Accept the corrections of these claims, replacing those accepted for the same sentences. */
    accept(units: readonly string[]): void {
      const sentences = new Set(units.map((unit) => unit.split(".")[0]));
      change({ ...current, accepted: [...current.accepted.filter((unit) => !sentences.has(unit.split(".")[0])), ...units] });
    },
    reject: (unit: string): void => change({ ...current, accepted: current.accepted.filter((other) => other !== unit) }),
    undo(): void {
      const before = past.at(-1);
      if (!before) return;
      past = past.slice(0, -1);
      future = [...future, current];
      set(before);
    },
    redo(): void {
      const after = future.at(-1);
      if (!after) return;
      future = future.slice(0, -1);
      past = [...past, current];
      set(after);
    },
    settle,
    /** Save unsaved choices at once, as when the page is left. */
    flush(): void {
      if (saving === "saving" || saving === "unsaved") {
        clearTimeout(timer);
        void save();
      }
    },
  };
}
