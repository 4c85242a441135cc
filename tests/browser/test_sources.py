"""Evidence examined: claims and sources, what would flip, raw calls, other judges, corrections, and gaps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests import lab
from tests.web.served import Process

from .crafted import Builder, check_of, every_state, serve_crafted
from .test_live import start
from .watched import Watched

TEXT = "The Marlow bridge was opened in 1931. It has six arches."


def two_sites() -> Builder:
    """Build a claim supported by one site, and one by two sites, the second with a copy of the first's words."""
    make = Builder()
    first = make.claim(make.sentence("The bridge was opened in 1931."), "The bridge was opened in 1931.")
    second = make.claim(make.sentence("It has four arches."), "The bridge has four arches.")
    make.evidence(first, "supported", "It was opened in 1931.", url="https://alone.example/a", title="Alone")
    told = make.evidence(second, "supported", "It has four arches.", url="https://alone.example/b", title="First")
    copy = {"quote": "no such words", "copy_of": told.id}
    make.evidence(
        second, "supported", "It has four arches. Truly.", url="https://other.example/c", title="Other", **copy
    )
    return make


def test_a_site_can_be_excluded_in_the_table_and_verdicts_resting_on_it_alone_are_named(page: Page, site: str) -> None:
    serve_crafted(page, [check_of(two_sites().report())])
    page.goto(f"{site}/checks/crafted#s1.c1")
    flips = page.locator(".flips")
    expect(flips).to_contain_text("alone.example")
    expect(flips).to_contain_text("1 verdict")
    expect(page.locator(".panel")).to_contain_text("Rests on alone.example: without it")
    page.get_by_role("button", name="Claims × sources").click()
    table = page.get_by_role("table")
    expect(table.locator("tbody tr")).to_have_count(2)
    expect(table.get_by_role("columnheader")).to_have_count(4)
    table.get_by_role("button", name="alone.example").click()
    expect(table.locator("tbody tr").first).to_contain_text("excluded")
    expect(table.locator("tbody tr").nth(1)).to_contain_text("supported")
    expect(page.get_by_test_id("banner")).to_contain_text("1 verdict changed")
    table.get_by_role("link", name="The bridge has four arches.").click()
    expect(page).to_have_url(re.compile(r"#s2\.c1$"))
    expect(page.locator(".panel .claim")).to_be_visible()


def test_copies_are_folded_and_the_best_match_is_marked_without_a_quote(page: Page, site: str) -> None:
    serve_crafted(page, [check_of(two_sites().report())])
    page.goto(f"{site}/checks/crafted#s2.c1")
    expect(page.locator(".panel .card")).to_have_count(1)
    page.get_by_text("+1 copy").click()
    expect(page.locator(".copies li")).to_contain_text("Other")
    make = Builder()
    claim = make.claim(make.sentence("The bridge has four arches."), "The bridge has four arches.")
    make.evidence(claim, "supported", "Much is said. The old bridge has four arches. And so on.", quote="not in it")
    serve_crafted(page, [check_of(make.report(), "unquoted")])
    page.goto(f"{site}/checks/unquoted#s1.c1")
    expect(page.locator(".panel mark")).to_have_text("The old bridge has four arches.")
    expect(page.locator(".panel mark b").first).to_have_text("bridge")
    expect(page.locator(".panel")).to_contain_text("Best match")


@pytest.mark.medium
def test_a_correction_is_accepted_as_a_tracked_change_and_exported(page: Page, site: str) -> None:
    serve_crafted(page, [check_of(every_state())])
    page.goto(f"{site}/checks/crafted#s5")
    page.get_by_role("button", name="Accept correction").click()
    mark = page.locator("#t-s5")
    expect(mark.locator("del")).to_have_text("Tom Vale")
    expect(mark.locator("ins")).to_have_text("Ida Kern")
    expect(page.locator("[data-saving=saved]")).to_be_visible()
    page.reload()
    expect(mark.locator("ins")).to_have_text("Ida Kern")
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Corrected text with citations").click()
    text = download.value.path().read_text(encoding="utf-8")
    assert "It was designed by Ida Kern.[" in text
    assert "~~It was designed by Tom Vale.~~ → It was designed by Ida Kern." in text
    assert "## Sources\n\n1. " in text
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Take back").click()
    expect(mark.locator("ins")).to_have_count(0)


@pytest.mark.medium
def test_the_call_behind_a_card_is_shown_and_another_judge_can_be_asked(
    page: Page, site: str, models: lab.Server
) -> None:
    models.script([])
    start(page, site)
    expect(page.get_by_test_id("score")).to_be_visible()
    page.locator(".text a.m").first.click()
    card = page.locator(".panel .card").first
    card.get_by_text("Raw call").click()
    expect(card.locator("pre").nth(1)).to_contain_text("Marlow")
    expect(card).to_contain_text("openai/lab")
    card.get_by_text("Ask another judge").click()
    card.get_by_role("button", name="Judge this passage").click()
    expect(card).to_contain_text("it is not saved")


