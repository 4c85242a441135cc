"""The site in a browser, opened from files: sorted, followed down to a sentence, in both themes, without scripts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from factscope.benchmarks.leaderboard import gather, write_site
from tests.benchmarks.leaderboard.example_results import RUN, result, stored, written
from tests.browser.files import opened, shared_context
from tests.browser.watched import AXE, serious


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("board")
    path = written(folder / "r.json", result(good=20, middling=11, bad=2))
    kept = stored(*(f"seen-{n}/{model}" for n in range(20) for model in ("good", "middling", "bad")))
    found, _ = gather([path], [], public=["open"], totals_only=(), find=lambda run: kept if run == RUN else None)
    write_site(found, folder / "site")
    return (folder / "site" / "index.html").as_uri()


@pytest.fixture(scope="module")
def context() -> Iterator[BrowserContext]:
    with shared_context() as found:
        yield found


def test_the_table_can_be_sorted_by_mouse_and_keyboard(context: BrowserContext, site: str) -> None:
    page, wrong = opened(context, site)
    names = page.locator("tbody th")
    expect(names).to_have_text(["good", "middling", "bad"])
    page.get_by_role("button", name="ineligible").click()
    page.get_by_role("button", name="average").click()
    head = page.get_by_role("columnheader", name="average")
    expect(head).to_have_attribute("aria-sort", "descending")
    expect(names).to_have_text(["good", "middling", "bad"])
    page.keyboard.press("Enter")
    expect(head).to_have_attribute("aria-sort", "ascending")
    expect(names).to_have_text(["bad", "middling", "good"])
    expect(page.get_by_role("status")).to_have_text("Sorted by average %, ascending")
    expect(page.locator("[aria-sort]")).to_have_count(1)
    assert not wrong


def test_three_clicks_lead_from_a_number_to_a_sentence(context: BrowserContext, site: str) -> None:
    page, wrong = opened(context, site)
    page.get_by_role("link", name="good", exact=True).click()
    page.get_by_role("link", name="seen-4", exact=True).click()
    expect(page.get_by_text("Asked in seen-4/good")).to_be_visible()
    answer = page.locator("#good")
    expect(answer.get_by_text("It glows.", exact=False).first).to_be_visible()
    answer.get_by_role("link", name="✓").click()
    expect(page.locator(":target")).to_have_text("An old mole.")
    page.get_by_role("link", name="← FACTS Grounding").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("FACTS Grounding")
    assert not wrong


@pytest.mark.medium
@pytest.mark.parametrize(
    ("theme", "paths"),
    [
        ("light", ["facts-grounding/about.html", "facts-grounding/examples/2.html", "facts-grounding/details.html"]),
        ("dark", ["index.html", "facts-grounding/bad.html", "facts-grounding/examples/2.html"]),
    ],
)
def test_every_page_is_accessible(context: BrowserContext, site: str, theme: str, paths: list[str]) -> None:
    page, wrong = opened(context, site, color_scheme=theme, viewport={"width": 390, "height": 800})
    for path in paths:
        page.goto(site.replace("index.html", path))
        over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert over <= 0, path
        dark = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(22, 23, 25)"
        assert dark == (theme == "dark")
        if AXE.is_file():
            assert not serious(page), path
    assert not wrong


def test_the_site_is_readable_without_scripts(context: BrowserContext, site: str) -> None:
    page, wrong = opened(context, site, java_script_enabled=False)
    expect(page.locator("tbody th")).to_have_text(["good", "middling", "bad"])
    expect(page.get_by_role("button")).to_have_count(0)
    page.get_by_role("link", name="bad", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("bad")
    assert not wrong


def test_examples_can_be_searched_and_filtered(context: BrowserContext, site: str) -> None:
    page, wrong = opened(context, site.replace("index.html", "facts-grounding/middling.html"))
    shown = page.locator("table.examples tbody tr:visible")
    expect(shown).to_have_count(10)
    page.get_by_label("Search").fill("asked seen-1")
    expect(shown).to_have_count(5)
    expect(page.get_by_text("5 of 10 examples")).to_be_visible()
    page.get_by_label("Verdict").select_option("not grounded")
    expect(shown).to_have_count(4)
    page.get_by_label("Search").fill("")
    page.get_by_label("Verdict").select_option("judges differ")
    expect(shown).to_have_count(1)
    assert not wrong


def test_no_page_needs_another_file(site: str) -> None:
    folder = Path(site.removeprefix("file://")).parent
    assert {path.suffix for path in folder.rglob("*") if path.is_file()} == {".html", ""}
