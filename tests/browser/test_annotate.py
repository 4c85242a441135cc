"""The annotation page: used by keyboard alone, saved at each change, without loss, and accessible to everyone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.web.annotating import FELM, PLAIN, Annotating, write

from .watched import serious, visitors

Sit = Callable[..., Page]
MANY = 20


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Annotating]:
    """Serve a queue of many samples, labelled by Ada and Ben and reviewed by Cy."""
    rows = [{**FELM, "index": f"b{n}", "domain": "wk" if n < 11 else "science"} for n in range(MANY)]
    found = Annotating(write(tmp_path_factory.mktemp("annotated"), rows), "-a", "Ada", "-a", "Ben", "--reviewer", "Cy")
    yield found
    found.end()


@pytest.fixture
def sit(browser: Browser, shared_context: BrowserContext) -> Iterator[Sit]:
    """Return a function that opens an address as a new person; fails at the end if anything went wrong in any page."""
    with visitors(browser, shared_context) as visit:

        def sit_down(address: str, **options: Any) -> Page:
            page = visit(address.partition("/annotate/")[0], **options).page
            page.goto(address)
            expect(page.locator("#segment-0, main > h1, main [role=alert]").first).to_be_visible()
            return page

        yield sit_down


def saved(page: Page) -> None:
    expect(page.get_by_test_id("saving")).to_have_attribute("data-saving", "saved")


@pytest.mark.medium
def test_twenty_samples_are_labelled_by_keyboard_alone(sit: Sit, running: Annotating) -> None:
    page = sit(running.addresses["Ada"])
    keys = page.keyboard
    keys.press("?")
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(dialog).to_contain_text("correct, then next segment")
    keys.press("Escape")
    expect(dialog).to_be_hidden()
    keys.press("Enter")
    expect(page.locator(".note")).to_contain_text("Segment 1 is incomplete")
    expect(page.get_by_text("Suggested")).to_have_count(0)
    for n in range(MANY):
        expect(page.locator("h2#sample")).to_contain_text(f"b{n}")
        keys.press("1")
        keys.press("3")
        if n == 0:
            expect(page.get_by_text("Suggested").first).to_be_visible()
            keys.press("7")
            keys.type("It has four.")
            keys.press("Escape")
        keys.press("j")
        keys.press("1")
        keys.press("Enter")
    expect(page.locator(".note")).to_contain_text("All samples are done")
    answers = running.person("Ada").item(1)["answer"]
    assert [mark["correct"] for mark in answers["marks"]] == [True, False, True]
    assert (answers["marks"][1]["kind"], answers["marks"][1]["reason"]) == ("knowledge_error", "It has four.")
    assert answers["seconds"] > 0
    assert running.person("Ada").states() == ["done"] * MANY
    page.reload()
    expect(page.locator("h2#sample")).to_contain_text(f"b{MANY - 1}")


def test_segments_are_merged_and_split_by_keyboard_with_undo(sit: Sit, running: Annotating) -> None:
    page = sit(running.addresses["Ben"])
    keys, rows, texts = page.keyboard, page.locator("ol.segments > li"), page.locator("ol.segments p.text")
    keys.press("n")
    expect(page.locator("h2#sample")).to_contain_text("b1")
    expect(rows).to_have_count(3)
    keys.press("m")
    expect(texts).to_have_text(["The Marlow bridge was opened in 1931. It has six arches.", "It crosses the Thames."])
    keys.press("u")
    expect(rows).to_have_count(3)
    keys.press("r")
    expect(rows).to_have_count(2)
    keys.press("Control+z")
    keys.press("j")
    keys.press("s")
    keys.press("ArrowRight")
    expect(page.get_by_role("button", name="Split before “six”")).to_be_focused()
    keys.press("Enter")
    expect(texts.nth(2)).to_have_text("six arches.")
    expect(rows.nth(1)).to_be_focused()
    keys.press("8")
    keys.press("Control+End")
    keys.type("\nno address")
    expect(page.get_by_text("1 line is not a web address")).to_be_visible()
    keys.press("Control+s")
    saved(page)
    keys.press("Escape")
    keys.press("9")
    expect(page.get_by_text("This sample is removed")).to_be_visible()
    keys.press("p")
    expect(page.locator("h2#sample")).to_contain_text("b0")
    answer = running.person("Ben").item(2)["answer"]
    assert answer["keep"] is False
    assert answer["edits"] == [{"what": "split", "at": 45}]
    assert answer["references"] == ["https://bridge.example/marlow", "no address"]


@pytest.mark.medium
def test_answers_shown_as_saved_survive_a_killed_server(sit: Sit, tmp_path: Path) -> None:
    first = Annotating(write(tmp_path))
    page = sit(first.addresses["annotator"])
    page.keyboard.press("2")
    page.keyboard.press("7")
    page.keyboard.type("Nobody")
    page.keyboard.type(" knows.")
    saved(page)
    first.kill()
    page.keyboard.type(" Not this.")
    expect(page.get_by_test_id("saving")).to_have_text("Not saved yet; trying again")
    again = Annotating(tmp_path / "samples.jsonl")
    other = sit(again.addresses["annotator"])
    expect(other.get_by_label("Reason")).to_have_value("Nobody knows.")
    other.locator(".foot").get_by_role("button", name="Next sample").click()
    expect(other.locator("ol.segments p.text").first).to_have_text(PLAIN["response"].split(" It")[0])
    with other.expect_download() as got:
        other.get_by_role("button", name="Hugging Face").click()
    assert "Nobody knows." in Path(got.value.path()).read_text(encoding="utf-8")
    again.end()


@pytest.mark.medium
def test_a_second_tab_is_notified_and_neither_answer_is_lost(sit: Sit, running: Annotating) -> None:
    page = sit(running.addresses["Ben"] + "/5")
    other = page.context.new_page()
    other.goto(running.addresses["Ben"] + "/5")
    expect(other.locator("#segment-0")).to_be_visible()
    other.keyboard.press("1")
    saved(other)
    page.evaluate("document.getElementById('segment-0').focus()")
    page.keyboard.press("4")
    expect(page.get_by_text("Another tab changed your answer")).to_be_visible()
    assert running.person("Ben").item(5)["answer"]["marks"][0]["correct"] is True, "nothing was overwritten"
    assert not serious(page)
    page.get_by_role("button", name="Keep mine").click()
    saved(page)
    assert running.person("Ben").item(5)["answer"]["marks"][0]["kind"] == "reasoning_error"
    page.keyboard.press("u")
    saved(page)
    assert running.person("Ben").item(5)["answer"]["marks"][0]["correct"] is True, "the other is one undo away"


@pytest.mark.medium
def test_an_adjudicator_sees_both_answers_on_conflict_and_the_agreement(sit: Sit, running: Annotating) -> None:
    ben = running.person("Ben")
    for number in (10, 11):
        running.person("Ada").say(number, None, "knowledge_error", None)
        ben.say(number, None, "knowledge_error" if number == 11 else None, None)
    page = sit(running.addresses["adjudicator"] + "/10")
    row = page.locator("#segment-1")
    expect(row).to_contain_text("Ada")
    expect(row).to_contain_text("annotators disagree")
    expect(page.locator("#segment-0")).not_to_contain_text("annotators disagree")
    agreement = page.get_by_test_id("agreement")
    expect(agreement).to_contain_text("83.3%")
    expect(agreement).not_to_contain_text("interval")
    # A resampling interval needs ten responses.
    for number in range(12, 20):
        running.person("Ada").say(number, None, None, None)
        ben.say(number, None, None, None)
    expect(agreement).to_contain_text("96.7%")
    expect(agreement).to_contain_text("95% interval")
    page.get_by_text("By domain").click()
    expect(page.get_by_test_id("agreement-by-domain")).to_contain_text("wk 83.3%")
    expect(page.get_by_test_id("agreement-by-domain")).to_contain_text("science 100%")
    assert not serious(page)
    blind = sit(running.addresses["Ben"] + "/10")
    expect(blind.locator("#segment-1")).not_to_contain_text("Ada")
    expect(blind.get_by_test_id("agreement")).to_have_count(0)


@pytest.mark.medium
@pytest.mark.parametrize("theme", [pytest.param("light", marks=pytest.mark.slow), "dark"])
def test_axe_finds_nothing_serious_and_nothing_overflows_the_page(sit: Sit, running: Annotating, theme: str) -> None:
    page = sit(running.addresses["Ben"] + "/7", color_scheme=theme, locale="de-DE" if theme == "dark" else "en-GB")
    page.keyboard.press("1")
    page.keyboard.press("3")
    saved(page)
    page.keyboard.press("s")
    assert not serious(page)
    page.keyboard.press("Escape")
    page.keyboard.press("9")
    saved(page)
    page.set_viewport_size({"width": 320, "height": 640})
    assert not serious(page)
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    expect(page.get_by_test_id("saving")).to_contain_text("Gespeichert" if theme == "dark" else "Saved")
    page.keyboard.press("9")
    saved(page)


def test_an_address_without_a_valid_key_is_reported(sit: Sit, running: Annotating) -> None:
    page = sit(running.addresses["Ada"].partition("#")[0])
    expect(page.get_by_role("heading", level=1)).to_have_text("The link is incomplete.")
    wrong = sit(running.addresses["Ada"].partition("#")[0] + "#wrong")
    expect(wrong.get_by_role("alert")).to_contain_text("There is no queue of yours here.")
