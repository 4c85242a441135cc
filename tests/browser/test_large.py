"""Long texts scroll, and large amounts of evidence are recounted without a noticeable delay."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from .crafted import check_of, long_report, serve_crafted, wide_report
from .watched import Watched


@pytest.mark.medium
@pytest.mark.parametrize("n", [2_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_thousands_of_sentences_open_and_scroll(visitor: Callable[..., Watched], site: str, n: int) -> None:
    page = visitor().page
    serve_crafted(page, [check_of(long_report(n))])
    late = f"s{n - 999}"
    page.goto(f"{site}/checks/crafted#{late}")
    expect(page.locator(f"#t-{late}")).to_be_in_viewport()
    assert page.locator(".text a.m").count() == n
    page.evaluate(
        """async () => {
            for (let i = 1; i <= 20; i++) {
                window.scrollTo({top: i * document.body.scrollHeight / 20, behavior: 'instant'});
                await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
            }
        }"""
    )
    expect(page.locator(f"#t-{late}")).not_to_be_in_viewport()


def test_a_result_is_requested_once_and_before_the_scripts_run(visitor: Callable[..., Watched], site: str) -> None:
    one = visitor()
    asked: list[str] = []
    one.page.on("request", lambda request: asked.append(request.url.removeprefix(site)))
    serve_crafted(one.page, [check_of(wide_report(5))])
    one.page.goto(f"{site}/checks/crafted")
    expect(one.page.get_by_test_id("score")).to_be_visible()
    assert asked.count("/api/v1/checks/crafted") == 1
    initiators = "performance.getEntriesByType('resource').map((one) => [one.name, one.initiatorType])"
    assert [f"{site}/api/v1/checks/crafted", "link"] in one.page.evaluate(initiators)


@pytest.mark.medium
def test_five_hundred_passages_are_recounted_without_delay(visitor: Callable[..., Watched], site: str) -> None:
    one = visitor()
    page = one.page
    chosen = serve_crafted(page, [check_of(wide_report(500))])
    page.goto(f"{site}/checks/crafted#s1.c1")
    expect(page.get_by_test_id("score")).to_have_text("0.60")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.evaluate(
        """async () => {
            const boxes = '.kinds > li > label input[type=checkbox]';
            for (let turn = 0; turn < 9; turn++) {
                const before = document.querySelector('[data-testid=banner]')?.textContent ?? '';
                document.querySelectorAll(boxes)[turn % 7].click();
                await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
                const after = document.querySelector('[data-testid=banner]')?.textContent ?? '';
                if (after === before) throw Error('nothing was recounted');
            }
        }"""
    )
    expect(page.locator("[data-saving=saved]")).to_be_visible()
    names = {url.rpartition("/")[2] for url in asked} - {"icon.svg"}  # fetched by the browser when it has time
    assert names == {"choices"}, "only the choice itself is sent"
    assert chosen[-1]["exclude"]["categories"]


TYPE_WITH_COUNT = """async () => {
    const field = document.getElementById('text');
    const write = JSON.stringify;
    let large = 0;
    JSON.stringify = (...all) => {
        const text = write(...all);
        large += (text ?? '').length > 1e6;
        return text;
    };
    for (let i = 0; i < 10; i++) {
        field.value += 'a';
        field.dispatchEvent(new Event('input', {bubbles: true}));
        await new Promise((done) => setTimeout(done, 0));
    }
    JSON.stringify = write;
    return large;
}"""


@pytest.mark.medium
def test_large_documents_do_not_delay_typing_and_have_a_limit(visitor: Callable[..., Watched], site: str) -> None:
    page = visitor().page
    page.goto(f"{site}/")
    expect(page.get_by_role("button", name="Check", exact=True)).to_be_visible()
    page.evaluate(
        """() => {
            const files = new DataTransfer();
            for (const name of ['one.txt', 'two.txt', 'three.txt'])
                files.items.add(new File(['The bridge was opened in 1931. '.repeat(290_000)], name));
            window.dispatchEvent(new DragEvent('drop', {dataTransfer: files, bubbles: true, cancelable: true}));
        }"""
    )
    expect(page.get_by_role("alert").first).to_contain_text("three.txt was not added")
    expect(page.get_by_role("button", name="Remove two.txt")).to_be_visible()
    expect(page.get_by_role("button", name="Remove three.txt")).to_have_count(0)
    assert page.evaluate(TYPE_WITH_COUNT) <= 2, "documents are written as JSON to be sent, not for each key"
