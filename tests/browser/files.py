"""Pages that are files, opened in one context: a context for each page would take a second of processor time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import BrowserContext, Page

from .chrome import chrome
from .watched import OF_A_PAGE, WIDE, beside


@contextmanager
def shared_context() -> Iterator[BrowserContext]:
    """Start a browser with one context, in which pages are opened side by side."""
    with chrome() as browser:
        yield browser.new_context(**WIDE)


def opened(context: BrowserContext, address: str, **options: Any) -> tuple[Page, list[str]]:
    """Open a page, and list what goes wrong in it: console messages, errors, and requests for anything but files."""
    if options.keys() - OF_A_PAGE:
        assert context.browser
        page = context.browser.new_context(**{**WIDE, **options}).new_page()
    else:
        page = beside(context, address, **options)
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda asked: None if asked.url.startswith("file:") else wrong.append(asked.url))
    page.goto(address)
    return page, wrong
