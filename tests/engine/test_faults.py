"""Faults at every method's calls: no failure becomes a label, no unit is lost, and the next try completes the report.

`perf/faults.py` injects all faults; these tests inject a share of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

import pytest

from factscope.engine import Tools
from factscope.methods import Method
from tests import lab
from tests.conftest import at_least
from tests.engine.checking import ASKING, changed
from tests.engine.faults import FATAL, FAULTS, NEVER_TRIED_AGAIN, Ground, Site, ground, plain, without_calls, wrong

TEXT = "The Marlow bridge was opened in 1931. It has six arches."
SHARE = at_least(7, in_all=1)
"""The tests inject one fault in this many; the reliability card injects all of them."""
PATIENCE = (0.15, 2.0, 20.0)
"""Timeouts in seconds for a silent server: the longer ones are for machines too busy to answer within the shortest."""
PASSING = {name: do for name, do in FAULTS.items() if name not in NEVER_TRIED_AGAIN}
Cases = Callable[[int], None]
Try = Callable[[Ground, Site, Mapping[str, Any]], Awaitable[None]]


def each(
    faults: Iterable[Mapping[str, Any]],
    method: str | Method,
    tools: Tools,
    server: lab.Server,
    try_: Try,
    share: int = SHARE,
) -> int:
    """Try a share of all faults at all calls of a method, and return how many were tried."""

    async def run(hangs: bool, patience: float) -> int:
        tried = 0
        async with ground(TEXT, changed(method), tools, server, patience) as checked:
            for site in checked.sites():
                for number, do in enumerate(faults):
                    if (site.number + number) % share == 0 and ("hang" in do) == hangs:
                        await try_(checked, site, do)
                        tried += 1
        return tried

    tried = asyncio.run(run(hangs=False, patience=60.0))
    for patience in PATIENCE[:-1]:
        with suppress(AssertionError):
            return tried + asyncio.run(run(hangs=True, patience=patience))
    return tried + asyncio.run(run(hangs=True, patience=PATIENCE[-1]))


@pytest.mark.medium
@pytest.mark.parametrize("method", ASKING)
def test_a_fault_costs_its_units_and_nothing_else(
    method: str, library: Tools, server: lab.Server, cases: Cases
) -> None:
    async def lasting(checked: Ground, site: Site, do: Mapping[str, Any]) -> None:
        report = await checked.strike(site, do)
        assert wrong(report, checked.whole) == []
        assert plain(await checked.again()) == plain(checked.whole)

    cases(each(FAULTS.values(), method, library, server, lasting))


@pytest.mark.medium
@pytest.mark.parametrize("method", ASKING)
def test_a_fault_that_passes_costs_nothing(method: str, library: Tools, server: lab.Server, cases: Cases) -> None:
    async def passing(checked: Ground, site: Site, do: Mapping[str, Any]) -> None:
        # A late or unreadable reply is requested again in parts: different calls, same result.
        assert without_calls(await checked.strike(site, do, once=True)) == without_calls(checked.whole)

    cases(each(PASSING.values(), method, library, server, passing))


def test_a_plan_that_times_out_is_requested_in_parts(library: Tools, server: lab.Server) -> None:
    planning = changed("standard", evidence={"queries": {"begin_with": "query", "stop": "enough"}})
    planned: list[Site] = []

    async def passing(checked: Ground, site: Site, do: Mapping[str, Any]) -> None:
        if "You plan searches" in site.contains[0]:
            planned.append(site)
            assert without_calls(await checked.strike(site, do, once=True)) == without_calls(checked.whole)

    each([FAULTS["timeout"]], planning, library, server, passing, share=1)
    assert planned


@pytest.mark.parametrize("method", ASKING)
def test_a_fault_affecting_all_calls_ends_the_check_with_one_message(
    method: str, library: Tools, server: lab.Server, cases: Cases
) -> None:
    async def fatal(checked: Ground, site: Site, do: Mapping[str, Any]) -> None:
        assert await checked.stops(site, do)

    cases(each(FATAL.values(), method, library, server, fatal))
