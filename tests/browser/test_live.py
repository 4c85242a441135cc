"""A check watched live: stages, failures, Stop, a reload in the middle, a lost connection, a dead server."""

from __future__ import annotations

import itertools
import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from factscope.core.records import Failure
from tests import lab
from tests.web.served import Process, wait_for

from .crafted import Builder, check_of, every_state
from .test_journeys import open_sample
from .watched import Watched

TEXT = "The Marlow bridge was opened in 1931. It has six arches. The town hall was finished in 1908."
"""Each check adds a word, so that no reply comes from the cache."""
_VERSIONS = itertools.count(1)
EVENTS = "text/event-stream"
DOCUMENT = "The Marlow bridge was opened in 1931. It has four arches. The town hall of Marlow was finished in 1908."


@pytest.fixture
def scripted(models: lab.Server) -> lab.Server:
    """Clear the script of the model's server before a test."""
    models.script([])
    return models


def start(page: Page, site: str, text: str = TEXT) -> None:
    page.goto(f"{site}/")
    page.get_by_role("tab", name="Text + documents").click()
    page.get_by_label("Text to check").fill(f"{text} (Version {next(_VERSIONS)}.)")
    page.locator("input[type=file]").set_input_files(
        [{"name": "bridge.txt", "mimeType": "text/plain", "buffer": DOCUMENT.encode()}]
    )
    page.locator("summary", has_text="Settings").click()
    page.get_by_label("Method").select_option("facts-and-evidence")
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page).to_have_url(re.compile("/checks/"))


@pytest.mark.medium
def test_a_check_is_watched_from_the_first_sentence_to_the_end(page: Page, site: str, scripted: lab.Server) -> None:
    scripted.script([{"do": {"delay": 2.0}}])
    start(page, site)
    expect(page.locator(".text a.s-waiting")).to_have_count(4)
    expect(page.get_by_text(re.compile(r"\d of \d claims judged")).first).to_be_visible()
    page.reload()
    expect(page.locator(".text a.m")).to_have_count(4)
    page.locator(".text a.m").first.click()
    expect(page.locator(".panel .chip").first).to_be_visible()
    expect(page.get_by_test_id("score")).to_be_visible()
    expect(page.locator(".text a.s-waiting")).to_have_count(0)
    expect(page.locator("[role=status]")).to_contain_text("Finished.")


@pytest.mark.medium
def test_the_page_shows_what_the_check_is_waiting_for(page: Page, site: str, scripted: lab.Server) -> None:
    busy = {"status": 503, "headers": {"Retry-After": "1"}}
    scripted.script(
        [
            {"when": {"contains": "The claim:", "first": 5}, "do": busy},  # the first three calls find the claims
            {"when": {"contains": "The claim:"}, "do": {"hang": True}},
        ]
    )
    start(page, site)
    waiting = page.get_by_test_id("waiting")
    expect(waiting).to_contain_text("judging")
    expect(waiting).to_contain_text("attempt 2 of")
    expect(page.locator("[role=status]")).to_contain_text("attempt 2 of")
    assert waiting.get_attribute("aria-live") is None, "delays are announced, not every token"
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Continue")).to_be_visible()
    expect(waiting).to_have_count(0)


@pytest.mark.medium
def test_the_page_shows_in_german_what_the_check_is_waiting_for(
    visitor: Callable[..., Watched], site: str, scripted: lab.Server
) -> None:
    scripted.script([{"when": {"contains": "The claim:"}, "do": {"delay": 4.0}}])
    page = visitor().page
    start(page, site)
    page.get_by_role("button", name="Display").click()
    page.get_by_label("Deutsch").check()
    expect(page.get_by_test_id("waiting")).to_contain_text("beurteilt")
    page.get_by_role("button", name="Anhalten").click()


