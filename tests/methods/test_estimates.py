"""Usage estimates for FELM's methods, close to the actual usage."""

from __future__ import annotations

import pytest

import factscope as fs
from factscope.core.records import Response
from factscope.engine import CountRange, ResponseShape, expected, find_method, shape_of
from factscope.methods.library import felm
from tests import lab
from tests.engine.checking import checked
from tests.methods.test_felm import GRID, known, response


@pytest.mark.parametrize("name", GRID)
def test_the_estimate_covers_the_actual_usage(name: str, server: lab.Server) -> None:
    report = checked(response(), GRID[name], known(), server)
    parts = {part.role: part for part in expected(GRID[name], ResponseShape(4, CountRange(3, 4), 40))}
    for used in report.usage:
        part = parts[used.role]
        assert part.calls == CountRange(used.calls, used.calls)
        assert used.tokens_in is not None
        assert 0.5 * part.tokens_in.low <= used.tokens_in <= 1.5 * part.tokens_in.high


def test_claims_by_rules_are_counted_as_the_check_makes_them() -> None:
    text = "Tickets are 9 crowns each and can be bought at the tower. Have you seen it? It opened in 1931."
    asked = Response(id="r1", text=text)
    made = fs.check(text, contexts=text, verifier="builtin-small").claims
    assert sum(claim.verdict != "not_checkable" for claim in made) == 3
    assert shape_of(asked, find_method("builtin")).claims == CountRange(3, 3)
    (judge,) = expected(find_method("small"), shape_of(asked, find_method("small")))
    assert judge.calls.low == 3
    assert shape_of(asked, GRID["felm/segment-cot"]).claims == CountRange(3, 3)
    assert shape_of(asked, find_method("standard")).claims == CountRange(2 * 0.8, 2 * 2.2)


def test_self_consistency_is_nine_calls() -> None:
    (judge,) = expected(felm.felm("segment", "cot", samples=9), ResponseShape(20, CountRange(24, 24), 500))
    assert judge.calls == CountRange(9, 9)
    assert judge.tokens_out.high == 900
