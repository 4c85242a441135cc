"""Pages opened by tests: each for a new person, whatever an earlier test did or however it ended."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, expect

from .watched import Watched, visitors

KEEP = """() => {
    localStorage.setItem('kept', 'here'); sessionStorage.setItem('kept', 'here'); document.cookie = 'kept=here';
    window.name = 'kept'; window.addEventListener('beforeunload', (event) => { event.preventDefault(); });
}"""
KEPT = """() => [localStorage.getItem('kept'), sessionStorage.getItem('kept'), document.cookie, window.name,
    navigator.onLine, matchMedia('(prefers-color-scheme: dark)').matches, window.innerWidth]"""


def new(page: Page, site: str) -> object:
    page.goto(f"{site}/about")
    expect(page.get_by_role("heading", level=1)).to_have_text("How it works")
    return page.evaluate(KEPT)


def test_a_page_keeps_no_state_from_the_previous_test(
    browser: Browser, shared_context: BrowserContext, site: str
) -> None:
    with visitors(browser, shared_context) as visit:
        page = visit(site, color_scheme="dark", viewport={"width": 500, "height": 500}).page
        page.route("**/about", lambda route: route.abort())
        page.add_init_script("window.name = 'kept'")
        page.goto(f"{site}/")
        page.context.new_page().goto(f"{site}/")
        page.evaluate(KEEP)
        page.context.set_offline(True)
    with visitors(browser, shared_context) as visit:
        assert new(visit(site).page, site) == [None, None, "", "", True, False, 1280]
    assert len(shared_context.pages) == 1


def test_a_crash_costs_only_its_own_test(browser: Browser, shared_context: BrowserContext, site: str) -> None:
    with visitors(browser, shared_context) as visit:
        page = visit(site).page
        page.goto(f"{site}/about")
        with pytest.raises(Error, match="crash"):
            page.goto("chrome://crash")
    with visitors(browser, shared_context) as visit:
        assert new(visit(site).page, site)


def test_an_error_in_any_page_fails_the_test(visitor: Callable[..., Watched], site: str) -> None:
    one, other = visitor(), visitor()
    for watched, mishap in ((one, "console.error('one')"), (other, "setTimeout(() => { throw Error('other'); })")):
        watched.page.goto(f"{site}/about")
        with watched.page.expect_event("console" if watched is one else "pageerror"):
            watched.page.evaluate(f"() => {{ {mishap}; }}")
        assert len(watched.errors) == 1
        watched.errors.clear()
