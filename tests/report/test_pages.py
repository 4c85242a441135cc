"""Reports and evaluations as single files in a browser: accessible, in both themes, narrow and wide."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext
from typer.testing import CliRunner

from factscope.cli import app
from factscope.report import render, render_many
from tests.browser.files import opened, shared_context
from tests.browser.watched import serious
from tests.report.samples import hostile, rich

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
NAMES = ("report", "hostile", "many", "meta")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    reports = [rich(), hostile("<img src=x onerror=alert(1)>")]
    many = "".join(str(piece) for piece in render_many(lambda: reports, rich().scores, "html"))
    for name, page in zip(NAMES, (*(render(report, "html") for report in reports), many), strict=False):
        (folder / f"{name}.html").write_text(str(page), encoding="utf-8")
    words = ["meta", str(EXAMPLES / "labelled.jsonl"), "--predictions", str(EXAMPLES / "predictions.jsonl")]
    done = CliRunner().invoke(app, [*words, "--format", "html", "-o", str(folder / "meta.html")])
    assert done.exit_code == 0, done.output
    return folder


@pytest.fixture(scope="module")
def context(folder: Path) -> Iterator[BrowserContext]:
    """Open a browser only when pages are made: while it is open, its driver's event loop runs in this thread."""
    with shared_context() as found:
        yield found


@pytest.mark.medium
@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", NAMES)
def test_axe_finds_nothing_serious(context: BrowserContext, folder: Path, name: str, theme: str) -> None:
    page, _ = opened(context, (folder / f"{name}.html").as_uri(), color_scheme=theme, bypass_csp=True)
    for closed in page.locator("details").all():
        closed.evaluate("one => one.open = true")
    assert serious(page) == []


@pytest.mark.parametrize("name", NAMES)
def test_nothing_runs_over_the_edge_of_a_phone(context: BrowserContext, folder: Path, name: str) -> None:
    page, _ = opened(context, (folder / f"{name}.html").as_uri(), viewport={"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