def test_failures_are_shown_and_can_be_retried(page: Page, site: str, scripted: lab.Server) -> None:
    scripted.script([{"when": {"contains": "arches"}, "do": {"status": 400}}])
    start(page, site, "The bridge has six arches.")
    expect(page.get_by_role("heading", level=1)).to_contain_text("None of the 2 claims")
    expect(page.locator("header .warn, .head .warn")).to_contain_text("HTTP 400")
    expect(page.get_by_text("No source was found")).to_have_count(0)
    page.locator(".text a.s-failed").first.click()
    expect(page.locator(".panel .warn").first).to_contain_text("Failed while")
    scripted.script([])
    page.get_by_role("button", name="Retry", exact=True).click()
    expect(page.locator(".text a.s-failed")).to_have_count(0)
    expect(page.get_by_test_id("score")).to_be_visible()


def test_a_check_that_failed_as_a_whole_shows_nothing_about_its_sentences(
    page: Page, site: str, scripted: lab.Server
) -> None:
    scripted.script([{"do": {"status": 401}}])
    start(page, site, "The bridge has nine arches.")
    expect(page.get_by_role("heading", level=1)).to_have_text("The check failed.")
    expect(page.get_by_text("does not accept the key")).to_be_visible()
    expect(page.locator(".text a.s-not_checkable")).to_have_count(0)
    expect(page.get_by_test_id("score")).to_have_count(0)
    scripted.script([])
    page.get_by_role("button", name="Retry", exact=True).click()
    expect(page.get_by_test_id("score")).to_be_visible()


def test_a_text_that_could_not_be_split_shows_the_reason_and_can_be_retried(page: Page, site: str) -> None:
    make = Builder()
    make.text = "The bridge has six arches."
    make.parts["failures"].append(
        Failure(unit_id="r1", stage="segment", boundary="model", message="The model did not answer in 60 s.")
    )
    failed, whole = check_of(make.report()), check_of(every_state())
    running = {**failed, "state": "running", "report": None}
    checks = [failed]  # the check on display
    page.route("**/api/v1/checks/crafted", lambda route: route.fulfill(json=checks[0]))
    page.route("**/crafted/events*", lambda route: route.fulfill(body="retry: 100\n\n", content_type=EVENTS))

    def retry(route: Route) -> None:
        checks[0] = running
        route.fulfill(json=running)

    page.route("**/crafted/retry", retry)
    page.goto(f"{site}/checks/crafted")
    expect(page.get_by_role("heading", level=1)).to_have_text("This text could not be checked.")
    expect(page.get_by_role("alert")).to_have_text(
        "Failed while splitting the text (the model). The model did not answer in 60 s."
    )
    page.get_by_role("button", name="Try again", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.locator("[role=status]")).to_have_text("The check goes on.")
    expect(page.get_by_role("main")).to_be_focused()  # the focus is not lost with the button
    checks[0] = whole
    expect(page.get_by_test_id("score")).to_be_visible()
    expect(page.get_by_role("button", name="Try again", exact=True)).to_have_count(0)


@pytest.mark.medium
def test_stopping_keeps_finished_work_across_a_reload(page: Page, site: str, scripted: lab.Server) -> None:
    scripted.script([{"when": {"first": 4}, "do": {}}, {"do": {"delay": 8}}])
    start(page, site)
    expect(page.locator(".text a.m")).to_have_count(4)
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Continue")).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="Continue")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_text("Stopped. Finished verdicts are saved.")
    expect(page.locator(".text a.s-waiting").first).to_be_visible()
    expect(page.locator(".text a.m")).to_have_count(4)
    scripted.script([])


@pytest.mark.medium
def test_a_lost_connection_is_reported_and_no_event_is_missed(
    visitor: Callable[..., Watched], site: str, scripted: lab.Server
) -> None:
    scripted.script([{"do": {"delay": 0.6}}])
    one = visitor()
    page = one.page
    context: BrowserContext = page.context
    page.route("**/events*", lambda route: route.abort())
    start(page, site)
    expect(page.get_by_text("Connection lost")).to_be_visible()
    page.unroute("**/events*")
    expect(page.get_by_test_id("score")).to_be_visible()
    context.set_offline(True)
    page.locator(".text a.m").first.click()
    page.locator(".panel .card input[type=checkbox]").first.uncheck()
    expect(page.locator("[data-saving=unsaved]")).to_be_visible()
    context.set_offline(False)
    expect(page.locator("[data-saving=saved]")).to_be_visible()


