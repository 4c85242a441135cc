"""Stored checks, and a second call after a stop, a failure, or a change."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from factscope.core import BoundaryError, Event, StoreError
from factscope.core.records import Report, Response
from factscope.engine import (
    ReadReport,
    Runner,
    RunProgress,
    Settings,
    Store,
    StoredRun,
    Tools,
    check_stored,
    check_sync,
    find_method,
    open_tools,
    run_many,
)
from factscope.judging.verifiers import ClaimPair, Prediction
from factscope.scoring import rescore
from tests import lab
from tests.conftest import TEXT, ScriptedVerifier, agreeable, with_verifier

BUILTIN = find_method("builtin")


class Stop(BaseException):
    """An interruption from outside, such as Ctrl-C."""


def down(pair: ClaimPair) -> Prediction:
    raise BoundaryError("model", "The judge is down.", "Start it.")


def kept(store: Store, tools: Tools, verifier: ScriptedVerifier, stop_at: int | None = None, **more: bool) -> Report:
    """Check the text; with `stop_at`, stop after that many batches of records."""
    batches = 0

    def on_events(events: tuple[Event, ...]) -> None:
        nonlocal batches
        batches += 1
        if stop_at is not None and batches > stop_at:
            raise Stop

    tools = with_verifier(tools, verifier, workers=1)
    return asyncio.run(check_stored(TEXT, BUILTIN, tools, store, on_events, **more))


def test_failures_are_tried_again_and_leave_no_trace(settings: Settings, tools: Tools) -> None:
    whole = check_sync(TEXT, BUILTIN, with_verifier(tools, ScriptedVerifier(agreeable)))
    with Store(settings.store) as store:
        failed = kept(store, tools, ScriptedVerifier(down))
        assert failed.counts["failed"] == 3
        mended = kept(store, tools, ScriptedVerifier(agreeable))
        assert mended == whole == rescore(mended)
        again = ScriptedVerifier(agreeable)
        assert kept(store, tools, again) == whole
        assert again.asked == []


@pytest.mark.parametrize("seed", range(12))
def test_retrying_failures_is_resumed_if_stopped_at_any_point(settings: Settings, tools: Tools, seed: int) -> None:
    """At any point of the repair, and however the records are split into batches."""
    whole = check_sync(TEXT, BUILTIN, with_verifier(tools, ScriptedVerifier(agreeable)))
    chance = random.Random(seed)

    class Slow(ScriptedVerifier):
        def verify(self, pairs: Sequence[ClaimPair]) -> list[Prediction]:
            time.sleep(chance.choice([0, 0.002, 0.005]))  # so that records arrive one by one or together
            return super().verify(pairs)

    with Store(settings.store) as store:
        kept(store, tools, ScriptedVerifier(down))
        for stop_at in sorted(chance.choices(range(8), k=4)):
            try:
                kept(store, tools, Slow(agreeable), stop_at)
            except Stop:
                (run,) = store.runs()
                assert run.finished is None, "what is only half mended does not count as finished"
        assert kept(store, tools, ScriptedVerifier(agreeable)) == whole
        assert store.runs()[0].finished


def test_a_fresh_check_judges_everything_again(settings: Settings, tools: Tools) -> None:
    with Store(settings.store) as store:
        first = kept(store, tools, ScriptedVerifier(agreeable))
        again = ScriptedVerifier(agreeable)
        assert kept(store, tools, again, fresh=True) == first
        assert len(again.asked) == len(first.judgements)


def test_a_different_judge_makes_a_different_check(settings: Settings, tools: Tools) -> None:
    class Other(ScriptedVerifier):
        name = "other-1"

    def against(pair: ClaimPair) -> Prediction:
        return agreeable(pair)._replace(label="contradicted")

    with Store(settings.store) as store:
        kept(store, tools, ScriptedVerifier(agreeable))
        assert kept(store, tools, Other(against)).counts["contradicted"] == 3
        assert len(store.runs()) == 2


def test_a_model_with_the_same_name_at_another_address_is_a_different_model(
    settings: Settings, documents: Path, server: lab.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def calls(address: str, key: str = "sk-lab") -> int:
        """Check a text, and return the number of calls."""
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        monkeypatch.setenv("OPENAI_API_KEY", key)
        before = server.count()
        asyncio.run(checked())
        return server.count() - before

    async def checked() -> None:
        named = settings.model_copy(update={"model": {"*": "openai/lab"}})
        async with open_tools(documents, settings=named) as tools:
            with Store(settings.store) as store:
                await check_stored("It has four arches.", find_method("facts-and-evidence"), tools, store)
                runs.append(store.runs()[0].id)

    runs: list[str] = []
    assert calls(server.base_url) > 0
    assert calls(f" {server.base_url}/ ", key="sk-another") == 0, "the same address"
    assert calls(server.base_url.replace("127.0.0.1", "localhost")) > 0
    assert runs[0] == runs[1] != runs[2]


def test_the_last_check_is_the_most_recently_requested_one(settings: Settings, tools: Tools) -> None:
    with Store(settings.store) as store:
        for text in ("The bridge opened in 1931.", "It has four arches.", "The bridge opened in 1931."):
            asyncio.run(check_stored(text, BUILTIN, with_verifier(tools, ScriptedVerifier(agreeable)), store))
        assert [run.title for run in store.runs()] == ["The bridge opened in 1931.", "It has four arches."]


def test_a_long_run_name_is_listed_with_its_beginning_and_end(settings: Settings, tools: Tools) -> None:
    name = f"meta labelled {'af3c9b84' * 8} own"
    wired = with_verifier(tools, ScriptedVerifier(agreeable))
    with Store(settings.store) as store:
        asyncio.run(run_many([Response(id="a", text="It has four arches.")], BUILTIN, Runner(wired, store), name))
        (run,) = store.runs()
    assert run.title.startswith("meta labelled af3c")
    assert run.title.endswith("af3c9b84 own")
    assert len(run.title) == 80


class CountingStore(Store):
    """A store that counts the records read back."""

    n_read = 0

    def events(self, run: str, response: str, *, only_outcome: bool = False) -> list[Event]:
        events = super().events(run, response, only_outcome=only_outcome)
        self.n_read += len(events)
        return events


def test_a_finished_run_is_skipped_without_reading_its_evidence(settings: Settings, tools: Tools) -> None:
    wired = with_verifier(tools, ScriptedVerifier(agreeable))
    responses = [Response(id=f"r{number}", text=TEXT) for number in range(3)]
    first: dict[str, Report] = {}
    again: dict[str, ReadReport] = {}

    def take(read: ReadReport, many: RunProgress) -> None:
        first[read().response.id] = read()

    def look(read: ReadReport, many: RunProgress) -> None:
        again[f"r{many.done - 1}"] = read

    with CountingStore(settings.store) as store:
        asyncio.run(run_many(responses, BUILTIN, Runner(wired, store), "three", take))
        store.n_read = 0
        many = asyncio.run(run_many(responses, BUILTIN, Runner(wired, store), "three", look))
        assert (many.done, many.reused, many.with_failures) == (3, 3, 0)
        outcomes = sum(1 + len(report.verdicts) + len(report.failures) for report in first.values())
        assert store.n_read <= outcomes  # neither passages nor judgements
        assert {name: read() for name, read in again.items()} == first


def test_a_row_whose_text_changed_keeps_nothing_of_its_old_text(settings: Settings, tools: Tools) -> None:
    with Store(settings.store) as store:
        (row,) = run_of_one(store, tools, TEXT).values()
        assert len(row.claims) == 6
        (row,) = run_of_one(store, tools, "The bridge opened in 1931.").values()
        assert [claim.text for claim in row.claims] == ["The bridge opened in 1931."]


def test_a_changed_row_gets_no_verdict_of_its_old_text_if_its_check_is_stopped(
    settings: Settings, tools: Tools, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []

    def write_once(store: Store, run: str, groups: Sequence[tuple[str, Sequence[Event]]]) -> None:
        if written:
            raise StoreError("The disk is full.")
        written.append(run)
        write(store, run, groups)

    with Store(settings.store) as store:
        run_of_one(store, tools, "The bridge opened in 1931.")
        write = Store.append_all
        with monkeypatch.context() as patch:
            patch.setattr(Store, "append_all", write_once)
            with pytest.raises(StoreError, match="full"):
                run_of_one(store, tools, "It has four arches.")
        judge = ScriptedVerifier(agreeable)
        run_of_one(store, tools, "It has four arches.", judge)
        assert {pair.claim for pair in judge.asked} == {"It has four arches."}


def run_of_one(store: Store, tools: Tools, text: str, judge: ScriptedVerifier | None = None) -> StoredRun:
    """Run over a data set of one row, and return the stored run."""
    wired = with_verifier(tools, judge or ScriptedVerifier(agreeable))
    asyncio.run(run_many([Response(id="a", text=text)], BUILTIN, Runner(wired, store), "one"))
    return StoredRun(store, store.runs()[0])
