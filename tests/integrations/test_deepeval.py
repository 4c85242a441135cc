"""DeepEval's metric in DeepEval's own runner."""

from __future__ import annotations

import pytest

deepeval = pytest.importorskip("deepeval", exc_type=ImportError)

from deepeval import assert_test, evaluate  # noqa: E402
from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig  # noqa: E402
from deepeval.test_case import LLMTestCase  # noqa: E402

from factscope.integrations import FactscopeMetric  # noqa: E402
from tests.integrations.runner import CONTEXTS, HALF, QUESTION, RIGHT, WRONG, failing_checker  # noqa: E402


def case(answer: str, contexts: list[str] | None = CONTEXTS) -> LLMTestCase:
    return LLMTestCase(input=QUESTION, actual_output=answer, retrieval_context=contexts)


@pytest.mark.parametrize("run_async", [True, False])
def test_a_right_answer_passes_and_a_wrong_one_fails_with_its_reason(run_async: bool) -> None:
    metric = FactscopeMetric(threshold=0.8)
    assert_test(case(RIGHT), [metric], run_async=run_async)
    with pytest.raises(AssertionError, match=r"(?s)Factscope.*score: 0\.5.*In 1858 a first-order"):
        assert_test(case(WRONG), [metric], run_async=run_async)


def test_a_partly_judged_answer_passes_only_with_a_lower_required_coverage() -> None:
    with pytest.raises(AssertionError, match=r"coverage 0\.50 is below 1\.00"):
        assert_test(case(HALF), [FactscopeMetric()])
    assert_test(case(HALF), [FactscopeMetric(min_coverage=0.5)])


def results(test_case: LLMTestCase, metric: FactscopeMetric, **errors: bool) -> object:
    done = evaluate(
        [test_case], [metric], display_config=DisplayConfig(show_indicator=False, print_results=False),
        async_config=AsyncConfig(run_async=False), error_config=ErrorConfig(**errors),
        cache_config=CacheConfig(write_cache=False, use_cache=False),
    )  # fmt: skip
    return done.test_results[0]


def test_a_case_without_contexts_is_skipped_or_an_error_and_has_no_score() -> None:
    skipped = results(case(RIGHT, None), FactscopeMetric(), skip_on_missing_params=True)
    assert not skipped.metrics_data
    wrong = results(case(RIGHT, None), FactscopeMetric(), ignore_errors=True).metrics_data[0]
    assert (wrong.score, wrong.success) == (None, False)
    assert "without contexts" in wrong.error


def test_a_failed_check_is_an_error() -> None:
    wrong = results(case(RIGHT), FactscopeMetric(checker=failing_checker()), ignore_errors=True).metrics_data[0]
    assert wrong.score is None
    assert "could not be checked" in wrong.error
