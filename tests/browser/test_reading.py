"""A reader's place is preserved: open panels stay open, the focus stays, and nothing stale is shown."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from .crafted import Builder, check_of, every_state, serve_crafted, wide_report
from .test_journeys import open_sample
from .watched import Watched

FOCUSED = "document.activeElement.innerText || document.activeElement.ariaLabel || document.activeElement.tagName"


def one_wrong() -> dict[str, Any]:
    """Build a check of two sentences: the first is undecided, the second, shown first, is contradicted."""
    make = Builder()
    vague = make.claim(make.sentence("It is fine."), "The bridge is fine.")
    make.evidence(vague, "not_enough_evidence", "Many are fine.", title="Fine")
    wrong = make.claim(make.sentence("It has six arches."), "The bridge has six arches.")
    for name in ("Town", "County"):
        make.evidence(wrong, "contradicted", f"The {name} counts four arches.", url="https://a.example/", title=name)
    return check_of(make.report())


def test_the_open_sentence_stays_open_when_its_evidence_is_excluded(page: Page, site: str) -> None:
    serve_crafted(page, [one_wrong()])
    page.goto(f"{site}/checks/crafted")
    panel = page.locator("section.panel")
    expect(panel.locator("h2")).to_have_text("It has six arches.")
    sides = panel.get_by_role("group").filter(has=page.locator("h4"))
    expect(sides.first).to_have_accessible_name("Against")
    for number in (0, 1):
        tick = sides.first.get_by_role("checkbox").nth(number)
        tick.focus()
        page.keyboard.press("Space")
        expect(tick).not_to_be_checked()
        expect(tick).to_be_focused()
    expect(page.get_by_test_id("banner")).to_contain_text("2 passages excluded")
    expect(panel.locator(".verdict")).not_to_contain_text("contradicted")
    expect(panel.locator("h2")).to_have_text("It has six arches.")
    expect(sides.first).to_have_accessible_name("Against")


@pytest.mark.medium
def test_keyboard_focus_stays_near_replaced_elements(page: Page, site: str) -> None:
    serve_crafted(page, [check_of(every_state())])
    page.goto(f"{site}/checks/crafted")  # without a place in the address, which would take the focus after drawing
    panel = page.locator("section.panel")

    def press(name: str, then: str) -> None:
        page.get_by_role("button", name=name, exact=True).first.focus()
        page.keyboard.press("Enter")
        expect(page.locator(":focus")).to_have_count(1)
        assert re.search(then, page.evaluate(FOCUSED)), f"after {name!r} the focus is on {page.evaluate(FOCUSED)!r}"

    expect(panel.get_by_role("button", name="Set your own verdict")).to_be_visible()
    press("Set your own verdict", "supported")
    press("Cancel", "Set your own verdict")
    press("Set your own verdict", "supported")
    panel.get_by_label("Your name").fill("Ida")
    panel.get_by_label("Reason").fill("I was there.")
    press("Save", "Change your verdict")
    press("Remove", "Set your own verdict")
    press("Edit claim", "TEXTAREA|Edit claim")
    press("Cancel", "Edit claim")
    press("Accept correction", "Take back")
    press("Take back", "Accept correction")
    press("Edit text", "TEXTAREA|Edit text")
    page.keyboard.press("Escape")
    expect(page.locator("#t-s5")).to_be_focused()
    page.locator(".card summary", has_text="Exclude more").first.click()
    press("Exclude this source", "Include|Ask another judge")
    press("More", "More")
    press("Delete", "Delete this check permanently")
    press("Cancel", "Delete")


def test_the_table_of_sources_scrolls_and_does_not_widen_a_narrow_page(
    visitor: Callable[..., Watched], site: str
) -> None:
    page = visitor(viewport={"width": 380, "height": 860}).page
    serve_crafted(page, [check_of(wide_report(100))])
    page.goto(f"{site}/checks/crafted")
    page.get_by_role("button", name="Claims × sources").click()
    expect(page.locator("table a").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0


def test_links_and_figures_are_not_broken_on_a_narrow_page(visitor: Callable[..., Watched], site: str) -> None:
    page = visitor(viewport={"width": 360, "height": 740}).page
    earlier, later = (
        check_of(every_state(), "earlier"),
        check_of(every_state(corrected=True), "later", previous="earlier"),
    )
    serve_crafted(page, [earlier, later])
    page.goto(f"{site}/checks/later")
    link = page.get_by_role("link", name="Compare with the earlier version")
    expect(link).to_be_visible()
    expect(page.locator(".legend li").last).to_be_in_viewport(ratio=1)
    assert link.evaluate("(node) => node.getBoundingClientRect().right") <= 360
    page.emulate_media(media="print")
    expect(link).to_be_hidden()
    expect(page.get_by_text("Would flip without:")).to_be_hidden()
    page.emulate_media(media="screen")
    link.click()
    figures = page.locator("section", has=page.locator("#scores")).locator("td")
    expect(figures.first).to_be_visible()
    heights = figures.evaluate_all("(cells) => cells.map((cell) => cell.getBoundingClientRect().height)")
    assert max(heights) < 60, heights


def test_a_score_is_explained_in_whole_words_on_a_narrow_page(visitor: Callable[..., Watched], site: str) -> None:
    page = visitor(viewport={"width": 360, "height": 740}).page
    open_sample(page, site)
    page.get_by_text("Details: scores, thresholds, sources").click()
    about = page.get_by_text("As in FactBench")
    assert about.evaluate("(text) => text.getBoundingClientRect().width") > 240


def test_sentences_that_are_not_claims_are_not_counted_as_claims(page: Page, site: str) -> None:
    check = check_of(every_state())
    serve_crafted(page, [check])
    page.goto(f"{site}/checks/crafted")
    page.get_by_text("Details: scores, thresholds, sources").click()
    claims = sum(count for outcome, count in check["counts"].items() if outcome != "not_checkable")
    expect(page.get_by_role("region", name="Verdicts")).to_contain_text(f"= {claims} claims")


def test_a_passage_that_settles_nothing_is_not_called_decisive(page: Page, site: str) -> None:
    serve_crafted(page, [one_wrong()])
    page.goto(f"{site}/checks/crafted")
    page.locator(".text a.m", has_text="It is fine.").click()
    expect(page.locator(".panel .card")).to_contain_text("does not settle it")
    expect(page.locator(".panel .card")).not_to_contain_text("decisive")


def test_on_a_german_page_english_words_are_marked_as_english_and_titles_as_of_any_language(
    page: Page, site: str
) -> None:
    make = Builder()
    for name, label in (("Boats", "irrelevant"), ("Trains", None)):
        claim = make.claim(make.sentence(f"{name} are fine."), f"{name} are fine.")
        make.evidence(claim, label, f"{name} pass the town.", title=f"The {name} of Marlow")  # type: ignore[arg-type]
    serve_crafted(page, [check_of(make.report())])
    page.add_init_script("localStorage.setItem('factscope.language', 'de')")
    page.goto(f"{site}/checks/crafted")
    panel = page.locator("section.panel")

    def language_of(words: str) -> str:
        return panel.get_by_text(words).first.evaluate("(element) => element.closest('[lang]').lang")

    page.locator(".text a.m", has_text="Boats").click()
    assert language_of("the passages found do not bear on the claim") == "en"
    assert language_of("The Boats of Marlow") == ""
    assert language_of("The passage says so.") == ""
    assert language_of("Begründung (") == "de"
    page.locator(".text a.m", has_text="Trains").click()
    expect(panel.locator(".verdict [lang=en], .card .warn[lang=en]")).to_have_text(["the reply could not be read"] * 2)


@pytest.mark.medium
def test_a_language_warning_does_not_carry_over_to_the_next_text(page: Page, site: str) -> None:
    page.goto(f"{site}/")
    text = page.get_by_label("Text to check")
    page.get_by_role("tab", name="Text + documents").click()
    page.locator("summary", has_text="Settings").click()
    page.get_by_label("Method").select_option("builtin")
    text.fill("Die Brücke wurde im Jahr 1931 eröffnet. Sie steht in der Stadt und ist sehr alt.")
    expect(page.get_by_text("This text looks German")).to_be_visible()

    def refuse(route: Route) -> None:
        route.fulfill(status=422, json={"title": "It can't be used", "status": 422, "detail": "The document is odd."})

    page.route("**/api/v1/estimate", refuse)
    text.fill("The bridge was opened in 1931.")
    expect(page.get_by_text("The document is odd.")).to_be_visible()
    expect(page.get_by_text("This text looks German")).to_be_hidden()


def test_an_empty_file_is_refused_when_it_is_chosen(page: Page, site: str) -> None:
    page.goto(f"{site}/")
    page.get_by_role("tab", name="Text + documents").click()
    files = [
        {"name": name, "mimeType": "text/plain", "buffer": text} for name, text in (("a.txt", b""), ("b.txt", b"B"))
    ]
    page.locator("input[type=file]").set_input_files(files)  # type: ignore[arg-type]
    expect(page.get_by_role("alert").filter(has_text="a.txt is empty.")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^Remove"))).to_have_count(1)


def test_replacing_a_file_with_one_of_the_same_name_is_announced(page: Page, site: str) -> None:
    page.goto(f"{site}/")
    page.get_by_role("tab", name="Text + documents").click()
    expect(page.get_by_text("Word, PowerPoint, Excel")).to_be_visible()
    for text in ("Rome", "Rome", "Paris"):
        expect(page.get_by_role("alert").filter(has_text="notes.md")).to_have_count(0)
        page.locator("input[type=file]").set_input_files(
            [{"name": "notes.md", "mimeType": "text/markdown", "buffer": f"She lives in {text}.".encode()}]
        )
        expect(page.get_by_text("notes.md", exact=True)).to_have_count(1)
    expect(page.get_by_role("alert").filter(has_text="notes.md")).to_contain_text("replaced")


def test_the_progress_counts_sentences_not_yet_split(page: Page, site: str) -> None:
    make = Builder()
    for number in range(4):
        make.sentence(f"House {number} is old.")
    for segment in make.parts["segments"][:2]:
        make.evidence(make.claim(segment, segment.text), "supported", segment.text, title="Houses")
    whole = check_of(make.report())
    begun = dict(whole["report"])
    begun |= {name: [one for one in begun[name] if one["unit_id"] == "s1.c1"] for name in ("verdicts", "judgements")}
    serve_crafted(page, [{**whole, "id": "running", "state": "running", "ended": None, "report": begun}])
    page.route("**/checks/running/events*", lambda route: route.abort())
    page.goto(f"{site}/checks/running")
    expect(page.locator("p.count")).to_have_text("1 of 2 claims judged · 2 sentences still to split")
    expect(page.get_by_role("progressbar")).to_have_attribute("value", "0.25")
    page.locator(".text a.m").nth(1).click()
    expect(page.locator(".panel")).to_contain_text("1 passage found")


def test_the_files_of_the_user_are_called_documents(page: Page, site: str) -> None:
    make = Builder()
    claim = make.claim(make.sentence("It was opened in 1931."), "The bridge was opened in 1931.")
    make.evidence(claim, "supported", "It was opened in 1931.", url="bridge.txt", title="The bridge")
    serve_crafted(page, [check_of(make.report())])
    page.goto(f"{site}/checks/crafted#s1.c1")
    expect(page.get_by_role("checkbox", name="Include documents")).to_be_checked()
    expect(page.locator(".card .src")).to_contain_text("bridge.txt · decisive")
    expect(page.locator(".card .src")).not_to_contain_text("other")
    expect(page.get_by_role("checkbox", name="Included (The bridge)")).to_be_checked()
    page.get_by_text("Details: scores, thresholds, sources").click()
    page.locator("summary", has_text="documents").click()
    expect(page.get_by_role("checkbox", name="The bridge bridge.txt")).to_be_checked()
