"""The citations of a text on the page: from the option to the source at its quote, by mouse, by keyboard, for axe."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from .watched import Watched, serious

ROOT = Path(__file__).parents[2]
REPORT = (ROOT / "examples" / "cited" / "report.md").read_text(encoding="utf-8")
RECORDING = ROOT / "examples" / "cited" / "sources.jsonl"
DOCS = (ROOT / "docs" / "cited.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (.+?) \| (\d+:\d+) \| (.+?) \|$", DOCS, re.MULTILINE)


def checked(page: Page, site: str, sources: Path | None = RECORDING) -> None:
    """Check the worked report by its own citations, with the recorded sources or none, and without the web."""
    page.goto(f"{site}/")
    page.get_by_label("Text to check").fill(REPORT)
    page.get_by_label("Check its own citations").check()
    page.get_by_label("Suggest another source").check()
    page.get_by_label("fetch nothing").check()
    page.locator("summary", has_text="Settings").click()
    page.get_by_label("Method", exact=True).select_option("builtin")
    if sources:
        page.locator("input[type=file]").set_input_files([sources])
        expect(page.get_by_text(sources.name)).to_be_visible()
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.get_by_role("heading", name="Text with its citations")).to_be_visible()


@pytest.mark.medium
def test_every_planted_fault_is_found_from_the_page_alone(page: Page, site: str) -> None:
    checked(page, site)
    listed = page.locator("section[aria-labelledby=cited-problems] li")
    assert len(ROWS) == 14
    expect(page.get_by_role("button", name=f"{listed.count()} problems: next")).to_be_visible()
    for planted, place, _ in ROWS:
        expect(listed.filter(has=page.get_by_role("link", name=place, exact=True)), planted).not_to_have_count(0)
    expect(page.get_by_text("Citation recall")).to_be_visible()
    # An altered quotation: a click on it opens the source's words beside it.
    listed.get_by_role("link", name="9:36", exact=True).click()
    pane = page.locator("section.pane")
    expect(pane.locator("mark")).to_contain_text("1871")
    expect(pane).to_contain_text("“1874” where the source has “1871”")
    # A citation: the source opens at the quote.
    page.locator(".text a.m.s-supported").first.click()
    expect(pane.locator("mark")).to_contain_text("1859")
    expect(pane.get_by_role("link", name="Open the source at the quote")).to_have_attribute(
        "href", re.compile("#:~:text=")
    )
    expect(page).to_have_url(re.compile("#k1$"))
    page.reload()
    expect(pane.locator("mark")).to_contain_text("1859")


@pytest.mark.medium
def test_a_source_that_was_not_fetched_is_not_called_missing(page: Page, site: str) -> None:
    checked(page, site, sources=None)
    page.locator(".text a.m").first.click()
    expect(page.locator("section.pane .chip")).to_contain_text("source not fetched")
    table = page.locator("section[aria-labelledby=cited-sources]")
    table.get_by_role("button", name="missing").click()
    expect(table.locator("tbody tr")).to_have_count(1)
    expect(table.locator("tbody tr")).to_contain_text("no entry")


@pytest.mark.medium
def test_the_bibliography_is_filtered_and_a_replacement_copied(visitor: Callable[..., Watched], site: str) -> None:
    page = visitor(permissions=["clipboard-read", "clipboard-write"]).page
    checked(page, site)
    table = page.locator("section[aria-labelledby=cited-sources]")
    rows = table.locator("tbody tr")
    expect(rows).to_have_count(16)
    table.get_by_role("button", name="missing").click()
    expect(rows.filter(has_text="List of protected buildings")).to_contain_text("dead")
    expect(rows.filter(has_text="Marrowick has")).to_have_count(0)
    table.get_by_role("button", name="never cited").click()
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("Lighthouses of the north")
    table.get_by_role("button", name="all", exact=False).first.click()
    row = rows.filter(has_text="Figures")
    row.get_by_role("button", name="Copy this reference").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("Statistics Lannow (2021). Marrowick."), copied
    row.locator("td.used a").first.click()
    expect(page.locator("section.pane h3")).to_contain_text("Figures")


@pytest.mark.medium
def test_problems_are_stepped_through_by_keys(page: Page, site: str) -> None:
    checked(page, site)
    page.keyboard.press("n")
    expect(page.locator("section.pane .warn")).to_be_visible()
    first = page.url
    page.keyboard.press("n")
    assert page.url != first
    page.keyboard.press("p")
    assert page.url == first
    page.keyboard.press("Escape")
    expect(page.locator(".text a.selected")).to_be_focused()
    page.get_by_role("button", name="Claim by claim").click()
    expect(page.get_by_test_id("score")).to_be_visible()
    expect(page.get_by_role("button", name="Edit text")).to_have_count(0)


@pytest.mark.medium
@pytest.mark.parametrize(
    ("theme", "width"), [pytest.param("light", 1280, marks=pytest.mark.slow), ("dark", 1280), ("light", 360)]
)
def test_axe_finds_nothing_serious(visitor: Callable[..., Watched], site: str, theme: str, width: int) -> None:
    page = visitor(color_scheme=theme, viewport={"width": width, "height": 860}).page
    checked(page, site)
    assert serious(page) == []
    for place in ("9:36", "11:171", "31:198"):
        page.locator("section[aria-labelledby=cited-problems]").get_by_role(
            "link", name=place, exact=True
        ).first.click()
        assert serious(page) == [], place
    over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert over <= 0, f"{over} pixels too wide"
