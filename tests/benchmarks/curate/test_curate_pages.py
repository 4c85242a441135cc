"""Release pages in a browser, opened from files: in both themes, narrow and wide, by keyboard alone."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, expect

from factscope.benchmarks.curate import explore, update
from tests.benchmarks.curate.releases import CHAIN, conversations, kit, released
from tests.browser.files import opened, shared_context
from tests.browser.watched import serious


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("pages")
    old = released(folder / "old", conversations(folder / "a.jsonl", "moss", "ships", "stars", n=14))
    asyncio.run(update(old, [conversations(folder / "b.jsonl", "moss", "bread")], folder / "new", CHAIN, kit()))
    (folder / "explore.html").write_text(explore(old), encoding="utf-8")
    return {"explore": (folder / "explore.html").as_uri(), "changes": (folder / "new" / "changes.html").as_uri()}


@pytest.fixture(scope="module")
def context(addresses: dict[str, str]) -> Iterator[BrowserContext]:
    """Open a browser only after the pages are made: its driver runs an event loop in this thread."""
    with shared_context() as found:
        yield found


@pytest.mark.medium
@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["explore", "changes"])
def test_axe_finds_nothing_serious(context: BrowserContext, addresses: dict[str, str], name: str, theme: str) -> None:
    page, wrong = opened(context, addresses[name], color_scheme=theme, bypass_csp=True)
    for closed in page.locator("details").all():
        closed.evaluate("one => one.open = true")
    assert serious(page) == []
    assert wrong == []


@pytest.mark.medium
@pytest.mark.parametrize("name", ["explore", "changes"])
def test_nothing_overflows_a_narrow_page(context: BrowserContext, addresses: dict[str, str], name: str) -> None:
    page, wrong = opened(context, addresses[name], viewport={"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert wrong == []


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_the_reason_for_a_change_is_visible_without_horizontal_scrolling(
    context: BrowserContext, addresses: dict[str, str], width: int
) -> None:
    page, _ = opened(context, addresses["changes"], viewport={"width": width, "height": 800})
    for region in page.locator("#why .scroll, #log .scroll").all():
        assert region.evaluate("one => one.scrollWidth - one.clientWidth") <= 0
    why = page.locator("#log tbody tr td:nth-child(4)").first.bounding_box()
    assert why is not None
    assert 0 <= why["x"] < why["x"] + why["width"] <= width
    page.get_by_role("checkbox", name="added").press("Space")
    expect(page.locator(".log tr.c-added").first).to_be_hidden()


def test_a_topic_is_shown_alone_and_a_tier_is_hidden_by_keyboard(
    context: BrowserContext, addresses: dict[str, str]
) -> None:
    page, _ = opened(context, addresses["explore"])
    page.locator("#t1 a").focus()
    page.keyboard.press("Enter")
    shown = ".map .pt{}".format
    assert page.locator(shown(".k1")).first.evaluate("one => getComputedStyle(one).opacity") == "1"
    assert page.locator(shown(":not(.k1)")).first.evaluate("one => getComputedStyle(one).opacity") == "0.1"
    page.get_by_role("link", name="Show all topics").press("Enter")
    assert page.locator(shown(":not(.k1)")).first.evaluate("one => getComputedStyle(one).opacity") == "1"
    page.get_by_role("checkbox", name="hard").press("Space")
    expect(page.locator(shown(".t-hard")).first).to_be_hidden()
    expect(page.locator(shown(".t-easy")).first).to_be_visible()


def test_kinds_of_change_are_hidden_by_keyboard(context: BrowserContext, addresses: dict[str, str]) -> None:
    page, _ = opened(context, addresses["changes"])
    page.get_by_role("checkbox", name="added").press("Space")
    expect(page.locator("tr.c-added").first).to_be_hidden()
    expect(page.locator("tr.c-removed").first).to_be_visible()
