"""Pictures of the page's main states, light and dark, for README and docs.

python -m tests.browser.screenshots [FOLDER]    (default: docs/images; `make screenshots`)
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, expect

from tests import lab
from tests.web.served import Process

from .chrome import chrome
from .crafted import EXCLUDED, check_of, every_state, serve_crafted
from .test_live import start

COLOURS = 256
FOLDER = Path(__file__).parents[2] / "docs" / "images"
SIZES = {"": {"width": 1440, "height": 900}, "narrow-": {"width": 390, "height": 844}}
"""Window sizes by the start of the file name."""


def main() -> None:
    """Take all screenshots again."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    with chrome() as browser, lab.model_server() as models, tempfile.TemporaryDirectory() as state:
        environment = {"OPENAI_BASE_URL": models.base_url, "OPENAI_API_KEY": "sk-lab", "FACTSCOPE_MODEL": "openai/lab"}
        process = Process(Path(state), **environment)
        site = process.address.rstrip("/")
        try:
            for size in SIZES:
                for theme in ("light", "dark"):
                    models.script([])
                    _landing(_page(browser, theme, size), site, folder / f"{size}landing-{theme}.png")
                    _result(_page(browser, theme, size), site, folder / f"{size}result-{theme}.png")
                    _states(_page(browser, theme, size), site, folder / f"{size}states-{theme}.png")
                    models.script([{"when": {"first": 6}, "do": {}}, {"do": {"delay": 6}}])
                    _live(_page(browser, theme, size), site, folder / f"{size}live-{theme}.png")
                    _compared(_page(browser, theme, size), site, folder / f"{size}compare-{theme}.png")
        finally:
            process.end()
    for picture in sorted(folder.glob("*.png")):
        print(f"{picture.stat().st_size / 1000:6.0f} kB  {picture.name}")


def _page(browser: Browser, theme: str, size: str) -> Page:
    options: dict[str, Any] = {"viewport": SIZES[size], "color_scheme": theme, "locale": "en-GB"}
    return browser.new_context(**options, reduced_motion="reduce").new_page()


def _take(page: Page, place: Path) -> None:
    page.wait_for_timeout(250)
    page.screenshot(path=place)
    page.context.close()
    with Image.open(place) as picture:  # a third of the size, with no visible difference
        picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(place, optimize=True)


def _landing(page: Page, site: str, place: Path) -> None:
    page.goto(f"{site}/")
    expect(page.get_by_text("Open a finished example")).to_be_visible()
    page.get_by_label("Text to check").fill(
        "The Gannet Point Light has been warning ships off the Hake Rocks since 1834. "
        "The tower is 51 metres tall, and visitors climb 162 steps to the lamp."
    )
    expect(page.get_by_text("Estimate:")).to_be_visible()
    _take(page, place)


def _open_sample(page: Page, site: str, number: int = 0) -> None:
    page.goto(f"{site}/")
    page.locator("section[aria-labelledby=samples] button").nth(number).click()
    expect(page.get_by_test_id("score")).to_be_visible()


def _result(page: Page, site: str, place: Path) -> None:
    _open_sample(page, site)
    expect(page.locator(".text a.m").first).to_be_visible()
    page.evaluate("window.scrollTo(0, 0)")
    _take(page, place)


def _states(page: Page, site: str, place: Path) -> None:
    check = check_of(every_state())
    check["choices"]["exclude"] = EXCLUDED.model_dump(mode="json")
    serve_crafted(page, [check])
    page.goto(f"{site}/checks/crafted#s4")
    expect(page.locator(".text a.m").first).to_be_visible()
    _take(page, place)


def _live(page: Page, site: str, place: Path) -> None:
    start(page, site)
    expect(page.locator(".text a.m").first).to_be_visible()
    page.locator(".text a.m").nth(1).click()
    page.wait_for_timeout(1_500)
    page.evaluate("window.scrollTo(0, 0)")
    _take(page, place)


def _compared(page: Page, site: str, place: Path) -> None:
    serve_crafted(page, [check_of(every_state(), "before"), check_of(every_state(corrected=True), "after")])
    page.goto(f"{site}/compare/before/after")
    expect(page.get_by_role("heading", name="Verdict changes")).to_be_visible()
    _take(page, place)


if __name__ == "__main__":
    main()
