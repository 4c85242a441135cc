"""Usage estimates for FELM's methods, close to the actual usage."""

from __future__ import annotations

import pytest

from factscope.engine import CountRange, ResponseShape, expected
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


def test_self_consistency_is_nine_calls() -> None:
    (judge,) = expected(felm.felm("segment", "cot", samples=9), ResponseShape(20, CountRange(24, 24), 500))
    assert judge.calls == CountRange(9, 9)
    assert judge.tokens_out.high == 900
