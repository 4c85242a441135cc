"""Access for everyone: by keyboard alone, by screen reader, large, narrow, without colour or motion, right to left."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from factscope.report import MARKS

from .crafted import EXCLUDED, Builder, check_of, every_state, serve_crafted, wide_report
from .watched import Watched, serious


@pytest.fixture
def crafted() -> dict[str, object]:
    check = check_of(every_state())
    check["choices"]["exclude"] = EXCLUDED.model_dump(mode="json")
    return check


OPEN_EACH = """async () => {
    const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
    for (let number = 3; number <= 10; number++) {
        document.getElementById(`t-s${number}`).click();
        await drawn();
        [...document.querySelectorAll('.panel summary')].slice(0, 4).forEach((summary) => summary.click());
        await drawn();
    }
}"""
"""Opens the other sentences, and unfolds the details in each one's panel."""


@pytest.mark.medium
@pytest.mark.parametrize("theme", [pytest.param("light", marks=pytest.mark.slow), "dark"])
def test_axe_finds_nothing_serious_in_any_state(
    visitor: Callable[..., Watched], site: str, crafted: dict[str, object], theme: str
) -> None:
    page = visitor(color_scheme=theme).page
    serve_crafted(page, [crafted, {**crafted, "id": "other"}])
    found: dict[str, list[str]] = {}
    page.goto(f"{site}/")
    expect(page.get_by_text("Open a finished example")).to_be_visible()
    page.get_by_label("Text to check").fill("A bridge.")
    page.get_by_role("tab", name="Question + answer").click()
    page.locator("summary", has_text="Settings").click()
    found["landing"] = serious(page)
    page.goto(f"{site}/checks/crafted")
    expect(page.get_by_test_id("score")).to_be_visible()
    page.locator("#t-s2").click()
    for summary in page.locator(".panel summary").all()[:4]:
        summary.click()
    found["a sentence with all kinds of evidence"] = serious(page)
    page.evaluate(OPEN_EACH)
    page.get_by_role("button", name="Set your own verdict").first.click()
    page.get_by_role("button", name="Edit text").first.click()
    found["editing"] = serious(page)
    page.goto(f"{site}/compare/crafted/other")
    expect(page.get_by_role("heading", name="Verdict changes")).to_be_visible()
    found["compare"] = serious(page)
    page.goto(f"{site}/about")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    found["about"] = serious(page)
    page.goto(f"{site}/docs")
    page.locator("details", has_text="/api/v1/judge").first.locator("summary").click()
    found["the description of the API"] = serious(page)
    page.goto(f"{site}/checks/crafted#s2")
    page.locator(".panel summary", has_text="Ask another judge").first.click()
    expect(page.get_by_role("button", name="Judge this passage")).to_be_visible()
    found["another judge"] = serious(page)
    page.get_by_role("button", name="Claims × sources").click()
    expect(page.locator("table a").first).to_be_visible()
    found["claims and sources"] = serious(page)
    assert not {state: problems for state, problems in found.items() if problems}


PROBLEM = {
    "type": "about:blank",
    "title": "Unauthorized",
    "status": 401,
    "detail": "The model openai/lab refused the key.",
    "hint": "Set OPENAI_API_KEY and try again.",
    "errors": [{"field": "text", "message": "is empty"}],
}
PLAN = {
    "changed": ["It has two arches."],
    "depending": ["It was repainted in 1987."],
    "because": ["it begins with a pronoun"],
    "kept": 7,
    "estimate": {
        "calls": {"low": 3, "high": 9},
        "tokens_in": None,
        "tokens_out": None,
        "cost": None,
        "seconds": None,
        "notes": [],
        "command": "factscope check",
        "body": {"text": ""},
    },
}