@pytest.mark.medium
def test_a_dead_server_is_reported_where_the_user_looks_and_the_text_stays(
    visitor: Callable[..., Watched], tmp_path: Path
) -> None:
    process = Process(tmp_path)
    one = visitor()
    one.site = process.address.rstrip("/")
    one.page.goto(process.address)
    one.page.get_by_label("Text to check").fill(TEXT)
    one.page.locator("input[type=file]").set_input_files(
        [{"name": "bridge.txt", "mimeType": "text/plain", "buffer": DOCUMENT.encode()}]
    )
    expect(one.page.get_by_text("Estimate:")).to_be_visible()
    process.end()
    one.page.get_by_role("button", name="Check", exact=True).click()
    expect(one.page.get_by_role("alert").last).to_contain_text("does not respond")
    expect(one.page.get_by_label("Text to check")).to_have_value(TEXT)


@pytest.mark.medium
def test_a_killed_server_is_reported_and_the_check_completes_after_a_restart(
    visitor: Callable[..., Watched], tmp_path: Path
) -> None:
    with lab.model_server([{"when": {"first": 4}, "do": {}}, {"do": {"hang": True}}]) as models:
        environment = {"OPENAI_BASE_URL": models.base_url, "OPENAI_API_KEY": "sk-lab", "FACTSCOPE_MODEL": "openai/lab"}
        process = Process(tmp_path, **environment)
        one = visitor()
        one.site = process.address.rstrip("/")
        page = one.page
        start(page, one.site)
        expect(page.locator(".text a.m")).to_have_count(4)
        wait_for(models.count, lambda calls: calls > 4)
        assert process.end(signal.SIGKILL)[0] == -signal.SIGKILL
        lost = page.get_by_role("alert").filter(has_text="Connection lost")
        expect(lost).to_be_visible()
        page.get_by_role("button", name="Stop").click()
        expect(page.get_by_role("alert").filter(has_text="does not respond")).to_be_visible()
        expect(page.locator(".text a.m")).to_have_count(4)
        models.script([])
        process = Process(tmp_path, "--port", str(process.port), **environment)
        try:
            expect(page.get_by_test_id("score")).to_be_visible()
            expect(page.locator(".text a.s-waiting")).to_have_count(0)
            expect(page.locator(".text a.s-failed")).to_have_count(0)
            expect(lost).to_be_hidden()
            shown = page.get_by_test_id("score").inner_text()
            page.reload()
            expect(page.get_by_test_id("score")).to_have_text(shown)
        finally:
            process.end()


@pytest.mark.medium
def test_checks_are_shared_between_tabs_but_not_between_people(
    visitor: Callable[..., Watched], site: str, scripted: lab.Server
) -> None:
    ida, tom = visitor(), visitor()
    start(ida.page, site)
    expect(ida.page.get_by_test_id("score")).to_be_visible()
    tom.page.goto(ida.page.url)
    expect(tom.page.get_by_role("heading", level=1)).to_have_text("Check not found.")
    tom.page.goto(f"{site}/")
    expect(tom.page.get_by_text("Your checks will be listed here")).to_be_visible()

    second = ida.page.context.new_page()
    second.goto(ida.page.url)
    boxes = "section[aria-labelledby=sources-title] .kinds > li > label input"
    second.locator(boxes).first.uncheck()
    expect(second.locator("[data-saving=saved]")).to_be_visible()
    ida.page.get_by_text("Details: scores, thresholds, sources").click()
    ida.page.get_by_label("low below").fill("0.2")
    ida.page.get_by_label("low below").press("Tab")
    expect(ida.page.get_by_role("alert")).to_contain_text("changed in another tab")
    expect(ida.page.get_by_label("low below")).to_have_value("0.2")
    ida.page.context.set_offline(True)
    ida.page.get_by_role("button", name="Use the other tab’s version").click()
    expect(ida.page.get_by_role("alert").last).to_contain_text("does not respond")
    ida.page.context.set_offline(False)
    ida.page.get_by_role("button", name="Use the other tab’s version").click()
    expect(ida.page.get_by_test_id("banner")).to_contain_text("excluded")
    expect(ida.page.get_by_label("low below")).to_have_value("0.3")


