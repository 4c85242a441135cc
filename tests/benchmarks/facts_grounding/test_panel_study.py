"""What the table owes to its panel, and where models fail."""

from __future__ import annotations

import numpy as np
import pytest

from factscope.benchmarks.examples import Example
from factscope.benchmarks.facts_grounding.breakdowns import LENGTH, by_parts, tags_of
from factscope.benchmarks.facts_grounding.panel_study import adaptive, without_judges
from factscope.benchmarks.facts_grounding.verdict_arrays import VerdictArrays
from factscope.core.records import Document, Response


def arrays(labels: np.ndarray) -> VerdictArrays:
    """Of one split, without phase B."""
    judges = tuple("xyz"[: labels.shape[2]])
    models = tuple("ab"[: labels.shape[1]])
    return VerdictArrays(models, judges, ("open",), np.zeros(len(labels), np.int64), labels.astype(float))


def test_a_third_judge_asked_at_need_saves_calls_and_may_move_scores() -> None:
    """Of four responses x and y agree on three; z differs from them on one of these."""
    labels = np.array([[[1, 1, 1]], [[1, 1, 0]], [[0, 0, 0]], [[1, 0, 1]]])
    last = next(one for one in adaptive(arrays(labels), resamples=100) if one.third == "z")
    assert (last.n, last.asked) == (4, 1)
    assert last.saved == pytest.approx(3 / 12)
    assert last.bias == pytest.approx(1 / 12)  # one verdict of twelve is taken for accurate that is not


def test_where_a_judge_decides_the_ranks_leaving_it_out_moves_them() -> None:
    a, b = [1, 1, 0], [0, 0, 1]  # z alone prefers b, and strongly
    labels = np.array([[a, b]] * 10)
    found = {one.judge: one for one in without_judges(arrays(labels))}
    assert found["z"].ranks == (1, 2)
    assert found["z"].averages == (1.0, 0.0)
    assert found["z"].moved == 0
    assert without_judges(arrays(labels[..., :2])) == ()


def test_missing_verdicts_are_in_no_saving() -> None:
    labels = np.array([[[1.0, 1.0, np.nan]], [[1.0, 1.0, 1.0]]])
    assert {one.n for one in adaptive(arrays(labels), resamples=50)} == {1}


def example(name: str, words: int, **tags: str) -> Example:
    document = Document(id=f"d-{words:016d}", text="w " * words, sha256=f"{words:064d}")
    return Example(name, "open", Response(id=name, text="", context=(document,)), tags)


def test_scores_by_domain_and_by_the_length_of_the_document() -> None:
    rows = [example(f"e{n}", 10 * (n + 1), domain="Legal" if n % 2 else "Medical") for n in range(8)]
    tags = tags_of(rows)
    assert tags["e0"][LENGTH].startswith("1 of 4, to 2")
    assert tags["e7"][LENGTH] == "4 of 4, to 80 words"
    labels = np.array([[[n % 2, n % 2, 1]] for n in range(8)])
    found = {
        (one.tag, one.value): one for one in by_parts(arrays(labels), [row.id for row in rows], tags, resamples=100)
    }
    assert found["domain", "Legal"].score == 1.0
    assert found["domain", "Medical"].score == pytest.approx(1 / 3)
    assert found["domain", "Medical"].n == 4
    assert len([key for key in found if key[0] == LENGTH]) == 4
    assert not by_parts(arrays(labels), [row.id for row in rows], {}, resamples=100)
