// The current route, determined by the address alone, so that a reload or a shared link shows the same page.

export type Route =
  | { page: "home" }
  | { page: "about" }
  | { page: "docs" }
  | { page: "check"; id: string }
  | { page: "compare"; first: string; second: string }
  | { page: "annotate"; id: string }
  | { page: "lost" };

let current = $state.raw({ route: parseRoute(location.pathname), hash: location.hash.slice(1) });

function parseRoute(path: string): Route {
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

/** The part after `#`: the open segment, claim or passage. */
export function hash(): string {
  return current.hash;
}

function update(): void {
  const next = parseRoute(location.pathname);
  const same = JSON.stringify(next) === JSON.stringify(current.route);
  current = { route: same ? current.route : next, hash: location.hash.slice(1) };
}

let navigated = false;

export function go(address: string, replace = false): void {
  navigated = true;
  history[replace ? "replaceState" : "pushState"](null, "", address);
  update();
  if (!address.includes("#")) window.scrollTo(0, 0);
}

/** Focus a page's heading after navigating from another page, whose focused element is gone. */
export function arrive(heading: HTMLElement): void {
  const unfocused = !document.activeElement || document.activeElement === document.body;
  if (navigated && unfocused) heading.focus({ preventScroll: true });
  navigated = false;
}

/** Open a segment, claim or passage of the shown check, without a new history entry. */
export function openUnit(id: string): void {
  history.replaceState(null, "", id ? `#${id}` : location.pathname);
  update();
}

window.addEventListener("popstate", update);
window.addEventListener("hashchange", update);

/** Follow links within the page without reloading it. */
export function followLinks(event: MouseEvent): void {
  if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = (event.target as Element | null)?.closest?.("a");
  if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
  if (link.pathname.startsWith("/api/") || link.pathname === location.pathname) return;
  event.preventDefault();
  go(link.pathname + link.hash);
}