@pytest.mark.medium
@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_axe_finds_nothing_serious_while_it_runs_when_it_fails_and_in_dialogs(
    visitor: Callable[..., Watched], site: str, crafted: dict[str, Any], theme: str
) -> None:
    page = visitor(color_scheme=theme).page
    report = crafted["report"]
    half = {**report, "verdicts": report["verdicts"][:3], "judgements": report["judgements"][:4], "scores": []}
    running = {**crafted, "id": "running", "state": "running", "ended": None, "report": half}
    failed = {**crafted, "id": "failed", "state": "failed", "problem": PROBLEM, "report": None}
    serve_crafted(page, [crafted, running, failed])
    page.route("**/checks/running/events*", lambda route: route.abort())
    page.route("**/checks/crafted/recheck/plan", lambda route: route.fulfill(json=PLAN))
    found: dict[str, list[str]] = {}
    page.goto(f"{site}/checks/running")
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    expect(page.get_by_text("Connection lost")).to_be_visible()
    page.locator("#t-s4").click()
    found["live, connection lost"] = serious(page)
    page.goto(f"{site}/checks/failed")
    expect(page.get_by_text("refused the key")).to_be_visible()
    expect(page.get_by_text("Select a sentence")).to_be_hidden()
    found["failed as a whole"] = serious(page)
    page.goto(f"{site}/checks/none-such")
    expect(page.get_by_role("heading", level=1)).to_have_text("Check not found.")
    found["no such check"] = serious(page)
    page.goto(f"{site}/checks/crafted#s4")
    expect(page.get_by_test_id("score")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    found["keys"] = serious(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Set your own verdict").first.click()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Enter your name and a reason.")).to_be_visible()
    found["own verdict"] = serious(page)
    page.get_by_role("button", name="Edit claim").first.click()
    page.get_by_label("Edit claim").fill("The bridge has two arches.")
    expect(page.locator(".panel form").get_by_text(re.compile("3.*9 model calls"))).to_be_visible()
    found["a claim in other words"] = serious(page)
    page.get_by_role("button", name="Edit text").first.click()
    page.locator("form.edit textarea").fill("It has two arches.")
    expect(page.get_by_text("refers to a changed sentence")).to_be_visible()
    found["plan of a re-check"] = serious(page)
    page.route("**/api/v1/checks", lambda route: route.fulfill(status=401, json=PROBLEM))
    page.goto(f"{site}/")
    page.get_by_role("tab", name="Text + documents").click()
    page.get_by_label("Text to check").fill("A bridge.")
    page.locator("input[type=file]").set_input_files(
        [{"name": "a.txt", "mimeType": "text/plain", "buffer": b"The bridge was opened in 1931."}]
    )
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.get_by_role("alert").filter(has_text="refused the key")).to_be_visible()
    found["problem on the start page"] = serious(page)
    assert not {state: problems for state, problems in found.items() if problems}


UNCOVERED = """() => {
    const box = document.activeElement.getBoundingClientRect();
    const corners = [[box.left + 4, box.top + 4], [box.right - 4, box.bottom - 4]];
    return corners.some(([x, y]) => document.activeElement.contains(document.elementFromPoint(x, y)));
}"""


