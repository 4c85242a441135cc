"""Tests of many cases that try all and name each failure; an id for each would take longer than the case itself."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import partial, wraps
from typing import Any

import pytest

Test = Callable[..., None]


def try_all(names: str | tuple[str, ...], cases: Iterable[Any]) -> Callable[[Test], Test]:
    """Try all cases in one test, like `pytest.mark.parametrize` for cases that need no fixtures for each.

    Raises an ExceptionGroup of the exceptions raised, each with its case in a note.
    """

    def decorate(test: Test) -> Test:
        rows = list(cases)
        keys = _keys(names)

        @wraps(test)
        def loop(request: pytest.FixtureRequest, **fixtures: Any) -> None:
            request.node.user_properties.append(("cases", len(rows)))
            each(names, rows, partial(test, **fixtures))

        signature = inspect.signature(test)
        kept = [value for name, value in signature.parameters.items() if name not in keys]
        own = inspect.Parameter("request", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        vars(loop)["__signature__"] = signature.replace(parameters=[own, *kept])
        return loop

    return decorate


def each(names: str | tuple[str, ...], cases: Iterable[Any], test: Test) -> None:
    """Try a function on all cases, which may come from a fixture.

    Raises an ExceptionGroup of the exceptions raised, each with its case in a note.
    """
    keys = _keys(names)
    rows = [(case,) if len(keys) == 1 else tuple(case) for case in cases]
    raised: list[BaseException] = []
    for row in rows:
        try:
            test(**dict(zip(keys, row, strict=True)))
        except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - each is raised below
            error.add_note(f"The case: {', '.join(map(repr, row))}")
            raised.append(error)
    if raised:
        raise BaseExceptionGroup(f"{len(raised)} of {len(rows)} cases failed", raised)


def _keys(names: str | tuple[str, ...]) -> list[str]:
    return [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
