"""Old prompts among new ones: their topics, and the prompts they are too similar to."""

from __future__ import annotations

import numpy as np
import polars as pl

from factscope.benchmarks.curate import (
    ID_IN_USE,
    SAME,
    SAME_IN_TOPIC,
    NewPrompts,
    PlacedPrompts,
    Update,
    placed,
)


def at(*degrees: float) -> np.ndarray:
    """Return unit vectors in the plane; the cosine of two is that of the angle between them."""
    turned = np.radians(degrees)
    return np.stack([np.cos(turned), np.sin(turned)], axis=1).astype(np.float32)


def table(prefix: str, prompts: list[str], topics: list[int] | None = None) -> pl.DataFrame:
    rows = pl.DataFrame({"id": [f"{prefix}{i}" for i in range(len(prompts))], "prompt": prompts})
    return rows if topics is None else rows.with_columns(topic=pl.Series(topics, dtype=pl.Int32))


NEW = NewPrompts(table("n", ["on moss", "on ferns", "on ships", "on boats"], [0, 0, 1, 1]), at(0, 8, 90, 98))
KNOWN = PlacedPrompts(at(0, 8, 90, 98, 200, 205), np.array([0, 0, 1, 1, -1, -1]))
RULE = Update(neighbours=2, outside=0)


def test_old_prompts_get_a_topic_a_reason_and_their_nearest_new_prompt():
    old = table("o", ["of moss", "of lichen", "of trees", "of oars", "of stars"])
    # cos 20° = .94, cos 29° = .875, cos 35° = .82
    found = placed(old, at(28, 37, 43, 127, 202), NEW, KNOWN, RULE)
    assert found["topic"].to_list() == [0, 0, 0, 1, -1]
    assert found["reason"].to_list() == [SAME, SAME_IN_TOPIC, None, SAME_IN_TOPIC, None]
    assert found["nearest"].to_list()[:4] == ["n1", "n1", "n1", "n3"]
    assert abs(found["cosine"][1] - np.cos(np.radians(29))) < 1e-6


def test_high_similarity_counts_across_topics_and_lower_similarity_does_not():
    new = NewPrompts(NEW.rows.with_columns(topic=pl.Series([1, 1, 1, 1], dtype=pl.Int32)), NEW.vectors)
    found = placed(table("o", ["a", "b"]), at(24, -28), new, KNOWN, RULE)
    assert found["topic"].to_list() == [0, 0]
    assert found["reason"].to_list() == [SAME, None]


def test_a_prompt_asked_again_stays_whatever_else_is_asked():
    old = table("o", ["On  MOSS", "x"])
    found = placed(old, at(0, 60), NewPrompts(NEW.rows, at(0, 60, 90, 98)), KNOWN, RULE)
    assert found["twin"].to_list() == ["n0", None]
    assert found["reason"].to_list() == [None, SAME]
    close = placed(old, at(0, 60), NewPrompts(NEW.rows, at(0, 4, 90, 98)), KNOWN, RULE)
    assert (close["nearest"][0], close["reason"][0]) == ("n1", None)


def test_the_id_of_another_new_prompt_counts_as_taken():
    old = table("n", ["on algae", "on ferns"])
    found = placed(old, at(60, 8), NEW, KNOWN, RULE)
    assert found["reason"].to_list() == [ID_IN_USE, None]
    assert found["twin"].to_list() == [None, "n1"]


def test_an_old_prompt_too_far_from_the_new_ones_is_outside_all_topics():
    known = PlacedPrompts(at(0, 8, 90, 98), np.array([0, 0, 1, 1]))
    found = placed(table("o", ["a", "b"]), at(15, 49), NEW, known, Update(neighbours=2))
    assert found["topic"].to_list() == [0, -1]


def test_placing_works_without_old_or_without_new_prompts():
    assert placed(table("o", []), at(), NEW, KNOWN, RULE).is_empty()
    nothing = NewPrompts(NEW.rows.clear(), at())
    alone = placed(table("o", ["a"]), at(1), nothing, PlacedPrompts(at(), np.array([], dtype=np.int64)), RULE)
    assert alone.row(0) == ("o0", -1, None, None, None, None)
