"""Hints that a data set gives about its responses besides their texts."""

from __future__ import annotations

from pathlib import Path

from factscope.benchmarks.datasets import sample_hints
from tests.benchmarks.datasets import example_records


def test_sample_hints_give_the_domain_and_the_located_segments(tmp_path: Path) -> None:
    samples = example_records.read(tmp_path, example_records.FELM, "felm").samples
    found = sample_hints(samples)
    assert {name: one.domain for name, one in found.items()} == {
        "0": "wk", "1": "reasoning", "350": "math", "3": "writing_rec"
    }  # fmt: skip
    assert [len(one.segments) for one in found.values()] == [2, 3, 2, 3]
    response = samples[1].response or ""
    assert [span.of(response) for span in found["1"].segments] == ["1.", "2 + 2 = 4.", "So it is 4."]
