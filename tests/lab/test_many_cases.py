"""A test of many cases: all are tried, and each failure is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lab.many_cases import try_all


@try_all("number, square", [(1, 1), (2, 5), (3, 9), (4, 17)])
def squares(number: int, square: int) -> None:
    if number == 4:
        pytest.fail("too large")
    assert number**2 == square


def test_all_cases_are_tried_and_each_that_fails_is_named(request: pytest.FixtureRequest) -> None:
    with pytest.raises(BaseExceptionGroup, match="2 of 4 cases failed") as caught:
        squares(request)
    assert [error.__notes__ for error in caught.value.exceptions] == [["The case: 2, 5"], ["The case: 4, 17"]]


@try_all("word", ["one", "two"])
def test_fixtures_work_with_many_cases(word: str, tmp_path: Path) -> None:
    assert (tmp_path / word).parent.is_dir()
