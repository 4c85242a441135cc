"""A browser page that records its problems: errors, refused code, and requests to other hosts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Error, Page, Request, expect

AXE = Path(__file__).parents[2] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
PATIENCE_MS = 200_000
"""Long, so that a busy machine doesn't fail the page; below the time limit of a test."""
expect.set_options(timeout=PATIENCE_MS)


@dataclass
class Watched:
    """A page and its problems."""

    page: Page
    site: str
    """The only address that it may request."""
    errors: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)

    def said(self, message: ConsoleMessage) -> None:
        """Record errors, except failed requests, which the page itself reports."""
        if message.type in ("error", "warning") and "Failed to load resource" not in message.text:
            self.errors.append(message.text)

    def asked(self, request: Request) -> None:
        """Record requests to other hosts; the browser finds none of them."""
        if not request.url.startswith((f"{self.site}/", "data:", "blob:")):
            self.outside.append(request.url)


WIDE: dict[str, Any] = {"viewport": {"width": 1280, "height": 860}, "locale": "en-GB"}
"""Default options of a context."""
OF_A_PAGE = {"color_scheme", "forced_colors", "reduced_motion", "viewport"}
"""Options that a page can have without its own context."""
_OF_NOBODY = "/icon.svg"
"""Shown by the waiting page: of the same site, so that its pages share the process, and without a script."""


@contextmanager
def visitors(browser: Browser, shared: BrowserContext) -> Iterator[Callable[..., Watched]]:
    """Yield a function that opens pages, each as a new person; the first uses the shared context, which is restored.

    Raises AssertionError at the end if anything went wrong in a page, or it requested anything but its site.
    """
    opened: list[Watched] = []

    def visit(site: str, **options: Any) -> Watched:
        if opened or options.keys() - OF_A_PAGE:
            opened.append(_watch(browser.new_context(**{**WIDE, **options}).new_page(), site))
            return opened[-1]
        opened.append(_watch(beside(shared, f"{site}{_OF_NOBODY}", **options), site))
        return opened[-1]

    try:
        yield visit
    finally:
        for watched in opened:
            _close(watched, shared)
    for watched in opened:
        assert not watched.errors, watched.errors
        assert not watched.outside, f"the page asked for {watched.outside}"


def beside(context: BrowserContext, waiting_at: str, **options: Any) -> Page:
    """Open a page in the process of a page that stays open on a file of the same site.

    A new process takes a quarter of a second more of processor time.
    """
    waiting = _waiting(context)
    if waiting.url != waiting_at:
        waiting.goto(waiting_at)
    with waiting.expect_popup() as opened:
        waiting.evaluate("() => { window.open('about:blank'); }")
    page = opened.value
    page.set_viewport_size(options.pop("viewport", WIDE["viewport"]))
    page.emulate_media(**options)
    return page


def _waiting(context: BrowserContext) -> Page:
    """Return the page that stays open between tests, or a new one if it has crashed."""
    if not context.pages:
        context.new_page().on("crash", lambda crashed: crashed.close())
    return context.pages[0]


def _watch(page: Page, site: str) -> Watched:
    """Watch a page and the pages opened beside it."""
    page.set_default_timeout(PATIENCE_MS)
    watched = Watched(page, site)
    page.on("console", watched.said)
    page.on("pageerror", lambda error: watched.errors.append(str(error)))
    page.context.on("request", watched.asked)
    return watched


def _close(watched: Watched, shared: BrowserContext) -> None:
    """Close a person's pages, and clear their data from the shared context."""
    context = watched.page.context
    if context is not shared:
        context.close()
        return
    context.remove_listener("request", watched.asked)
    context.set_offline(False)
    for page in context.pages:
        if not page.url.endswith(_OF_NOBODY):
            page.close()
    try:
        _forget(context, watched.site)
    except Error:  # the waiting page has crashed too, and its handler has not closed it yet
        for page in context.pages:
            page.close()
        _forget(context, watched.site)
    context.clear_cookies()


def _forget(context: BrowserContext, site: str) -> None:
    """Clear what a site has stored. Raises Error if the waiting page has crashed."""
    waiting = _waiting(context)
    waiting.evaluate("1")
    session = context.new_cdp_session(waiting)
    session.send("Storage.clearDataForOrigin", {"origin": site, "storageTypes": "all"})
    session.detach()


def serious(page: Page) -> list[str]:
    """Return the moderate, serious and critical findings of axe on the current page."""
    if not AXE.is_file():
        raise FileNotFoundError(f"{AXE} is missing: `make page` fetches it with the page's build tools.")
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    found: dict[str, Any] = page.evaluate(
        "() => axe.run(document, {resultTypes: ['violations'], rules: {'target-size': {enabled: true}}})"
    )
    return [
        f"{one['id']}: {one['help']}: " + " | ".join(node["html"][:200] for node in one["nodes"][:4])
        for one in found["violations"]
        if one["impact"] in ("moderate", "serious", "critical")
    ]
