"""Vectors to which Python's and the page's rescoring are held: Python's side.

The page's side is `frontend/tests/rescore.test.ts`, which reads the same file and compares bit by bit.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from factscope.core import OUTCOMES
from factscope.methods import MEASURES as CITING
from factscope.methods import Method
from factscope.scoring import MEASURES
from tests.vectors.make import ATTEMPTS, SEED, SEGMENT_STATES, VECTORS, N, attempts, rescored, segment_states, vectors
from tests.vectors.states import states


@cache
def kept_vectors() -> list[tuple[dict[str, Any], dict[str, Any]]]:
    return list(vectors())


@pytest.mark.medium
def test_python_still_gives_what_the_vectors_say(cases: Callable[[int], None]) -> None:
    cases(N)
    for number, (state, expected) in enumerate(kept_vectors(), 1):
        assert rescored(state) == expected, f"state {number}; if this is meant: python -m tests.vectors.make"


def test_python_still_gives_the_state_of_every_mix_of_claims() -> None:
    kept = json.loads(SEGMENT_STATES.read_text(encoding="utf-8"))
    assert kept == [list(row) for row in segment_states()], "if this is meant: python -m tests.vectors.make"


def test_python_still_gives_the_records_valid_after_several_attempts() -> None:
    kept = json.loads(ATTEMPTS.read_text(encoding="utf-8"))
    assert kept == list(attempts()), "if this is meant: python -m tests.vectors.make"
    third = kept[2]["stands"]
    assert ["verdict", "s2.c1.claim"] in third
    assert ["query", "s2.c1.q1"] not in third


def test_the_states_are_those_of_the_generator() -> None:
    kept = [state for state, _ in kept_vectors()]
    assert len(kept) == N
    made = json.loads(json.dumps(states(N, SEED)))
    other = [number for number, (old, new) in enumerate(zip(kept, made, strict=True)) if old != new]
    # By number: writing out how a thousand states differ takes minutes.
    assert not other, "a method changed, or the generator: python -m tests.vectors.make"
    assert VECTORS.stat().st_size <= 1_500_000


def test_the_states_meet_every_rule_outcome_and_measure() -> None:
    seen: Counter[str] = Counter()
    for _, expected in kept_vectors():
        verdicts = expected["verdicts"]
        seen.update(verdict["outcome"] for verdict in verdicts)
        seen.update(verdict["rule"] for verdict in verdicts)
        seen.update(str(verdict["gap"]) for verdict in verdicts)
        seen.update("at risk" for verdict in verdicts if verdict["at_risk"])
        seen.update("panel" for verdict in verdicts if verdict["agreement"] is not None)
        seen.update(score["name"].partition("(")[0] for score in expected["scores"])
    for name in [
        *OUTCOMES,
        "strongest",
        "share",
        "only",
        "worst",
        "conflicting",
        "at risk",
        "panel",
        *(name for name in MEASURES.names() if name not in CITING),  # the page does not recompute these
    ]:
        assert seen[name] >= 20, name


def test_the_page_knows_which_numbers_of_a_method_python_writes_as_floats() -> None:
    def named(schema: Any) -> set[str]:
        if isinstance(schema, list):
            return {name for item in schema for name in named(item)}
        if not isinstance(schema, dict):
            return set()
        own = {name for name, one in schema.get("properties", {}).items() if _is_float(one)}
        return own | {name for value in schema.values() for name in named(value)}

    assert named(Method.model_json_schema()) == {
        "at",
        "temperature",
        "threshold",
        "margin",
        "contradiction_floor",
        "least_coverage",
    }


def _is_float(schema: dict[str, Any]) -> bool:
    return any(one.get("type") == "number" for one in (schema, *schema.get("anyOf", ())))
