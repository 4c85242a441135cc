"""Advance estimates: well-formed ranges for every method and text, and sums of their steps."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest

from factscope.engine import (
    CLAIMS_PER_SEGMENT,
    REFERENCE,
    CountRange,
    ResponseShape,
    calls,
    chain,
    expected,
    find_method,
    method_names,
    money,
    seconds,
    tokens,
)
from factscope.llm import Price, steps
from factscope.methods import Method
from tests.lab.many_cases import try_all


def shape(segments: int, context: int | None = None) -> ResponseShape:
    low, high = (segments * each for each in CLAIMS_PER_SEGMENT)
    return ResponseShape(segments, CountRange(low, high), 28 * segments, context)


def methods() -> Iterator[Method]:
    for name in method_names():
        if not name.startswith("felm/published/"):  # their prompts are not part of Factscope
            yield find_method(name)


@try_all("size", [shape(0), shape(1), shape(20), shape(2_000), shape(20, 0), shape(20, 500_000), REFERENCE])
def test_no_range_ends_below_its_beginning(size: ResponseShape) -> None:
    for method in methods():
        for step in expected(method, size):
            for low, high in (step.calls, step.tokens_in, step.tokens_out):
                assert 0 <= low <= high, (method.name, step)
        least, most = chain(method)
        assert 0 <= least <= most


def test_a_longer_text_never_costs_less() -> None:
    for method in methods():
        estimates = [expected(method, shape(n)) for n in (1, 5, 20, 100, 1_000)]
        for smaller, larger in pairwise(estimates):
            assert calls(smaller).high <= calls(larger).high, method.name
            assert tokens(smaller)[0].high <= tokens(larger)[0].high, method.name


def test_as_many_calls_run_at_once_as_the_setting_or_its_default_allows() -> None:
    method = find_method("verify")
    many = CountRange(2_560, 25_600)
    assert seconds(method, many, None) == (10, 800), "256 at once"
    assert seconds(method, many, 10) == (256, 20_480)
    least, most = chain(method)
    assert seconds(method, CountRange(1, 1), None, before=1) == (least + 1, 8 * (most + 1)), "they wait for each other"
    assert seconds(method, CountRange(0, 256), None).low == 0, "all may be cached"


def test_a_call_is_not_expected_to_write_more_than_it_may() -> None:
    for method in methods():
        most = dict(steps(method))
        for step in expected(method, shape(2_000)):
            assert step.tokens_out.high <= step.calls.high * most[step.name].max_tokens, (method.name, step)


def test_the_cost_covers_all_steps_and_is_unknown_if_a_price_is_missing() -> None:
    method = find_method("standard")
    estimates = expected(method, REFERENCE)
    models = {step.role: f"a/{step.role}" for step in estimates}
    total = money(estimates, models, lambda model: Price(1, 10))
    sent, written = tokens(estimates)
    assert total is not None
    assert total.low == pytest.approx((sent.low + 10 * written.low) / 1e6, abs=2e-5)
    assert total.high == pytest.approx((sent.high + 10 * written.high) / 1e6, abs=2e-5)
    assert money(estimates, models, lambda model: None if model == "a/judge" else Price(1, 10)) is None
    assert money((), models, lambda model: None) == CountRange(0, 0)
