"""A browser, a server with the laboratory's model, and a page that reports everything that goes wrong in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests import lab
from tests.web.served import Process

from .chrome import chrome
from .watched import WIDE, Watched, visitors


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Keep the browser open only for the tests that need it: its driver runs an event loop in this thread."""
    with chrome() as found:
        yield found


@pytest.fixture(scope="session")
def models() -> Iterator[lab.Server]:
    with lab.model_server() as server:
        yield server


@pytest.fixture(scope="session")
def site(models: lab.Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a real server with a model, without a final slash."""
    environment = {"OPENAI_BASE_URL": models.base_url, "OPENAI_API_KEY": "sk-lab", "FACTSCOPE_MODEL": "openai/lab"}
    process = Process(tmp_path_factory.mktemp("site"), **environment)
    yield process.address.rstrip("/")
    process.end()


@pytest.fixture(scope="package")
def shared_context(browser: Browser) -> Iterator[BrowserContext]:
    """Share a context between each test's first person: a separate one takes a second more of processor time."""
    context = browser.new_context(**WIDE)
    yield context
    context.close()


@pytest.fixture
def visitor(browser: Browser, shared_context: BrowserContext, site: str) -> Iterator[Callable[..., Watched]]:
    """Return a function that opens a page as a new person; fails at the end if anything went wrong in any page."""
    with visitors(browser, shared_context) as visit:
        yield lambda **options: visit(site, **options)


@pytest.fixture
def page(visitor: Callable[..., Watched]) -> Page:
    """Open the page as a new person."""
    return visitor().page
