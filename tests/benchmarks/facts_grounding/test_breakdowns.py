"""Scores of FACTS Grounding by kind of example: membership of each group, and how its score counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.benchmarks import Example
from factscope.benchmarks.facts_grounding import (
    EVIDENCE,
    LENGTH,
    PartScore,
    VerdictArrays,
    by_parts,
    context_document,
    tags_of,
)
from factscope.core.records import Response
from tests.lab.many_cases import try_all

GONE = np.nan


def example(name: str, words: int, **tags: str) -> Example:
    context = (context_document("word " * words),)
    return Example(name, "open", Response(id=name, text="", prompt="What?", context=context), tags)


def arrays(accurate: Any, ineligible: Any = None) -> VerdictArrays:
    values = np.array(accurate, dtype=np.float64)
    n, models, judges = values.shape
    names = (tuple(f"{kind}{k + 1}" for k in range(size)) for kind, size in (("m", models), ("j", judges)))
    second = None if ineligible is None else np.array(ineligible, dtype=np.float64)
    return VerdictArrays(*names, ("open",), np.zeros(n, dtype=np.int64), values, second)


def parts(made: VerdictArrays, tags: Mapping[str, Mapping[str, str]], ids: Sequence[str] = "abcdef") -> list[PartScore]:
    return list(by_parts(made, ids[: len(made.split)], tags, resamples=20))


@settings(max_examples=40)
@given(st.lists(st.integers(0, 60), min_size=1, max_size=24))
def test_longer_documents_are_in_later_quarters_and_equal_ones_share_one(lengths: list[int]) -> None:
    rows = [example(f"e{k}", words) for k, words in enumerate(lengths)]
    tags = tags_of(rows)
    if not any(lengths):
        assert all(LENGTH not in entry for entry in tags.values())
        return
    quarters = [int(tags[row.id][LENGTH][0]) for row in rows]
    assert set(quarters) <= {1, 2, 3, 4}
    for words, quarter in zip(lengths, quarters, strict=True):
        assert all(other <= quarter for length, other in zip(lengths, quarters, strict=True) if length <= words)
    bounds = [int(tags[row.id][LENGTH].split(" to ")[1].split()[0].replace(",", "")) for row in rows]
    assert all(words <= bound for words, bound in zip(lengths, bounds, strict=True))
    if len(set(lengths)) == len(lengths) >= 4:
        sizes = Counter(quarters).values()
        assert max(sizes) - min(sizes) <= 1


def test_a_group_is_named_by_its_longest_document_with_a_thousands_separator() -> None:
    tags = tags_of([example(name, words) for name, words in zip("abcd", (10, 20, 30, 4_000), strict=True)])
    assert [tags[name][LENGTH] for name in "ad"] == ["1 of 4, to 17 words", "4 of 4, to 4,000 words"]


@try_all(
    ("share", "third"),
    [(0.0, "1 of 3"), (0.33, "1 of 3"), (0.34, "2 of 3"), (0.66, "2 of 3"), (0.67, "3 of 3"), (1.0, "3 of 3")],
)
def test_the_position_of_evidence_is_one_of_three_thirds(share: float, third: str) -> None:
    tags = tags_of([example("a", 3), example("b", 3)], {"a": share})
    assert tags["a"][EVIDENCE].startswith(third)
    assert EVIDENCE not in tags["b"], "nobody quoted anything there"


def test_only_filled_columns_of_the_public_file_make_groups() -> None:
    tags = tags_of([example("a", 2, domain="Law", type="", colour="red", high_level_type="Q&A")])
    assert tags["a"].keys() == {"domain", "high_level_type", LENGTH}


def test_a_score_is_the_mean_over_examples_of_the_share_of_judges() -> None:
    tags = {"a": {"domain": "Law"}, "b": {"domain": "Law"}, "c": {"domain": "Art"}}
    made = arrays([[[1, 1], [0, 0]], [[1, 0], [1, 1]], [[0, 0], [1, 0]]])
    found = {(one.value, one.model): (one.score, one.n, one.of) for one in parts(made, tags)}
    assert found == {
        ("Art", "m1"): (0.0, 1, 1),
        ("Art", "m2"): (0.5, 1, 1),
        ("Law", "m1"): (0.75, 2, 2),
        ("Law", "m2"): (0.5, 2, 2),
    }


def test_an_ineligible_response_counts_as_wrong_in_its_group() -> None:
    tags = {"a": {"domain": "Law"}, "b": {"domain": "Art"}}
    found = parts(arrays([[[1, 1]], [[1, 1]]], [[[1, 1]], [[0, 1]]]), tags)
    assert {one.value: one.score for one in found} == {"Law": 0.0, "Art": 1.0}


def test_missing_verdicts_are_left_out_and_a_group_of_too_few_has_no_score() -> None:
    tags = {name: {"domain": "Law" if name in "abc" else "Art"} for name in "abcdef"}
    made = arrays([[[1, GONE]], [[GONE, GONE]], [[0, 0]], [[GONE, GONE]], [[GONE, GONE]], [[1, 1]]])
    found = {one.value: one for one in parts(made, tags)}
    assert (found["Law"].score, found["Law"].n, found["Law"].of) == (0.5, 2, 3)
    assert (found["Art"].score, found["Art"].n, found["Art"].of) == (None, 1, 3)
    assert found["Art"].interval is None


def test_a_column_with_one_value_or_very_many_makes_no_groups() -> None:
    names = [f"e{k}" for k in range(21)]
    made = arrays([[[1]]] * 21)
    same = {name: {"domain": "Law", "type": f"kind {name}"} for name in names}
    assert parts(made, same, names) == []
    twenty = {name: {"type": f"kind {min(k, 19)}"} for k, name in enumerate(names)}
    assert {one.tag for one in parts(made, twenty, names)} == {"type"}
    assert len(parts(made, twenty, names)) == 20


def test_an_example_without_a_tag_belongs_to_none_of_its_groups() -> None:
    tags = {"a": {"domain": "Law"}, "b": {"domain": "Art"}, "c": {}}
    found = parts(arrays([[[1]], [[1]], [[0]], [[0]]]), tags)
    assert sum(one.of for one in found) == 2
    assert {one.score for one in found} == {1.0}


labels = st.sampled_from([0.0, 1.0])


@settings(max_examples=30)
@given(st.lists(st.tuples(labels, labels, st.sampled_from("xyz")), min_size=2, max_size=12))
def test_the_groups_of_a_tag_make_up_the_whole(rows: list[tuple[float, float, str]]) -> None:
    made = arrays([[[first, second]] for first, second, _ in rows])
    names = [f"e{k}" for k in range(len(rows))]
    found = parts(made, {name: {"type": kind} for name, (_, _, kind) in zip(names, rows, strict=True)}, names)
    if len({kind for _, _, kind in rows}) == 1:
        assert found == []
        return
    assert [one.value for one in found] == sorted({kind for _, _, kind in rows})
    assert sum(one.of for one in found) == sum(one.n for one in found) == len(rows)
    total = sum((one.score or 0) * one.n for one in found)
    assert total == pytest.approx(sum(first + second for first, second, _ in rows) / 2)
    for one in found:
        assert one.interval is None or one.interval.low <= (one.score or 0) <= one.interval.high
