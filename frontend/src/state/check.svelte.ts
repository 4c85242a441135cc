// One check as the page holds it: loaded, watched while it runs, and recomputed with what a person rules out.

import { api, ApiError, type Check, type Problem } from "../lib/api";
import { cardsOf, type Card } from "../lib/cards";
import { watch, type AwaitedCalls } from "../lib/events";
import { excludedPassages, onlyFiles, sourcesOf, type Why } from "../lib/exclusions";
import { clearForResume, fold, growing, stageOfSegment, stagesOf, type ClaimStage, type Growing } from "../lib/fold";
import { flips, restingOn, type Flip } from "../lib/flips";
import { paragraphsOf } from "../lib/paragraphs";
import { compareIds, emptyReport, type Category, type Report, type Verdict } from "../lib/records";
import { HEAD, scored, type HeadScore, type Scored } from "../lib/scoring";
import { categoryShares, sharesOf, type Share } from "../lib/shares";
import { PROBLEMS, statesOf, type State } from "../lib/states";
import { troubleOf } from "../lib/trouble";
import { choicesOf, type ChoiceState } from "./choices.svelte";
import { t } from "./words.svelte";

export type CheckStore = ReturnType<typeof openCheck>;

/** Pause before a check is asked for again that could not be loaded. */
const AGAIN_MS = 2_000;

export function isLive(check: Check | null): boolean {
  return check?.state === "queued" || check?.state === "running";
}

