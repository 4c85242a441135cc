// Keeps the keyboard focus when the focused element is replaced or removed: a button by its form, a deleted row.

const FOCUSABLE = "a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), summary, [tabindex]";

/** Keep the focus nearby when its element is removed or moved, where browsers reset it to the document. */
export function keepFocus(): void {
  let last: HTMLElement | null = null;
  // Pressing Tab or the mouse moves the focus on purpose, possibly to nothing.
  const release = (): void => void (last = null);
  document.addEventListener("pointerdown", release, true);
  document.addEventListener("keydown", (event) => event.key === "Tab" && release(), true);
  document.addEventListener("focusin", (event) => (last = event.target as HTMLElement), true);
  new MutationObserver((changes) => {
    if (!last || (document.activeElement && document.activeElement !== document.body)) return;
    (last.isConnected ? last : nearest(last, changes))?.focus({ preventScroll: true });
  }).observe(document.body, { childList: true, subtree: true });
}

/** The focusable element nearest to a removed one: its replacement, or what follows, precedes or contains it. */
function nearest(removed: HTMLElement, changes: readonly MutationRecord[]): HTMLElement | null {
  const removal = changes.find((change) => change.target.isConnected && [...change.removedNodes].some((node) => node.contains(removed)));
  const parent = removal?.target as HTMLElement | undefined;
  // When one page replaces another, the new page's heading takes the focus.
  if (!removal || !parent?.closest("main, [popover], dialog")) return null;
  const added = changes.filter((change) => change.target === parent).flatMap((change) => [...change.addedNodes]);
  for (const node of [...added, ...siblings(removal.nextSibling, "nextSibling"), ...siblings(removal.previousSibling, "previousSibling")]) {
    const target = node.isConnected ? firstFocusable(node) : null;
    if (target) return target;
  }
  return parent.closest<HTMLElement>("[tabindex]");
}

function siblings(from: Node | null, direction: "nextSibling" | "previousSibling"): Node[] {
  const all: Node[] = [];
  for (let node = from; node; node = node[direction]) all.push(node);
  return all;
}

function firstFocusable(node: Node): HTMLElement | null {
  if (!(node instanceof HTMLElement)) return null;
  return node.matches(FOCUSABLE) ? node : ([...node.querySelectorAll<HTMLElement>(FOCUSABLE)].find((element) => element.checkVisibility()) ?? null);
}
