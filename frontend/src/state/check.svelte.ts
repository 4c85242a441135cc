// The page's state of one check: loaded, watched while it runs, and recomputed without excluded evidence.

import { api, ApiError, type Check, type Problem } from "../lib/api";
import { cardsOf, type Card } from "../lib/cards";
import { watch, type AwaitedCalls } from "../lib/events";
import { excludedPassages, onlyFiles, sourcesOf, type ExclusionReason } from "../lib/exclusions";
import { clearForResume, fold, growing, stageOfSegment, stagesOf, type ClaimStage, type Growing } from "../lib/fold";
import { decidingSitesOf, flips, type Flip } from "../lib/flips";
import { paragraphsOf } from "../lib/paragraphs";
import { compareIds, emptyReport, type Category, type Report, type Verdict } from "../lib/records";
import { HEAD, scored, type HeadScore, type Scored } from "../lib/scoring";
import { categoryShares, sharesOf, type Share } from "../lib/shares";
import { PROBLEMS, statesOf, type State } from "../lib/states";
import { troubleOf } from "../lib/trouble";
import { choicesOf, type ChoiceState } from "./choices.svelte";
import { t } from "./words.svelte";

export type CheckStore = ReturnType<typeof openCheck>;

/** Delay before retrying to load a check. */
const RETRY_MS = 2_000;

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
  let lastRequest = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;

  async function load(): Promise<void> {
    const request = ++lastRequest;
    clearTimeout(retry);
    problem = null;
    try {
      const loaded = await api.check(id);
      // Only the reply to the latest request is current.
      if (request === lastRequest) show(loaded);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (request !== lastRequest) return;
      problem = error.problem;
      if (problem.status === 404) {
        unwatch?.();
        unwatch = null;
        check = null; // the page then shows that it is gone
      }
      // A check that is shown but no longer watched would seem to run forever.
      if (!check || unwatch || closed) return;
      connected = false;
      // Retrying helps if the server was unreachable or busy, but each request with a wrong token counts as a guess.
      if (![401, 403].includes(problem.status)) retry = setTimeout(() => void load(), RETRY_MS);
    }
  }
  function show(loaded: Check): void {
    if (closed) return;
    check = loaded;
    choices ??= choicesOf(id, loaded, () => void load());
    const loadedReport = loaded.report ?? emptyReport(loaded.request.text);
    if (!isLive(loaded)) {
      unwatch?.();
      unwatch = null;
      grown = null;
      waiting = null;
      connected = true;
      report = loadedReport;
      return;
    }
    // Continue from the last event that the loaded report includes.
    if (!unwatch) {
      grown = growing(loadedReport);
      report = { ...grown.report };
      unwatch = watch(id, loaded.report ? loaded.last_event : 0, {
        records: (records) => {
          if (!grown) return;
          fold(grown, records);
          report = { ...grown.report };
        },
        resumed: () => grown && clearForResume(grown),
        state: () => void load(),
        ended: () => {
          unwatch = null; // it may have been resumed since, and then it is watched again
          void load();
        },
        waiting: (calls) => (waiting = calls),
        connected: (isConnected) => {
          connected = isConnected;
          if (!isConnected) waiting = null;
        },
      });
    }
  }
  async function act(action: () => Promise<Check>): Promise<void> {
    await action();
    unwatch?.();
    unwatch = null;
    await load();
  }

  // The first of the method's scores is shown, until the user chooses the other.
  const methodScores = $derived(Array.isArray(report?.method.scores) ? report.method.scores.map(String) : []);
  const kind = $derived<HeadScore>(chosenKind ?? methodScores.map((name) => HEAD.find((head) => head === name)).find((head) => !!head) ?? "credibility");
  const live = $derived(isLive(check));
  const finished = $derived(!!check && !live && !!report && report.segments.length > 0 && (check.state === "done" || report.verdicts.length > 0));
  const original = $derived<Scored | null>(finished && report ? scored(report, report.excluded) : null);
  const exclude = $derived(choices && !choices.showOriginal && choices.any ? choices.exclude : (report?.excluded ?? null));
  const current = $derived<Scored | null>(
    report && exclude && original ? (exclude === report.excluded ? original : scored(report, exclude)) : null,
  );
  /** Whether the text was checked against the sources that it cites. */
  const cited = $derived((report?.method.evidence as { source?: string } | undefined)?.source === "cited");
  const judged = $derived(new Set((report?.verdicts ?? []).map((verdict) => verdict.unit_id)));
  // In a stopped or failed check, units that were not reached have no verdict, but recomputing would give them one.
  const verdicts = $derived((current?.verdicts ?? report?.verdicts ?? []).filter((verdict) => check?.state === "done" || judged.has(verdict.unit_id)));
  const segments = $derived(report?.segments ?? []);
  const claims = $derived(report?.claims ?? []);
  const text = $derived(report?.response.text ?? "");
  const excluded = $derived(report && exclude ? excludedPassages(report, exclude) : new Map<string, NonNullable<ExclusionReason>>());
  const states = $derived(statesOf(segments, claims, verdicts));
  const order = $derived([...segments].sort((a, b) => a.span.start - b.span.start || compareIds(a.id, b.id)));
  const units = $derived.by(() => {
    const claimsOf = Map.groupBy(claims, (claim) => claim.segment_id);
    return order.flatMap((segment) => {
      const ofSegment = claimsOf.get(segment.id);
      return ofSegment ? ofSegment.map((claim) => claim.id).sort(compareIds) : [segment.id];
    });
  });
  const paragraphs = $derived(paragraphsOf(text, segments));
  const cards = $derived(report ? cardsOf(report) : new Map<string, Card[]>());
  const shares = $derived(report ? sharesOf(report, excluded) : new Map<string, Share>());
  const categories = $derived(report ? categoryShares(report, excluded) : new Map<Category, Share>());
  const sources = $derived(report ? sourcesOf(report) : []);
  const filesOnly = $derived(onlyFiles(sources));
  const stages = $derived(live && report ? stagesOf(report) : new Map<string, ClaimStage>());
  const segmentStages = $derived.by(() => {
    const furthest = new Map<string, ClaimStage>();
    if (!live) return furthest;
    for (const [segment, ofSegment] of Map.groupBy(claims, (claim) => claim.segment_id)) {
      const stage = stageOfSegment(ofSegment.map((claim) => stages.get(claim.id)).filter((stage) => !!stage));
      if (stage) furthest.set(segment, stage);
    }
    return furthest;
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
  const byUnit = $derived(new Map<string, Verdict>(verdicts.filter((verdict) => verdict.level !== "response").map((verdict) => [verdict.unit_id, verdict])));
  const overrides = $derived(new Map((choices?.overrides ?? []).map((override) => [override.unit_id, override])));
  const problems = $derived(
    order
      .filter((segment) => PROBLEMS.includes(states.get(segment.id) as State))
      .map((segment) => ({ segment, state: states.get(segment.id) as State })),
  );

  const worst = $derived([...problems].sort((a, b) => PROBLEMS.indexOf(a.state) - PROBLEMS.indexOf(b.state)));

  // Which verdicts depend on a single site is computed with a delay, so that the page stays responsive.
  let flipped = $state.raw<Flip[]>([]);
  let idle: ReturnType<typeof setTimeout> | undefined;
  $effect(() => {
    const [target, without] = [finished ? report : null, excluded];
    clearTimeout(idle);
    idle = setTimeout(() => (flipped = target ? flips(target, without) : []), 300);
    return () => clearTimeout(idle);
  });

  const decidingSites = $derived(decidingSitesOf(flipped));

  /** Reload an unfinished check when the page becomes visible: another tab may have resumed it. */
  function refresh(): void {
    const unfinished = check?.state !== "done" || report?.verdicts.some((verdict) => verdict.outcome === "failed");
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
    /** The model calls that it is waiting for; null if none. */
    get waiting() { return waiting; },
    /** Why they take longer than usual, in words. */
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
    get excluded() { return excluded; },
    get shares() { return shares; },
    get categories() { return categories; },
    get sources() { return sources; },
    /** A category's name; “other” is named after the user's own files if it contains nothing else. */
    nameOf: (category: Category): string => (category === "other" && filesOnly ? t().sources.files : (t().categories[category] ?? category)),
    get stages() { return stages; },
    get segmentStages() { return segmentStages; },
    get trouble() { return trouble; },
    get flips() { return flipped; },
    get decidingSites() { return decidingSites; },
    /** Accepted corrections by sentence, each with the claim that it corrects. */
    get accepted() { return accepted; },
    get overrides() { return overrides; },
    /** Sentences to review, in reading order. */
    get problems() { return problems; },
    /** The same, the worst first. */
    get worst() { return worst; },
    get kind() { return kind; },
    set kind(name: HeadScore) { chosenKind = name; },
    load,
    refresh,
    stop: () => act(() => api.cancel(id)),
    retry: () => act(() => api.retry(id)),
    close(): void {
      closed = true;
      clearTimeout(retry);
      unwatch?.();
      choices?.flush();
    },
  };
}
