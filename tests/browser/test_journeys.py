"""Main user journeys: from a pasted text to a result that people examine."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.web.served import Process

from .crafted import check_of, every_state, serve_crafted
from .watched import Watched

TEXT = "The Marlow bridge was opened in 1931. It has six arches. Have you seen it?"
BRIDGE = "The Marlow bridge was opened in 1931. It has four arches and is 212 metres long.\n"
TOWN = "The town hall of Marlow stands on the market square. It was finished in 1908.\n"


def open_sample(page: Page, site: str, number: int = 0) -> None:
    page.goto(f"{site}/")
    page.locator("section[aria-labelledby=samples] button").nth(number).click()
    expect(page.get_by_test_id("score")).to_be_visible()


def saved(page: Page) -> None:
    expect(page.locator("[data-saving=saved]")).to_be_visible()


def test_a_pasted_text_and_two_documents_become_a_result(page: Page, site: str, tmp_path: Path) -> None:
    files = [tmp_path / "bridge.txt", tmp_path / "town.md"]
    for file, text in zip(files, (BRIDGE, TOWN), strict=True):
        file.write_text(text, encoding="utf-8")
    page.goto(f"{site}/")
    page.get_by_role("tab", name="Text + documents").click()
    page.get_by_label("Text to check").fill(TEXT)
    page.locator("input[type=file]").set_input_files(files)
    expect(page.get_by_text("town.md")).to_be_visible()
    expect(page.get_by_text("Estimate:")).to_be_visible()
    page.get_by_text("Show as CLI command or API request").click()
    expect(page.locator("pre").first).to_contain_text("factscope check")
    page.reload()
    expect(page.get_by_label("Text to check")).to_have_value(TEXT)
    expect(page.get_by_text("bridge.txt")).to_be_visible()
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page).to_have_url(re.compile("/checks/"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("The evidence contradicts 1 of 2 claims")
    marks = page.locator(".text a.m")
    expect(marks).to_have_count(3)
    assert [mark.get_attribute("class") for mark in marks.all()][1].find("s-contradicted") > 0  # type: ignore[union-attr]
    marks.nth(1).click()
    expect(page.locator(".panel mark").first).to_contain_text("four arches")
    expect(page).to_have_url(re.compile("#s2$"))
    page.goto(f"{site}/")
    expect(page.locator("section[aria-labelledby=recent] a").first).to_contain_text("The Marlow bridge")
    expect(page.get_by_label("Text to check")).to_have_value("")


@pytest.mark.medium
def test_the_reason_a_check_cannot_start_is_shown_where_the_user_looks(page: Page, site: str) -> None:
    page.goto(f"{site}/")
    check = page.get_by_role("button", name="Check", exact=True)
    check.click()
    expect(page.get_by_role("alert")).to_contain_text("Paste a text to check")
    field = page.get_by_label("Text to check")
    expect(field).to_be_focused()
    field.evaluate(
        "(field, n) => { field.value = 'a '.repeat(n); field.dispatchEvent(new Event('input')); }", 2_500_000
    )
    check.click()
    expect(page.get_by_role("alert")).to_contain_text("the limit is")
    assert len(field.input_value()) == 5_000_000, "nothing is lost"
    page.wait_for_function("JSON.parse(sessionStorage.getItem('factscope.draft') ?? '{}').lost === 'text'")
    page.reload()
    expect(page.get_by_text("only its beginning was saved")).to_be_visible()
    field.fill(TEXT)
    page.get_by_role("tab", name="Question + answer").click()
    check.click()
    expect(page.get_by_role("alert")).to_contain_text("Enter the question")
    page.locator("summary", has_text="Settings").click()
    page.get_by_label("Web search").select_option("")
    page.get_by_label("Question", exact=True).fill("What of the bridge?")
    check.click()
    expect(page.get_by_role("alert")).to_contain_text("No evidence source selected")
    page.get_by_text("Why some options are unavailable").click()
    expect(page.locator(".why dd").first).to_be_visible()


def test_a_file_that_is_not_a_document_is_named_and_the_rest_stays(page: Page, site: str) -> None:
    page.goto(f"{site}/")
    page.get_by_role("tab", name="Text + documents").click()
    page.get_by_label("Text to check").fill(TEXT)
    picture = {
        "name": "holiday.png",
        "mimeType": "image/png",
        "buffer": bytes([137, 80, 78, 71, 13, 10, 26, 10, 0] * 40),
    }
    page.locator("input[type=file]").set_input_files([picture])
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.get_by_role("alert").last).to_contain_text("holiday.png")
    expect(page.get_by_label("Text to check")).to_have_value(TEXT)
    page.get_by_role("button", name="Remove holiday.png").click()
    expect(page.get_by_role("alert").filter(has_text="holiday.png")).to_have_count(0)
    page.evaluate(
        """() => {
            const files = new DataTransfer();
            files.items.add(new File(['The Marlow bridge was opened in 1931.'], 'dropped.txt', {type: 'text/plain'}));
            for (const type of ['dragover', 'drop']) {
                window.dispatchEvent(new DragEvent(type, {dataTransfer: files, bubbles: true, cancelable: true}));
            }
        }"""
    )
    expect(page.get_by_text("dropped.txt")).to_be_visible()
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.get_by_test_id("score")).to_be_visible()


@pytest.mark.medium
def test_a_file_left_out_is_named_above_the_result(page: Page, site: str) -> None:
    page.goto(f"{site}/")
    page.get_by_role("tab", name="Text + documents").click()
    page.get_by_label("Text to check").fill(TEXT)
    files = [
        {"name": "bridge.txt", "mimeType": "text/plain", "buffer": BRIDGE.encode()},
        {"name": "cover.pdf", "mimeType": "application/pdf", "buffer": b"\x89PNG\r\n\x1a\n" * 40},
    ]
    page.locator("input[type=file]").set_input_files(files)  # type: ignore[arg-type]
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.get_by_test_id("score")).to_be_visible()
    expect(page.locator("details.note summary", has_text="cover.pdf: is a picture")).to_be_visible()


@pytest.mark.medium
def test_excluded_evidence_survives_a_reload_and_can_be_restored(page: Page, site: str) -> None:
    open_sample(page, site)
    score = page.get_by_test_id("score")
    before = score.inner_text()
    page.locator(".text a.s-supported").first.click()
    box = page.locator(".panel .card input[type=checkbox]").first
    box.uncheck()
    expect(page.get_by_test_id("banner")).to_contain_text(f"1 passage excluded: {before} →")
    saved(page)
    page.get_by_label("Reason (saved with the result)").fill("It copies another.")
    after = score.inner_text()
    page.reload()  # at once, before the last words typed are on the server
    expect(page.get_by_test_id("banner")).to_be_visible()
    expect(score).to_have_text(after)
    expect(page.locator(".panel .card.out")).to_have_count(1)
    expect(page.get_by_label("Reason (saved with the result)")).to_have_value("It copies another.")
    page.get_by_role("button", name="Show original").click()
    expect(score).to_have_text(before)
    page.get_by_role("button", name="Back to your selection").click()
    expect(score).to_have_text(after)
    page.get_by_role("button", name="Reset").click()
    expect(score).to_have_text(before)
    page.get_by_role("button", name="Undo").click()
    expect(score).to_have_text(after)
    page.locator("section[aria-labelledby=sources-title] .kinds > li > label input").first.uncheck()
    expect(score).to_have_text("–")
    expect(page.locator(".text a.s-excluded").first).to_be_visible()
    page.keyboard.press("u")
    expect(score).to_have_text(after)


@pytest.mark.medium
def test_a_link_to_a_claim_or_a_passage_opens_there(page: Page, site: str) -> None:
    open_sample(page, site)
    address = page.url.split("#")[0]
    page.goto("about:blank")
    page.goto(f"{address}#s7.c1.p2")
    expect(page.locator("#t-s7")).to_have_attribute("aria-current", "true")
    expect(page.locator("[id='u-s7.c1.p2']")).to_be_visible()
    expect(page.locator("[id='u-s7.c1.p2']")).to_be_focused()


def test_thresholds_move_and_marks_can_show_shares(page: Page, site: str) -> None:
    open_sample(page, site)
    page.get_by_label("Colour by").select_option("share")
    expect(page.locator(".text a.s-band-low").first).to_be_visible()
    low = page.locator(".text a.s-band-low").count()
    page.get_by_text("Details: scores, thresholds, sources").click()
    page.get_by_label("low below").fill("0.1")
    page.get_by_label("low below").press("Tab")
    expect(page.locator(".legend")).to_contain_text("0.10")
    assert page.locator(".text a.s-band-low").count() < low
    expect(page.get_by_label("high from")).to_have_value("0.6")
    page.get_by_role("button", name="Claims supported").click()
    expect(page.locator(".lead")).to_contain_text("judged claims are supported")


@pytest.mark.medium
def test_the_verdict_of_a_person_is_shown_next_to_the_automatic_one(page: Page, site: str) -> None:
    open_sample(page, site)
    mark = page.locator(".text a.s-contradicted").first
    mark.click()
    score = page.get_by_test_id("score").inner_text()
    page.get_by_role("button", name="Set your own verdict").first.click()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("Enter your name and a reason")
    page.get_by_label("Your name").fill("Ida")
    page.get_by_label("Reason", exact=True).fill("The plaque says so.")
    page.get_by_role("button", name="Save").click()
    saved(page)
    page.reload()
    expect(page.locator(".mine")).to_contain_text("Ida says: The plaque says so.")
    expect(page.locator(".text a.s-contradicted").first).to_contain_text("verdict set by hand")
    expect(page.get_by_test_id("score")).to_have_text(score)


@pytest.mark.medium
def test_only_changed_sentences_of_an_edited_text_are_checked_and_compared(page: Page, site: str) -> None:
    open_sample(page, site, 1)
    first = page.url.rsplit("/", 1)[1].split("#")[0]
    page.get_by_role("button", name="Edit text").first.click()
    field = page.locator("form.edit textarea")
    text = field.input_value()
    assert "1834" in text
    field.fill(text.replace("1834", "1835"))
    expect(page.locator(".plan")).to_contain_text("1 sentence changed")
    page.reload()
    expect(field).to_have_value(text.replace("1834", "1835"))
    page.get_by_role("button", name="Recheck changes").click()
    expect(page).not_to_have_url(re.compile(first))
    expect(page.get_by_test_id("score")).to_be_visible()
    page.get_by_role("link", name="Compare with the earlier version").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Compare two checks")
    expect(page.get_by_role("heading", name="Verdict changes")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="Verdict changes")).to_be_visible()


@pytest.mark.medium
def test_results_can_be_copied_and_exported(visitor: Callable[..., Watched], site: str) -> None:
    page = visitor(permissions=["clipboard-read", "clipboard-write"]).page
    open_sample(page, site)
    page.get_by_role("button", name="Copy with citations").first.click()
    expect(page.get_by_text("Copied with numbered citations.").first).to_be_visible()
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert "[1]" in copied
    assert "Sources\n[1] " in copied
    assert "contradicted" in copied
    for name in ("Web page (one file)", "Markdown", "Table (CSV)", "Data (JSON)", "ClaimReview (JSON-LD)"):
        page.get_by_role("button", name="Export").click()
        with page.expect_download() as download:
            page.get_by_role("link", name=name).click()
        assert download.value.path().stat().st_size > 200
        page.keyboard.press("Escape")


def test_the_about_page_language_and_theme_can_be_changed(page: Page, site: str) -> None:
    page.goto(f"{site}/about")
    expect(page.get_by_role("heading", level=1)).to_have_text("How it works")
    page.get_by_role("button", name="Display").click()
    page.get_by_label("Deutsch").check()
    expect(page.get_by_role("heading", level=1)).to_have_text("So funktioniert es")
    assert page.evaluate("document.documentElement.lang") == "de"
    page.locator("input[name=theme][value=dark]").check()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(22, 23, 25)"
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("So funktioniert es")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(22, 23, 25)"
    page.get_by_role("link", name="Neue Prüfung").last.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Was sagen die Belege?")


@pytest.mark.medium
def test_an_excluded_passage_stays_excluded_when_another_sentence_is_edited(page: Page, site: str) -> None:
    page.goto(f"{site}/")
    page.get_by_role("tab", name="Text + documents").click()
    page.get_by_label("Text to check").fill("The Marlow bridge was opened in 1931. The town of Marlow has six mills.")
    bridge = {"name": "bridge.txt", "mimeType": "text/plain", "buffer": BRIDGE.encode()}
    page.locator("input[type=file]").set_input_files([bridge])  # type: ignore[list-item]
    page.locator("summary", has_text="Settings").click()
    page.get_by_label("Method").select_option("builtin")
    page.get_by_role("button", name="Check", exact=True).click()
    page.locator(".text a.m", has_text="1931").click()
    page.locator(".panel .card input[type=checkbox]").first.uncheck()
    saved(page)
    first = page.url.rsplit("/", 1)[1].split("#")[0]
    page.get_by_role("button", name="Edit text").first.click()
    field = page.locator("form.edit textarea")
    field.fill(f"It rained in May. {field.input_value().replace('six', 'five')}")
    page.get_by_role("button", name="Recheck changes").click()
    expect(page).not_to_have_url(re.compile(first))
    expect(page.get_by_test_id("banner")).to_contain_text("1 passage excluded")
    page.locator(".text a.m", has_text="1931").click()
    expect(page.locator(".panel .card input[type=checkbox]").first).not_to_be_checked()


def test_an_unknown_or_deleted_check_is_reported_as_not_found(page: Page, site: str) -> None:
    page.goto(f"{site}/checks/nothing-here")
    expect(page.get_by_role("heading", level=1)).to_have_text("Check not found.")
    open_sample(page, site)
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("Delete this check permanently?")).to_be_visible()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("Your checks will be listed here")).to_be_visible()
    expect(page.locator("section[aria-labelledby=recent]")).to_contain_text("Check deleted.")


@pytest.mark.medium
def test_a_listed_check_is_deleted_after_confirmation(page: Page, site: str) -> None:
    open_sample(page, site)
    page.goto(f"{site}/")
    listed = page.locator("section[aria-labelledby=recent]")
    cross = listed.get_by_role("button", name="Delete the check")
    cross.click()
    listed.get_by_role("button", name="Cancel").click()
    expect(cross).to_be_visible()
    cross.click()
    listed.get_by_role("button", name="Delete", exact=True).click()
    expect(cross).to_have_count(0)
    expect(listed).to_contain_text("Check deleted.")


def test_files_dropped_anywhere_on_the_start_page_are_accepted(page: Page, site: str) -> None:
    page.goto(f"{site}/")
    expect(page.get_by_role("tab", name="Text", exact=True)).to_have_attribute("aria-selected", "true")
    page.locator("summary", has_text="Settings").click()
    page.get_by_label("Web search").select_option("wikipedia")
    expect(page.get_by_role("button", name="choose files")).to_be_hidden()
    kept = page.evaluate(
        """() => {
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File(['It has four arches.'], 'a.txt', {type: 'text/plain'}));
            dataTransfer.items.add(new File(['It is old.'], 'b.md', {type: 'text/markdown'}));
            const options = {dataTransfer, bubbles: true, cancelable: true};
            return !document.querySelector('h1').dispatchEvent(new DragEvent('drop', options));
        }"""
    )
    assert kept, "the browser would leave the page for the file"
    expect(page.get_by_text("b.md")).to_be_visible()
    expect(page.get_by_role("tab", name="Text + documents")).to_have_attribute("aria-selected", "true")


def test_a_method_without_a_model_does_not_search_the_web_unless_requested(page: Page, site: str) -> None:
    page.goto(f"{site}/")
    page.locator("summary", has_text="Settings").click()
    page.get_by_label("Method").select_option("builtin")
    expect(page.get_by_label("Web search")).to_have_value("")
    page.get_by_label("Text to check").fill(TEXT)
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("No evidence source selected")
    expect(page.get_by_role("button", name="choose files")).to_be_visible()


@pytest.mark.medium
def test_a_server_with_its_own_documents_needs_none_from_the_page(
    visitor: Callable[..., Watched], tmp_path: Path
) -> None:
    (tmp_path / "own.txt").write_text(BRIDGE, encoding="utf-8")
    process = Process(tmp_path, "--evidence", str(tmp_path / "own.txt"))
    try:
        one = visitor()
        one.site = process.address.rstrip("/")
        one.page.goto(process.address)
        one.page.get_by_label("Text to check").fill(TEXT)
        expect(one.page.get_by_text("in the documents of this server")).to_be_visible()
        one.page.get_by_role("button", name="Check", exact=True).click()
        expect(one.page.get_by_role("heading", level=1)).to_contain_text("contradicts 1 of 2")
    finally:
        process.end()


@pytest.mark.medium
def test_spending_and_site_limits_can_be_set_only_where_they_apply(page: Page, site: str) -> None:
    page.goto(f"{site}/")
    page.get_by_role("tab", name="Text + documents").click()
    page.get_by_label("Text to check").fill(TEXT)
    page.locator("summary", has_text="Settings").click()
    most, sites = page.get_by_label("Spending limit"), page.get_by_label("Only these sites")
    page.get_by_label("Method").select_option("builtin")
    expect(most).to_be_disabled()
    expect(page.get_by_text("calls no paid model")).to_be_visible()
    page.get_by_label("Method").select_option("facts-and-evidence")
    page.get_by_label("Web search").select_option("")
    expect(sites).to_be_disabled()
    page.get_by_label("Web search").select_option("wikipedia")
    sites.fill("town.example, gov.example")
    most.fill("0.5")
    with page.expect_request("**/api/v1/estimate") as asked:
        most.press("Tab")
    body = asked.value.post_data_json
    assert body["max_cost"] == 0.5
    assert body["allow_sites"] == ["town.example", "gov.example"]
    expect(page.get_by_text("can't be kept where the price is not known")).to_be_visible()
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.get_by_role("alert").filter(has_text="price")).to_contain_text("is unknown")
    expect(page.get_by_label("Text to check")).to_have_value(TEXT)


@pytest.mark.medium
def test_editing_a_claim_shows_an_estimate(page: Page, site: str) -> None:
    open_sample(page, site)
    page.locator(".text a.s-contradicted").first.click()
    page.get_by_role("button", name="Edit claim").first.click()
    page.get_by_label("Edit claim").fill("The harbour has a lighthouse.")
    expect(page.locator(".panel form").get_by_text("Estimate:")).to_be_visible()


def test_the_scripts_and_styles_of_a_sample_page_are_small(page: Page, site: str) -> None:
    sent: dict[str, int] = {}
    page.on("requestfinished", lambda request: sent.update({request.url: request.sizes()["responseBodySize"]}))
    open_sample(page, site)
    page.wait_for_load_state("networkidle")
    code = {url: size for url, size in sent.items() if url.endswith((".js", ".css"))}
    assert len(code) >= 2
    assert sum(code.values()) <= 95_000, code


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_the_first_marked_sentence_is_on_screen_and_the_first_problem_is_open(
    visitor: Callable[..., Watched], site: str, width: int, height: int
) -> None:
    page = visitor(viewport={"width": width, "height": height}).page
    open_sample(page, site)
    box = page.locator(".text a.m").first.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] < height, box
    assert page.evaluate("window.scrollY") == 0
    sources = page.get_by_role("heading", name="Sources", exact=True, level=2)
    expect(sources).to_have_count(int(width > 640))
    page.get_by_text("Details: scores, thresholds, sources").click()
    expect(sources).to_have_count(1)
    opened = page.locator(".text a[aria-current=true]")
    expect(opened).to_have_class(re.compile("s-contradicted"))
    expect(page.locator(".panel .claim").first).to_be_attached()
    page.get_by_role("button", name=re.compile("to review: next")).click()
    expect(page).to_have_url(re.compile("#s"))


def test_comparing_two_checks_lists_changes_first(page: Page, site: str) -> None:
    serve_crafted(page, [check_of(every_state(), "before"), check_of(every_state(corrected=True), "after")])
    page.goto(f"{site}/compare/before/after")
    rows = page.locator("section[aria-labelledby=changed] article")
    expect(rows).to_have_count(1)
    expect(rows.locator(".s-contradicted")).to_have_count(1)
    expect(rows.locator(".s-supported")).to_have_count(1)
    expect(rows.locator("ins").last).to_have_text("Ida Kern")
    expect(rows).to_contain_text("Ida Kern designed it.")
    page.get_by_text("9 sentences with the same verdict").click()
    expect(page.locator("article")).to_have_count(10)
    page.get_by_role("link", name="Swap").click()
    expect(rows.locator("ins").last).to_have_text("Tom Vale")