def test_a_check_continued_in_another_tab_is_updated_on_return(page: Page, site: str, scripted: lab.Server) -> None:
    scripted.script([{"when": {"contains": "arches"}, "do": {"status": 400}}])
    start(page, site, "The bridge has seven arches.")
    expect(page.get_by_role("button", name="Retry 2 failed claims")).to_be_visible()
    second = page.context.new_page()
    second.goto(page.url)
    scripted.script([])
    second.get_by_role("button", name="Retry 2 failed claims").click()
    expect(second.locator(".text a.s-failed")).to_have_count(0)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator(".text a.s-failed")).to_have_count(0)


def test_a_check_that_cannot_be_deleted_stays_with_a_reason(page: Page, site: str) -> None:
    open_sample(page, site)
    page.route(
        "**/api/v1/checks/*", lambda route: route.abort() if route.request.method == "DELETE" else route.continue_()
    )
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("alert")).to_contain_text("does not respond")
    page.goto(f"{site}/")
    listed = page.locator("section[aria-labelledby=recent]")
    listed.get_by_role("button", name="Delete the check").click()
    listed.get_by_role("button", name="Delete", exact=True).click()
    expect(listed.get_by_role("alert")).to_contain_text("does not respond")
    page.unroute("**/api/v1/checks/*")
    listed.get_by_role("button", name="Delete", exact=True).click()
    expect(listed).to_contain_text("Check deleted.")
    expect(listed.get_by_role("alert")).to_have_count(0)


@pytest.mark.medium
def test_parts_that_fail_to_load_are_reported_and_loaded_later(visitor: Callable[..., Watched], site: str) -> None:
    page = visitor(locale="en-GB").page  # a context of its own, since pages in the cache load offline, too
    open_sample(page, site)
    page.context.set_offline(True)
    page.get_by_role("button", name="More", exact=True).click()
    menu = page.get_by_role("group", name="More")
    expect(menu.get_by_role("alert")).to_contain_text("does not respond")
    expect(menu).not_to_contain_text("no other finished check")
    menu.get_by_role("button", name="Change text or settings").click()
    expect(menu.get_by_role("alert")).to_contain_text("does not respond")
    expect(page).to_have_url(re.compile("/checks/"))
    page.keyboard.press("Escape")
    page.get_by_role("link", name="How it works").click()
    expect(page.get_by_role("alert")).to_contain_text("does not respond")
    page.get_by_role("link", name="Factscope: New check").click()
    expect(page.get_by_role("alert")).to_contain_text("does not respond")
    page.context.set_offline(False)
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("section[aria-labelledby=recent] a").first).to_be_visible()
    page.context.set_offline(True)
    page.get_by_role("link", name="How it works").click()
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("alert")).to_contain_text("does not respond")
    page.context.set_offline(False)
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("How it works")


@pytest.mark.medium
def test_a_check_deleted_in_another_tab_is_gone_here_too(page: Page, site: str) -> None:
    open_sample(page, site)
    address = page.url.replace("/checks/", "/api/v1/checks/").partition("#")[0]
    assert page.request.delete(address, headers={"Origin": site}).ok
    page.locator(".panel .card input[type=checkbox]").first.uncheck()
    expect(page.get_by_role("heading", level=1)).to_have_text("Check not found.")