/** Open a check. Call `close` when it is no longer shown. */
export function openCheck(id: string) {
  let check = $state.raw<Check | null>(null);
  let report = $state.raw<Report | null>(null);
  let problem = $state.raw<Problem | null>(null);
  let choices = $state.raw<ChoiceState | null>(null);
  let connected = $state(true);
  let waiting = $state.raw<AwaitedCalls | null>(null);
  let chosenKind = $state<HeadScore | null>(null);
  let grown: Growing | null = null;
  let unwatch: (() => void) | null = null;
  let closed = false;
  let asked = 0;
  let again: ReturnType<typeof setTimeout> | undefined;

  async function load(): Promise<void> {
    const mine = ++asked;
    clearTimeout(again);
    problem = null;
    try {
      const found = await api.check(id);
      // Of several answers under way only the last that was asked for is the newest.
      if (mine === asked) take(found);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (mine !== asked) return;
      problem = error.problem;
      if (problem.status === 404) {
        unwatch?.();
        unwatch = null;
        check = null; // the page says that it is gone
      }
      // Of a check that is shown and not watched nobody would tell: it would seem to run for ever.
      if (!check || unwatch || closed) return;
      connected = false;
      // Asking again helps where nobody answered, or could not just now; each wrong token counts as a guess.
      if (![401, 403].includes(problem.status)) again = setTimeout(() => void load(), AGAIN_MS);
    }
  }
  function take(found: Check): void {
    if (closed) return;
    check = found;
    choices ??= choicesOf(id, found);
    const known = found.report ?? emptyReport(found.request.text);
    if (!isLive(found)) {
      unwatch?.();
      unwatch = null;
      grown = null;
      waiting = null;
      connected = true;
      report = known;
      return;
    }
    // What is told while the check runs goes on from what was told when it was loaded.
    if (!unwatch) {
      grown = growing(known);
      report = { ...grown.report };
      unwatch = watch(id, found.report ? found.last_event : 0, {
        records: (records) => {
          if (!grown) return;
          fold(grown, records);
          report = { ...grown.report };
        },
        again: () => grown && clearForResume(grown),
        state: () => void load(),
        ended: () => {
          unwatch = null; // it may have been resumed since, and is then watched again
          void load();
        },
        waiting: (calls) => (waiting = calls),
        connected: (yes) => {
          connected = yes;
          if (!yes) waiting = null;
        },
      });
    }
  }
  async function act(what: () => Promise<Check>): Promise<void> {
    await what();
    unwatch?.();
    unwatch = null;
    await load();
  }

  // The method's own first score leads, until a person chooses the other.
  const named = $derived(Array.isArray(report?.method.scores) ? report.method.scores.map(String) : []);
  const kind = $derived<HeadScore>(chosenKind ?? named.map((name) => HEAD.find((entry) => entry === name)).find((entry) => !!entry) ?? "credibility");
  const live = $derived(isLive(check));
  const finished = $derived(!!check && !live && !!report && report.segments.length > 0 && (check.state === "done" || report.verdicts.length > 0));
  const original = $derived<Scored | null>(finished && report ? scored(report, report.excluded) : null);
  const exclude = $derived(choices && !choices.showOriginal && choices.any ? choices.exclude : (report?.excluded ?? null));
  const current = $derived<Scored | null>(
    report && exclude && original ? (exclude === report.excluded ? original : scored(report, exclude)) : null,
  );
  /** Whether the text was checked against the sources that it cites itself. */
  const cited = $derived((report?.method.evidence as { source?: string } | undefined)?.source === "cited");
  const judged = $derived(new Set((report?.verdicts ?? []).map((entry) => entry.unit_id)));
  // Of a check that was stopped or failed, what was not come to has no verdict: recounting would give it one.
  const verdicts = $derived((current?.verdicts ?? report?.verdicts ?? []).filter((entry) => check?.state === "done" || judged.has(entry.unit_id)));
  const segments = $derived(report?.segments ?? []);
  const claims = $derived(report?.claims ?? []);
  const text = $derived(report?.response.text ?? "");
  const out = $derived(report && exclude ? excludedPassages(report, exclude) : new Map<string, NonNullable<Why>>());
  const states = $derived(statesOf(segments, claims, verdicts));
  const order = $derived([...segments].sort((a, b) => a.span.start - b.span.start || compareIds(a.id, b.id)));
  const units = $derived.by(() => {
    const ofSegment = Map.groupBy(claims, (claim) => claim.segment_id);
    return order.flatMap((segment) => {
      const own = ofSegment.get(segment.id);
      return own ? own.map((claim) => claim.id).sort(compareIds) : [segment.id];
    });
  });
  const paragraphs = $derived(paragraphsOf(text, segments));
  const cards = $derived(report ? cardsOf(report) : new Map<string, Card[]>());
  const shares = $derived(report ? sharesOf(report, out) : new Map<string, Share>());
  const categories = $derived(report ? categoryShares(report, out) : new Map<Category, Share>());
  const sources = $derived(report ? sourcesOf(report) : []);
  const filesOnly = $derived(onlyFiles(sources));
  const stages = $derived(live && report ? stagesOf(report) : new Map<string, ClaimStage>());
  const segmentStages = $derived.by(() => {
    const found = new Map<string, ClaimStage>();
    if (!live) return found;
    for (const [segment, own] of Map.groupBy(claims, (claim) => claim.segment_id)) {
      const stage = stageOfSegment(own.map((claim) => stages.get(claim.id)).filter((entry) => !!entry));
      if (stage) found.set(segment, stage);
    }
    return found;
  });
  const delays = $derived(
    waiting && waiting.attempt > 1
      ? [t().live.attempt(waiting.attempt, waiting.tries), ...(waiting.asked_wait ? [t().live.askedWait(waiting.asked_wait)] : [])]
      : [],
  );
  const trouble = $derived(report ? troubleOf(report, verdicts) : null);
  const accepted = $derived.by(() => {
    const texts = new Map<string, { unit: string; text: string }>();
    for (const { unit_id: unit, text } of report?.corrections ?? []) {
      if (text && choices?.accepted.includes(unit)) texts.set(unit.split(".")[0] ?? "", { unit, text });
    }
    return texts;
  });
  const byUnit = $derived(new Map<string, Verdict>(verdicts.filter((entry) => entry.level !== "response").map((entry) => [entry.unit_id, entry])));
  const overrides = $derived(new Map((choices?.overrides ?? []).map((entry) => [entry.unit_id, entry])));
  const problems = $derived(
    order
      .filter((segment) => PROBLEMS.includes(states.get(segment.id) as State))
      .map((segment) => ({ segment, state: states.get(segment.id) as State })),
  );

  const worst = $derived([...problems].sort((a, b) => PROBLEMS.indexOf(a.state) - PROBLEMS.indexOf(b.state)));

  // What rests on one site alone is worked out when the page has nothing else to do, and kept over choices.
  let flipped = $state.raw<Flip[]>([]);
  let idle: ReturnType<typeof setTimeout> | undefined;
  $effect(() => {
    const [of, without] = [finished ? report : null, out];
    clearTimeout(idle);
    idle = setTimeout(() => (flipped = of ? flips(of, without) : []), 300);
    return () => clearTimeout(idle);
  });

  const restsOn = $derived(restingOn(flipped));

  /** A check that had ended may have been taken up again in another tab, while this one was not looked at. */
  function seenAgain(): void {
    const unfinished = check?.state !== "done" || report?.verdicts.some((entry) => entry.outcome === "failed");
    if (check && !live && unfinished) void load();
  }

  void load();

  return {
    id,
    get check() { return check; },
    get report() { return report; },
    get problem() { return problem; },
    get choices() { return choices; },
    get connected() { return connected; },
    /** The calls of models that it waits for; null for none. */
    get waiting() { return waiting; },
    /** Why that takes longer than usual, in words. */
    get delays() { return delays; },
    get live() { return live; },
    get finished() { return finished; },
    get cited() { return cited; },
    get original() { return original; },
    get current() { return current; },
    get byUnit() { return byUnit; },
    get segments() { return order; },
    get claims() { return claims; },
    get units() { return units; },
    get paragraphs() { return paragraphs; },
    get states() { return states; },
    get cards() { return cards; },
    get out() { return out; },
    get shares() { return shares; },
    get categories() { return categories; },
    get sources() { return sources; },
    /** A category's name; what has none is called by what it is, where it is nothing but the reader's own files. */
    nameOf: (category: Category): string => (category === "other" && filesOnly ? t().sources.files : (t().categories[category] ?? category)),
    get stages() { return stages; },
    get segmentStages() { return segmentStages; },
    get trouble() { return trouble; },
    get flips() { return flipped; },
    get restsOn() { return restsOn; },
    /** Sentences whose correction was accepted, with the claim that it is of. */
    get accepted() { return accepted; },
    get overrides() { return overrides; },
    /** Sentences to review, in reading order. */
    get problems() { return problems; },
    /** The same, the worst first. */
    get worst() { return worst; },
    get kind() { return kind; },
    set kind(name: HeadScore) { chosenKind = name; },
    load,
    seenAgain,
    stop: () => act(() => api.cancel(id)),
    retry: () => act(() => api.retry(id)),
    close(): void {
      closed = true;
      clearTimeout(again);
      unwatch?.();
      choices?.flush();
    },
  };
}
