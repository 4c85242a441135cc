"""A browser, a server with the laboratory's model, and a page that reports all that goes wrong in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests import lab
from tests.web.served import Process

from .chrome import chrome
from .watched import Watched, watch


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """While it is open its driver's event loop runs in this thread: no longer than the tests that need it."""
    with chrome() as found:
        yield found


@pytest.fixture(scope="session")
def models() -> Iterator[lab.Server]:
    with lab.model_server() as server:
        yield server


@pytest.fixture(scope="session")
def site(models: lab.Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a real server, with a model; without a final slash."""
    environment = {"OPENAI_BASE_URL": models.base_url, "OPENAI_API_KEY": "sk-lab", "FACTSCOPE_MODEL": "openai/lab"}
    process = Process(tmp_path_factory.mktemp("site"), **environment)
    yield process.address.rstrip("/")
    process.end()


@pytest.fixture
def visitor(browser: Browser, site: str) -> Iterator[Callable[..., Watched]]:
    """Opens a page as a person of their own; at the end nothing may have gone wrong in any of them."""
    opened: list[Watched] = []

    def visit(**options: Any) -> Watched:
        wide: dict[str, Any] = {"viewport": {"width": 1280, "height": 860}, "locale": "en-GB"}
        opened.append(watch(browser.new_context(**{**wide, **options}), site))
        return opened[-1]

    yield visit
    for one in opened:
        one.page.context.close()
    for one in opened:
        assert not one.errors, one.errors
        assert not one.outside, f"the page asked for {one.outside}"


@pytest.fixture
def page(visitor: Callable[..., Watched]) -> Page:
    """A page of a person who was never here before."""
    return visitor().page
