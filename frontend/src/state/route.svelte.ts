// Where the page is: its address says it all, so that a reload or a shared link shows the same.

export type Route =
  | { page: "home" }
  | { page: "about" }
  | { page: "docs" }
  | { page: "check"; id: string }
  | { page: "compare"; first: string; second: string }
  | { page: "annotate"; id: string }
  | { page: "lost" };

let current = $state.raw({ route: read(location.pathname), hash: location.hash.slice(1) });

function read(path: string): Route {
  const parts = path.split("/").filter(Boolean).map(decode);
  const [first, second, third] = parts;
  if (!first) return { page: "home" };
  if (first === "about" && parts.length === 1) return { page: "about" };
  if (first === "docs" && parts.length === 1) return { page: "docs" };
  if (first === "checks" && second && parts.length === 2) return { page: "check", id: second };
  if (first === "compare" && second && third && parts.length === 3) return { page: "compare", first: second, second: third };
  if (first === "annotate" && second && parts.length === 2) return { page: "annotate", id: second };
  return { page: "lost" };
}

function decode(piece: string): string {
  try {
    return decodeURIComponent(piece);
  } catch {
    return piece;
  }
}

export function route(): Route {
  return current.route;
}

/** What stands after `#`: the segment, claim or passage that is open. */
export function hash(): string {
  return current.hash;
}

function follow(): void {
  const next = read(location.pathname);
  const same = JSON.stringify(next) === JSON.stringify(current.route);
  current = { route: same ? current.route : next, hash: location.hash.slice(1) };
}

let moved = false;

export function go(address: string, replace = false): void {
  moved = true;
  history[replace ? "replaceState" : "pushState"](null, "", address);
  follow();
  if (!address.includes("#")) window.scrollTo(0, 0);
}

/** A heading that is focused when its page was opened from another one: else the focus is lost with the old page. */
export function arrive(heading: HTMLElement): void {
  const nowhere = !document.activeElement || document.activeElement === document.body;
  if (moved && nowhere) heading.focus({ preventScroll: true });
  moved = false;
}

/** Open a segment, claim or passage of the check that is shown, without a new entry in the history. */
export function openUnit(id: string): void {
  history.replaceState(null, "", id ? `#${id}` : location.pathname);
  follow();
}

window.addEventListener("popstate", follow);
window.addEventListener("hashchange", follow);

/** Links within the page are followed without reloading it. */
export function followLinks(event: MouseEvent): void {
  if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = (event.target as Element | null)?.closest?.("a");
  if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
  if (link.pathname.startsWith("/api/") || link.pathname === location.pathname) return;
  event.preventDefault();
  go(link.pathname + link.hash);
}
