"""Errors that arrive complete from another process."""

from __future__ import annotations

import pickle

import pytest

from factscope.core import BoundaryError, BusyError, FactscopeError, InputError, StoreError, UsageError


@pytest.mark.parametrize("kind", [UsageError, InputError, StoreError, BusyError])
def test_an_error_survives_pickling_between_processes(kind: type[FactscopeError]) -> None:
    back = pickle.loads(pickle.dumps(kind("It is broken.", "Mend it.")))
    assert (type(back), back.message, back.hint, str(back)) == (
        kind,
        "It is broken.",
        "Mend it.",
        "It is broken. Mend it.",
    )


def test_a_boundary_error_survives_pickling_between_processes() -> None:
    back = pickle.loads(pickle.dumps(BoundaryError("model", "It does not answer.", "Wait.")))
    assert (back.boundary, back.message, back.hint) == ("model", "It does not answer.", "Wait.")
    assert str(back) == "It does not answer. Wait."