@pytest.mark.medium
def test_after_a_refused_key_text_and_settings_can_be_changed(page: Page, site: str, models: lab.Server) -> None:
    models.script([{"do": {"status": 401}}])
    start(page, site, "The bridge has eleven arches.")
    expect(page.get_by_role("heading", level=1)).to_have_text("The check failed.")
    models.script([])
    page.get_by_role("button", name="Change text or settings").click()
    expect(page.get_by_label("Text to check")).to_have_value(re.compile("eleven arches"))
    expect(page.get_by_text("bridge.txt")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.get_by_test_id("score")).to_be_visible()


@pytest.fixture
def keyless(visitor: Callable[..., Watched], tmp_path: Path) -> Iterator[Page]:
    """Open the start page of a server without a model."""
    process = Process(tmp_path)
    one = visitor()
    one.site = process.address.rstrip("/")
    one.page.goto(process.address)
    yield one.page
    process.end()


@pytest.mark.medium
def test_missing_evidence_options_are_offered_before_the_check(keyless: Page) -> None:
    keyless.get_by_label("Text to check").fill(TEXT)
    keyless.get_by_role("button", name="Add documents").click()
    expect(keyless.get_by_role("button", name="choose files")).to_be_focused()
    keyless.get_by_role("button", name="Search Wikipedia").click()
    expect(keyless.locator("summary", has_text="Settings")).to_contain_text("Wikipedia")
    expect(keyless.get_by_role("button", name="Search Wikipedia")).to_have_count(0)
    keyless.get_by_label("Text to check").fill(
        "Die Brücke wurde im Jahr 1931 eröffnet. Sie hat vier Bögen und ist sehr lang."
    )
    expect(keyless.get_by_text("This text looks German")).to_be_visible()


def test_contexts_are_restored_for_changes_and_removed_ones_not_sent(keyless: Page) -> None:
    keyless.get_by_role("tab", name="Question + answer").click()
    keyless.get_by_label("Question", exact=True).fill("When was the bridge opened?")
    keyless.get_by_label("Answer to check").fill("It was opened in 1931.")
    keyless.get_by_role("button", name="Add a context").click()
    context = keyless.get_by_role("textbox", name="Context 1")
    context.fill("The Marlow bridge was opened in 1931.")
    check = keyless.get_by_role("button", name="Check", exact=True)
    check.click()
    expect(keyless.get_by_test_id("score")).to_be_visible()
    keyless.get_by_role("button", name="More").click()
    keyless.get_by_role("button", name="Change text or settings").click()
    expect(context).to_have_value("The Marlow bridge was opened in 1931.")
    keyless.get_by_role("button", name="Remove Context 1").click()
    check.click()
    expect(keyless.get_by_role("alert")).to_contain_text("No evidence source selected")


def test_a_text_in_an_unsupported_language_is_not_called_uncheckable(keyless: Page) -> None:
    keyless.get_by_role("tab", name="Text + documents").click()
    keyless.get_by_label("Text to check").fill("Die Brücke wurde im Jahr 1931 eröffnet. Sie hat vier Bögen.")
    keyless.locator("input[type=file]").set_input_files(
        [{"name": "bridge.md", "mimeType": "text/markdown", "buffer": b"# The bridge\n\nIt was opened in 1931."}]
    )
    keyless.get_by_role("button", name="Check", exact=True).click()
    expect(keyless.get_by_test_id("score")).to_be_visible()
    expect(keyless.locator(".head .warn")).to_contain_text("2 claims not judged because of the language")
    expect(keyless.locator("main")).not_to_contain_text("--model")
    mark = keyless.locator(".text a.m").first
    expect(mark).to_contain_text("not judged: language")
    mark.click()
    expect(keyless.locator(".panel .claim .chip")).to_have_text(re.compile("not judged: language"))


def test_a_failed_search_is_not_an_empty_result(page: Page, site: str) -> None:
    check = check_of(every_state())
    report = check["report"]
    empty = {name: [] for name in ("judgements", "passages", "documents", "corrections")}
    failures = [
        {"unit_id": one["id"], "stage": "evidence", "boundary": "search", "message": "Serper answers HTTP 503."}
        for one in report["claims"][:3]
    ]
    failures = [{"type": "failure", "about": None, **one} for one in failures]
    serve_crafted(page, [{**check, "report": {**report, **empty, "failures": failures}}])
    page.goto(f"{site}/checks/crafted")
    expect(page.get_by_text("The search failed for 3 claims.")).to_be_visible()
    expect(page.get_by_text("there are no sources")).to_be_visible()
    expect(page.get_by_test_id("score")).to_have_text("–")
