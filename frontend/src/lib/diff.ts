// Word-level differences between two texts.

export interface Stretch {
  text: string;
  fresh: boolean;
}

const MAX_WORDS = 400;

function wordsOf(text: string): string[] {
  return text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}

/** `after` split into pieces that are new or also in `before`. If less than half is the same, nothing is marked as new. */
export function changedWords(before: string, after: string): Stretch[] {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  if (!old.length || !now.length || old.length > MAX_WORDS || now.length > MAX_WORDS) return [{ text: after, fresh: false }];
  const { shared } = common(old, now);
  const same = shared.reduce((sum, stays, i) => sum + (stays ? now[i]!.length : 0), 0);
  if (same * 2 < after.length) return [{ text: after, fresh: false }];
  const stretches: Stretch[] = [];
  now.forEach((word, i) => {
    const last = stretches.at(-1);
    const fresh = !shared[i];
    if (last && (last.fresh === fresh || (last.fresh && /^\s+$/.test(word) && shared[i + 1] === false))) last.text += word;
    else stretches.push({ text: word, fresh });
  });
  return stretches;
}

/** The longest common subsequence: flags which words of `old` (`stays`) and of `now` (`shared`) are in it. */
function common(old: readonly string[], now: readonly string[]): { stays: boolean[]; shared: boolean[] } {
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      lengths[i]![j] = old[i] === now[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
    }
  }
  const stays = old.map(() => false);
  const shared = now.map(() => false);
  for (let i = 0, j = 0; i < old.length && j < now.length; ) {
    if (old[i] === now[j]) {
      stays[i++] = true;
      shared[j++] = true;
    } else if (lengths[i + 1]![j]! >= lengths[i]![j + 1]!) i++;
    else j++;
  }
  return { stays, shared };
}

export interface Tracked {
  text: string;
  kind: "same" | "deleted" | "inserted";
}

/** The change from `before` to `after`, word by word, as tracked changes. */
export function tracked(before: string, after: string): Tracked[] {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  if (old.length > MAX_WORDS || now.length > MAX_WORDS) {
    return [{ text: before, kind: "deleted" }, { text: after, kind: "inserted" }];
  }
  const { stays, shared } = common(old, now);
  // Runs of changed words, each after its unchanged words; a single space between two changes belongs to both.
  const runs = [{ same: "", deleted: "", inserted: "" }];
  for (let i = 0, j = 0; i < old.length || j < now.length; ) {
    const run = runs.at(-1)!;
    if (i < old.length && !stays[i]) run.deleted += old[i++]!;
    else if (j < now.length && !shared[j]) run.inserted += now[j++]!;
    else {
      const word = now[j++]!;
      const between = /^\s+$/.test(word) && i + 1 < old.length && !stays[i + 1] && j < now.length && !shared[j];
      i++;
      if (between && (run.deleted || run.inserted)) {
        run.deleted += word;
        run.inserted += word;
      } else if (run.deleted || run.inserted) runs.push({ same: word, deleted: "", inserted: "" });
      else run.same += word;
    }
  }
  return runs
    .flatMap(({ same, deleted, inserted }): Tracked[] => [
      { text: same, kind: "same" },
      { text: deleted, kind: "deleted" },
      { text: inserted, kind: "inserted" },
    ])
    .filter(({ text }) => text);
}
