"""Outside text, shown and never executed, with the content-security policy and without it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from factscope.core.records import Failure, Report
from tests.browser.crafted import Builder, check_of, serve_crafted
from tests.browser.hostile import ADDRESSES, STRINGS
from tests.browser.watched import Watched


def _hostile_report() -> Report:
    """Put every string in every place where outside text is shown."""
    make = Builder("\n\n")
    for number, words in enumerate(STRINGS):
        segment = make.sentence(words.strip("\n") or "x")
        claim = make.claim(segment, f"Claimed: {words}")
        make.evidence(
            claim,
            ("supported", "contradicted", "not_enough_evidence")[number % 3],  # type: ignore[arg-type]
            f"Said: {words} and on.",
            quote=words,
            judge=f"judge {words}",
            rationale=f"Because {words}",
            title=words,
            url=ADDRESSES[number % len(ADDRESSES)],
            author=words,
            publisher=words,
            published=words,
            fetched_at=words,
            category_by=words,
            flags=(words,),
        )
        make.parts["queries"][-1] = make.parts["queries"][-1].model_copy(
            update={"text": words, "rationale": words, "ended": words}
        )
    make.parts["failures"].append(
        Failure(unit_id="s1.c1", stage="evidence", boundary="fetch", message=STRINGS[12], about=STRINGS[0])
    )
    return make.report(
        prompt=STRINGS[0], warnings=STRINGS[:3], models={STRINGS[12]: STRINGS[13]}, prompts={STRINGS[0]: STRINGS[1]}
    )


@pytest.fixture(scope="module")
def check() -> dict[str, Any]:
    return check_of(_hostile_report(), title=STRINGS[12])


# Without the policy only the page itself prevents execution; every other test runs with the policy.
@pytest.mark.medium
@pytest.mark.parametrize(
    "policy", [pytest.param(True, marks=pytest.mark.slow), False], ids=["with policy", "without policy"]
)
def test_none_of_two_hundred_hostile_strings_runs(
    visitor: Callable[..., Watched], site: str, check: dict[str, Any], policy: bool, cases: Callable[[int], None]
) -> None:
    cases(len(set(STRINGS)))
    assert len(set(STRINGS)) >= 200
    one = visitor(bypass_csp=not policy)
    page = one.page
    page.add_init_script("window.ran = []; window.pwned = window.alert = (x) => { window.ran.push(String(x)); };")
    serve_crafted(page, [check, {**check, "id": "other"}])
    page.goto(f"{site}/checks/crafted")
    expect(page.locator(".text a.m")).to_have_count(len(STRINGS))
    for summary in page.locator("summary").all():
        summary.evaluate("(node) => { node.parentElement.open = true; }")
    links = page.evaluate(
        """async (n) => {
            const seen = new Set();
            const settle = () => new Promise((done) => setTimeout(done, 0));
            for (let i = 1; i <= n; i++) {
                history.replaceState(null, '', `#s${i}.c1`);
                window.dispatchEvent(new HashChangeEvent('hashchange'));
                await settle();
                document.querySelectorAll('.panel details').forEach((one) => { one.open = true; });
                await settle();
                const panel = document.querySelector('section.panel');
                if (!panel.textContent.includes('Claimed')) seen.add(`nothing shown for s${i}`);
                document.querySelectorAll('a[href], area, [src], [style*=url], [onclick], [onerror], [onload]')
                    .forEach((node) => seen.add(`${node.tagName} ${node.getAttribute('href') ?? node.outerHTML}`));
            }
            return [...seen];
        }""",
        len(STRINGS),
    )
    for link in links:
        tag, _, address = link.partition(" ")
        allowed = address.startswith(
            ("#", "/checks/", "/about", "/docs", "/api/v1/", "/compare/", "/assets/", "/icon.svg")
        )
        assert tag in ("A", "LINK", "SCRIPT"), link
        assert allowed or address == "/" or address.startswith("https://x.example/") or tag == "SCRIPT", link
    page.goto(f"{site}/compare/crafted/other")
    expect(page.get_by_role("heading", name="Verdict changes")).to_be_visible()
    page.locator("summary").first.click()
    expect(page.locator("article.row").first).to_be_visible()
    assert page.evaluate("window.ran") == []
    assert page.evaluate("document.querySelectorAll('img, iframe, object, embed, base, video, audio').length") == 0
