"""Texts of like length are run together, each once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from factscope.inference import batches, cores


@given(st.lists(st.integers(0, 40), max_size=30), st.integers(1, 60))
def test_every_text_is_in_one_run_longest_first_and_within_the_bound(lengths: list[int], most: int) -> None:
    made = list(batches(lengths, most))
    order = [place for batch in made for place in batch]
    assert order == sorted(range(len(lengths)), key=lambda place: (-lengths[place], place))
    assert all(len(batch) == 1 or lengths[batch[0]] * len(batch) <= most for batch in made)
    assert all(made)


def test_there_is_a_processor() -> None:
    assert cores() >= 1