def test_every_state_has_its_own_word_glyph_line_and_colour(
    visitor: Callable[..., Watched], site: str, crafted: dict[str, object]
) -> None:
    page = visitor().page
    serve_crafted(page, [crafted])
    page.goto(f"{site}/checks/crafted")
    expect(page.locator(".text a.m").first).to_be_visible()
    looks = page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('.text a.m')].map((mark) => {
            const style = getComputedStyle(mark);
            const state = mark.className.match(/s-([a-z_]+)/)[1];
            const line = `${style.textDecorationLine} ${style.textDecorationStyle} ${style.textDecorationThickness}`;
            const word = mark.querySelector('.vh').textContent.trim().replace(/[()]/g, '').split(',')[0];
            return [state, [word, mark.nextElementSibling.textContent[0], line, style.backgroundColor]];
        }))"""
    )
    assert set(looks) == set(MARKS)
    for part in range(3):
        assert len({look[part] for look in looks.values()}) == len(MARKS), f"two states share a look: {looks}"
    for state, (word, glyph, _, _) in looks.items():
        assert (word, glyph) == (MARKS[state].word, MARKS[state].glyph)
    legend = page.locator(".legend li")
    expect(legend).to_have_count(len(MARKS))
    page.mouse.wheel(0, 3000)
    expect(legend.first).to_be_in_viewport()


def test_a_result_is_read_and_changed_by_keyboard_alone(
    visitor: Callable[..., Watched], site: str, crafted: dict[str, object]
) -> None:
    page = visitor().page
    serve_crafted(page, [crafted])
    page.goto(f"{site}/checks/crafted")
    expect(page.get_by_test_id("score")).to_be_visible()
    keys = page.keyboard
    keys.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    keys.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    keys.press("Escape")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_hidden()
    keys.press("n")
    expect(page.locator("#t-s4")).to_have_attribute("aria-current", "true")
    expect(page.locator("[id='u-s4.c1']")).to_be_focused()
    keys.press("j")
    expect(page.locator("[id='u-s4.c2']")).to_be_focused()
    keys.press("n")
    expect(page.locator("#t-s5")).to_have_attribute("aria-current", "true")
    keys.press("p")
    expect(page.locator("#t-s4")).to_have_attribute("aria-current", "true")
    before = page.get_by_test_id("score").inner_text()
    keys.press("x")
    expect(page.get_by_test_id("banner")).to_contain_text("2 passages")
    keys.press("u")
    expect(page.get_by_test_id("score")).to_have_text(before)
    keys.press("o")
    expect(page.get_by_text("The original result")).to_be_visible()
    keys.press("o")
    keys.press("Escape")
    expect(page.locator("#t-s4")).to_be_focused()
    keys.press("Tab")
    expect(page.locator("#t-s5")).to_be_focused()
    keys.press("Enter")
    expect(page.locator("section.panel")).to_be_focused()
    for _ in range(12):
        keys.press("Tab")
        if page.evaluate("document.activeElement.type") == "checkbox":
            break
    keys.press("Space")
    expect(page.get_by_test_id("banner")).to_contain_text("2 passages")
    keys.press("e")
    expect(page.locator("form.edit textarea")).to_be_focused()


def test_no_focused_cell_is_hidden_behind_the_headers(visitor: Callable[..., Watched], site: str) -> None:
    page = visitor(viewport={"width": 800, "height": 700}, reduced_motion="reduce").page
    serve_crafted(page, [check_of(wide_report(100))])
    page.goto(f"{site}/checks/crafted")
    page.get_by_role("button", name="Claims × sources").click()
    cells = page.locator("td.cell a")
    expect(page.locator("th.claim .meta")).to_have_count(20)  # loaded later, and move the rows
    cells.last.focus()
    for _ in range(cells.count() - 1):
        page.keyboard.press("Shift+Tab")
        assert page.evaluate(UNCOVERED), page.evaluate("document.activeElement.href")


def test_a_text_is_checked_by_keyboard_alone(page: Page, site: str) -> None:
    page.on("filechooser", lambda _: None)  # choosers are caught from now on, so one that opens at once is not missed
    page.goto(f"{site}/")
    expect(page.get_by_text("Open a finished example")).to_be_visible()
    page.get_by_role("tab", name="Text", exact=True).focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Text + documents")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_label("Text to check")).to_be_focused()
    page.keyboard.type("Nothing here.")
    page.keyboard.press("Tab")
    expect(page.get_by_role("checkbox", name="Check its own citations")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="choose files")).to_be_focused()
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Enter")
    chooser.value.set_files([{"name": "a.txt", "mimeType": "text/plain", "buffer": b"The bridge was opened in 1931."}])
    expect(page.get_by_text("a.txt")).to_be_visible()
    page.get_by_label("Text to check").focus()
    page.keyboard.press("Control+Enter")
    expect(page).to_have_url(re.compile("/checks/"))
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    expect(page.get_by_test_id("score")).to_be_visible()


@pytest.mark.medium
@pytest.mark.parametrize(("width", "scheme"), [(320, "light"), (768, "dark"), (1920, "light")])
def test_nothing_overflows_the_page(
    visitor: Callable[..., Watched], site: str, crafted: dict[str, object], width: int, scheme: str
) -> None:
    # 320 pixels are also the width of a 1280-pixel window at 400 % zoom.
    page = visitor(viewport={"width": width, "height": 640}, color_scheme=scheme, reduced_motion="reduce").page
    serve_crafted(page, [crafted, {**crafted, "id": "other"}])
    for path in ("/", "/about", "/checks/crafted#s4", "/compare/crafted/other"):
        page.goto(f"{site}{path}")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        page.wait_for_timeout(150)
        over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert over <= 0, f"{path} is {over} pixels too wide at {width}"
    page.goto(f"{site}/checks/crafted")
    page.locator("#t-s2").click()
    expect(page.locator("section.panel")).to_be_in_viewport()
    assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"
    assert page.evaluate("document.getAnimations().length") == 0


def test_nothing_moves_with_reduced_motion(visitor: Callable[..., Watched], site: str, crafted: dict[str, Any]) -> None:
    page = visitor(reduced_motion="reduce").page
    nothing = dict.fromkeys(("claims", "verdicts", "judgements", "passages", "queries", "scores", "corrections"), ())
    begun = {**crafted["report"], **nothing}
    serve_crafted(page, [{**crafted, "id": "running", "state": "running", "ended": None, "report": begun}])
    page.route("**/checks/running/events*", lambda route: route.abort())
    page.goto(f"{site}/checks/running")
    expect(page.locator("p.count")).to_have_text("Splitting the text into claims")
    expect(page.locator("progress")).to_be_hidden()
    assert page.evaluate("document.getAnimations().length") == 0


def test_without_colours_marks_keep_their_lines(
    visitor: Callable[..., Watched], site: str, crafted: dict[str, object]
) -> None:
    page = visitor(forced_colors="active").page
    serve_crafted(page, [crafted])
    page.goto(f"{site}/checks/crafted")
    expect(page.locator(".text a.s-contradicted")).to_have_css("text-decoration-style", "wavy")
    expect(page.locator(".text a.s-supported")).to_have_css("text-decoration-style", "solid")


def test_right_to_left_text_is_displayed_correctly(visitor: Callable[..., Watched], site: str) -> None:
    make = Builder()
    text = "افتتح الجسر عام 1931. له أربعة أقواس 🌉."
    for sentence in ("افتتح الجسر عام 1931.", "له أربعة أقواس 🌉."):
        segment = make.sentence(sentence)
        claim = make.claim(segment, segment.text)
        make.evidence(claim, "supported", "🌉 افتتح الجسر عام 1931 أمام حشد كبير.", quote="افتتح الجسر عام 1931")
    page = visitor().page
    serve_crafted(page, [check_of(make.report())])
    page.goto(f"{site}/checks/crafted#s1")
    assert page.locator(".text p").last.evaluate("(p) => getComputedStyle(p).direction") == "rtl"
    assert page.locator(".text a.m").first.evaluate("(mark) => getComputedStyle(mark).unicodeBidi") == "plaintext"
    expect(page.locator(".panel mark").first).to_have_text("افتتح الجسر عام 1931")
    page.goto(f"{site}/")
    page.get_by_label("Text to check").fill(text)
    expect(page.get_by_label("Text to check")).to_have_attribute("dir", "rtl")
