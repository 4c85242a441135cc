"""A browser, a server with the laboratory's model, and a page that reports all that goes wrong in it."""

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


@pytest.fixture(scope="package")
def shared_context(browser: Browser) -> Iterator[BrowserContext]:
    """Shared by the first person of each test: a page in a context of its own takes a second more of the processor."""
    context = browser.new_context(**WIDE)
    yield context
    context.close()


@pytest.fixture
def visitor(browser: Browser, shared_context: BrowserContext, site: str) -> Iterator[Callable[..., Watched]]:
    """Opens a page as a person of their own; at the end nothing may have gone wrong in any of them."""
    with visitors(browser, shared_context) as visit:
        yield lambda **options: visit(site, **options)


@pytest.fixture
def page(visitor: Callable[..., Watched]) -> Page:
    """A page of a person who was never here before."""
    return visitor().page
