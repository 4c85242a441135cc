"""Browser for the tests: the system's Chromium or Chrome, else Playwright's own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright
from scripts.browser import NAMES

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # no outside host is reached
)
MISSING = "The tests of the page need a browser, and there is none: `make browser` gets one"


@contextmanager
def chrome() -> Iterator[Browser]:
    """Start a headless browser. Raises RuntimeError, with what to install, if there is none."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    with sync_playwright() as driver:
        own = Path(driver.chromium.executable_path)
        if found is None and not own.exists():
            raise RuntimeError(MISSING)
        browser = driver.chromium.launch(executable_path=found or str(own), args=list(_FLAGS))
        try:
            yield browser
        finally:
            browser.close()
