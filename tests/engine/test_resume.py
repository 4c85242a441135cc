"""Interrupted checks, which resume to the same report, and replayed checks, which give the same bytes."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from factscope.core import Event
from factscope.core.records import Failure, Report, Verdict
from factscope.engine import Store, Tools, check, check_stored, find_method
from factscope.llm import ALL, Cache, Call, ModelClient, Models, ReplaySender, Reply, write_recording
from factscope.llm.prompts import load, shipped
from factscope.report import render
from factscope.scoring import rescore
from tests import lab
from tests.conftest import TEXT
from tests.engine import reference
from tests.engine.checking import ASKING, checked, ids_in, questions
from tests.engine.faults import plain, without_calls
from tests.lab.tools import models_for, with_models


class Stop(BaseException):
    """An interruption from outside, such as Ctrl-C."""


def kept(
    text: str,
    method: str,
    tools: Tools,
    server: lab.Server,
    store: Store,
    stop_at: int | None = None,
    seen: Callable[[tuple[Event, ...]], object] = len,
    cache: Cache | None = None,
) -> Report:
    """Check a text and store it; with `stop_at`, stop once that many groups of records are on disk."""
    groups = count(1)

    def on_events(events: tuple[Event, ...]) -> None:
        seen(events)
        if next(groups) == stop_at:
            raise Stop

    async def run() -> Report:
        async with with_models(tools, models_for(server, cache=cache), 2) as wired:
            return await check_stored(text, find_method(method), wired, store, on_events)

    return asyncio.run(run())


def judged_claims(events: tuple[Event, ...], ended: set[str]) -> None:
    ended.update(event.unit_id for event in events if isinstance(event, Verdict) and event.level == "claim")


def asked_to_judge(server: lab.Server, report: Report) -> set[str]:
    """Return the claims that a judge was asked about since the last script."""
    by_text = {claim.standalone: claim.id for claim in report.claims}
    judging = [
        asked
        for judge in {prompt for prompt in shipped() if prompt.endswith(("/judge", "/label"))}
        for asked in questions(server, load(judge).system.partition("{{")[0])
    ]
    alone = {by_text[asked["claim"]] for asked in judging if "claim" in asked}
    return alone | {name for asked in judging for name in ids_in(asked.get("claims", ""))}


@pytest.mark.medium
@pytest.mark.parametrize("method", ASKING)
def test_a_check_stopped_at_any_point_is_resumed(
    method: str, library: Tools, server: lab.Server, tmp_path: Path, cases: Callable[[int], None]
) -> None:
    """Stop after each of the first groups of records, then after each later one, without a cache of replies."""
    whole = checked(TEXT, method, library, server)
    ended: set[str] = set()
    stops = 0
    with Store(tmp_path / "runs.db") as store:
        for stop_at in (1, 2, 3, 5, 2, 8, 13, None):
            server.script([])
            before = set(ended)
            try:
                report = kept(
                    TEXT, method, library, server, store, stop_at, lambda events: judged_claims(events, ended)
                )
            except Stop:
                stops += 1
                assert before <= ended
            else:
                break
            assert not asked_to_judge(server, whole) & before
        assert not asked_to_judge(server, whole) & before
        assert plain(report) == plain(whole) == plain(rescore(report))
        server.script([])
        assert plain(kept(TEXT, method, library, server, store)) == plain(whole)
        assert server.count() == 0  # the report is read from the store
    assert stops >= 3
    cases(stops)


@pytest.mark.medium
@pytest.mark.parametrize("stop_at", [4, 7, 10, 16])
def test_the_reference_check_stopped_once_is_resumed(
    stop_at: int, reference_library: Tools, server: lab.Server, tmp_path: Path
) -> None:
    whole = checked(reference.TEXT, "standard", reference_library, server)
    ended: set[str] = set()

    def see(events: tuple[Event, ...]) -> None:
        judged_claims(events, ended)

    with Store(tmp_path / "runs.db") as store:
        with suppress(Stop):
            kept(reference.TEXT, "standard", reference_library, server, store, stop_at, see)
        before = set(ended)
        server.script([])
        again = kept(reference.TEXT, "standard", reference_library, server, store)
        assert without_calls(again) == without_calls(whole)  # open claims of a group are judged without the others
        assert not asked_to_judge(server, whole) & before


def test_calls_paid_for_before_a_stop_are_counted_after_a_resume(
    library: Tools, server: lab.Server, tmp_path: Path
) -> None:
    def stop_at_a_verdict(events: tuple[Event, ...]) -> None:
        if any(isinstance(event, Verdict) and event.outcome == "supported" for event in events):
            raise Stop

    with Store(tmp_path / "runs.db") as store, Cache(tmp_path / "replies.db") as cache:
        with suppress(Stop):
            kept(TEXT, "standard", library, server, store, seen=stop_at_a_verdict, cache=cache)
        report = kept(TEXT, "standard", library, server, store, cache=cache)
        usage = {row.role: (row.calls, row.tokens_in, row.tokens_out) for row in report.usage}
        unstopped = {row.role: row for row in checked(TEXT, "standard", library, server).usage}["extract"]
        assert usage["extract"] == (
            1,
            unstopped.tokens_in,
            unstopped.tokens_out,
        )  # calls in flight may be lost, not this one
        assert kept(TEXT, "standard", library, server, store, cache=cache) == report


@pytest.mark.parametrize("method", ASKING)
def test_failures_are_retried_and_leave_no_trace(
    method: str, library: Tools, server: lab.Server, tmp_path: Path
) -> None:
    whole = checked(TEXT, method, library, server)
    with Store(tmp_path / "runs.db") as store, Cache(tmp_path / "replies.db") as cache:
        server.script([{"when": {"contains": "six arches"}, "do": {"status": 400}}])
        broken = kept(TEXT, method, library, server, store, cache=cache)
        assert broken.failures
        server.script([])
        assert plain(kept(TEXT, method, library, server, store, cache=cache)) == plain(whole)
        made = server.count()
        assert plain(kept(TEXT, method, library, server, store, cache=cache)) == plain(whole)
        assert server.count() == made


def test_a_successfully_retried_segment_has_no_failure_in_the_store(
    library: Tools, server: lab.Server, tmp_path: Path
) -> None:
    with Store(tmp_path / "runs.db") as store:
        server.script([{"when": {"contains": "six arches"}, "do": {"status": 400}}])
        assert kept(TEXT, "factscore", library, server, store).failures
        server.script([])
        assert kept(TEXT, "factscore", library, server, store).failures == ()
        (run,) = store.runs()
        assert not [event for event in store.events(run.id, "r1") if isinstance(event, Failure)]


class Shuffled(ModelClient):
    """A client whose replies arrive in a different order each time."""

    def __init__(self, sender: ReplaySender, cache: Cache, chance: random.Random) -> None:
        super().__init__(sender, cache)
        self.chance = chance

    async def complete(self, call: Call, keep_as: Callable[[Reply], Call | None] = lambda reply: None) -> Reply:
        await asyncio.sleep(self.chance.random() * 0.004)
        return await super().complete(call, keep_as)


def played(recording: Path, folder: Path, method: str, tools: Tools, groups: int, seed: int) -> str:
    """Return the report of a replayed recording, with its replies in the order that `seed` gives."""

    async def run() -> Report:
        with Cache(folder / f"{groups}.db") as own:
            client = Shuffled(ReplaySender(recording, own), own, random.Random(seed))
            async with with_models(tools, Models(lambda: client, {ALL: "openai/lab"}), groups) as wired:
                return await check(reference.TEXT, find_method(method), wired)

    return str(render(asyncio.run(run()), "json"))


@pytest.mark.medium
@pytest.mark.parametrize("method", ["standard", "facts-and-evidence", "veriscore"])
def test_a_recorded_check_is_replayed_byte_for_byte_in_any_order(
    method: str, reference_library: Tools, server: lab.Server, tmp_path: Path, cases: Callable[[int], None]
) -> None:
    cases(3)
    recording = tmp_path / "calls.jsonl"
    server.script([{"do": {"delay": 0.02, "uneven": True}}])
    with Cache(tmp_path / "replies.db") as cache:
        live = checked(reference.TEXT, method, reference_library, server, cache=cache)
        written = write_recording(cache, recording)
    assert written == server.count()
    reports = {played(recording, tmp_path, method, reference_library, groups, groups) for groups in (1, 8, 64)}
    assert len(reports) == 1
    assert plain(Report.model_validate_json(reports.pop())) == plain(live)


@pytest.mark.parametrize("method", ASKING)
def test_the_order_of_replies_makes_no_difference(
    method: str, library: Tools, server: lab.Server, cases: Callable[[int], None]
) -> None:
    cases(2)
    whole = plain(checked(TEXT, method, library, server)).model_dump_json()
    server.script([{"do": {"delay": 0.01, "uneven": True}}])
    for groups in (1, 64):
        assert plain(checked(TEXT, method, library, server, groups=groups)).model_dump_json() == whole
