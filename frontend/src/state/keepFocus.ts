// The keyboard's place, kept when what held it is replaced: a form that takes the place of its button, a row that goes.

const FOCUSABLE = "a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), summary, [tabindex]";

/** Keep the focus near where it was when its element is taken away or moved. Browsers drop it to the document. */
export function keepFocus(): void {
  let last: HTMLElement | null = null;
  // Who presses Tab or the mouse moves the focus, even to nowhere.
  const leave = (): void => void (last = null);
  document.addEventListener("pointerdown", leave, true);
  document.addEventListener("keydown", (event) => event.key === "Tab" && leave(), true);
  document.addEventListener("focusin", (event) => (last = event.target as HTMLElement), true);
  new MutationObserver((changes) => {
    if (!last || (document.activeElement && document.activeElement !== document.body)) return;
    (last.isConnected ? last : near(last, changes))?.focus({ preventScroll: true });
  }).observe(document.body, { childList: true, subtree: true });
}

/** What is nearest to an element that was taken away: what came in its place, what follows, what precedes, what held both. */
function near(lost: HTMLElement, changes: readonly MutationRecord[]): HTMLElement | null {
  const cut = changes.find((change) => change.target.isConnected && [...change.removedNodes].some((node) => node.contains(lost)));
  const holder = cut?.target as HTMLElement | undefined;
  // A page that gives way to another has a heading that takes the focus.
  if (!cut || !holder?.closest("main, [popover], dialog")) return null;
  const added = changes.filter((change) => change.target === holder).flatMap((change) => [...change.addedNodes]);
  for (const node of [...added, ...siblings(cut.nextSibling, "nextSibling"), ...siblings(cut.previousSibling, "previousSibling")]) {
    const target = node.isConnected ? firstIn(node) : null;
    if (target) return target;
  }
  return holder.closest<HTMLElement>("[tabindex]");
}

function siblings(from: Node | null, way: "nextSibling" | "previousSibling"): Node[] {
  const all: Node[] = [];
  for (let node = from; node; node = node[way]) all.push(node);
  return all;
}

function firstIn(node: Node): HTMLElement | null {
  if (!(node instanceof HTMLElement)) return null;
  return node.matches(FOCUSABLE) ? node : ([...node.querySelectorAll<HTMLElement>(FOCUSABLE)].find((entry) => entry.checkVisibility()) ?? null);
}
