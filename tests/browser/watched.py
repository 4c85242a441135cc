"""A page of the browser whose mishaps are written down: errors, refused code, requests to other places."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Route, expect

AXE = Path(__file__).parents[2] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
PATIENCE_MS = 200_000
"""Long, as a busy machine is no fault of the page; below the time limit of a test."""
expect.set_options(timeout=PATIENCE_MS)


@dataclass
class Watched:
    """A page and what went wrong in it."""

    page: Page
    site: str
    errors: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)

    def said(self, message: ConsoleMessage) -> None:
        """Keep errors, but not that a request was answered with one: the page says so itself."""
        if message.type in ("error", "warning") and "Failed to load resource" not in message.text:
            self.errors.append(message.text)


def watch(context: BrowserContext, site: str) -> Watched:
    """A new page that reaches nothing but the site."""
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    watched = Watched(page, site)
    page.on("console", watched.said)
    page.on("pageerror", lambda error: watched.errors.append(str(error)))

    def refuse(route: Route) -> None:
        if route.request.url.startswith((f"{site}/", "data:", "blob:")):
            route.fallback()
        else:
            watched.outside.append(route.request.url)
            route.abort()

    context.route("**/*", refuse)
    return watched


def serious(page: Page) -> list[str]:
    """Return the moderate, serious and critical findings of axe on the current page."""
    if not AXE.is_file():
        raise FileNotFoundError(f"{AXE} is missing: `make page` fetches it with the page's build tools.")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found: dict[str, Any] = page.evaluate(
        "() => axe.run(document, {resultTypes: ['violations'], rules: {'target-size': {enabled: true}}})"
    )
    return [
        f"{one['id']}: {one['help']}: " + " | ".join(node["html"][:200] for node in one["nodes"][:4])
        for one in found["violations"]
        if one["impact"] in ("moderate", "serious", "critical")
    ]
